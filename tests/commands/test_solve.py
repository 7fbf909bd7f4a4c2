"""``solve``, ``show``, ``size`` and ``backends``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crosslit import Grid
from crosslit.contract.run import Run
from crosslit.kinds import Puzzle
from crosslit.runs.runner import Runner
from tests.conftest import Command
from tests.inline import run_inline
from tests.stored.sessions import play, sessions


@sessions(
    r"""
## a wrong answer, none in time and one that cannot be read have errors, and a right one is printed with its fault
$ PYTHONPATH=planted crosslit solve 11/11 --backend wrong-grid
! crosslit: wrong-grid: wrong-solution: row 1, column 1 stays lit
? 1
$ PYTHONPATH=planted crosslit solve 11/11 --backend deaf-hang --timeout 0.5
! crosslit: deaf-hang: timeout after 0.5 s (--timeout)
? 3
$ PYTHONPATH=planted crosslit solve 11/11 --backend yields-rubbish --json
{..."status": "wrong"...it yielded str where a Grid is expected: '0101'...}
! crosslit: yields-rubbish: error: it yielded str where a Grid is expected: '0101'
? 1
$ PYTHONPATH=planted crosslit solve 11/11 --backend prints-rubbish
()()
()()
! crosslit: prints-rubbish: stray-output: printed 'c a comment of the engine'
## solve takes one backend that suits
$ crosslit solve 11/11 --backend native
! crosslit: backend 'native': it selects 4 backends where one is expected
? 2
## a picture goes to a file, if there is one
$ crosslit show 10/11 --solution -o x.svg --json
{..."cells": "00/10"}
! crosslit: x.svg: written
$ cat x.svg
<svg...
$ crosslit show '2|1' --solution
! crosslit: there is no solution to draw (claimed by hybrid)
! ...
? 3
$ crosslit show '1|1' -o no/x.svg
! crosslit: no/x.svg: No such file or directory
? 2
$ ls
x.svg
## a backend is described in detail
$ crosslit backends cpsat
cpsat
  about         CP-SAT of OR-Tools; enumerates with one worker
  puzzles       all
  version       ortools ...
  encodings     xor, sum, ...automaton, ...
  :workers=     threads ...
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_backends_are_listed_with_their_encodings(crosslit: Command) -> None:
    found = {each["name"]: each for each in map(json.loads, crosslit("backends", "--json").stdout.splitlines())}
    assert len(found) >= 25
    assert found["cpsat"]["encodings"]["lights-out"] == ["xor", "sum", "chased", "chased-shared"]
    assert found["cpsat"]["encodings"]["coloured-nonogram"] == ["automaton", "placements"]
    assert found["gauss"]["version"]
    assert found["glucose4"]["version"].startswith("python-sat ")
    table = crosslit("backends").stdout
    assert all(name in table for name in found)
    unavailable = {name for name, backend in found.items() if not backend["available"]}
    others = {name for name, backend in found.items() if {"command", "engines"} & {*backend["groups"]}}
    assert unavailable - others <= {"cryptominisat", "ganak"}  # other extras
    assert all("cannot run" in crosslit("backends", name).stdout for name in sorted(unavailable)[:2])
    some = [
        json.loads(each)["name"] for each in crosslit("backends", "gauss", "glucose*", "--json").stdout.splitlines()
    ]
    assert some[0] == "gauss"
    assert {"glucose3", "glucose4"} < {*some}


def test_fewest_presses_that_are_not_proved_in_time_are_undecided(crosslit: Command) -> None:
    board = "/".join(["1" * 16] * 16)
    done = crosslit("solve", board, "--fewest", "--backend", "rc2", "--timeout", "1")
    assert (done.returncode, done.stderr) == (3, "crosslit: rc2: timeout after 1 s (--timeout)\n")
    assert done.stdout.startswith("undecided (no solution found, at least ")
    done = crosslit("solve", "wrap=torus/" + "/".join(["1" * 33] * 33), "--fewest", "--json")
    record = json.loads(done.stdout)
    assert record["presses"]["bound"] <= record["presses"]["best"] == record["solution"].count("1")
    assert (done.returncode, record["presses"]["proved"]) == (3, False)


def test_amounts_beyond_16_bits_are_reduced_first(crosslit: Command, tmp_path: Path) -> None:
    edges = ",".join(["1-2"] * 33_001)
    (tmp_path / "board.txt").write_text(f"modular-lights-out:4/edges={edges}/00\n", encoding="utf-8")
    for backend in ("howell", "modular-chase"):
        done = crosslit("count", "board.txt", "--backend", backend, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "4\n")  # each press toggles both lights once


def test_an_interrupt_ends_show_although_a_solution_was_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def some_solutions(runner: Runner, _puzzle: Puzzle, _count: int) -> tuple[list[Grid], Run]:
        runner.interrupted = True
        return [Grid.from_text("11/11")], Run("gauss", status="limit")

    monkeypatch.setattr("crosslit.questions.solve.some_solutions", some_solutions)
    done = run_inline("show", "11/11", "--solution", env={}, input="", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "")
