"""The check of many packed pictures at once, by arrays."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.nonogram.puzzle import Clue, Clues, Nonogram
from crosslit.kinds.nonogram.samples import lines_by_clue

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_TABLE = 1 << 14  # lines of a length; where there are more, a table of them takes too long
_MIN_GRIDS = 1 << 6  # fewer are not worth the tables


def all_right(puzzle: Nonogram, packed: bytes) -> bool:
    """Return whether every grid has the blocks of all clues."""
    if puzzle.states > 2 and puzzle.states ** max(puzzle.shape) > _MAX_TABLE:
        return Puzzle.all_right(puzzle, packed)
    cells = puzzle.layout.unpack(packed).reshape(-1, puzzle.rows, puzzle.columns)
    columns = cells.transpose(0, 2, 1)
    return _fit(puzzle, cells, puzzle.row_clues) and _fit(puzzle, columns, puzzle.column_clues)


def _fit(puzzle: Nonogram, cells: NDArray[Any], clues: Clues) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues."""
    import numpy as np

    length, states = cells.shape[2], puzzle.states
    if states**length > _MAX_TABLE or (states == 2 and len(cells) < _MIN_GRIDS):
        return _have_blocks(cells, [length for clue in clues for length, _ in puzzle.pairs(clue)], clues)
    numbers = np.einsum("ijk,k->ij", cells, (states ** np.arange(length)).astype(np.uint16))
    tables = (_table(type(puzzle), clue, length, states) for clue in clues)
    return all(table[numbers[:, line]].all() for line, table in enumerate(tables))


@functools.lru_cache(256)
def _table(kind: type[Nonogram], clue: Clue, length: int, states: int) -> Any:
    """Return whether each line, as a number whose lowest digit is the first cell, has the blocks of a clue."""
    import numpy as np

    table = np.zeros(states**length, bool)
    table[[int(line[::-1], states) for line in lines_by_clue(kind, length, states).get(clue, ())]] = True
    return table


def _have_blocks(cells: NDArray[Any], lengths: list[int], clues: Clues) -> bool:
    """Return whether the lines of grids of one colour have the blocks of the clues, of these lengths.

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
    places = np.flatnonzero(changes)
    return bool(((places[1::2] - places[::2]).reshape(grids, -1) == np.array(lengths, np.int64)).all())
