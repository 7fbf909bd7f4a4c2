"""The block that repeats a campaign: complete, harmless for any file of results, and executed."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from crosslit_bench.cli import benching
from crosslit_bench.cli.benching import ExecutionOptions
from crosslit_bench.plan.file import define_solvers, read
from crosslit_bench.plan.plan import plan, plan_hash
from crosslit_bench.plan.sources import all_instances
from crosslit_bench.provenance.software import Component, ProgramFile, Software
from crosslit_bench.results import reproduction as blocks
from crosslit_bench.results.judged import Results, load
from crosslit_bench.results.reproduction import campaign_files, reproduction
from crosslit_bench.store.about import About
from crosslit_bench.store.store import Store

from crosslit import registry
from tests.campaigns.reports import BOARD, CORNER, campaign, named, solved

# The block is meant for a POSIX shell; a system without one (Windows) cannot run it.
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
CAMPAIGN = """
title = "Files and more"
backends = ["gauss", "line", "mine"]
[limits]
seconds = 20

[[puzzles]]
family = "drawn"
files = ["some/*.non", "pack.txt:2"]
expected = {"a.non" = "unique", "*" = "multiple"}
source = "a book"

[[puzzles]]
generate = "lights-out"
sizes = [2, 3]
growth = false

[[puzzles]]
files = ["last.puzzles"]
"""
NON = 'title "A # corner"\nwidth 2\nheight 2\nrows\n2\n1\ncolumns\n1\n2\n'
SOLVERS = '[solvers]\nmine = "./tools/solver.sh {cnf}"\n'
SOLVER = "#!/bin/sh\necho s UNKNOWN\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A campaign that reads puzzles from files, and has a command from a ``crosslit.toml``."""
    home = tmp_path / "home"
    for inside in ("some", "tools"):
        (home / inside).mkdir(parents=True)
    monkeypatch.chdir(home)
    Path("c.toml").write_text(CAMPAIGN)
    Path("some/a.non").write_text(NON)
    Path("pack.txt").write_text("1|1\n1,1|1,1 # Two\n")
    Path("last.puzzles").write_text("1,2|2,1\n1|1 # One\n")  # the first is there already
    Path("crosslit.toml").write_text(SOLVERS)
    put_solver(Path())
    yield tmp_path
    if registry.defined("mine") is not None:
        registry.forget("mine")


def put_solver(folder: Path) -> None:
    path = folder / "tools" / "solver.sh"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SOLVER)
    path.chmod(0o755)


