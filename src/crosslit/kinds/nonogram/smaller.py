"""Smaller nonograms, for finding a small one on which a solver fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from crosslit.grid import Grid
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram
from crosslit.kinds.reduction import cleared, kept_lines, part

Clues = tuple[Clue, ...]


def smaller(puzzle: Nonogram, picture: Grid | None, square: bool) -> Iterator[Nonogram]:
    """Yield smaller nonograms, the largest steps first.

    Lines are dropped, many at once and then one at a time. Blocks are dropped or shortened, also in a row and a column
    together, which keeps the sums equal.
    """
    for rows, columns in kept_lines(puzzle.rows, puzzle.columns, square):
        yield Nonogram([puzzle.row_clues[row] for row in rows], [puzzle.column_clues[c] for c in columns])
        if picture is not None:
            yield Nonogram.of(part(picture, rows, columns))
    if picture is not None:
        yield from (Nonogram.of(fewer) for fewer in cleared(picture))
    yield from _shorter(puzzle)


def exchanged(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Yield the puzzle with two row clues or two column clues exchanged."""
    yield from (Nonogram(rows, puzzle.column_clues) for rows in _swapped(puzzle.row_clues))
    yield from (Nonogram(puzzle.row_clues, columns) for columns in _swapped(puzzle.column_clues))


def _shorter(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Smaller clues: lines without blocks, blocks dropped, blocks shortened; then one of a row and one of a column."""
    rows, columns = puzzle.row_clues, puzzle.column_clues
    fewer_rows, fewer_columns = list(_smaller_clues(rows)), list(_smaller_clues(columns))
    yield from (Nonogram(some, columns) for some, _ in fewer_rows)
    yield from (Nonogram(rows, some) for some, _ in fewer_columns)
    for some, taken in fewer_rows:
        for others, as_many in fewer_columns:
            if taken == as_many:
                yield Nonogram(some, others)
    yield from (Nonogram(merged, columns) for merged in _merged(rows))
    yield from (Nonogram(rows, merged) for merged in _merged(columns))
    yield from _exchanged(puzzle)


def _merged(clues: Clues) -> Iterator[Clues]:
    """Yield the clues with two adjacent blocks of one clue merged, keeping the sum."""
    for index, clue in enumerate(clues):
        for place in range(len(clue) - 1):
            joined = (*clue[:place], clue[place] + clue[place + 1], *clue[place + 2 :])
            yield (*clues[:index], joined, *clues[index + 1 :])


def _exchanged(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Yield the puzzle with two clues exchanged and two adjacent blocks of the other direction merged."""
    for rows in _swapped(puzzle.row_clues):
        yield from (Nonogram(rows, columns) for columns in _merged(puzzle.column_clues))
    for columns in _swapped(puzzle.column_clues):
        yield from (Nonogram(rows, columns) for rows in _merged(puzzle.row_clues))


def _swapped(clues: Clues) -> Iterator[Clues]:
    for one, other in itertools.combinations(range(len(clues)), 2):
        if clues[one] != clues[other]:
            swapped = list(clues)
            swapped[one], swapped[other] = clues[other], clues[one]
            yield tuple(swapped)


def _smaller_clues(clues: Clues) -> Iterator[tuple[Clues, int]]:
    """Yield the clues of one direction with one clue smaller, and the number of cells removed."""
    for index, clue in enumerate(clues):
        before, behind = clues[:index], clues[index + 1 :]
        if len(clue) > 1:
            yield (*before, (), *behind), sum(clue)
        for place, block in enumerate(clue):
            yield (*before, (*clue[:place], *clue[place + 1 :]), *behind), block
            if block > 3:  # halving, because a block of 10^9 would take that many steps of one
                yield (*before, (*clue[:place], block // 2, *clue[place + 1 :]), *behind), block - block // 2
            if block > 1:
                yield (*before, (*clue[:place], block - 1, *clue[place + 1 :]), *behind), 1
