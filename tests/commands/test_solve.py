"""``solve``, ``show``, ``explain`` and ``count``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crosslit import Grid
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.judging.solutions import judge
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle
from crosslit.runs.runner import Runner
from tests.conftest import Command
from tests.inline import run_inline
from tests.stored.sessions import play, sessions


@sessions(
    r"""
## a picture goes to a file, if there is one
$ crosslit show 10/11 --solution -o x.svg --json
{..."cells": "00/10"}
! crosslit: x.svg: written
$ cat x.svg
<svg...
$ crosslit show '2|1' --solution
...
! crosslit: there is no solution to draw (claimed by hybrid)
! ...
$ crosslit show '1|1' -o no/x.svg
! crosslit: no/x.svg: No such file or directory
? 2
$ ls
x.svg
## a solver of the command line is listed, and refused if nothing would run it
$ crosslit backends mine --solver 'mine=./x {cnf}'
mine
...
$ crosslit solve '1|1' --solver 'mine=./x {cnf}'
! crosslit: --solver mine: nothing would run it, as no backend of the command names it
? 2
## a count that is given up is undecided
$ crosslit count '1,1,1,1,1,1|1,1,1,1,1,1' --backend frontier:states=10
undecided
! crosslit: frontier:states=10: more than 10 states after 7 of 36 cells of a part; a higher limit allows more
? 3
## a number without the certificate that was wanted is undecided
$ crosslit count '1,1,1,1,1,1,1,1|1,1,1,1,1,1,1,1' --certificate proof
40320
! crosslit: proof not written: a certificate knows at most 10,000 solutions, not 40,320
? 3
"""
)
def test_session(session: str, tmp_path: Path) -> None:
    play(session, tmp_path)


def test_fewest_presses_that_are_not_proved_in_time_are_undecided(crosslit: Command) -> None:
    board = "/".join(["1" * 16] * 16)
    done = crosslit("solve", board, "--fewest", "--backend", "rc2", "--timeout", "1")
    assert (done.returncode, done.stderr) == (3, "crosslit: rc2: stopped after 1 s (--timeout)\n")
    assert done.stdout.startswith("undecided (no solution found, at least ")


@pytest.mark.parametrize(
    ("found", "status", "code", "errors"),
    [
        ([Grid.from_text("11/11")], "limit", 130, ""),
        ([], "complete", 130, ""),
        ([], "timeout", 3, "crosslit: gauss: stopped after 60 s (--timeout)\n"),
        ([Grid.from_text("10/00")], "limit", 1, "crosslit: gauss: wrong-solution: row 2, column 2 stays lit\n"),
    ],
)
def test_show_draws_nothing_after_an_interrupt_or_without_a_right_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: list[Grid], status: RunStatus, code: int, errors: str
) -> None:
    def ask_in_turns(puzzle: Puzzle, runner: Runner, max_solutions: int) -> Comparison:
        runner.interrupted = code == 130
        return judge(puzzle, [Run("gauss", status=status, grids=found)], Limits(max_solutions))

    monkeypatch.setattr("crosslit.questions.solve.ask_in_turns", ask_in_turns)
    done = run_inline("show", "11/11", "--solution", env={}, input="", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", errors)


def test_a_set_that_may_not_be_the_smallest_is_said_to_be_one() -> None:
    board = "/".join(["1" + "0" * 64, *["0" * 65] * 64])  # a kernel of 42 dimensions: too large to be searched
    assert run_inline("explain", board).stdout.splitlines()[-1] == (
        "none can be left out; the search for a smaller set did not finish (evidence: claimed, by fewest)"
    )


def test_a_number_beyond_the_digits_that_are_printed_is_a_power() -> None:
    far = ",".join(["1000000"] + ["0000000"] * 6)  # a press toggles a cell that is three rows above: none of three
    board = "/".join([f"press={far}", *["0" * 5000] * 3])
    assert run_inline("count", board).stdout == "2^15000\n"
    assert json.loads(run_inline("count", "--json", board).stdout)["count"] == {"log2": 15000}
