"""The rule checker against the rule, played out press by press."""

from __future__ import annotations

import random

import pytest

from crosslit import Grid, LightsOut
from tests.conftest import all_grids, random_board, random_grid, shapes


def lit_after(board: LightsOut, presses: Grid) -> list[str]:
    lit = [[board.lit[r, c] for c in range(board.columns)] for r in range(board.rows)]
    for row, column in presses.cells():
        for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < board.rows and 0 <= c < board.columns:
                lit[r][c] = not lit[r][c]
    return [
        f"row {r + 1}, column {c + 1} stays lit" for r in range(board.rows) for c in range(board.columns) if lit[r][c]
    ]


@pytest.mark.parametrize("shape", shapes(6))
def test_all_presses_on_all_small_boards(shape: tuple[int, int]) -> None:
    for lit in all_grids(*shape):
        for presses in all_grids(*shape):
            board = LightsOut(lit)
            assert list(board.violations(presses)) == lit_after(board, presses)


def test_random_presses_on_larger_boards() -> None:
    rng = random.Random(1)
    for _ in range(100):
        rows, columns = rng.randint(1, 20), rng.randint(1, 20)
        board, presses = random_board(rng, rows, columns), random_grid(rng, rows, columns)
        assert list(board.violations(presses)) == lit_after(board, presses)


def test_a_grid_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="2 x 1 grid for a 1 x 2 board"):
        next(LightsOut(Grid.from_text("10")).violations(Grid.from_text("1/0")))


@pytest.mark.parametrize("lit", ["10/01", [[1, 0]], None])
def test_what_is_no_grid_is_refused(lit: object) -> None:
    with pytest.raises(TypeError, match="the lit cells are a Grid"):
        LightsOut(lit)  # type: ignore[arg-type]


def test_identity_is_the_board_alone() -> None:
    one, same = LightsOut(Grid.from_text("10"), name="one"), LightsOut(Grid.from_text("10"), name="two")
    assert one == same
    assert hash(one) == hash(same)
    assert one.id == same.id
    assert one.id != LightsOut(Grid.from_text("1/0")).id