def test_the_files_that_are_written_have_the_same_plan_and_expectations(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = read(Path("c.toml"))
    define_solvers(there)
    instances = list(all_instances(there))
    before = plan_hash(plan(there, instances))
    files = campaign_files("c.toml", About.of(there), instances)
    registry.forget("mine")
    assert files["puzzles-1.puzzles"] == "2,1|1,2 # A # corner\n"
    assert sorted(files) == ["c.toml", "puzzles-1.puzzles", "puzzles-2.puzzles", "puzzles-3.puzzles"]
    empty = folder / "empty"
    empty.mkdir()
    put_solver(empty)
    monkeypatch.chdir(empty)
    for name, text in files.items():
        Path(name).write_text(text)
    here = read(Path("c.toml"))
    define_solvers(here)
    again = list(all_instances(here))
    assert plan_hash(plan(here, again)) == before
    said = [
        [(one.puzzle.name, one.family, one.facts.get("expected"), one.facts.get("expected_by")) for one in some]
        for some in (instances, again)
    ]
    assert said[0] == said[1]
    assert here.without_growth == there.without_growth


def test_commands_in_the_folder_of_the_campaign_are_called_from_there(folder: Path) -> None:
    table = f'[solvers]\nmine = "{Path.cwd()}/tools/solver.sh {{cnf}}"\n'
    text = f'backends = ["mine"]\n{table}[[puzzles]]\npuzzles = ["10/01"]\n'
    Path("c.toml").write_text(text)
    there = read(Path("c.toml"))
    written = campaign_files("c.toml", About.of(there), list(all_instances(there)))["c.toml"]
    assert tomllib.loads(written)["solvers"] == {"mine": "./tools/solver.sh {cnf}"}


def test_a_campaign_without_files_is_written_as_it_is(tmp_path: Path) -> None:
    text = 'backends = ["gauss"] # a remark\n[[puzzles]]\npuzzles = ["10/01"]\n'
    (tmp_path / "c.toml").write_text(text)
    campaign = read(tmp_path / "c.toml")
    assert campaign_files("c.toml", About.of(campaign), list(all_instances(campaign))) == {"c.toml": text}


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
    empty.mkdir(exist_ok=True)
    for name, text in (("git", GIT), ("python-stub", PYTHON)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    (folder / "log").touch()
    path = f"{tools}:/usr/bin:/bin"
    environment = {"PATH": path, "LOG": str(folder / "log"), "PYTHON": "python-stub", **variables}
    done = subprocess.run(
        ["bash"], input=block, cwd=empty, env=environment, capture_output=True, text=True, check=False
    )
    return done, (folder / "log").read_text().splitlines()


@pytest.mark.slow
@needs_bash
def test_the_block_repeats_a_campaign_in_an_empty_folder(folder: Path) -> None:
    assert benching.run("c.toml", None, ExecutionOptions(1, None), None, False) == 0
    with Store(Path("c.sqlite")) as store:
        results = load(store)
    software = results.about.software
    assert software is not None
    crosslit = dataclasses.replace(software.components[0], commit="abc123", is_modified=False, origin="")
    known = dataclasses.replace(software, components=(crosslit,))
    block = reproduction(dataclasses.replace(results, about=dataclasses.replace(results.about, software=known)))
    (folder / "empty").mkdir()
    put_solver(folder / "empty")
    done, log = run(block, folder, CROSSLIT="/some/clone")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[-1].endswith("; 0 wrong; plan and verdicts as expected")
    assert log[:2] == ["git clone --quiet /some/clone ./crosslit", "git -C ./crosslit checkout --quiet abc123"]
    assert log[2].startswith("-m pip install --quiet --disable-pip-version-check ./crosslit ")
    assert f" numpy=={known.libraries['numpy']} " in log[2]
    assert [one for one in block.splitlines() if "bench diff" in one] == block.splitlines()[-3:-2]
    # a file that the reader has to bring, and has not
    (folder / "empty" / "tools" / "solver.sh").write_text("#!/bin/sh\n")
    shutil.rmtree(folder / "stubs")
    done, _ = run(block, folder, CROSSLIT="/some/clone")
    assert done.returncode != 0
    assert "./tools/solver.sh: FAILED" in done.stdout


def small(folder: Path, **about: object) -> Results:
    return campaign(folder, [named(BOARD, "A board")], ["gauss"], lambda *_: solved(1.0, CORNER), **about)


def described(results: Results, *components: Component) -> Results:
    software = Software(components=components, libraries={"numpy": "2.0"})
    return dataclasses.replace(results, about=dataclasses.replace(results.about, software=software))


def component(name: str = "crosslit", **said: object) -> Component:
    return Component(**{"name": name, "version": "1.0", "content": "0" * 64, **said})  # type: ignore[arg-type]


@needs_bash
def test_a_block_says_what_its_reader_has_to_set(tmp_path: Path) -> None:
    done, log = run(reproduction(described(small(tmp_path), component(commit="abc"))), tmp_path)
    assert (done.returncode, log) in ((1, []), (127, []))  # as the shell is
    words = "set CROSSLIT to the address or folder of a Git repository of Crosslit with commit abc"
    assert done.stderr.splitlines()[-1].endswith(words)


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ({"is_published": True}, ["-m pip install --quiet --disable-pip-version-check crosslit==1.0 numpy==2.0"]),
        (
            {"commit": "abc", "origin": "https://example.org/a.git"},
            [
                "git clone --quiet https://example.org/a.git ./crosslit",
                "git -C ./crosslit checkout --quiet abc",
                "-m pip install --quiet --disable-pip-version-check ./crosslit numpy==2.0",
            ],
        ),
    ],
)
@needs_bash
def test_what_is_known_of_an_origin_is_used(tmp_path: Path, said: dict[str, object], lines: list[str]) -> None:
    _, log = run(reproduction(described(small(tmp_path, text=""), component(**said))), tmp_path)
    assert log == lines


