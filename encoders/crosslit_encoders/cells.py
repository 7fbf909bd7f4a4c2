"""The cells that have variables in a formula: all of the puzzle, or a few that determine the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from crosslit.base.grid import Grid, Layout


class Extension(NamedTuple):
    """Some cells of a puzzle, and the function that returns the solution, given a grid of these cells.

    A cell may stand for another value than its own: a sum of cells of the solution (row-major, from 0), modulo the
    number of states.
    """

    chosen: tuple[tuple[int, int], ...]  # row and column in the puzzle, in the order of the formula's cells
    solution: Callable[[Grid], Grid]
    sums: tuple[tuple[tuple[int, int], ...], ...] = ()  # of each: amounts and cells, if not the cell itself
    notes: tuple[str, ...] = ()  # on these values

    def __call__(self, chosen: Grid) -> Grid:
        """Return the solution."""
        return self.solution(chosen)


def cell_comments(layout: Layout, extend: Extension | None, first: int) -> Iterator[str]:
    """Yield comments that name the variables of the cells, a line for each row: a board may have millions of cells."""
    width = 1 if layout.states == 2 else layout.states
    for place, cells in _spans(layout, extend):
        yield f"cells of {place}: variables {first} to {first + cells * width - 1}"
        first += cells * width
    if width != 1:
        yield f"a cell has {width} variables in succession, for its values 0 to {width - 1}: one of them is true"
    if extend is not None:
        yield from extend.notes
        yield "only these cells have variables: they determine the rest of the solution"


def _spans(layout: Layout, extend: Extension | None) -> Iterator[tuple[str, int]]:
    """Yield the place and the number of successive cells in a row."""
    if extend is None:
        yield from ((f"row {row + 1}, left to right", layout.columns) for row in range(layout.rows))
        return
    for _, span in groupby(enumerate(extend.chosen), lambda each: (each[1][0], each[1][1] - each[0])):
        (row, column), *others = (cell for _, cell in span)
        yield f"row {row + 1}, columns {column + 1} to {column + 1 + len(others)}", 1 + len(others)
