"""The picture of a puzzle or a grid: its shapes from back to front, and its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crosslit.drawing.shapes import CELL, MARGIN, MARK, PAPER, Box, Shape, squares
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
    draw = kind_of(puzzle).scene
    left, top, cells = draw(puzzle, lines) if draw else (MARGIN, MARGIN, squares(puzzle, lines, MARGIN, MARGIN))
    width, height = left + puzzle.columns * CELL + MARGIN, top + puzzle.rows * CELL + MARGIN
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
    width, height = grid.columns * CELL + 2 * MARGIN, grid.rows * CELL + 2 * MARGIN
    shapes = (Box(0, 0, width, height, PAPER), *squares(grid, grid.lines(), MARGIN, MARGIN))
    return Scene(width, height, shapes, f"grid, {grid.rows} x {grid.columns}")


def _check_size(drawn: Puzzle | Grid) -> None:
    if drawn.rows * drawn.columns > MAX_CELLS:
        raise ValueError(f"a picture has at most {MAX_CELLS:,} cells, not {drawn.rows} x {drawn.columns}")


def _rings(marked: Grid, left: float, top: float) -> Iterator[Shape]:
    for row, column in marked.cells():
        x, y = left + column * CELL, top + row * CELL
        for inset in (2.5, 3.5):
            yield Box(x + inset, y + inset, CELL - 2 * inset, CELL - 2 * inset, "none", 2, MARK)
