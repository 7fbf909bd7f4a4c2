"""Pictures of puzzles and grids as text, SVG and PNG."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslit.contract.shapes import Style
from crosslit.drawing.scene import MAX_CELLS
from crosslit.drawing.text import draw as draw_text
from crosslit.drawing.text import draw_grid, draw_values, style_for
from crosslit.errors import InputError, wrong_type
from crosslit.files import write_bytes
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.grid import Grid
from crosslit.kinds import Puzzle

MAX_NOTEBOOK_CELLS = 10_000
"""Maximum cells of a picture in a notebook; larger pictures would block a browser for seconds."""


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a puzzle or grid: `print` shows it as text, a notebook as SVG.

    Args:
        subject: a puzzle, or a grid without its puzzle.
        cells: known cells of the puzzle: a solution, or rows as strings, see `draw`; None for none.

    See Also:
        draw: makes one from a puzzle and its known cells.

    Examples:
        >>> from crosslit.grid import Grid
        >>> print(Picture(Grid.from_text("10/01")).svg()[:4])
        <svg
    """

    subject: Puzzle | Grid
    cells: Grid | Sequence[str] | None = None

    def text(self, style: Style) -> str:
        """Return the picture as lines of text, two characters per cell; only its size if it is too large."""
        subject = self.subject
        if subject.rows * subject.columns > MAX_CELLS:
            what = "grid" if isinstance(subject, Grid) else subject.label
            return f"({what}, {subject.rows} x {subject.columns}: too large to draw)"
        if isinstance(subject, Grid):
            return draw_grid(subject, style)
        return draw_text(subject, None, style) if self.cells is None else draw_values(subject, self._lines or (), style)

    def svg(self) -> str:
        """Return the picture as an SVG document.

        Returns:
            The text of the document, which can also be embedded in a page.

        Raises:
            ValueError: if the picture has more than a million cells.
        """
        # Imported when used, since most commands draw text only.
        from crosslit.drawing.svg import svg

        return svg(self.subject, self._lines)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, completely or not at all.

        Args:
            path: path of the file; its extension is .svg, or .png (40 pixels per cell).

        Raises:
            InputError: if the file cannot be written, has another extension, or the picture is too large.
            Unavailable: if Pillow, which PNG needs, is not installed.
        """
        from crosslit.drawing.png import png

        kind = Path(path).suffix.lower()
        if kind not in (".svg", ".png"):
            raise InputError(str(path), "expected the extension .svg or .png")
        try:
            content = self.svg().encode() if kind == ".svg" else png(self.subject, self._lines)
        except ValueError as error:
            raise InputError(str(path), str(error)) from None
        write_bytes(path, [content])

    @property
    def _lines(self) -> Sequence[str] | None:
        return self.cells.lines() if isinstance(self.cells, Grid) else self.cells

    def __repr__(self) -> str:
        subject = self.subject
        return f"<Picture of {subject.title() if isinstance(subject, Puzzle) else subject!r}>"

    def __str__(self) -> str:
        return self.text(style_for(sys.stdout.encoding if sys.stdout is not None else None))

    def _repr_svg_(self) -> str | None:
        # Where this is None, a notebook shows the text instead.
        return self.svg() if self.subject.rows * self.subject.columns <= MAX_NOTEBOOK_CELLS else None


def draw(puzzle: PuzzleLike, cells: Grid | Sequence[str] | None = None) -> Picture:
    """Return a picture of a puzzle and its known cells.

    Args:
        puzzle: the puzzle, or its one-line form.
        cells: a solution, or rows as strings, such as the ``lines`` of `crosslit.backbone`: ``1`` for a filled or
            pressed cell, ``0`` for one that is neither, anything else for an unknown cell.

    Returns:
        A `Picture`: `print` shows text, a notebook shows SVG; ``svg()`` returns that, ``save(path)`` writes a file.

    Raises:
        InputError: if the one-line form cannot be read.
        TypeError: if ``puzzle`` or ``cells`` has another type.
        ValueError: if the cells have another shape than the puzzle.

    See Also:
        page: puzzles to play in a browser.

    Examples:
        >>> from crosslit import Grid
        >>> print(draw("1,1|1,1", Grid.from_text("10/01")))
           1 1
        1 ##.
        1 . ##
        >>> draw("10/01").svg()[:4]
        '<svg'
    """
    puzzle = as_puzzle(puzzle)
    if cells is not None:
        lines = cells.lines() if isinstance(cells, Grid) else cells
        # A text is a sequence of texts too: '10/01' would be taken for rows of one cell.
        is_sequence = isinstance(lines, Sequence) and not isinstance(lines, str)
        if not (is_sequence and all(isinstance(line, str) for line in lines)):
            raise wrong_type("cells as a Grid or as rows of text", cells)
        if len(lines) != puzzle.rows or any(len(line) != puzzle.columns for line in lines):
            raise ValueError(f"cells of another shape than the {puzzle.rows} x {puzzle.columns} puzzle")
    return Picture(puzzle, cells)
