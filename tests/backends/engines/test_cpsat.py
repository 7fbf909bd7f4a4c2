"""The traps of CP-SAT, each where it would bite."""

from __future__ import annotations

from typing import Any

import pytest
from crosslit_encoders.cp_model import cp_sat
from crosslit_encoders.formula import Formula

from crosslit import load
from crosslit.contract import GaveUp, Task
from crosslit.registry import select_one
from crosslit.runs.job import drive

BOARD = load("1111/1111/1111/1111")
CHOICE = select_one("cpsat", BOARD)


def task(want: int | None, **options: int) -> Task:
    return Task(max_solutions_hint=want, encoding=CHOICE.encoding, options=options)


@pytest.mark.parametrize("want", [None, 2, 100])
def test_it_enumerates_with_one_worker_whatever_was_asked_for(want: int | None) -> None:
    enumeration = task(want, workers=4)
    assert len(set(drive(CHOICE.backend, BOARD, enumeration))) == 16
    assert (enumeration.stats["workers"], enumeration.threads) == (1, 1)


def test_one_solution_may_take_all_workers() -> None:
    one = task(1, workers=2)
    solutions = drive(CHOICE.backend, BOARD, one)
    assert not any(BOARD.violations(next(solutions)))
    solutions.close()
    assert (one.stats["workers"], one.threads) == (2, 2)


def test_after_the_only_solution_that_was_wanted_it_claims_nothing() -> None:
    with pytest.raises(GaveUp, match="only one solution"):
        list(drive(CHOICE.backend, load("1"), task(1)))


def test_an_end_without_a_full_search_is_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.status_name", lambda *_: "UNKNOWN")
    with pytest.raises(GaveUp, match="ended with UNKNOWN"):
        list(drive(CHOICE.backend, BOARD, task(None)))


def test_a_bound_just_off_a_whole_number_is_that_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT gives bounds as floats, with errors of rounding: 4.9999999 and 5.0000001 presses are five."""

    def solve(solver: Any, model: object, callback: object) -> None:
        for bound in (4.0000002, 4.9999999, 5.0, 5.0000001, 5.00001):
            solver.best_bound_callback(bound)

    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.solve", solve)
    monkeypatch.setattr("ortools.sat.python.cp_model.CpSolver.status_name", lambda *_: "UNKNOWN")
    told: list[int] = []
    asked = Task("fewest", encoding=select_one("cpsat", BOARD, "fewest").encoding, on_bound=told.append)
    with pytest.raises(GaveUp):
        list(drive(CHOICE.backend, BOARD, asked))
    assert told == [4, 5, 6]


@pytest.mark.parametrize("clauses", [[], [[]], [[1], [], [2, -1, -2]], [[-10, 2], [1, 10]]])
def test_clauses_become_the_same_constraints(clauses: list[list[int]]) -> None:
    model = cp_sat(Formula.of(1, 10, clauses)).model
    found = [[*constraint.bool_or.literals] for constraint in model.proto.constraints]
    assert found == [[literal - (literal > 0) for literal in clause] for clause in clauses]
