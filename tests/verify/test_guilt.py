"""Mistakes planted in families, relations, references and judges: no solver is blamed for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_generate import Case
from crosslit_verify import (
    ReferencesDiffer,
    Settings,
    SolverAnswer,
    SolverFailure,
    Verifier,
    judging,
    session,
    trial,
)
from crosslit_verify.clock import OutOfTime
from crosslit_verify.failure import Asked, Cause, Observation
from crosslit_verify.judging import Problem
from crosslit_verify.reference import Oracle
from crosslit_verify.stream import stream

import crosslit
from crosslit.contract.family import Relation

from .scripted import Scripted


def honest(_number: int, puzzle: Any) -> SolverAnswer:
    found = tuple(crosslit.solutions(puzzle))
    return SolverAnswer(found[:1], not found, len(found) == 1 if found else None)


def verified(change: Any = honest, cases: int = 60, kind: str = "lights-out", **given: Any) -> Any:
    return Verifier(Settings(kind, "unique", cases=cases, **given), Scripted(change)).run()


def plant_family(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that loses a solution of each of its puzzles."""

    def fewer(case: Any) -> Any:
        return case if case.solutions is None else replace(case, solutions=frozenset([*case.solutions][:1]))

    monkeypatch.setattr(session, "stream", lambda *given: map(fewer, stream(*given)))


def plant_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relation to a puzzle with other solutions."""
    other = Relation("other", crosslit.load("10/00"), lambda grid: grid)
    monkeypatch.setattr(trial, "related", lambda *_: [other])


def plant_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """References, each of which lacks a solution."""
    found = Oracle._found

    def fewer(*given: Any) -> Any:
        reference = found(*given)
        return replace(reference, solutions=frozenset([*reference.solutions][:1]), complete=True)

    monkeypatch.setattr(Oracle, "_found", fewer)


def plant_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that finds every third answer wrong."""
    number = 0

    def judge(*given: Any, **options: Any) -> Any:
        nonlocal number
        number += 1
        return Problem("false-multiple", "made up") if number % 3 == 0 else judging.judge(*given, **options)

    monkeypatch.setattr(trial, "judge", judge)


@pytest.mark.parametrize("plant", [plant_family, plant_relation, plant_reference, plant_judge])
def test_a_mistake_in_a_judgement_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch, plant: Any) -> None:
    plant(monkeypatch)
    with pytest.raises(ReferencesDiffer):
        verified()


@pytest.mark.parametrize(("seen", "recurs"), [({1}, False), ({3}, False), ({1, 2}, True), ({1, 3}, True)])
def test_a_wrong_answer_that_does_not_recur_is_a_contradiction(seen: set[int], recurs: bool) -> None:
    board = crosslit.load("11")
    wrong = crosslit.Grid.from_text("11")
    asked: list[Any] = []

    def sometimes(_number: int, puzzle: Any) -> Any:
        asked.extend([puzzle] if puzzle == board else [])
        return SolverAnswer((wrong,), False) if puzzle == board and len(asked) in seen else None

    found = Verifier(Settings("lights-out"), Scripted(sometimes)).replay(board)
    (failure,) = found.failures
    assert failure.problem.group == ("wrong-solution" if recurs else "contradicts-itself")
    assert ("; asked again, it gave 10" in failure.problem.detail) != recurs


CRASH, PROBLEM = SolverFailure("crash", "x"), Problem("crash", "x")
ONE, FULL, EMPTY = crosslit.load("11"), crosslit.Grid.from_text("11"), crosslit.Grid.from_text("00")


@pytest.mark.parametrize(
    ("again", "met", "is_late", "shown"),
    [
        (False, [], False, False),
        (False, [], True, None),  # there was no time to ask again
        (True, [], True, True),
        (None, ["11"], False, None),
        (None, ["1"], False, True),  # a smaller puzzle was asked later
        (False, ["11"], True, True),
        (None, ["11", "1"], True, True),
    ],
)
def test_a_failure_says_whether_it_was_seen_again(
    monkeypatch: pytest.MonkeyPatch, again: bool | None, met: list[str], is_late: bool, shown: bool | None
) -> None:
    def smallest(_: Any) -> Iterator[Observation]:
        yield from (found.of(crosslit.load(text), CRASH, PROBLEM) for text in met)
        if is_late:
            raise OutOfTime

    found = Observation(Asked(Case(ONE, "boards", False), 1, CRASH), PROBLEM, again=again)
    verifier = Verifier(Settings("lights-out"), Scripted())
    monkeypatch.setattr(verifier, "_search", lambda *_: SimpleNamespace(smallest=smallest))
    verifier._keep(found, Cause("crash", "", ""))
    (failure,) = verifier.failures
    assert (failure.again, failure.puzzle.text, failure.original) == (shown, [ONE.text, *met][-1], ONE)
