"""The equations of Lights Out over the presses of the first row, shared by all chased encodings.

This module shares no code with `crosslit.gf2`, but it uses the same method, the chase. Two runs that use the same
method are not independent, so encodings built on this module have ``chase`` in their trusted base.
"""

from __future__ import annotations

from crosslit.contract import GaveUp
from crosslit.grid import Grid
from crosslit.kinds import LightsOut
from crosslit.kinds.lights_out.puzzle import NEIGHBOURS, PLUS
from crosslit_encoders.cells import Extension
from crosslit_encoders.lights_out.system import Xor


def chased_xors(board: LightsOut) -> tuple[list[Xor], Extension]:
    """Return an XOR for each column, and the extension of the first row, if it determines all others.

    The XOR says which first-row presses (from 0, possibly none) toggle the column's light in the last row. All other
    lights are out then. Below the first row, the light above each press forces it. So each press is an affine function
    of the first row, stored as a bit mask whose highest bit is the constant.
    """
    if board.pattern not in (PLUS, NEIGHBOURS):
        raise GaveUp("the first row forces the others only with press=plus and press=neighbours")
    if board.wrap != "none" or board.missing is not None:
        raise GaveUp("the first row forces the others only where no edges are joined and no cells are missing")
    columns = board.columns
    constant = 1 << columns
    # Symbolic: press c of the first row is bit c. The same code with single bits then extends a solution.
    forced = _chase(board, [1 << column for column in range(columns)], constant)[-1]
    xors = [
        (tuple(press for press in range(columns) if mask >> press & 1), int(bool(mask & constant))) for mask in forced
    ]

    def extend(first: Grid) -> Grid:
        row = first.row(0)
        # The last row of the result is the lights left on, no presses.
        return Grid.from_cells(_chase(board, [row >> column & 1 for column in range(columns)], 1)[:-1])

    return xors, Extension(tuple((0, column) for column in range(columns)), extend)


def _chase(board: LightsOut, first: list[int], lit: int) -> list[list[int]]:
    """Return the presses of each row, then the lights left on, as XORs of the first-row presses and ``lit``."""
    stays = (0, 0) in board.pattern
    rows, above, row = [first], [0] * len(first), first
    for lights in board.lit.each_row():
        # A press of this row changes the lights on its left and right; a zero at both ends stands for the edges.
        padded = [0, *row, 0]
        below = [
            (lit if lights >> column & 1 else 0)
            ^ above[column]
            ^ (press if stays else 0)
            ^ padded[column]
            ^ padded[column + 2]
            for column, press in enumerate(row)
        ]
        rows.append(below)
        above, row = row, below
    return rows
