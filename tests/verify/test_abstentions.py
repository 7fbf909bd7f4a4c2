"""A solver may say that it does not know, or does not take a puzzle, and may declare which sizes it takes."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention
from crosslit_verify import Function, Settings, Verifier
from crosslit_verify.judging import claim, contradiction, format_reply, judge
from crosslit_verify.stream import stream

import crosslit
from crosslit import LightsOut
from crosslit.base.grid import Grid
from tests.verify.scripted import verified

UNKNOWN = Abstention("unknown")


def gives_up(number: int, puzzle: Any) -> Any:
    return UNKNOWN if puzzle.rows > 1 else None


def test_unknown_is_counted_and_does_not_fail() -> None:
    found, _ = verified(gives_up)
    assert found.passed
    assert found.coverage.abstained == {"unknown": found.coverage.cases - found.coverage.judged}
    assert found.coverage.smallest["unknown"].text == "0/0"
    assert f"  unknown: {found.coverage.abstained['unknown']:,} of 100, the smallest 0/0" in found.summary()
    assert found.json()["coverage"]["unknown"]["smallest"] == "0/0"


def test_unknown_fails_where_it_is_forbidden() -> None:
    found, _ = verified(gives_up, no_unknown=True)
    (failure,) = found.failures
    assert (failure.problem.group, failure.puzzle.text) == ("unknown", "0/0")
    assert not found.coverage.abstained


def test_a_solver_that_never_knows_has_not_passed() -> None:
    found, _ = verified(lambda number, puzzle: Abstention("unsupported"))
    assert not found.passed
    assert not found.failures
    assert found.summary().startswith("nothing judged")


def test_an_abstention_contradicts_nothing() -> None:
    puzzle = LightsOut(Grid.from_text("1"))
    assert judge(puzzle, "one", UNKNOWN, lambda: pytest.fail("no reference is needed")) is None
    assert claim("one", UNKNOWN) is None
    assert contradiction("all", UNKNOWN, UNKNOWN) is None
    assert format_reply(UNKNOWN) == "unknown"


@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        ("2..3", {(2, 2), (2, 3), (3, 2), (3, 3)}),
        ("2..3,NxN", {(2, 2), (3, 3)}),
        ("2, 3", {(2, 2), (3, 3)}),
        ("5x4", {(5, 4)}),
        ("14x13", {(14, 13)}),
    ],
)
@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_every_puzzle_is_of_the_sizes_asked_for(kind: str, size: str, shapes: set[Any]) -> None:
    asked = islice(stream(Settings(kind, size=size)), 20 if max(shapes) == (14, 13) else 150)
    assert {(case.puzzle.rows, case.puzzle.columns) for case in asked} <= shapes


def test_a_puzzle_without_an_answer_is_asked_only_once() -> None:
    assert len(verified(lambda *_: UNKNOWN)[1].asked) == 100


def test_related_and_shrunken_puzzles_are_of_these_sizes_too() -> None:
    asked = []

    def wrong(board: LightsOut) -> Any:
        return [[0] * board.columns] * board.rows if board.lit.count() > 3 else crosslit.solve(board)

    class Noting(Function):
        def ask(self, puzzle: Any, meanwhile: Any = lambda: None) -> Any:
            asked.append((puzzle.rows, puzzle.columns))
            return super().ask(puzzle, meanwhile)

    found = Verifier(Settings("lights-out", size="3x4", cases=40), Noting(wrong)).run()
    assert set(asked) == {(3, 4)}
    assert found.failures[0].puzzle.lit.count() == 4
