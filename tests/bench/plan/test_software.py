"""A run is identified by the files that made it: an edit outdates its results even with the same version."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from crosslit_bench.cli import run as bench_run
from crosslit_bench.execution.campaign import ExecutionOptions
from crosslit_bench.plan import software
from crosslit_bench.plan.campaign import CampaignSpec, Instance, plan
from crosslit_bench.store.store import Store

from crosslit import registry
from crosslit.cli.group import root
from crosslit.contract.run import Limits
from crosslit.formats import from_line
from crosslit.registry.specs import define

LOCAL = ExecutionOptions(jobs=1, dask=None)
BOARD = Instance(puzzle=from_line("10/01"), family="some", size=2.0)
PLUGIN = """
from crosslit.contract import Backend


class Edited(Backend):
    name, summary, preload = "edited", "a backend that somebody works on", ()
    kinds, targets, groups, trusted_base, options = frozenset({"lights-out"}), frozenset(), frozenset(), frozenset(), {}

    def version(self):
        return "1"

    def unsupported_reason(self, puzzle, options):
        return None

    def solutions(self, puzzle, task):
        yield from ()

BACKENDS = [Edited()]
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a backend that another distribution brings."""
    path = tmp_path / "crosslit_edited.py"
    path.write_text(PLUGIN, encoding="utf-8")
    described = tmp_path / "edited-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: edited\nVersion: 1.0\n", encoding="utf-8")
    (described / "entry_points.txt").write_text(
        "[crosslit.backends]\nedited = crosslit_edited:BACKENDS\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.all_backends.cache_clear()
    yield path
    registry.all_backends.cache_clear()
    sys.modules.pop("crosslit_edited", None)


def keys() -> dict[str, str]:
    """The keys that another process would give to runs."""
    software._of_module.cache_clear()
    asked = CampaignSpec(
        name="c",
        title="C",
        about="",
        asked="unique",
        limits=Limits(2, 5.0, 1024),
        contestants={"": ("edited", "gauss", "minisat22")},
        sources=(),
    )
    return {run.contestant: run.key for run in plan(asked, [BOARD])}


def test_a_key_changes_with_the_files_of_its_plugin_and_with_no_others(plugin: Path) -> None:
    before = keys()
    os.utime(plugin, (1, 1))
    assert keys() == before
    plugin.write_text(PLUGIN.replace("yield from ()", "yield None"), encoding="utf-8")
    after = keys()
    assert after.pop("edited") != before.pop("edited")
    assert after == before


def test_a_key_changes_with_the_code_that_every_run_shares(monkeypatch: pytest.MonkeyPatch, plugin: Path) -> None:
    before = keys()
    monkeypatch.setattr(software, "of_folder", lambda _: "edited")
    after = keys()
    assert not set(before.values()) & set(after.values())


def test_a_key_changes_with_a_script_that_a_command_starts(tmp_path: Path) -> None:
    script = tmp_path / "solver.py"
    script.write_text("print(1)\n", encoding="utf-8")
    define("mine", f"sh {shlex.quote(str(script))} {{cnf}}", "test")
    try:
        command = registry.defined("mine")
        assert command is not None
        before = software.content_of(command, None)
        assert software.content_of(command, None) == before
        script.write_text("print(22)\n", encoding="utf-8")
        after = software.content_of(command, None)
        script.unlink()
        assert len({before, after, software.content_of(command, None)}) == 3
    finally:
        registry.forget("mine")


def test_the_same_files_elsewhere_are_the_same_content(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for file in (here / "a.py", here / "inner/b.py", there / "a.py", there / "inner/b.py", there / "notes.txt"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a = 1\n", encoding="utf-8")
    assert software.of_folder(here) == software.of_folder(there)
    shutil.move(there / "inner/b.py", there / "inner/c.py")
    software.of_folder.cache_clear()
    assert software.of_folder(here) != software.of_folder(there)


SCRIPT = "#!/bin/sh\necho s UNSATISFIABLE\nexit 20\n"
CAMPAIGN = """
backends = ["mine", "gauss"]
[solvers]
mine = "./solver.sh {cnf}"
[[puzzles]]
puzzles = ["111/000/000"]
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """Run or inspect a campaign with a command whose script claims that no puzzle has a solution."""
    monkeypatch.chdir(tmp_path)
    Path("solver.sh").write_text(SCRIPT, encoding="utf-8")
    Path("solver.sh").chmod(0o755)
    Path("c.toml").write_text(CAMPAIGN, encoding="utf-8")

    def made(what: str = "run", as_json: bool = False) -> int:
        if what == "run":
            return bench_run.run_file("c.toml", None, LOCAL, None, as_json)
        return (
            bench_run.run_file("c.sqlite", None, LOCAL, None, as_json)
            if what == "resume"
            else bench_run.show_status("c.toml", as_json)
        )

    with click.Context(root):  # JSON names the command
        yield made
    if registry.defined("mine") is not None:
        registry.forget("mine")


@pytest.mark.slow
def test_runs_of_an_edited_script_are_reported_and_repeated(
    bench: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench() == 1  # it is wrong
    capsys.readouterr()
    Path("solver.sh").write_text(SCRIPT.replace("UNSATISFIABLE", "UNKNOWN").replace("20", "0"), encoding="utf-8")
    assert bench() == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "repeating 1 stored run that is out of date, because its software has changed since"
    assert last.startswith("2 runs, 1 new; 0 wrong answers; ")
    assert bench(as_json=True) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["remade"], told["outside"], told["new"]) == (0, 1, 0)


@pytest.mark.slow
def test_a_command_in_another_folder_has_the_same_key(
    bench: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench()
    shutil.copytree(tmp_path, tmp_path / "copy", ignore=shutil.ignore_patterns("*.sqlite", "copy"))
    monkeypatch.chdir(tmp_path / "copy")
    registry.forget("mine")
    bench()
    with Store(tmp_path / "c.sqlite") as one, Store(Path("c.sqlite")) as other:
        assert one.plan() == other.plan()


def test_looking_at_a_file_starts_no_program_that_it_names(bench: Callable[..., int]) -> None:
    Path("solver.sh").rename("kissat")  # a name that is asked for its version
    Path("c.toml").write_text(CAMPAIGN.replace("solver.sh", "kissat"), encoding="utf-8")
    bench()
    registry.forget("mine")
    Path("kissat").write_text("#!/bin/sh\ntouch started\n", encoding="utf-8")
    bench("status")
    assert not Path("started").exists()


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://example.org/a.git", "https://example.org/a.git"),
        ("https://me:pass@word@example.org:8080/a?key=1#b", "https://example.org:8080/a"),
        ("ssh://git@example.org/a", "ssh://example.org/a"),
        ("file:///home/me/a", ""),
        ("https:///a", ""),
    ],
)
def test_the_public_address_of_a_repository_has_no_secret(address: str, public: str) -> None:
    assert software.public_address(address) == public
