"""Lights Out boards as linear systems over GF(2)."""

from __future__ import annotations

from crosslit.gf2.elimination import LinearSystem
from crosslit.puzzles import LightsOut

# Elimination in sweep order takes about cells * shorter side row operations of a tenth of a microsecond each, and for
# every cell as much as some twenty of them.
_AFFORDABLE = 8_000_000
_PER_CELL = 20


def board_system(board: LightsOut) -> LinearSystem:
    """The system of a board: unknown ``r * columns + c`` is the press of cell (r, c), one equation for each light.

    Both come in row-major order, so that the elimination sweeps over the board row by row, and no row is longer than
    about twice the number of columns.
    """
    rows, columns = board.rows, board.columns
    system = LinearSystem(rows * columns)
    lights = board.lit.bits
    reach = [(-down, -right) for down, right in board.pattern]  # a light is toggled from the opposite side
    lit = f"{lights:0{rows * columns}b}"[::-1]
    for row in range(rows):
        for column in range(columns):
            presses = [
                (row + down) * columns + column + right
                for down, right in reach
                if 0 <= row + down < rows and 0 <= column + right < columns
            ]
            first = min(presses)
            system.add(sum(1 << press - first for press in presses), lit[row * columns + column] == "1", first)
    return system


def upright(board: LightsOut) -> LightsOut:
    """The board, transposed if it is wider than high: a sweep is cheap along the longer side."""
    return board if board.rows >= board.columns else LightsOut(board.lit.transposed())


def affordable(board: LightsOut) -> bool:
    """Whether the nullity of this board takes about a second at most."""
    return board.rows * board.columns * (min(board.rows, board.columns) + _PER_CELL) <= _AFFORDABLE


def nullity(board: LightsOut) -> int:
    """Dimension of the board's kernel (its "quiet patterns"): a solvable board has 2^nullity solutions.

    It depends on the size alone, not on the lit cells. For n x n boards it is OEIS A159257.

    Examples:
        >>> from crosslit.grid import Grid
        >>> [nullity(LightsOut(Grid.from_bits(n, n, 0))) for n in range(1, 10)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8]
    """
    return board_system(upright(board)).nullity
