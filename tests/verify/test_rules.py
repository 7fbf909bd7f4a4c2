"""Boards of the rules that the solver plays by."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import Any

import pytest
from crosslit_verify import Settings
from crosslit_verify.settings import Rules
from crosslit_verify.stream import stream

import crosslit
from crosslit.formats import read
from tests.verify.scripted import verified


@pytest.mark.parametrize(
    "rules",
    [
        Rules("king"),
        Rules("", "torus"),
        Rules("diagonal", "horizontal", True),
        Rules("000,111,010"),
        Rules("hexagons", "klein", True, kind="modular-lights-out"),
        Rules(states=6, kind="modular-lights-out"),
    ],
)
@pytest.mark.parametrize("only", [None, "solvable", "unsolvable"])
def test_every_board_has_the_rules(rules: Rules, only: str | None) -> None:
    boards: list[Any] = [case.puzzle for case in islice(stream(Settings(only=only, **asdict(rules))), 80)]
    assert len(boards) == 80
    assert all(rules.allow(board) for board in boards)
    assert any(board.missing for board in boards) == rules.holes
    if only:
        assert {crosslit.solve(board) is not None for board in boards} == {only == "solvable"}


def test_a_right_solver_passes() -> None:
    found, subject = verified(press="king", wrap="torus", holes=True, cases=60)
    assert found.passed, found.text()
    king: Any = crosslit.load("press=king/1")
    assert {(board.pattern, board.wrap) for board in subject.asked} == {(king.pattern, "torus")}


@pytest.mark.slow
def test_the_usual_rules_are_wrong_on_a_torus_and_shrinking_keeps_it() -> None:
    def usual(number: int, board: Any) -> Any:
        from dataclasses import replace

        from crosslit_verify import Answer

        found = crosslit.solve(replace(board, wrap="none"))
        return Answer(() if found is None else (found,), found is None)

    found, subject = verified(usual, wrap="torus", keep_going=False)
    assert not found.passed
    assert {board.wrap for board in subject.asked} == {"torus"}
    assert read(found.failures[0].puzzle.text) == found.failures[0].puzzle
