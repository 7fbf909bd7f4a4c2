"""Every question counts: a fault is a failure, also where a puzzle is asked again, or a related one is asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from crosslit_generate import Case
from crosslit_verify import Settings, SolverAnswer, SolverFailure, Verifier, session, trial
from crosslit_verify.judging import SOLVER_FAILURES, related
from crosslit_verify.reference import Oracle
from crosslit_verify.stream import stream

import crosslit

from .scripted import Scripted, verified

CASES = 60


def at(position: int, fault: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    """A solver whose fault shows at only one question."""
    return lambda number, puzzle: fault(puzzle) if number == position else None


def spoiled(puzzle: Any) -> Any:
    """An answer with a grid that breaks the rules; None if the puzzle has no solution."""
    found = crosslit.solve(puzzle)
    return found and SolverAnswer((crosslit.Grid.from_bits(found.rows, found.columns, found.bits ^ 1),), False, None)


def extra_questions() -> list[int]:
    """The positions at which a puzzle is asked again, or a related one is asked."""
    found, subject = verified(cases=CASES)
    cases = [case.puzzle for case in itertools.islice(stream(Settings("lights-out")), CASES)]
    extra = [number for number, puzzle in enumerate(subject.asked, 1) if not (cases[:1] == [puzzle] and cases.pop(0))]
    assert len(extra) == found.coverage.again + found.coverage.related
    assert (found.coverage.again, found.coverage.related) == (6, 3)
    return extra


@pytest.fixture(scope="module")
def questions() -> int:
    """Questions that a right solver is asked in `CASES` cases."""
    return len(verified(cases=CASES)[1].asked)


@pytest.mark.parametrize("problem", sorted(SOLVER_FAILURES - {"hang"}))
def test_a_mishap_at_any_question_is_a_failure(problem: Any, questions: int) -> None:
    for position in range(1, questions + 1) if problem == "crash" else extra_questions():
        found, _ = verified(at(position, lambda _: SolverFailure(problem, "once")), cases=CASES)
        (failure,) = found.failures
        assert (failure.problem.group, failure.again, failure.minimal) == (problem, False, False), position
        assert f"--cases {failure.asked} with the same seed" in found.text()


def test_the_cases_that_led_to_a_failure_lead_to_it_again() -> None:
    for position in extra_questions():
        failing = at(position, lambda _: SolverFailure("crash", "once"))
        (failure,) = verified(failing, cases=CASES)[0].failures
        assert not verified(failing, cases=failure.asked)[0].passed, position
        assert verified(failing, cases=failure.asked - 1)[0].passed, position


@pytest.mark.parametrize("claims", ["one", "fewest"])
def test_a_wrong_grid_at_any_question_is_a_failure(claims: Any, questions: int) -> None:
    sizes: dict[str, Any] = {"size": "1..3,NxN"} if claims == "fewest" else {}  # each with one solution
    _, right = verified(claims=claims, cases=CASES, **sizes)
    for position, puzzle in enumerate(right.asked, 1):
        if claims == "fewest" and position % 5:
            continue
        found, _ = verified(at(position, spoiled), claims=claims, cases=CASES, **sizes)
        assert bool(found.failures) == (crosslit.solve(puzzle) is not None), position
        assert {failure.problem.group for failure in found.failures} <= {"wrong-solution", "contradicts-itself"}


def test_a_solution_given_twice_for_a_related_puzzle_is_a_failure() -> None:
    def twice(number: int, puzzle: Any) -> Any:
        found = tuple(crosslit.solutions(puzzle))
        return SolverAnswer(found * 2 if number == 18 else found, not found)

    solvable = {"claims": "all", "only": "solvable", "cases": 30}
    found, subject = verified(twice, **solvable)
    (failure,) = found.failures
    assert failure.problem.group == "contradicts-itself"  # it does not do it again
    assert " more than once; asked again, it gave " in failure.problem.detail
    assert failure.original == subject.asked[17]
    assert failure.family.endswith(("mirrored", "upside down", "turned by 180 degrees"))


@pytest.mark.slow
def test_a_wrong_answer_to_a_related_puzzle_is_shown_with_that_puzzle() -> None:
    turned: list[Any] = []

    def wrong(number: int, puzzle: Any) -> Any:
        if number == 17:
            turned.append(puzzle)
        return SolverAnswer((), True) if puzzle in turned else None

    (failure,) = verified(wrong, only="solvable", cases=30)[0].failures
    assert (failure.problem.group, failure.original) == ("false-unsolvable", turned[0])


def test_related_puzzles_contradict_where_the_truth_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    board = crosslit.load("11000")  # which has two solutions
    monkeypatch.setattr(trial, "Oracle", lambda: Oracle(max_solutions=1))
    monkeypatch.setattr(session, "stream", lambda *_: iter([Case(board, "one board", False)] * 16))

    def fewer(number: int, puzzle: Any) -> Any:
        found = tuple(crosslit.solutions(puzzle))
        return SolverAnswer(found[puzzle != board :], not found)

    (failure,) = verified(fewer, claims="all", cases=16)[0].failures
    assert (failure.problem.group, failure.original) == ("contradicts-relation", board)


def test_related_puzzles_are_such_as_the_solver_expects() -> None:
    tall, square = crosslit.load("1,1,1|3"), crosslit.load("1,1|1,1")
    assert {"5 x 1"} <= {f"{other.puzzle.rows} x {other.puzzle.columns}" for other in related("all", tall)}
    for puzzle in (tall, square):
        assert len(related("all", puzzle)) == 8
        assert (
            max(other.puzzle.rows for other in related("all", puzzle, lambda rows, columns: max(rows, columns) <= 3))
            <= 3
        )
    assert {other.puzzle.rows for other in related("all", square, int.__eq__)} == {2}


def test_a_failure_of_another_group_is_kept_if_it_is_met_while_shrinking() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if puzzle.lit.count() == 4:
            return SolverAnswer((), True)
        return SolverFailure("memory", "three lights") if puzzle.lit.count() == 3 and puzzle.rows == 2 else None

    board = crosslit.load("11/11")
    verification = Verifier(Settings("lights-out", keep_going=True, cases=1), Scripted(change))
    verification._cases = iter([(1, Case(board, "one board", False))])
    assert [failure.problem.group for failure in verification.run().failures] == ["false-unsolvable", "memory"]


@pytest.mark.parametrize("problem", ["crash", "malformed-output"])
def test_each_question_of_a_replay_counts(problem: Any) -> None:
    board = crosslit.load("10/01")
    subject = Scripted()
    Verifier(Settings("lights-out"), subject).replay(board)
    for position in range(1, len(subject.asked) + 1):
        failing = Scripted(at(position, lambda _: SolverFailure(problem, "once")))
        found = Verifier(Settings("lights-out"), failing).replay(board)
        assert [failure.problem.group for failure in found.failures] == [problem], position


def test_an_answer_that_is_too_long_to_be_read_is_not_judged() -> None:
    def many(number: int, puzzle: Any) -> Any:
        found = crosslit.solve(puzzle)
        return found and SolverAnswer((found, found), False, more=5)

    found, _ = verified(many, cases=20, only="solvable")
    assert not found.failures
    assert not found.passed
    assert found.coverage.skipped == {"more than 10,000 grids in an answer": 20}
    found, _ = verified(many, cases=20, only="solvable", claims="all")
    assert found.failures[0].problem.group == "duplicate-solution"


def test_the_search_for_what_left_a_process_behind_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class LeavesOnce(Scripted):
        def close(self) -> SolverFailure | None:
            super().close()
            return SolverFailure("orphaned-process", "1 process outlived it") if self.closed == 1 else None

    asked = []
    for seconds in (60.0, 0.0):
        monkeypatch.setattr(session, "_EARLY_SECONDS", seconds)
        subject = LeavesOnce()
        (failure,) = Verifier(Settings("lights-out", cases=12), subject).run().failures
        assert (failure.problem.group, failure.again) == ("orphaned-process", False)
        asked.append(len(subject.asked))
    assert asked[0] - asked[1] == 12
