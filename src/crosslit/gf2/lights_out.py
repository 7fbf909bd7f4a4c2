"""Lights Out boards as linear systems over GF(2)."""

from __future__ import annotations

from crosslit.gf2.elimination import LinearSystem
from crosslit.puzzles import LightsOut


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
