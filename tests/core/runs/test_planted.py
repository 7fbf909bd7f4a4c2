"""Every broken backend is caught and named, and none of them takes an honest one with it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.planted.forgeries import FORGERIES

BOARD = "1111/1111/1111/1111"  # 16 solutions
UNIQUE = "1 1,1 1,1,1|1 1,1,2,1"


def compare(crosslit: Command, environment: dict[str, str], puzzle: str, name: str, *options: str) -> dict[str, Any]:
    """A broken backend with two correct ones, all solutions."""
    native = "line" if "," in puzzle else "gauss"
    arguments = ["compare", puzzle, "--backends", f"{name},{native},minisat22", "--all", "--json", *options]
    done = crosslit(*arguments, env=environment)
    assert not done.stderr
    comparison: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 1) == bool(comparison["findings"])
    assert comparison["consistent"] == (not comparison["findings"])
    honest = [run for run in comparison["runs"] if run["backend"] != name]
    assert all(run["status"] == "complete" for run in honest)
    assert all(finding["backend"] == name for finding in comparison["findings"])
    assert comparison["verdict"]["complete"]
    assert comparison["verdict"]["evidence"] == "agreed"
    discredited = {finding["problem"] for finding in comparison["findings"]} - {
        "stray-output",
        "timing",
        "orphaned-process",
    }
    assert not (discredited and name in comparison["verdict"]["by"])
    return comparison


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("wrong-grid", ["wrong-solution", "missing-solution"]),
        ("drops-last", ["missing-solution"]),
        ("repeats", ["duplicate-solution"]),
        ("lies-unsolvable", ["false-unsolvable"]),
        ("crashes", ["error"]),
        ("leaves", ["error"]),
        ("raises", ["error"]),
        ("yields-rubbish", ["error"]),
        ("yields-wrong-shape", ["error"]),
        ("prints-rubbish", ["stray-output"]),
        ("floods-descriptors", ["error"]),
        ("hides-time", ["timing"]),
        ("waits-outside", ["timing"]),
        ("invents-time", ["timing"]),
        ("gives-up", []),
    ],
)
def test_the_guilty_one_is_named(
    crosslit: Command, planted_environment: dict[str, str], name: str, problems: list[str]
) -> None:
    comparison = compare(crosslit, planted_environment, BOARD, name)
    assert [finding["problem"] for finding in comparison["findings"]] == problems
    assert comparison["verdict"]["solutions"] == 16


def test_a_false_unique_and_a_false_unsolvable_have_a_witness(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    comparison = compare(crosslit, planted_environment, "1,1|1,1", "drops-last")
    assert [(f["problem"], f["witness"]) for f in comparison["findings"]] == [("false-unique", "01/10")]
    comparison = compare(crosslit, planted_environment, UNIQUE, "drops-last")
    assert [(f["problem"], f["witness"]) for f in comparison["findings"]] == [
        ("false-unsolvable", "0101/1010/0010/1000")
    ]


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        ("crashes", "error", "killed by SIGSEGV"),
        ("leaves", "error", "exit status 0"),
        ("raises", "error", "KeyError: 'no such clue' (planted_backends.py:"),
        ("gives-up", "gave-up", "the budget is spent"),
    ],
)
def test_a_run_that_ends_badly_keeps_its_solutions(
    crosslit: Command, planted_environment: dict[str, str], name: str, status: str, error: str
) -> None:
    comparison = compare(crosslit, planted_environment, BOARD, name)
    run = comparison["runs"][0]
    assert (run["status"], run["solutions"]) == (status, 1)
    assert run["error"].startswith(error)


@pytest.mark.parametrize(
    ("name", "status", "solutions"),
    [
        ("native-hang", "timeout", 1),
        ("deaf-hang", "timeout", 0),
        ("eats-memory", "memory", 1),
        ("fills-an-orphan", "memory", 0),
        ("fills-a-memory-file", "memory", 0),
    ],
)
def test_a_run_beyond_its_limits_is_ended(
    crosslit: Command, planted_environment: dict[str, str], name: str, status: str, solutions: int
) -> None:
    seconds = "2" if status == "timeout" else "60"
    comparison = compare(crosslit, planted_environment, BOARD, name, "--timeout", seconds, "--memory", "300")
    run = comparison["runs"][0]
    assert (run["status"], run["solutions"]) == (status, solutions)
    assert run["seconds"]["wall"] < 50  # without limits it takes a quarter of an hour
    if status == "timeout":
        assert run["seconds"]["wall"] >= 2
        assert 1 < run["seconds"]["solve"] <= run["seconds"]["wall"]
    else:
        assert 300 <= run["memory_mb"] < 3000


@pytest.mark.parametrize("name", ["leaves-a-child", "leaves-a-daemon"])
def test_a_process_that_a_run_leaves_behind_is_ended(
    crosslit: Command, planted_environment: dict[str, str], name: str
) -> None:
    comparison = compare(crosslit, planted_environment, BOARD, name)
    assert [finding["problem"] for finding in comparison["findings"]] == ["orphaned-process"]
    child = comparison["runs"][0]["stats"]["child"]
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if "Z" in _state(child):
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")


def test_rubbish_reaches_the_pipe_of_its_run_and_nothing_else(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    run = compare(crosslit, planted_environment, BOARD, "floods-descriptors")["runs"][0]
    assert run["error"] == "it wrote rubbish where a frame is expected to the pipe of its run"


@pytest.mark.slow
def test_printing_without_end_does_not_fill_the_disk(crosslit: Command, planted_environment: dict[str, str]) -> None:
    run = compare(crosslit, planted_environment, BOARD, "prints-without-end")["runs"][0]
    assert run["status"] == "error"
    assert "File too large" in run["error"]


def test_stats_that_json_cannot_hold_are_words(crosslit: Command, planted_environment: dict[str, str]) -> None:
    run = compare(crosslit, planted_environment, BOARD, "tells-strange-stats")["runs"][0]
    assert run["status"] == "complete"
    assert run["stats"] == {"many": "1" + "0" * 5000, "endless": "inf", "(1, 2)": "[3]"}


def test_an_engine_that_does_not_import_is_unsupported(crosslit: Command, planted_environment: dict[str, str]) -> None:
    run = compare(crosslit, planted_environment, BOARD, "cannot-import")["runs"][0]
    assert (run["status"], run["error"]) == ("unsupported", "cannot be imported: libengine.so is missing")


@pytest.mark.slow
def test_a_plugin_that_does_not_load_is_listed_and_harms_nobody(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    done = crosslit("backends", "--json", env=planted_environment)
    listed = {record["name"]: record for record in map(json.loads, done.stdout.splitlines())}
    reason = "planted_nowhere:BACKENDS of crosslit-planted cannot be loaded: No module named 'planted_nowhere'"
    assert (listed["broken-plugin"]["available"], listed["broken-plugin"]["reason"]) == (False, reason)
    assert (listed["gauss"]["available"], listed["gauss"]["reason"]) == (True, None)
    run = compare(crosslit, planted_environment, BOARD, "broken-plugin")["runs"][0]
    assert (run["status"], run["error"]) == ("unsupported", reason)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_repetitions_that_fail_alike_are_one_finding(crosslit: Command, planted_environment: dict[str, str]) -> None:
    comparison = compare(crosslit, planted_environment, BOARD, "drops-last", "--repeat", "3")
    assert len(comparison["findings"]) == 1
    assert sum(run["backend"] == "drops-last" for run in comparison["runs"]) == 3


def test_the_table_names_the_guilty_one(crosslit: Command, planted_environment: dict[str, str]) -> None:
    done = crosslit("compare", "1,1|1,1", "--backends", "native,drops-last", env=planted_environment)
    assert done.returncode == 1
    assert (
        "wrong: drops-last: false-unique: claims completeness with 1 solution; misses 1, which alignment found"
        in done.stdout
    )
    assert "witness 01/10" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.lstrip().startswith("drops-last"))
    assert row.endswith("false-unique")


FORGED = [f"forger:what={name}" for name in FORGERIES]
STRANGE = {
    "huge-threads": "it left in its task threads 1000",
    "no-threads": "it left in its task invalid literal for int()",
    "nan-time": "it left in its task seconds nan where a number from 0 to 1e+07 is expected",
    "endless-stats": "it left in its task 1802",
}
ASKED = {
    "version-raises": "its version() raised ZeroDivisionError: ",
    "version-exits": "its version() raised SystemExit: 3",
    "version-unavailable": "? is missing",
    "refuses-raises": "its unsupported_reason() raised KeyError: 'no such'",
    "refuses-exits": "its unsupported_reason() raised SystemExit: 3",
    "refuses-odd": "['\\udcff', 7]",
}
SOUND = ["version-odd", "version-number", "version-prints", "huge-bound", "native"]


@pytest.mark.slow
def test_what_a_run_cannot_have_written_is_its_error_and_harms_no_other(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    specs = ",".join([*FORGED, *STRANGE, *ASKED, *SOUND])
    done = crosslit("compare", "1", "--all", "--json", "--backends", specs, env=planted_environment)
    assert (done.returncode, {*done.stderr.splitlines()}) == (1, {"the engine of my choice"})
    comparison = json.loads(done.stdout)
    runs = {run["backend"]: run for run in comparison["runs"]}
    for name in FORGED:
        assert runs[name]["status"] == "error"
        assert re.fullmatch(r"it wrote .{1,300} to the pipe of its run", runs[name]["error"]), name
    for name, reason in STRANGE.items():
        assert (runs[name]["status"], runs[name]["error"][: len(reason)]) == ("error", reason)
    for name, reason in ASKED.items():
        assert (runs[name]["status"], runs[name]["error"][: len(reason)]) == ("unsupported", reason)
    assert all(runs[name]["status"] == "complete" for name in SOUND if name != "native")
    assert comparison["verdict"]["status"] == "unique"
    guilty = {finding["backend"] for finding in comparison["findings"] if finding["problem"] == "error"}
    assert guilty == {*FORGED, *STRANGE}


def test_backends_that_cannot_be_asked_are_listed_with_the_reason(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    done = crosslit("backends", "--json", env=planted_environment)
    assert (done.returncode, {*done.stderr.splitlines()}) == (0, {"the engine of my choice"})
    listed = {record["name"]: record for record in map(json.loads, done.stdout.splitlines())}
    for name in ("version-raises", "version-exits", "version-unavailable"):
        assert listed[name]["reason"].startswith(ASKED[name])
    assert listed["version-prints"]["version"] == "2.0"
    assert listed["version-odd"]["version"] == f"1? {'x' * 197}"


@pytest.mark.slow
def test_strange_backends_neither_end_nor_empty_a_campaign(
    crosslit: Command, planted_environment: dict[str, str], tmp_path: Path
) -> None:
    names = ["forger:what=end-stats-nan", "forger:what=progress-nan", "forger:what=end-threads-huge"]
    names += [*STRANGE, *ASKED, "version-odd", "huge-bound", "gauss"]
    campaign = f'title = "Strange"\nbackends = {json.dumps(names)}\n[[puzzles]]\npuzzles = ["1", "10/01"]\n'
    (tmp_path / "strange.toml").write_text(campaign, encoding="utf-8")
    done = crosslit("bench", "run", "strange.toml", cwd=tmp_path, env=planted_environment)
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(tmp_path / "strange.sqlite")) as store:
        made = dict(store.execute("SELECT contestant, count(*) FROM runs GROUP BY contestant"))
        assert store.execute("SELECT max(bound) FROM runs").fetchone() == (2**63 - 1,)
    assert made == dict.fromkeys(names, 2)
