"""The picture of a puzzle or a grid: its shapes from back to front, and its size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosslit.contract.shapes import CELL, MARGIN, MARK, PAPER, Box, Shape, squares
from crosslit.grid import Grid
from crosslit.kinds import Puzzle, kind_of

MAX_CELLS = 1_000_000
"""Maximum cells of a picture: no page shows more."""


@dataclass(frozen=True)
class Scene:
    """A picture: its size, its shapes from back to front, and its description."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str


def scene(subject: Puzzle | Grid, lines: Sequence[str] | None = None, marked: Grid | None = None) -> Scene:
    """Return the scene of a puzzle with the known cells, or of a grid, with rings around the ``marked`` cells.

    Raises:
        ValueError: if the lines do not have the puzzle's shape, or it has more than `MAX_CELLS` cells.
    """
    rows, columns = subject.rows, subject.columns
    if rows * columns > MAX_CELLS:
        raise ValueError(f"a picture has at most {MAX_CELLS:,} cells, not {rows} x {columns}")
    left = top = MARGIN
    cells: Iterable[Shape]
    if isinstance(subject, Grid):
        label, cells = "grid", squares(subject, subject.lines(), left, top)
    else:
        if lines is None:
            lines = [" " * columns] * rows
        if len(lines) != rows or any(len(line) != columns for line in lines):
            raise ValueError(f"lines of another shape than the {rows} x {columns} puzzle")
        label = f"{subject.name}: {subject.label}" if subject.name else subject.label
        draw = kind_of(subject).scene
        left, top, cells = draw(subject, lines) if draw else (left, top, squares(subject, lines, left, top))
    width, height = left + columns * CELL + MARGIN, top + rows * CELL + MARGIN
    rings = [
        Box(left + column * CELL + inset, top + row * CELL + inset, CELL - 2 * inset, CELL - 2 * inset, "none", 2, MARK)
        for row, column in (() if marked is None else marked.cells())
        for inset in (2.5, 3.5)
    ]
    return Scene(width, height, (Box(0, 0, width, height, PAPER), *cells, *rings), f"{label}, {rows} x {columns}")
