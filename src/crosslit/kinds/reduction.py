"""Reductions that puzzles of several kinds share: lines dropped, cells cleared."""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.base.grid import Grid


def kept_lines(rows: int, columns: int, square: bool) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the remaining rows and columns after dropping some: half of them first, then ever fewer, down to one."""
    every_row, every_column = list(range(rows)), list(range(columns))
    # Halving the chunks, as in delta debugging (Zeller and Hildebrandt 2002): large puzzles shrink in few questions.
    chunk = max(rows, columns)
    while chunk > 1:
        chunk //= 2
        cut_rows, cut_columns = _without(every_row, chunk), _without(every_column, chunk)
        if square and rows == columns:
            yield from ((some, others) for some in cut_rows for others in cut_columns if len(some) == len(others))
        elif not square:
            yield from ((some, every_column) for some in cut_rows)
            yield from ((every_row, some) for some in cut_columns)


def _without(lines: list[int], chunk: int) -> list[list[int]]:
    """Return the lines without each chunk in turn, except if none remain."""
    cuts = (lines[:first] + lines[first + chunk :] for first in range(0, len(lines), chunk))
    return [kept for kept in cuts if kept]


def part(grid: Grid, rows: list[int], columns: list[int]) -> Grid:
    """Return a grid of some rows and columns of another."""
    lines = grid.lines()
    return Grid.from_text("/".join("".join(lines[row][column] for column in columns) for row in rows), grid.states)


def cleared(grid: Grid) -> Iterator[Grid]:
    """Yield the grid with some cells set to 0: half of the others first, then ever fewer, down to one."""
    text = grid.text
    cells = [place for place, digit in enumerate(text) if digit not in "0/"]
    chunk = len(cells) // 2 or 1
    while cells:
        for first in range(0, len(cells), chunk):
            gone = set(cells[first : first + chunk])
            fewer = "".join("0" if place in gone else digit for place, digit in enumerate(text))
            yield Grid.from_text(fewer, grid.states)
        if chunk == 1:
            return
        chunk //= 2
