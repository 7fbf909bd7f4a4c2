"""Lights Out as XOR constraints, the basis of all its encodings."""

from __future__ import annotations

from crosslit.kinds import LightsOut

Xor = tuple[tuple[int, ...], int]
"""Cells, and whether the XOR of their presses is 1. (The XORs of formulas are over variables instead.)"""


def light_xors(board: LightsOut) -> list[Xor]:
    """Return an XOR for each cell: the cells (row-major, from 0) whose presses toggle its light, and 1 if it is lit.

    The XOR of a missing cell says that it is not pressed; the other XORs leave it out. With joined edges or missing
    cells an XOR may have no cells: no press changes such a light.
    """
    rows, columns = board.rows, board.columns
    missing = set() if board.missing is None else {row * columns + column for row, column in board.missing.cells()}
    togglers: list[list[int]] = [[] for _ in range(rows * columns)]
    # From presses to lights, as the rules state it: no offset has to be reversed. Ascending presses make each XOR
    # ascending.
    for press in range(rows * columns):
        if press not in missing:
            for light in _toggled(board, *divmod(press, columns)):
                togglers[light].append(press)
    for cell in missing:
        # A missing cell is never lit, so this XOR is 0: left free, its press would double the number of models.
        togglers[cell] = [cell]
    lit = board.lit.text.replace("/", "")
    return [(tuple(cells), int(light)) for cells, light in zip(togglers, lit, strict=True)]


def _toggled(board: LightsOut, row: int, column: int) -> set[int]:
    """Return the lights that a press toggles; with joined edges it may hit a light twice, which changes nothing."""
    lights: set[int] = set()
    for down, right in board.pattern:
        below, beside = row + down, column + right
        if board.wraps_rows:
            below %= board.rows
        if board.wraps_columns:
            beside %= board.columns
        if 0 <= below < board.rows and 0 <= beside < board.columns:
            lights ^= {below * board.columns + beside}
    return lights
