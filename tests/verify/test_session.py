"""A verification: what it asks again, how it ends, and that it blames no solver for a mistake of Crosslit."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import replace
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_verify import session
from crosslit_verify.cases import Settings, stream
from crosslit_verify.judge import Problem
from crosslit_verify.process import OutOfTime
from crosslit_verify.reference import Oracle, ReferencesDiffer
from crosslit_verify.session import Verifier

from crosslit import Grid, load

from .scripted import Scripted, first, verified

NO = SolverAnswer((), True)
CRASH = SolverFailure("crash", "x")


def test_every_eighth_puzzle_is_asked_again_five_puzzles_later_and_judged_again() -> None:
    _, subject = verified(cases=13)
    assert (len(subject.asked), subject.asked[13]) == (14, subject.asked[7])
    assert len(verified(cases=12)[1].asked) == 12
    assert len(verified(lambda *_: Abstention("unknown"))[1].asked) == 100  # there is nothing to compare

    def wrong(number: int, puzzle: Any) -> Any:
        """An answer that says solvable again, with a grid that breaks the rules."""
        wrong = (grid for grid in puzzle.layout.every() if any(puzzle.violations(grid)))
        return SolverAnswer((next(wrong),), False) if number == 14 else None

    assert [*verified(wrong, cases=13)[0].counts] == ["contradicts-itself"]


@pytest.mark.parametrize(("reply", "number"), [(NO, 10), (CRASH, 8)])
def test_a_failure_is_confirmed_by_few_questions(reply: Any, number: int) -> None:
    """Once, twice after a wrong answer, twice before it is shrunk, and once on each smaller puzzle."""
    found, subject = verified(lambda _, puzzle: reply if puzzle.lit.count() > 1 else None, own=[load("11")])
    assert (len(subject.asked), found.failures[0].tried) == (number, 5)
    assert (subject.once.count(True), subject.closed) == (7, 1)


@pytest.mark.parametrize(("problem", "once"), [("hang", True), ("crash", False)])
def test_after_a_hang_no_other_puzzle_gets_more_time(problem: str, once: bool) -> None:
    failure, own = SolverFailure(problem, "x"), [load("1"), load("0")]
    _, subject = verified(lambda _, puzzle: failure if puzzle == own[0] else None, own=own, keep_going=True)
    assert (subject.asked[-1], subject.once[-1]) == (own[1], once)


def test_a_failure_that_does_not_recur_is_not_shrunk() -> None:
    (failure,) = verified(lambda number, _: CRASH if number == 3 else None)[0].failures
    assert (failure.again, failure.minimal) == (False, False)


def test_shrinking_ends_with_its_time() -> None:
    subject, own = Scripted(lambda *_: NO), [load("1/1"), load("0")]
    found = Verifier(Settings("lights-out", keep_going=True), subject, shrinking=0.0, own=own).run()
    assert [(each.puzzle.text, each.again, each.minimal) for each in found.failures] == [("1/1", None, False)]
    assert found.end == "no puzzles left"  # shrinking takes no time from the others


@pytest.mark.parametrize(("seen", "recurs"), [({1}, False), ({1, 2}, True), ({1, 3}, True)])
def test_a_wrong_answer_that_does_not_recur_is_a_contradiction(seen: set[int], recurs: bool) -> None:
    board, asked = load("11"), list[Any]()

    def sometimes(_number: int, puzzle: Any) -> Any:
        asked.extend([puzzle] if puzzle == board else [])
        return SolverAnswer((Grid.from_text("11"),), False) if puzzle == board and len(asked) in seen else None

    (failure,) = verified(sometimes, own=[board])[0].failures
    assert failure.problem.group == ("wrong-solution" if recurs else "contradicts-itself")
    assert ("; asked again, it gave another answer" in failure.problem.detail) != recurs


@pytest.mark.parametrize(
    ("puzzles", "cases", "end", "asked"),
    [(5, 4, "stopped after 4 cases", 4), (4, 4, "no puzzles left", 4), (6, None, "no puzzles left", 6)],
)
def test_a_verification_ends_after_its_cases_or_its_puzzles(
    puzzles: int, cases: int | None, end: str, asked: int
) -> None:
    own = [load("1" * length) for length in range(1, puzzles + 1)]
    found, subject = verified(own=[*own, *own], cases=cases)  # each is sent once
    assert (found.end, subject.asked) == (end, own[:asked])
    assert found.coverage.families["own puzzles"].exhausted == (end == "no puzzles left")
    assert 0 <= found.seconds < 60
    found, subject = verified(own=own, seconds=1e-9)
    assert (found.end, subject.asked) == ("stopped after 1e-09 s", [])


def test_a_verification_without_puzzles_does_not_begin() -> None:
    with pytest.raises(ValueError, match="is solvable"):
        Verifier(Settings("lights-out", only="unsolvable", size="1"), Scripted())


def test_an_interrupt_keeps_what_was_judged_and_is_not_passed() -> None:
    def change(number: int, _: Any) -> None:
        if number == 30:
            os.kill(os.getpid(), signal.SIGINT)

    found, subject = verified(change, keep_going=True)
    assert (found.interrupted, found.passed, bool(found)) == (True, False, False)
    assert b'skipped="1"' in found.junit("x") and b'<skipped message="interrupted: ' in found.junit("x")
    assert 0 < found.coverage.cases < 31
    assert subject.closed
    assert re.match(r"interrupted: [0-9]+ boards, claims one.*; no failure so far\n", found.summary())


@pytest.mark.parametrize(("error", "advice"), [(OutOfTime, "allow more --seconds"), (KeyboardInterrupt, "")])
def test_the_first_puzzle_is_skipped_if_it_is_not_answered_before_the_end(error: Any, advice: str) -> None:
    def wait(*_: Any) -> None:
        raise error

    text = verified(wait, seconds=9)[0].summary()
    assert (
        " 0 judged of 1 board," in text and advice in text and "\n  skipped: 1, no answer in the last 0.0 s\n" in text
    )


def test_an_interrupt_while_shrinking_keeps_the_smallest_so_far() -> None:
    def change(number: int, puzzle: Any) -> Any:
        if 0 < puzzle.lit.count() < 36:
            shrunk.append(puzzle)
        if len(shrunk) == 3:
            raise KeyboardInterrupt
        return NO if puzzle.lit.count() > 1 else None

    shrunk: list[Any] = []
    found, _ = verified(change, own=[load("/".join(["111111"] * 6))])
    (failure,) = found.failures
    assert (found.interrupted, failure.puzzle, failure.minimal) == (True, shrunk[1], False)


def test_a_puzzle_that_fails_whenever_it_is_sent_counts_once() -> None:
    found, subject = verified(lambda *_: CRASH, claims="all", cases=400, size="1..2", keep_going=True)
    assert len(subject.asked) > found.coverage.cases  # puzzles were drawn repeatedly
    assert found.counts == {"crash": found.coverage.judged}
    assert found.coverage.judged == found.coverage.cases == len({*subject.asked})


def test_another_cause_on_a_failed_puzzle_gets_an_example_and_no_count() -> None:
    class LeavesAProcess(Scripted):
        def close(self) -> Any:
            return SolverFailure("orphaned-process", "x") if self.asked else None

    subject, seen = LeavesAProcess(lambda *_: NO), list[Verifier]()
    found = Verifier(Settings("lights-out", keep_going=True), subject, seen.append, own=[load("11")]).run()
    assert (found.counts, len(seen)) == ({"false-unsolvable": 1}, 2)
    assert [failure.problem.group for failure in found.failures] == ["false-unsolvable", "orphaned-process"]


@pytest.mark.parametrize("is_known", [False, True])
def test_what_the_end_of_a_solver_shows_is_a_failure_of_the_first_puzzle_with_it(
    monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    left = SolverFailure("orphaned-process", "one is left")

    def close(solver: Scripted) -> SolverFailure | None:
        fresh, solver.closed = solver.asked[solver.closed :], len(solver.asked)
        return left if fresh else None

    monkeypatch.setattr(Scripted, "close", close)
    at_once = replace(left, detail="at once")
    found, _ = verified(lambda number, _: at_once if number == 2 and is_known else None, cases=5, keep_going=True)
    (failure,) = found.failures
    assert failure.problem == Problem("orphaned-process", "one is left")
    assert is_known or (failure.puzzle.text, failure.case) == ("0", 1)
    assert found.counts == {"orphaned-process": 1}


def plant_family(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that loses a solution of each of its puzzles."""

    def fewer(case: Any) -> Any:
        return case if case.solutions is None else replace(case, solutions=frozenset([*case.solutions][:1]))

    monkeypatch.setattr(session, "stream", lambda *given: map(fewer, stream(*given)))


def plant_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """References, each of which lacks a solution."""
    reference = Oracle.reference

    def fewer(*given: Any) -> Any:
        found = reference(*given)
        return replace(found, solutions=frozenset([*found.solutions][:1]), complete=True)

    monkeypatch.setattr(Oracle, "reference", fewer)


@pytest.mark.parametrize("plant", [plant_family, plant_reference])
def test_a_mistake_in_a_judgement_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch, plant: Any) -> None:
    plant(monkeypatch)
    with pytest.raises(ReferencesDiffer):
        verified(lambda _, puzzle: first(puzzle), claims="unique", cases=60)
