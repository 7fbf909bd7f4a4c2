"""The parts of a picture: rectangles, lines, discs and words, in units of 1/20 of a cell's side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue

CELL = 20.0
DIGIT = 7.0  # width of a digit of a clue
LETTER = 11.0  # height of the words
_SLOT = 14.0  # minimum width of one number of a clue
_MARGIN = 6.0

MAX_CELLS = 1_000_000
"""Maximum cells of a picture: no page shows more."""

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


@dataclass(frozen=True)
class Scene:
    """A picture: its size, its shapes from back to front, and its description."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str


def scene(puzzle: Puzzle, lines: Sequence[str] | None = None, marked: Grid | None = None) -> Scene:
    """Return the scene of a puzzle.

    Args:
        puzzle: the puzzle to draw.
        lines: its cells as in `crosslit.drawing`; None if nothing is known.
        marked: cells to draw with a ring, such as lights that contradict each other.

    Raises:
        ValueError: if the lines or the marked cells do not have the puzzle's shape, or it has more than `MAX_CELLS`
            cells.
    """
    _check_size(puzzle)
    if lines is None:
        lines = [" " * puzzle.columns] * puzzle.rows
    if len(lines) != puzzle.rows or any(len(line) != puzzle.columns for line in lines):
        raise ValueError(f"lines of another shape than the {puzzle.rows} x {puzzle.columns} puzzle")
    if marked is not None and (marked.rows, marked.columns) != (puzzle.rows, puzzle.columns):
        raise ValueError(f"{marked.rows} x {marked.columns} marked cells for a {puzzle.rows} x {puzzle.columns} puzzle")
    room, draw = SCENES.get(puzzle.kind, (_no_room, _squares))
    left, top = room(puzzle)
    cells = draw(puzzle, lines, left, top)
    width, height = left + puzzle.columns * CELL + _MARGIN, top + puzzle.rows * CELL + _MARGIN
    name = f"{puzzle.name}: " if puzzle.name else ""
    rings = () if marked is None else tuple(_rings(marked, left, top))
    shapes = (Box(0, 0, width, height, PAPER), *cells, *rings)
    return Scene(width, height, shapes, f"{name}{puzzle.label}, {puzzle.rows} x {puzzle.columns}")


def grid_scene(grid: Grid) -> Scene:
    """Return the scene of a grid without its puzzle.

    Raises:
        ValueError: if the grid has more than `MAX_CELLS` cells.
    """
    _check_size(grid)
    width, height = grid.columns * CELL + 2 * _MARGIN, grid.rows * CELL + 2 * _MARGIN
    shapes = (Box(0, 0, width, height, PAPER), *_squares(grid, grid.lines(), _MARGIN, _MARGIN))
    return Scene(width, height, shapes, f"grid, {grid.rows} x {grid.columns}")


def _check_size(drawn: Puzzle | Grid) -> None:
    if drawn.rows * drawn.columns > MAX_CELLS:
        raise ValueError(f"a picture has at most {MAX_CELLS:,} cells, not {drawn.rows} x {drawn.columns}")


