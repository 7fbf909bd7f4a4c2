"""Mistakes planted in families, relations, references and judges: no solver is blamed for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from crosslit_verify import (
    ReferencesDiffer,
    Settings,
    SolverAnswer,
    Verifier,
    judge,
    session,
)
from crosslit_verify.cases import stream
from crosslit_verify.judge import Problem
from crosslit_verify.reference import Oracle

import crosslit

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

    def wrong(*given: Any) -> Any:
        nonlocal number
        number += 1
        return Problem("false-multiple", "made up") if number % 3 == 0 else judge.judge(*given)

    monkeypatch.setattr(session, "judge", wrong)


@pytest.mark.parametrize("plant", [plant_family, plant_reference, plant_judge])
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

    found = Verifier(Settings("lights-out"), Scripted(sometimes), own=[board]).run()
    (failure,) = found.failures
    assert failure.problem.group == ("wrong-solution" if recurs else "contradicts-itself")
    assert ("; asked again, it gave another answer" in failure.problem.detail) != recurs
