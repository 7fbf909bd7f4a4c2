"""``count``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from crosslit import load
from crosslit.cli.ask import write_count
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import judge_count
from tests.conftest import Command
from tests.sessions import play, sessions


@sessions(
    r"""
## the number is all that is printed, and several puzzles are named
$ crosslit count 00000/00000/00000/00000/00000
4
$ printf '1,1,1,1,1,1|1,1,1,1,1,1\n' > ones.txt
$ crosslit count '2|1' ones.txt 0000000000000000000000000000000000000000000000000000000000000000000000000
2|1: 0
ones: 720
000000000000000000000000000000000000000000000000000000000...: 1
## a count that is checked comes with its evidence
$ crosslit count --check 1111/1111/1111
1 (evidence: agreed, by polynomial, gauss)
$ crosslit count --check 00000/00000/00000/00000/00000
4 (evidence: agreed, by polynomial, gauss)
## a count that nothing can check in time is undecided, with the backends that were asked
$ crosslit count --check '1,1,1,1,1,1,1,1,1,1,1,1,1|1,1,1,1,1,1,1,1,1,1,1,1,1' --timeout 5
6227020800 (evidence: claimed, by frontier:states=100000)
! crosslit: not cross-checked: ...line...alignment...did not finish...
? 3
## a count that is given up is undecided
$ crosslit count '1,1,1,1,1,1|1,1,1,1,1,1' --backend frontier:states=10
undecided
! crosslit: frontier:states=10: more than 10 states after 7 of 36 cells of a part; a higher limit allows more
? 3
## JSON has the number and where it comes from
$ crosslit count --json '1,1,1|1,1,1'
{..."count": 6, "evidence": "claimed", "by": ["line"]..."count": 6...}
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_forty_thousand_solutions_are_counted_and_listed(crosslit: Command) -> None:
    ones = ",".join(["1"] * 8)
    done = crosslit("count", "--check", f"{ones}|{ones}")
    assert done.returncode == 0
    assert re.fullmatch(r"40320 \(evidence: agreed, by .*, .*\)\n", done.stdout)


def test_a_number_beyond_the_digits_that_are_printed_is_a_power(crosslit: Command) -> None:
    far = ",".join(["1000000"] + ["0000000"] * 6)  # a press toggles a cell that is three rows above: none of three
    board = "/".join([f"press={far}", *["0" * 5000] * 3])
    assert crosslit("count", board).stdout == "2^15000\n"
    assert json.loads(crosslit("count", "--json", board).stdout)["count"] == {"log2": 15000}


def test_a_number_that_is_not_counted_in_time_has_a_lower_bound(crosslit: Command) -> None:
    puzzle = "|".join([",".join(["1"] * 40)] * 2)  # 40! permutations, with 2^40 states of a frontier
    done = crosslit("count", puzzle, "--timeout", "1")
    assert re.fullmatch(r"undecided: at least [1-9][0-9]*\n", done.stdout)
    assert done.returncode == 3
    record = json.loads(crosslit("count", puzzle, "--timeout", "1", "--json").stdout)
    assert record["count"] is None
    assert record["at_least"] > 1


def test_an_error_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [Run("one", status="error", error="killed")]
    write_count(judge_count(load("1|1"), runs, Limits()), False, "", Limits())
    assert capsys.readouterr() == ("undecided\n", "crosslit: one: error: killed\n")


@pytest.mark.parametrize("puzzle", ["3|1", "1000/0000/0000/0000"])
def test_ganak_prints_nothing_of_its_own(crosslit: Command, puzzle: str) -> None:
    pytest.importorskip("pyganak", reason="pyganak is not installed: pip install pyganak")
    done = crosslit("count", puzzle, "--backend", "ganak")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
