"""Nonograms to CNF by the allowed lines, with a selector variable for each."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import GaveUp
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.blocks import Clauses, line_encoding, lines_by_clue

MAX_TABLE_CELLS = 1 << 21
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length.

Larger tables would take over 0.1 GB.
"""

_COUNTED = 10**15  # larger sizes are not distinguished: those of one puzzle can have thousands of digits


def table(puzzle: Nonogram) -> Formula:
    """Encode each line as a table of the lines that its clue allows: variable t(a) says "the line is allowed line a".

    This is the table encoding of Bacchus, "GAC via unit propagation", CP 2007: an allowed line implies the value of
    each cell, and the value of a cell implies that some allowed line has it. Unit propagation finds every cell that its
    line determines.

    Sizes: rows * columns cells, and for a line of n cells with k blocks and slack d (cells beyond the tightest packing,
    at least 1) the binomial coefficient (d + k choose k) as auxiliary variables; n clauses for each of them, and two
    for each cell. A line with a single arrangement has a clause for each cell; a clue that does not fit its line gives
    the clauses ``x`` and ``not x``.

    Raises:
        GaveUp: if the tables would have more than `MAX_TABLE_CELLS` cells; the message says how many.

    Examples:
        >>> from crosslit.formats import read
        >>> list(table(read("1|1,0")).clauses())
        [[1], [-2], [-3, 1], [-3, -2], [-4, -1], [-4, 2], [-1, 3], [-2, 4], [1, 4], [2, 3]]
        >>> table(Nonogram([[1] * 8], [[]] * 30))
        Traceback (most recent call last):
            ...
        crosslit.base.errors.GaveUp: its tables of allowed lines would have 14,709,420 cells, more than 2,097,152
    """
    if reason := too_large(puzzle):
        raise GaveUp(reason)
    clauses = Clauses(puzzle.rows * puzzle.columns)
    for clue, cells, part in lines_by_clue(puzzle, clauses):
        allowed = allowed_lines(clue, cells.shape[1])
        selectors = clauses.variables(len(cells), len(allowed), 1)
        clauses.add(-selectors, np.where(allowed, cells[:, None], -cells[:, None]), part=part)
        places = np.broadcast_to(np.arange(cells.size).reshape(len(cells), 1, -1), (len(cells), *allowed.shape))
        chosen = np.broadcast_to(selectors, places.shape)
        clauses.add_supports(-cells.ravel(), places[:, allowed].ravel(), chosen[:, allowed].ravel(), part=part)
        clauses.add_supports(cells.ravel(), places[:, ~allowed].ravel(), chosen[:, ~allowed].ravel(), part=part)
    return clauses.formula(puzzle.rows, puzzle.columns)


def allowed_lines(clue: Clue, length: int) -> NDArray[np.bool_]:
    """Return every arrangement of a clue that fits its line: shape (arrangements, length)."""
    blocks = len(clue)
    slack = length - sum(clue) - blocks + 1
    # each block with the empty cell after it is one item among the remaining empty cells
    items = np.fromiter(chain.from_iterable(combinations(range(slack + blocks), blocks)), np.int64)
    starts = items.reshape(comb(slack + blocks, blocks), blocks) + np.cumsum([0, *clue[:-1]])
    # +1 where a block starts, -1 behind its end: the running sum is 1 inside blocks. A gap lies between an end and the
    # next start, so the two never share a place and neither overwrites the other.
    changes = np.zeros((len(starts), length + 1), np.int8)
    np.put_along_axis(changes, starts, 1, axis=1)
    np.put_along_axis(changes, starts + np.array(clue, np.int64), -1, axis=1)
    return changes[:, :-1].cumsum(axis=1).astype(bool)


def too_large(puzzle: Nonogram) -> str | None:
    """Return why the tables of a puzzle are too large, or None."""
    size = 0
    for clues, length in ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows)):
        for clue in clues:
            slack = length - sum(clue) - len(clue) + 1
            # A line without blocks or slack has one arrangement, which becomes unit clauses and no table.
            size += length * comb(slack + len(clue), len(clue)) if slack > 0 and clue else 0
            if size > _COUNTED:
                return f"its tables of allowed lines would have over 10^15 cells, more than {MAX_TABLE_CELLS:,}"
    return (
        f"its tables of allowed lines would have {size:,} cells, more than {MAX_TABLE_CELLS:,}"
        if size > MAX_TABLE_CELLS
        else None
    )


_SUMMARY = f"the allowed lines of each clue, with a selector for each; up to {MAX_TABLE_CELLS:,} cells in all"

ENCODINGS = [replace(line_encoding("table", table, _SUMMARY), unsupported_reason=too_large)]
