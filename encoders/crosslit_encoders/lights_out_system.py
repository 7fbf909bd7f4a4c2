"""Lights Out as XOR constraints: what all encodings of it start from."""

from __future__ import annotations

from crosslit.puzzles import LightsOut

Xor = tuple[tuple[int, ...], int]


def light_xors(board: LightsOut) -> list[Xor]:
    """One XOR for each light: the cells (row-major, from 0) whose presses toggle it, and whether it is lit.

    Examples:
        >>> from crosslit.formats import read
        >>> light_xors(read("10"))
        [((0, 1), 1), ((0, 1), 0)]
    """
    rows, columns = board.rows, board.columns
    togglers: list[list[int]] = [[] for _ in range(rows * columns)]
    for press in range(rows * columns):
        row, column = divmod(press, columns)
        for down, right in board.pattern:
            if 0 <= row + down < rows and 0 <= column + right < columns:
                togglers[(row + down) * columns + column + right].append(press)
    lit = board.lit.text().replace("/", "")
    return [(tuple(cells), int(light)) for cells, light in zip(togglers, lit, strict=True)]
