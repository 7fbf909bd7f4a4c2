"""The block that repeats a campaign: complete, and harmless for any file of results."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from crosslit_bench.plan.campaign import CampaignSpec
from crosslit_bench.plan.software import Software, software_of
from crosslit_bench.report import methods
from crosslit_bench.report.methods import campaign_files, reproduction
from crosslit_bench.results.frame import Results

from tests.bench.reports import BOARD, CORNER, DRAWN, PICTURE, campaign, named, solved

# The block is meant for a POSIX shell; a system without one (Windows) cannot run it.
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
TEXT = 'title = "Two puzzles"\nbackends = ["gauss", "line"]\n[[puzzles]]\nfiles = ["*.non"]\n'
GIT = """#!/bin/sh
echo git "$@" >> "$LOG"
if [ "$1" = clone ]; then mkdir "$4"; fi
"""
PYTHON = f"""#!/bin/sh
mkdir -p venv/bin
printf '#!/bin/sh\\necho "$@" >> "$LOG"\\n' > venv/bin/python
printf '#!/bin/sh\\nexec {sys.executable} -m crosslit "$@"\\n' > venv/bin/crosslit
chmod +x venv/bin/*
"""


def run(block: str, folder: Path, **variables: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run a block in a new folder with Git and pip replaced; return its result and the arguments of both."""
    empty, tools = folder / "empty", folder / "stubs"
    tools.mkdir()
    empty.mkdir()
    for name, text in (("git", GIT), ("python-stub", PYTHON)):
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    (folder / "log").touch()
    path = f"{tools}:/usr/bin:/bin"
    environment = {"PATH": path, "LOG": str(folder / "log"), "PYTHON": "python-stub", **variables}
    done = subprocess.run(
        ["bash"], input=block, cwd=empty, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return done, (folder / "log").read_text(encoding="utf-8").splitlines()


def small(store_folder: Path, **about: object) -> Results:
    puzzles = [named(BOARD, "A board"), named(PICTURE, "A # picture", "pictures")]
    grids = {BOARD.id: CORNER, PICTURE.id: DRAWN}
    return campaign(
        store_folder,
        puzzles,
        ["gauss", "line"],
        lambda one, _: solved(1.0, grids[one.puzzle.id]),
        **{"text": TEXT, **about},
    )


def made_with(results: Results, **known: object) -> Results:
    software = Software(**{"version": "1.0", "libraries": {"numpy": "2.0"}, **known})  # type: ignore[arg-type]
    return dataclasses.replace(results, about=dataclasses.replace(results.about, software=software))


def test_the_campaign_has_its_puzzles_with_their_verdicts(tmp_path: Path) -> None:
    files = campaign_files("c.toml", small(tmp_path, without_growth=("pictures",)))
    assert files["puzzles-2.puzzles"] == "1,2|2,1 # A # picture\n"
    expected = {"expected": "unique", "source": "the repeated campaign"}
    assert tomllib.loads(files["c.toml"])["puzzles"] == [
        {"family": "boards", "files": ["puzzles-1.puzzles"], **expected},
        {"family": "pictures", "files": ["puzzles-2.puzzles"], **expected, "growth": False},
    ]


def test_commands_in_the_folder_of_the_campaign_are_called_from_there(tmp_path: Path) -> None:
    solvers = {"mine": f"{shlex.quote(f'{tmp_path}/tools/solver.sh')} {{cnf}}"}
    written = campaign_files("c.toml", small(tmp_path, solvers=solvers, folder=tmp_path))["c.toml"]
    assert shlex.split(tomllib.loads(written)["solvers"]["mine"]) == ["./tools/solver.sh", "{cnf}"]


def test_only_the_engines_used_and_what_they_require_are_installed() -> None:
    native = software_of(["0.2.0", "minisat sha256:c66f"]).libraries.keys()
    assert {"numpy", "ortools", "python-sat"} <= native  # Crosslit requires them
    assert not native & {"crosslit", "pytest", "z3-solver", "matplotlib"}
    pytest.importorskip("z3", reason="z3-solver is not installed")
    assert software_of(["0.2.0, z3-solver 4.13"]).libraries.keys() - native == {"z3-solver"}


def test_the_software_of_a_file_of_0_2_is_read(tmp_path: Path) -> None:
    about = made_with(small(tmp_path), commit="abc", origin="https://example.org/a.git").about
    record = about.json()
    libraries = record["software"].pop("libraries")
    record["software"] = {"components": [{"name": "crosslit", **record["software"]}], "libraries": libraries}
    assert CampaignSpec.from_json(record).software == about.software


@pytest.mark.slow
@needs_bash
def test_the_block_repeats_a_campaign_in_an_empty_folder(tmp_path: Path) -> None:
    done, log = run(reproduction(made_with(small(tmp_path), commit="abc123")), tmp_path, CROSSLIT="/some/clone")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[-1].endswith("; 0 wrong")
    assert [line for line in log if "core.fsmonitor" not in line] == [
        "git clone --quiet /some/clone ./crosslit",
        "git -C ./crosslit checkout --quiet abc123",
        "-m pip install --quiet --disable-pip-version-check ./crosslit numpy==2.0",
    ]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"commit": "abc"}, "set CROSSLIT to the address or folder of a Git repository of Crosslit with commit abc"),
        ({}, "set CROSSLIT to a wheel or the sources of Crosslit 1.0"),
    ],
)
@needs_bash
def test_a_block_says_what_its_reader_has_to_set(tmp_path: Path, known: dict[str, object], message: str) -> None:
    done, log = run(reproduction(made_with(small(tmp_path), **known)), tmp_path)
    assert (done.returncode, log) in ((1, []), (127, []))  # as the shell is
    assert done.stderr.splitlines()[-1].endswith(message)


def test_a_known_origin_is_cloned_and_uncommitted_changes_are_reported(tmp_path: Path) -> None:
    block = reproduction(made_with(small(tmp_path), commit="abc", origin="https://example.org/a.git", is_modified=True))
    assert "git clone --quiet https://example.org/a.git ./crosslit\n" in block
    assert "The sources of Crosslit had uncommitted changes." in block


BAD = "$(touch pwned)`touch pwned`\";touch pwned;'\ntouch pwned\nEND\ntouch pwned\n#"


@pytest.mark.parametrize("commit", [BAD, "abc"])
@needs_bash
def test_no_word_of_a_file_of_results_is_run(tmp_path: Path, commit: str) -> None:
    text = f"about = '''\n{BAD}'''\n"
    results = small(tmp_path, name=BAD.replace("\n", " "), title=BAD, text=text)
    results = made_with(results, version=BAD, commit=commit, origin=f"https://example.org/{BAD}")
    run(reproduction(results), tmp_path, CROSSLIT="/some")
    assert list((tmp_path / "empty").glob("*.puzzles"))
    assert list(tmp_path.rglob("pwned*")) == []


@pytest.mark.parametrize("text", ["END\nEND_\nmore\n", "a\n", "\n"])
@needs_bash
def test_a_here_document_holds_any_text(tmp_path: Path, text: str) -> None:
    script = "\n".join(methods._here_document("a file.txt", text))
    subprocess.run(["bash"], input=script, cwd=tmp_path, check=True, encoding="utf-8")
    assert (tmp_path / "a file.txt").read_text(encoding="utf-8") == text
