"""Pictures of puzzles in a report, with limits of their total size."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable

from crosslit.drawing.picture import svg
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
        return self._taken(data_url, puzzle, grid, marked)

    def packed(self, puzzle: Puzzle, grid: Grid | None = None) -> str:
        """Return a gzipped picture in base64, a tenth of the size, for the script; empty if it exceeds the budget."""
        return self._taken(lambda drawn: base64.b64encode(gzip.compress(drawn, 6, mtime=0)).decode(), puzzle, grid)

    def _taken(
        self, encode: Callable[[bytes], str], puzzle: Puzzle, grid: Grid | None, marked: Grid | None = None
    ) -> str:
        cells = puzzle.rows * puzzle.columns
        if cells > min(MAX_CELLS, self._cells):
            return ""
        self._cells -= cells
        if grid is not None and (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
            grid = None
        text = encode(svg(puzzle.named(brief(puzzle.name)), None if grid is None else grid.lines(), marked).encode())
        if len(text) > self._size:
            return ""
        self._size -= len(text)
        return text


def data_url(svg_text: bytes) -> str:
    """Return an SVG document as a ``data:`` URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg_text).decode()}"
