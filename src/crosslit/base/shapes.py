"""The shapes of a picture as SVG: rectangles, lines, discs and words, in units of 1/20 of a cell's side."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.base.grid import Grid

CELL = 20.0
DIGIT = 7.0  # width of a digit of a clue
LETTER = 11.0  # height of the words
DROP = LETTER * 0.38  # from the middle of a word to its baseline
MARGIN = 6.0

# Okabe and Ito's colours, which are safe for colour-blind people; in grey they differ in brightness too.
INK, PAPER, GRID, FAINT = "#222222", "#ffffff", "#9aa0a6", "#5f6368"
LIT, DARK, PRESS, MARK = "#f0c419", "#e4e7eb", "#0072b2", "#d55e00"

Shape = str


def escaped(text: str) -> str:
    """Return a text as XML has it; XML cannot express some control characters, not even escaped."""
    return re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", html.escape(text))


# Coordinates of a grid repeat: a picture has far fewer different numbers than shapes.
@functools.lru_cache(4096)
def number(value: float) -> str:
    """Return a coordinate."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _element(tag: str, text: str = "", **values: float | str) -> Shape:
    given = ((name, value if isinstance(value, str) else number(value)) for name, value in values.items())
    # 0 and nothing are the values by default
    attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in given if value not in ("", "0"))
    return f"<{tag} {attributes}>{escaped(text)}</{tag}>" if text else f"<{tag} {attributes}/>"


def box(x: float, y: float, width: float, height: float, fill: str, radius: float = 0.0, outline: str = "") -> Shape:
    """Return a filled rectangle; ``radius`` rounds its corners; ``outline`` is a colour, or empty."""
    return _element("rect", x=x, y=y, width=width, height=height, fill=fill, rx=radius, stroke=outline)


def stroke(x1: float, y1: float, x2: float, y2: float, width: float, colour: str) -> Shape:
    """Return a straight line."""
    return _element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=width, stroke=colour)


def disc(x: float, y: float, radius: float, fill: str) -> Shape:
    """Return a filled circle."""
    return _element("circle", cx=x, cy=y, r=radius, fill=fill)


def word(x: float, y: float, text: str, colour: str = INK, anchor: str = "middle", bold: bool = False) -> Shape:
    """Return a word, its baseline at ``y``; ``anchor`` says which of its points is at ``x``: its start or middle."""
    return _element("text", text, x=x, y=y, fill=colour, text_anchor=anchor, font_weight="bold" if bold else "")


def squares(puzzle: Any, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    """Yield cells between lines, filled or empty."""
    rows, columns = puzzle.rows, puzzle.columns
    digits = (puzzle if isinstance(puzzle, Grid) else puzzle.layout).states > 2
    right, bottom = left + columns * CELL, top + rows * CELL
    partly = any(set(line) - set("01") for line in lines)  # empty cells of a complete solution need no sign
    for row, line in enumerate(lines):
        # One rectangle for a run of cells: no seams between neighbours, and fewer shapes.
        for run in () if digits else re.finditer("1+", line):
            yield box(left + run.start() * CELL, top + row * CELL, len(run[0]) * CELL, CELL, INK)
        for column, value in enumerate(line):
            x, y = left + column * CELL, top + row * CELL
            if digits and value.isalnum():
                yield word(x + CELL / 2, y + CELL / 2 + DROP, value)
            elif value == "0" and partly:
                yield disc(x + CELL / 2, y + CELL / 2, 1.4, GRID)
            elif value == "?":
                yield from question(x, y)
    # Grid lines come last, so that they stay visible on filled cells.
    for row in range(rows + 1):
        yield stroke(left, top + row * CELL, right, top + row * CELL, *_rule(row, rows))
    for column in range(columns + 1):
        yield stroke(left + column * CELL, top, left + column * CELL, bottom, *_rule(column, columns))


def _rule(place: int, last: int) -> tuple[float, str]:
    """Return width and colour of a grid line: every fifth and the border are strong."""
    if place in (0, last):
        return 1.6, INK
    return (1.2, INK) if place % 5 == 0 else (0.5, GRID)


def question(x: float, y: float) -> Iterator[Shape]:
    """Yield a cell marked as open: a colour, and a sign that is visible without colour."""
    yield box(x + 2, y + 2, CELL - 4, CELL - 4, "#fbe3d5", 0, MARK)
    yield word(x + CELL / 2, y + CELL / 2 + DROP, "?", MARK, "middle", True)


@dataclass(frozen=True)
class Style:
    """The two characters for each kind of cell."""

    filled: str
    press: str
    empty: str


UNICODE = Style("██", "()", "· ")
ASCII = Style("##", "()", ". ")