def test_a_plugin_is_named_with_its_origin(tmp_path: Path) -> None:
    plugin = component("my-nono", brings=("mydfs",))
    block = reproduction(described(small(tmp_path), component(is_published=True), plugin)).splitlines()
    assert ": 'my-nono 1.0 provides mydfs.'" in block
    words = "set PLUGIN_MY_NONO to a folder with the sources of this plugin 1.0, sha256 000000000000"
    assert f'PLUGIN_MY_NONO="${{PLUGIN_MY_NONO:?{words}}}"' in block


def test_uncommitted_changes_are_reported(tmp_path: Path) -> None:
    block = reproduction(described(small(tmp_path), component(commit="abc", is_modified=True)))
    assert "The sources of Crosslit had uncommitted changes: their hash differs from the expected one." in block


def test_a_file_that_says_nothing_of_its_software_asks_for_the_sources(tmp_path: Path) -> None:
    assert 'CROSSLIT="${CROSSLIT:?set CROSSLIT to a folder with the sources of Crosslit' in reproduction(
        small(tmp_path)
    )


BAD = "$(touch pwned)`touch pwned`\";touch pwned;'\ntouch pwned\nEND\ntouch pwned\n#"


@needs_bash
def test_no_word_of_a_file_of_results_is_run(tmp_path: Path) -> None:
    results = small(tmp_path, name=BAD.replace("\n", " "), title=BAD, text=f"about = '''\n{BAD}'''\n")
    bad = component(BAD, version=BAD, commit=BAD, origin=f"https://example.org/{BAD}", brings=(BAD,))
    also = [dataclasses.replace(bad, commit="", is_published=True), dataclasses.replace(bad, commit="abc")]
    crosslit = component(version=BAD, commit=BAD)
    results = described(results, crosslit, bad, *also)
    program = ProgramFile(backend=BAD, name=BAD, sha256=BAD)
    software = dataclasses.replace(results.about.software or Software(components=()), programs=(program,))
    about = dataclasses.replace(results.about, software=software, command=("crosslit", "bench", "run", "c", BAD))
    block = reproduction(dataclasses.replace(results, about=about))
    names = {line.partition("=")[0] for line in block.splitlines() if line.startswith(("PLUGIN_", "CROSSLIT"))}
    run(block.replace("sha256sum --check", "true"), tmp_path, **dict.fromkeys(names, "/some"))
    assert (tmp_path / "empty" / "expected.txt").exists()
    assert list(tmp_path.rglob("pwned*")) == []


def test_a_block_has_no_comments_which_zsh_would_run_when_pasted(tmp_path: Path) -> None:
    plugin = component("my-nono", brings=("mydfs",), commit="abc", is_modified=True)
    block = reproduction(described(small(tmp_path, title=BAD), component(), plugin))
    before = block.partition("cat > ")[0].splitlines()
    assert [line for line in before if line.startswith("#")] == []
    assert before[0].startswith(": 'Repeats the campaign $(touch pwned)`touch pwned`")
    assert "status=" not in block  # a read-only variable of zsh


@pytest.mark.parametrize("text", ["END\nEND_\nmore\n", "a\n", "\n"])
@needs_bash
def test_a_here_document_holds_any_text(tmp_path: Path, text: str) -> None:
    script = "\n".join(blocks._here_document("a file.txt", text))
    subprocess.run(["bash"], input=script, cwd=tmp_path, check=True, text=True)
    assert (tmp_path / "a file.txt").read_text() == text


def test_only_options_for_any_machine_are_repeated() -> None:
    where = ["--dask", "local", "--workers", "3", "--shard", "1/2"]
    command = ["crosslit", "bench", "run", "a.toml", "--store", "b.sqlite", "--jobs", "2", *where]
    assert blocks._options(command) == ["--jobs", "2"]


def test_toml_is_read_back_as_it_was() -> None:
    record = {
        "a": 'q"\\\x7f\té',
        "b": [1, 2.5],
        "t": {"x y": True, "f": ["1", "2"]},
        "p": [{"e": {"*.n": "u"}}, {"k": 1}],
    }
    assert tomllib.loads(blocks.toml_text(record)) == record
