"""``count``."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import pytest

from crosslit import load
from crosslit.cli.count import _write
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import judge_count
from tests.conftest import Command

ONES = "1,1,1,1,1,1"


def test_the_number_alone(crosslit: Command) -> None:
    dark = "/".join(["0" * 39] * 39)
    done = crosslit("count", dark)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4294967296\n", "")


def test_several_puzzles_are_named(crosslit: Command, tmp_path: Path) -> None:
    file = tmp_path / "ones.txt"
    file.write_text(f"{ONES}|{ONES}\n", encoding="utf-8")
    done = crosslit("count", "2|1", str(file))
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["2|1: 0", "ones: 720"]
    done = crosslit("count", "2|1", "1" * 201)
    assert done.stdout.splitlines()[1] == f"{'1' * 57}...: 1"


def test_checked(crosslit: Command) -> None:
    done = crosslit("count", "--check", "1111/1111/1111")
    assert (done.returncode, done.stdout) == (0, "1 (evidence: brute-force, by brute)\n")
    done = crosslit("count", "--check", "00000/00000/00000/00000/00000")
    assert (done.returncode, done.stdout) == (0, "4 (evidence: agreed, by polynomial, gauss)\n")


def test_a_count_that_nothing_can_check_in_time_is_undecided_and_says_what_could_help(crosslit: Command) -> None:
    ones = ",".join(["1"] * 13)  # 6,227,020,800 solutions
    done = crosslit("count", "--check", f"{ones}|{ones}", "--timeout", "20")
    assert (done.returncode, done.stdout) == (3, f"{math.factorial(13)} (evidence: claimed, by frontier)\n")
    assert done.stderr.startswith("crosslit: not cross-checked: no independent backend counted or listed the solutions")
    assert "crosslit enumerate PUZZLE --check" in done.stderr
    if importlib.util.find_spec("pyganak") is None:
        assert "ganak: pyganak is not installed: pip install" in done.stderr


def test_forty_thousand_solutions_are_counted_and_listed(crosslit: Command) -> None:
    ones = ",".join(["1"] * 8)
    done = crosslit("count", "--check", f"{ones}|{ones}")
    assert done.returncode == 0
    assert done.stdout in [f"40320 (evidence: agreed, by {by})\n" for by in ("line, frontier", "frontier, ganak")]


def test_json(crosslit: Command) -> None:
    record = json.loads(crosslit("count", "--json", f"{ONES}|{ONES}").stdout)
    assert (record["count"], record["evidence"], record["by"]) == (720, "claimed", ["frontier"])
    assert record["runs"][0]["count"] == 720
    record = json.loads(crosslit("count", "--json", "press=neighbours/" + "/".join(["0" * 99] * 99)).stdout)
    assert record["count"] == {"log2": 99}


def test_beyond_the_digits_that_are_printed(crosslit: Command) -> None:
    far = ",".join(["1000000"] + ["0000000"] * 6)  # a press toggles a cell that is three rows above: none of three
    board = "/".join([f"press={far}", *["0" * 5000] * 3])
    done = crosslit("count", board)
    assert (done.returncode, done.stdout) == (0, "2^15000\n")
    record = json.loads(crosslit("count", "--json", board).stdout)
    assert record["count"] == {"log2": 15000}


def test_an_error_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [Run("one", status="error", error="killed")]
    _write(judge_count(load("1|1"), runs, Limits()), False, "")
    assert capsys.readouterr() == ("undecided\n", "crosslit: one: error: killed\n")


def test_undecided(crosslit: Command) -> None:
    done = crosslit("count", f"{ONES}|{ONES}", "--backend", "frontier:states=10")
    assert (done.returncode, done.stdout) == (3, "undecided\n")
    assert "frontier:states=10: more than 10 states" in done.stderr


@pytest.mark.parametrize("puzzle", ["3|1", "1000/0000/0000/0000"])
def test_ganak_prints_nothing_of_its_own(crosslit: Command, puzzle: str) -> None:
    pytest.importorskip("pyganak", reason="pyganak is not installed: pip install pyganak")
    done = crosslit("count", puzzle, "--backend", "ganak")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
