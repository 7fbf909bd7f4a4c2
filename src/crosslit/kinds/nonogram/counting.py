"""A bound on the number of solutions of a nonogram, by arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, prod

from crosslit.kinds.nonogram.puzzle import Clue, Nonogram


def most_possible(puzzle: Nonogram) -> int:
    """Return a bound on the number of solutions: the placements of the blocks in all rows (or columns) but one.

    The column clues give the number of filled cells in each column, and so determine the last row.
    """
    return min(_ways(puzzle.row_clues, puzzle.columns), _ways(puzzle.column_clues, puzzle.rows))


def _ways(clues: Iterable[Clue], length: int) -> int:
    ways = []
    for clue in clues:
        # The blocks go into the gaps before, between and after the other cells, at most one into each.
        room = length - sum(clue) + 1
        if room < len(clue):
            return 0  # it does not fit
        ways.append(comb(room, len(clue)))
    # The line with the most placements is the one that need not be counted, which gives the best bound.
    return prod(ways) // max(ways)
