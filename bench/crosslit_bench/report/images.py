"""Pictures of puzzles in a report, with limits of their total size."""

from __future__ import annotations

import base64
import gzip

from crosslit.drawing.svg import svg
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit_bench.report.text import brief

MAX_CELLS = 2_500
"""The maximum number of cells of a puzzle that is drawn: larger ones would be illegible."""


class PictureBudget:
    """A budget for pictures: their total size in bytes, and the number of cells, which takes time to draw."""

    def __init__(self, size: int, cells: int) -> None:
        self._size = size
        self._cells = cells

    def url(self, puzzle: Puzzle, grid: Grid | None = None, marked: Grid | None = None) -> str:
        """Return a picture as a ``data:`` URL; empty if it exceeds the budget."""
        drawn = self._drawn(puzzle, grid, marked)
        return self._taken(data_url(drawn.encode())) if drawn else ""

    def packed(self, puzzle: Puzzle, grid: Grid | None = None) -> str:
        """Return a gzipped picture in base64, a tenth of the size, for the script; empty if it exceeds the budget."""
        drawn = self._drawn(puzzle, grid, None)
        return self._taken(base64.b64encode(gzip.compress(drawn.encode(), 6, mtime=0)).decode()) if drawn else ""

    def _drawn(self, puzzle: Puzzle, grid: Grid | None, marked: Grid | None) -> str:
        cells = puzzle.rows * puzzle.columns
        if cells > MAX_CELLS or cells > self._cells:
            return ""
        self._cells -= cells
        if grid is not None and (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
            grid = None
        return svg(puzzle.named(brief(puzzle.name)), None if grid is None else grid.lines(), marked)

    def _taken(self, text: str) -> str:
        if len(text) > self._size:
            return ""
        self._size -= len(text)
        return text


def data_url(svg_text: bytes) -> str:
    """Return an SVG document as a ``data:`` URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg_text).decode()}"
