"""All nonograms of small shapes."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.contract.family import MAX_LISTED_CELLS, MAX_SIDE, Sort, count_grids, to_grids
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram

MAX_PAIRS = 50_000  # clue pairs of a shape: beyond, only those of pictures


def families() -> tuple[Sort, ...]:
    """Return all clue pairs of a shape, including contradictory ones, and for larger shapes those of all pictures."""
    return (
        Sort("clue pair {}", _clue_pairs, _pairs, MAX_LISTED_CELLS, most=MAX_PAIRS),
        Sort("picture {}", count_grids, _of_pictures, MAX_SIDE, solvable=True),
    )


@functools.cache
def clues_of(length: int) -> tuple[Clue, ...]:
    """Return every clue that fits a line of a length, the shortest first."""
    # From all lines of this length, so a clue that does not fit cannot be among them.
    return tuple(sorted(set(_line_clues(length)), key=lambda clue: (sum(clue), clue)))


@functools.cache
def _line_clues(length: int) -> tuple[Clue, ...]:
    """Return the clue of every line of a length, by the line's bits."""
    return tuple(
        tuple(len(block) for block in f"{bits:0{length}b}"[::-1].split("0") if block) for bits in range(1 << length)
    )


def _pairs(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    # Made once for the whole family: looking up the clues of each pair then replaces a search.
    solutions = _by_clues(rows, columns)
    for across in itertools.product(clues_of(columns), repeat=rows):
        for down in itertools.product(clues_of(rows), repeat=columns):
            yield Nonogram(across, down), to_grids(rows, columns, solutions.get((across, down), ()))


def _of_pictures(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    return ((Nonogram(*clues), to_grids(rows, columns, found)) for clues, found in _by_clues(rows, columns).items())


def _by_clues(rows: int, columns: int) -> dict[tuple[tuple[Clue, ...], tuple[Clue, ...]], list[int]]:
    """Return all pictures of a shape, as bits, by their clues."""
    found = defaultdict(list)
    across, down = _line_clues(columns), _line_clues(rows)
    # For each value of a row, its bits at their places in the transposed picture, so that columns come from one OR per
    # row.
    spread = [sum((row >> column & 1) << column * rows for column in range(columns)) for row in range(1 << columns)]
    every = (1 << rows) - 1
    for lines in itertools.product(range(1 << columns), repeat=rows):
        turned = 0
        for number, row in enumerate(lines):
            turned |= spread[row] << number
        key = (
            tuple([across[row] for row in lines]),
            tuple([down[turned >> first & every] for first in range(0, rows * columns, rows)]),
        )
        found[key].append(sum(row << number * columns for number, row in enumerate(lines)))
    return found


def _clue_pairs(rows: int, columns: int) -> int:
    pairs: int = len(clues_of(columns)) ** rows * len(clues_of(rows)) ** columns
    return pairs
