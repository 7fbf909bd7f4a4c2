"""The chase down a board: given the first row of presses, each further row puts out the row above it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit.algebra.boards import Board

# The patterns as `crosslit.kinds.lights_out.rules` has them: the rules import nothing from here, nor this from there.
PLUS = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
NEIGHBOURS = ((-1, 0), (0, -1), (0, 1), (1, 0))


def why_no_chase(board: Board) -> str | None:
    """Return why the first row of presses does not force all others on a board; None if it does."""
    # With these patterns a single press of the next row toggles a light, the one right below it; with king there are
    # three.
    if board.pattern not in (PLUS, NEIGHBOURS):
        return "the chase from the first row is for press=plus and press=neighbours"
    if board.wrap != "none":
        return "the chase from the first row is for boards whose edges are not joined"
    if board.missing is not None:
        return "the chase from the first row is for boards without missing cells"
    return None


def chase(lit: Iterable[int], first: int, columns: int, stay: bool = True) -> tuple[list[int], int]:
    """Return the presses that follow from the first row, each putting out the light above it, with rows as bits.

    ``stay`` says whether a press toggles its own cell.

    Returns:
        The rows of presses, and the lights left in the last row.
    """
    inside = (1 << columns) - 1
    presses = []
    above, row = 0, first
    # Two loops, so that the choice is made once and not for every row. One mask for the whole sum suffices: only the
    # shift to the left can leave the board.
    if stay:
        for lights in lit:
            presses.append(row)
            above, row = row, (lights ^ above ^ row ^ row << 1 ^ row >> 1) & inside
    else:
        for lights in lit:
            presses.append(row)
            above, row = row, (lights ^ above ^ row << 1 ^ row >> 1) & inside
    return presses, row
