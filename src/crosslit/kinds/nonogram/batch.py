"""The check of many packed pictures at once, by arrays."""

from __future__ import annotations

from typing import Any

from crosslit.kinds.batch import record_bytes
from crosslit.kinds.nonogram.puzzle import Nonogram


def all_drawn(puzzle: Nonogram, packed: bytes) -> bool:
    """Return whether every grid has the blocks of all clues."""
    import numpy as np

    rows, columns, size = puzzle.rows, puzzle.columns, record_bytes(puzzle)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    if bits[:, rows * columns :].any():
        return False
    cells = bits[:, : rows * columns].reshape(-1, rows, columns)
    return _has_blocks(cells, puzzle.row_clues) and _has_blocks(cells.transpose(0, 2, 1), puzzle.column_clues)


def _has_blocks(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues.

    A change of value starts a block, and the next one ends it: if every line has two changes per block, the changes of
    all lines in sequence are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    # An empty cell at both ends, so that blocks at the edges begin and end with a change too.
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    # Every line has an even number of changes here, so they pair up across the ends of lines.
    at = np.flatnonzero(changes)
    blocks = np.array([block for clue in clues for block in clue], np.int64)
    return bool(((at[1::2] - at[::2]).reshape(grids, -1) == blocks).all())
