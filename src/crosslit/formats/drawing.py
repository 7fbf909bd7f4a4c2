"""Puzzles as text, two characters per cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat

from crosslit.base.grid import Grid
from crosslit.contract.shapes import ASCII, UNICODE, Style
from crosslit.kinds import Puzzle, kind_of


def style_for(encoding: str | None) -> Style:
    """Return block characters if a stream's encoding has them, otherwise ASCII."""
    try:
        "".join((UNICODE.filled, UNICODE.empty)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def draw(puzzle: Puzzle, solution: Grid | None = None, style: Style = UNICODE) -> str:
    """Return a puzzle as lines of text, or its solution: filled cells with the clues, or presses as ``()``.

    Examples:
        >>> from crosslit.formats import read
        >>> print(draw(read("1_0/_11"), style=ASCII))
        ##  .
          ####
        >>> print(draw(read("10/01"), Grid.from_text("10/01"), ASCII))
        ().
        . ()
        >>> print(draw(read("1 1,0|1,0,1"), style=ASCII))
             1 0 1
        1 1 . . .
          0 . . .
    """
    return "\n".join(draw_lines(puzzle, solution, style))


def draw_lines(puzzle: Puzzle, solution: Grid | None = None, style: Style = UNICODE) -> Iterator[str]:
    """Yield the lines of `draw`; for a large board, without building all of them."""
    if solution is not None and solution.states > 2:
        return iter(draw_values(puzzle, solution.lines(), style).split("\n"))
    grid = solution or puzzle.shown or Grid.from_bits(puzzle.rows, puzzle.columns, 0)
    true = style.filled if solution is None else _true(puzzle, style)
    lines = _cells(grid, true, style.empty, puzzle.missing)
    frame = kind_of(puzzle).frame
    return iter(frame(puzzle, list(lines))) if frame else lines


def draw_grid(grid: Grid, style: Style = UNICODE) -> str:
    """Return a grid as lines of text, true cells filled."""
    return "\n".join(_cells(grid, style.filled, style.empty, None))


def draw_values(puzzle: Puzzle, lines: Sequence[str], style: Style = UNICODE) -> str:
    """Return a puzzle with some cells known; missing cells are blank.

    In the lines ``1`` is a filled or pressed cell, ``0`` one that is not, and any other character stands for itself, as
    does every digit if cells have more than two states.

    Examples:
        >>> from crosslit.formats import read
        >>> print(draw_values(read("1,1|1,1"), ["?1", " 0"], ASCII))
           1 1
        1 ? ##
        1   .
    """
    words = {"1": _true(puzzle, style), "0": style.empty} if puzzle.layout.states == 2 else {}
    if puzzle.missing is not None:
        pairs = zip(puzzle.missing.each_line(), lines, strict=True)
        lines = ["".join(" " if gone == "1" else v for gone, v in zip(*pair, strict=True)) for pair in pairs]
    drawn = ["".join(words.get(value, f"{value} ") for value in line).rstrip() for line in lines]
    frame = kind_of(puzzle).frame
    return "\n".join(frame(puzzle, drawn) if frame else drawn)


def _true(puzzle: Puzzle, style: Style) -> str:
    return style.filled if puzzle.shown is None else style.press


def difference(one: Grid, other: Grid) -> list[str]:
    """Return two solutions as lines: their common values, and ``?`` where they differ.

    Examples:
        >>> difference(Grid.from_text("10/11"), Grid.from_text("01/11"))
        ['??', '11']
    """
    pairs = zip(one.each_line(), other.each_line(), strict=True)
    return ["".join(a if a == b else "?" for a, b in zip(*pair, strict=True)) for pair in pairs]


def _cells(grid: Grid, true: str, false: str, missing: Grid | None) -> Iterator[str]:
    """Yield the lines of a grid, eight cells at a time; groups of sixteen are slower, because they fill the cache."""
    if grid.states > 2:
        yield from (" ".join(line) for line in grid.each_line())
        return
    words = _eight_cells(true, false)
    size = (grid.columns + 7) // 8
    absent = repeat(0) if missing is None else missing.each_row()
    for row, gone in zip(grid.each_row(), absent, strict=False):
        line = "".join([words[cells] for cells in row.to_bytes(size, "little")])[: 2 * grid.columns]
        while gone:  # left blank
            column = 2 * (gone.bit_length() - 1)
            line = f"{line[:column]}  {line[column + 2 :]}"
            gone ^= 1 << column // 2
        yield line.rstrip()


@lru_cache(maxsize=8)
def _eight_cells(true: str, false: str) -> list[str]:
    """Return the text of eight cells, for every byte, the first cell in its lowest bit."""
    return ["".join(true if byte >> cell & 1 else false for cell in range(8)) for byte in range(256)]
