"""Lights Out boards of any rules as linear systems over GF(2)."""

from __future__ import annotations

from crosslit.gf2.elimination import LinearSystem
from crosslit.puzzles import LightsOut


def board_system(board: LightsOut) -> LinearSystem:
    """The system of a board: unknown ``r * columns + c`` is the press of cell (r, c), one equation for each light.

    Both come in row-major order, so that the elimination sweeps over the board row by row: where no edges are joined,
    no row is longer than about twice the number of columns for each row that a press reaches. A missing cell has the
    equation that it is not pressed.
    """
    rows, columns = board.rows, board.columns
    system = LinearSystem(rows * columns)
    lit = f"{board.lit.bits:0{rows * columns}b}"[::-1]
    missing = set() if board.missing is None else {row * columns + column for row, column in board.missing.cells()}
    for row in range(rows):
        for column in range(columns):
            if row * columns + column in missing:
                system.add(1, 0, row * columns + column)
                continue
            presses = _togglers(board, row, column) - missing
            first = min(presses, default=0)
            system.add(sum(1 << press - first for press in presses), lit[row * columns + column] == "1", first)
    return system


def _togglers(board: LightsOut, row: int, column: int) -> set[int]:
    """The presses that toggle a light; those that meet it an even number of times do not."""
    togglers: set[int] = set()
    for down, right in board.pattern:
        above, left = row - down, column - right  # a light is toggled from the opposite side
        if board.wraps_rows:
            above %= board.rows
        if board.wraps_columns:
            left %= board.columns
        if 0 <= above < board.rows and 0 <= left < board.columns:
            togglers ^= {above * board.columns + left}
    return togglers


def upright(board: LightsOut) -> LightsOut:
    """The board, transposed if it is wider than high: a sweep is cheap along the longer side."""
    return board if board.rows >= board.columns else board.transposed()
