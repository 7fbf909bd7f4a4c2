"""Puzzles as text, two characters per cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosslit.base.grid import Grid
from crosslit.contract.shapes import ASCII, UNICODE, Style
from crosslit.kinds import Puzzle


def style_for(encoding: str | None) -> Style:
    """Return block characters if a stream's encoding has them, otherwise ASCII."""
    try:
        "".join((UNICODE.filled, UNICODE.empty)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def draw(puzzle: Puzzle, cells: Grid | Sequence[str] | None = None, style: Style = UNICODE) -> str:
    """Return a puzzle as lines of text, with its lights or its known cells; missing cells are blank.

    In ``cells``, a solution or rows as text, ``1`` is a filled or pressed cell, ``0`` one that is not, and any other
    character stands for itself, as does every digit if cells have more than two states.

    Examples:
        >>> from crosslit.formats import read
        >>> print(draw(read("1_0/_11"), style=ASCII))
        ##  .
          ####
        >>> print(draw(read("10/01"), Grid.from_text("10/01"), ASCII))
        ().
        . ()
        >>> print(draw(read("1,1|1,1"), ["?1", " 0"], ASCII))
           1 1
        1 ? ##
        1   .
    """
    return "\n".join(draw_lines(puzzle, cells, style))


def draw_lines(puzzle: Puzzle, cells: Grid | Sequence[str] | None = None, style: Style = UNICODE) -> Iterator[str]:
    """Yield the lines of `draw`; for a large board, without building all of them."""
    true = style.filled if cells is None or puzzle.shown is None else style.press
    if cells is None:
        cells = puzzle.shown or Grid.from_bits(puzzle.rows, puzzle.columns, 0)
    lines = (
        _grid_lines(cells, true, style.empty) if isinstance(cells, Grid) else _text_lines(puzzle, cells, true, style)
    )
    if puzzle.missing is not None:
        lines = map(_without, lines, puzzle.missing.lines())
    drawn = (line.rstrip() for line in lines)
    return iter(puzzle.frame(drawn))


def draw_grid(grid: Grid, style: Style = UNICODE) -> str:
    """Return a grid as lines of text, true cells filled."""
    return "\n".join(line.rstrip() for line in _grid_lines(grid, style.filled, style.empty))


def _text_lines(puzzle: Puzzle, lines: Sequence[str], true: str, style: Style) -> Iterator[str]:
    words = {"1": true, "0": style.empty} if puzzle.layout.states == 2 else {}
    return ("".join(words.get(value, f"{value} ") for value in line) for line in lines)


def _grid_lines(grid: Grid, true: str, false: str) -> Iterator[str]:
    if grid.states > 2:
        return (" ".join(line) for line in grid.lines())
    # Eight cells at a time, for boards of a million; groups of sixteen are slower, because they fill the cache.
    words = ["".join(true if byte >> cell & 1 else false for cell in range(8)) for byte in range(256)]
    size, end = (grid.columns + 7) // 8, 2 * grid.columns
    return ("".join([words[cells] for cells in row.to_bytes(size, "little")])[:end] for row in grid.row_bits())


def _without(line: str, missing: str) -> str:
    """Return a line without its missing cells."""
    if "1" not in missing:
        return line
    return "".join("  " if gone == "1" else line[2 * at : 2 * at + 2] for at, gone in enumerate(missing))


def difference(one: Grid, other: Grid) -> list[str]:
    """Return two solutions as lines: their common values, and ``?`` where they differ.

    Examples:
        >>> difference(Grid.from_text("10/11"), Grid.from_text("01/11"))
        ['??', '11']
    """
    pairs = zip(one.lines(), other.lines(), strict=True)
    return ["".join(a if a == b else "?" for a, b in zip(*pair, strict=True)) for pair in pairs]
