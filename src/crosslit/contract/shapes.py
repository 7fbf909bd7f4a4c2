"""The parts of a picture: rectangles, lines, discs and words, in units of 1/20 of a cell's side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from crosslit.base.grid import Grid

CELL = 20.0
DIGIT = 7.0  # width of a digit of a clue
LETTER = 11.0  # height of the words
MARGIN = 6.0

# Okabe and Ito's colours, which are safe for colour-blind people; in grey they differ in brightness too.
INK, PAPER, GRID, FAINT = "#222222", "#ffffff", "#9aa0a6", "#5f6368"
LIT, DARK, PRESS, MARK = "#f0c419", "#e4e7eb", "#0072b2", "#d55e00"


@dataclass(frozen=True)
class Box:
    """A filled rectangle; ``radius`` rounds its corners; ``outline`` is a colour, or empty."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0
    outline: str = ""


@dataclass(frozen=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    colour: str


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str


@dataclass(frozen=True)
class Word:
    """A word on one line, its baseline at ``y``; ``anchor`` says which of its points is at ``x``."""

    x: float
    y: float
    text: str
    colour: str = INK
    anchor: Literal["start", "middle"] = "middle"
    bold: bool = False


Shape = Box | Stroke | Disc | Word


def squares(puzzle: Any, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    """Yield cells between lines, filled or empty."""
    rows, columns = puzzle.rows, puzzle.columns
    digits = (puzzle if isinstance(puzzle, Grid) else puzzle.layout).states > 2
    right, bottom = left + columns * CELL, top + rows * CELL
    partly = any(set(line) - set("01") for line in lines)  # empty cells of a complete solution need no sign
    for row, line in enumerate(lines):
        # One rectangle for a run of cells: no seams between neighbours, and fewer shapes.
        for run in () if digits else re.finditer("1+", line):
            yield Box(left + run.start() * CELL, top + row * CELL, len(run[0]) * CELL, CELL, INK)
        for column, value in enumerate(line):
            x, y = left + column * CELL, top + row * CELL
            if digits and value.isalnum():
                yield Word(x + CELL / 2, y + CELL / 2 + LETTER * 0.38, value)
            elif value == "0" and partly:
                yield Disc(x + CELL / 2, y + CELL / 2, 1.4, GRID)
            elif value == "?":
                yield from question(x, y)
    # Grid lines come last, so that they stay visible on filled cells.
    for row in range(rows + 1):
        yield Stroke(left, top + row * CELL, right, top + row * CELL, *_rule(row, rows))
    for column in range(columns + 1):
        yield Stroke(left + column * CELL, top, left + column * CELL, bottom, *_rule(column, columns))


def _rule(place: int, last: int) -> tuple[float, str]:
    """Return width and colour of a grid line: every fifth and the border are strong."""
    if place in (0, last):
        return 1.6, INK
    return (1.2, INK) if place % 5 == 0 else (0.5, GRID)


def question(x: float, y: float) -> Iterator[Shape]:
    """Yield a cell marked as open: a colour, and a sign that is visible without colour."""
    yield Box(x + 2, y + 2, CELL - 4, CELL - 4, "#fbe3d5", 0, MARK)
    yield Word(x + CELL / 2, y + CELL / 2 + LETTER * 0.38, "?", MARK, "middle", True)


@dataclass(frozen=True)
class Style:
    """The two characters for each kind of cell."""

    filled: str
    press: str
    empty: str


UNICODE = Style("██", "()", "· ")
ASCII = Style("##", "()", ". ")