def _board(board: LightsOut, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    """Yield lights as rounded squares, lit or dark, and presses as discs; missing cells are blank."""
    for row, (lights, values) in enumerate(zip(board.lines, lines, strict=True)):
        for column, (light, value) in enumerate(zip(lights, values, strict=True)):
            if light == "_":
                continue
            x, y = left + column * CELL, top + row * CELL
            fill = LIT if light == "1" else DARK
            yield Box(x + 1, y + 1, CELL - 2, CELL - 2, fill, 3, INK if light == "1" else GRID)
            if value == "1":
                yield Disc(x + CELL / 2, y + CELL / 2, CELL * 0.24, PRESS)
            elif value == "?":
                yield from _question(x, y)


def _no_room(_: Puzzle) -> tuple[float, float]:
    return _MARGIN, _MARGIN


def _squares(puzzle: Puzzle | Grid, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    """Yield cells between lines, filled or empty."""
    rows, columns = puzzle.rows, puzzle.columns
    right, bottom = left + columns * CELL, top + rows * CELL
    partly = any(set(line) - set("01") for line in lines)  # empty cells of a complete solution need no sign
    for row, line in enumerate(lines):
        # One rectangle for a run of cells: no seams between neighbours, and fewer shapes.
        for run in re.finditer("1+", line):
            yield Box(left + run.start() * CELL, top + row * CELL, len(run[0]) * CELL, CELL, INK)
        for column, value in enumerate(line):
            x, y = left + column * CELL, top + row * CELL
            if value == "0" and partly:
                yield Disc(x + CELL / 2, y + CELL / 2, 1.4, GRID)
            elif value == "?":
                yield from _question(x, y)
    # Grid lines come last, so that they stay visible on filled cells.
    for row in range(rows + 1):
        yield Stroke(left, top + row * CELL, right, top + row * CELL, *_rule(row, rows))
    for column in range(columns + 1):
        yield Stroke(left + column * CELL, top, left + column * CELL, bottom, *_rule(column, columns))


def _nonogram(puzzle: Nonogram, lines: Sequence[str], left: float, top: float) -> Iterator[Shape]:
    yield from _squares(puzzle, lines, left, top)
    for row, clue in enumerate(puzzle.row_clues):
        x = left - 4
        # From the cells outwards, so that clues are aligned with the picture.
        for number in reversed(_numbers(clue)):
            width = _slot(number)
            yield Word(x - width / 2, top + row * CELL + CELL / 2 + LETTER * 0.36, number, INK if clue else FAINT)
            x -= width
    for column, clue in enumerate(puzzle.column_clues):
        numbers = _numbers(clue)
        for place, number in enumerate(reversed(numbers)):
            y = top - 5 - place * _SLOT
            yield Word(left + column * CELL + CELL / 2, y, number, INK if clue else FAINT)


def _rule(place: int, last: int) -> tuple[float, str]:
    """Return width and colour of a grid line: every fifth and the border are strong."""
    if place in (0, last):
        return 1.6, INK
    return (1.2, INK) if place % 5 == 0 else (0.5, GRID)


def _room(puzzle: Nonogram) -> tuple[float, float]:
    """Return the space for the clues on the left and on top."""
    left = max(sum(map(_slot, _numbers(clue))) for clue in puzzle.row_clues)
    top = max(len(_numbers(clue)) for clue in puzzle.column_clues) * _SLOT
    return left + 4 + _MARGIN, top + 4 + _MARGIN


def _slot(number: str) -> float:
    return max(_SLOT, len(number) * DIGIT + 4)


def _numbers(clue: Clue) -> list[str]:
    return [str(block) for block in clue] or ["0"]


def _question(x: float, y: float) -> Iterator[Shape]:
    """Yield a cell marked as open: a colour, and a sign that is visible without colour."""
    yield Box(x + 2, y + 2, CELL - 4, CELL - 4, "#fbe3d5", 0, MARK)
    yield Word(x + CELL / 2, y + CELL / 2 + LETTER * 0.38, "?", MARK, "middle", True)


def _rings(marked: Grid, left: float, top: float) -> Iterator[Shape]:
    for row, column in marked.cells():
        x, y = left + column * CELL, top + row * CELL
        for inset in (2.5, 3.5):
            yield Box(x + inset, y + inset, CELL - 2 * inset, CELL - 2 * inset, "none", 2, MARK)


Room = Callable[[Any], tuple[float, float]]
Draw = Callable[[Any, Sequence[str], float, float], Iterator[Shape]]
SCENES: dict[str, tuple[Room, Draw]] = {
    LightsOut.kind: (_no_room, _board),
    Nonogram.kind: (_room, _nonogram),
}
"""By kind, the space on the left and on top of the cells, and the function that draws; others are plain squares."""
