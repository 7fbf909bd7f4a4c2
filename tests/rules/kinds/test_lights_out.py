"""The rule checker against the rule, played out press by press."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from crosslit import Grid, LightsOut, load
from crosslit.kinds.lights_out.rules import KING, PLUS
from tests.conftest import all_grids, shapes


def lit_after(board: LightsOut, presses: Grid) -> list[str]:
    gone = set() if board.missing is None else set(board.missing.cells())
    lit = [[board.lit[r, c] for c in range(board.columns)] for r in range(board.rows)]
    for row, column in presses.cells():
        for down, right in board.pattern:
            r, c = row + down, column + right
            r = r % board.rows if board.wrap in ("vertical", "torus") else r
            c = c % board.columns if board.wrap in ("horizontal", "torus") else c
            if 0 <= r < board.rows and 0 <= c < board.columns:
                lit[r][c] = not lit[r][c]
    cells = [(r, c) for r in range(board.rows) for c in range(board.columns)]
    absent = [(r, c) for r, c in cells if (r, c) in gone and presses[r, c]]
    staying = [(r, c) for r, c in cells if lit[r][c] and (r, c) not in gone]
    return [
        *(f"row {r + 1}, column {c + 1} is missing and cannot be pressed" for r, c in absent),
        *(f"row {r + 1}, column {c + 1} stays lit" for r, c in staying),
    ]


@pytest.mark.parametrize("far", [(-3, 0), (3, 0), (0, -3), (0, 3)])
def test_a_picture_reaches_as_far_as_the_pattern_in_any_direction(far: tuple[int, int]) -> None:
    board = LightsOut(Grid.from_text("1000/0000"), (far, (0, 0)))
    assert load(board.text) == board


@pytest.mark.parametrize("shape", shapes(6))
def test_all_presses_on_all_small_boards(shape: tuple[int, int]) -> None:
    for lit in all_grids(*shape):
        for presses in all_grids(*shape):
            board = LightsOut(lit)
            assert list(board.violations(presses)) == lit_after(board, presses)


def test_a_press_that_meets_a_light_twice_leaves_it_as_it_was() -> None:
    board = LightsOut(Grid.from_text("10/00"), wrap="torus")  # up and down are one cell, left and right too
    assert not list(board.violations(Grid.from_text("10/00")))
    far = LightsOut(Grid.from_text("100"), pattern=((0, 1000), (0, -1000)), wrap="horizontal")
    assert list(far.violations(Grid.from_text("100"))) == lit_after(far, Grid.from_text("100"))


def test_equal_boards_are_equal_however_they_are_said() -> None:
    lit = Grid.from_text("10")
    assert LightsOut(lit, missing=Grid.from_text("00")) == LightsOut(lit)
    assert LightsOut(lit, tuple(reversed(PLUS))) == LightsOut(lit)
    assert LightsOut(lit, KING).id != LightsOut(lit).id != LightsOut(lit, wrap="torus").id


@pytest.mark.parametrize(
    ("text", "rules", "error", "message"),
    [
        ("10", {"pattern": ()}, ValueError, "at least one cell"),
        ("10", {"pattern": ((0, 0), (0, 0))}, ValueError, "repeat an offset"),
        ("10", {"pattern": ((0, 0.5),)}, TypeError, r"pair of whole numbers \(row, column\), not"),
        ("10", {"pattern": ((0, -1001),)}, ValueError, "an offset is at most 1000 rows and columns"),
        ("10", {"wrap": "sphere"}, ValueError, "wrap is one of none, horizontal, vertical, torus"),
        ("10", {"pattern": None}, TypeError, "a pattern as pairs"),
        ("10", {"graph": "edges=1-2"}, ValueError, "only a ModularLightsOut has a graph, such as 'edges=1-2'"),
        ("10", {"name": 5}, TypeError, "a title as text, found int 5"),
        ("10", {"missing": "10"}, TypeError, "a Grid of two states or None"),
        ("10", {"missing": Grid.from_text("02", 3)}, TypeError, "a Grid of two states or None"),
        ("10", {"missing": Grid.from_text("1")}, ValueError, "1 x 1 missing cells on a 1 x 2 board"),
        ("10", {"missing": Grid.from_text("10")}, ValueError, "cannot be lit"),
        ("10", {"lit": Grid.from_text("10", 3)}, ValueError, "at most 2 states, not 3"),
        ("modular-lights-out:2/10", {"lit": Grid.from_text("10", 17)}, ValueError, "at most 16 states, not 17"),
        ("modular-lights-out:3/10", {"graph": "lamps=1"}, ValueError, "expected press=, or edges= or matrix= and one"),
        ("modular-lights-out:3/10", {"graph": None}, TypeError, "a graph as text, such as 'edges=1-2', found NoneType"),
        ("modular-lights-out:3/press=king/10", {"graph": "edges="}, ValueError, "a pattern or a graph, not both"),
        ("modular-lights-out:3/1/0", {"graph": "edges="}, ValueError, "expected press=, or edges= or matrix= and one"),
        ("modular-lights-out:3/10", {"pattern": ((0, 0, 3),)}, TypeError, "and an amount from 1 to 2, not"),
        ("modular-lights-out:3/10", {"pattern": ((0, 0), (0, 0, 2))}, ValueError, "repeat an offset"),
    ],
)
def test_rules_that_make_no_sense(text: str, rules: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        replace(load(text), **rules)


@pytest.mark.parametrize(
    ("text", "other", "message"),
    [
        ("10", "0/0", "a 2 x 1 grid for a 1 x 2 board"),
        ("10", "modular-lights-out:3/12", "a 1 x 2 grid for a 1 x 2 board with 2 states"),
        ("modular-lights-out:3/12", "00", "a 1 x 2 grid for a 1 x 2 board with 3 states"),
        ("modular-lights-out:3/12", "modular-lights-out:3/1/2", "a 2 x 1 grid for a 1 x 2 board with 3 states"),
        ("1 1,0|1,0,1", "000/000/000", "a 3 x 3 grid for a 2 x 3 nonogram"),
        ("1 1,0|1,0,1", "00/00", "a 2 x 2 grid for a 2 x 3 nonogram"),
        ("1|1", "modular-lights-out:3/1", "a 1 x 1 grid for a 1 x 1 nonogram with 2 states"),
        ("coloured-nonogram:1a 1b|1a,1b", "00", "a 1 x 2 grid for a 1 x 2 coloured nonogram with 3 states"),
    ],
)
def test_a_grid_of_another_layout_is_refused(text: str, other: str, message: str) -> None:
    grid = load(other).shown
    assert grid is not None
    with pytest.raises(ValueError, match=f"^{message}$"):
        next(load(text).violations(grid))


@pytest.mark.parametrize("text", ["10/01", "press=king/10/01", "press=king/wrap=torus/1_/01", "wrap=torus/1"])
def test_the_identity_is_the_hash_of_the_one_line_form(text: str) -> None:
    board = load(text)
    assert board.text == text
    assert board.id == hashlib.sha256(text.encode()).hexdigest()


def test_only_the_board_determines_identity() -> None:
    one, same = LightsOut(Grid.from_text("10"), name="one"), LightsOut(Grid.from_text("10"), name="two")
    assert (one, hash(one), one.id) == (same, hash(same), same.id)
    assert one.id != LightsOut(Grid.from_text("1/0")).id


@pytest.mark.parametrize(("length", "ends"), [(59, "01"), (61, "00...")])
def test_a_setting_of_more_than_60_characters_is_shortened_in_the_facts(length: int, ends: str) -> None:
    board = LightsOut(Grid.from_text("1"), ((0, 0), (0, (length - len("press=")) // 2)))
    (fact,), (setting,) = board.facts, board.settings
    assert len(setting) == length
    assert len(fact) == min(length, 60)
    assert fact.endswith(ends)
