"""Changes to a board with a known effect on its solutions."""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.contract.family import Relation
from crosslit.kinds.lights_out.puzzle import LightsOut


def relations(board: LightsOut) -> Iterator[Relation]:
    """Yield the board after pressing all cells."""
    yield complemented(board)


def complemented(board: LightsOut) -> Relation:
    """Press every cell of the board first: a solution becomes its complement."""
    every = (1 << board.rows * board.columns) - 1
    present = every if board.missing is None else every & ~board.missing.bits

    def carry(grid: Grid) -> Grid:
        return Grid.from_bits(board.rows, board.columns, grid.bits ^ present)

    pressed = board.pressed(Grid.from_bits(board.rows, board.columns, present))
    return Relation("every cell pressed before", pressed, carry)
