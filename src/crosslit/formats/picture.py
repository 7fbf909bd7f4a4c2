"""Pictures of puzzles and grids as text and SVG: shapes from back to front, and the size."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.grid import Grid
from crosslit.contract.shapes import CELL, LETTER, MARGIN, MARK, PAPER, Box, Disc, Shape, Stroke, Style, squares
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.formats.drawing import draw as draw_text
from crosslit.formats.drawing import draw_grid, style_for
from crosslit.kinds import Puzzle

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
        left, top, cells = subject.scene(lines)
    width, height = left + columns * CELL + MARGIN, top + rows * CELL + MARGIN
    rings = [
        Box(left + column * CELL + inset, top + row * CELL + inset, CELL - 2 * inset, CELL - 2 * inset, "none", 2, MARK)
        for row, column in (() if marked is None else marked.cells())
        for inset in (2.5, 3.5)
    ]
    return Scene(width, height, (Box(0, 0, width, height, PAPER), *cells, *rings), f"{label}, {rows} x {columns}")


_FONT = "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\""
# XML cannot express these characters, not even escaped
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(55296, 57344), 65534, 65535), "?")


def svg(subject: Puzzle | Grid, lines: Sequence[str] | None = None, marked: Grid | None = None) -> str:
    """Return the picture of a puzzle or a grid as a complete SVG document, which can also be embedded in a page."""
    return svg_of_scene(scene(subject, lines, marked))


def svg_of_scene(picture: Scene) -> str:
    """Return a picture as an SVG document."""
    width, height = _number(picture.width), _number(picture.height)
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = escape(picture.title.translate(_FORBIDDEN), quote=False)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" {_FONT} font-size="{LETTER:g}">'
    return "\n".join([head, f"<title>{title}</title>", *map(_element, picture.shapes), "</svg>\n"])


def _element(shape: Shape) -> str:
    if isinstance(shape, Box):
        corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        outline = f' stroke="{shape.outline}"' if shape.outline else ""
        place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
        size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
        return f'<rect {place} {size}{corner} fill="{shape.fill}"{outline}/>'
    if isinstance(shape, Stroke):
        ends = " ".join(f'{name}="{_number(getattr(shape, name))}"' for name in ("x1", "y1", "x2", "y2"))
        return f'<line {ends} stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
    if isinstance(shape, Disc):
        place = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"'
        return f'<circle {place} fill="{shape.fill}"/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" text-anchor="{shape.anchor}"'
    return f'<text {place} fill="{shape.colour}"{weight}>{escape(shape.text, quote=False)}</text>'


# Coordinates of a grid repeat: a picture has far fewer different numbers than shapes.
@functools.lru_cache(4096)
def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


MAX_NOTEBOOK_CELLS = 10_000
"""Maximum cells of a picture in a notebook; larger pictures would block a browser for seconds."""


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a puzzle or grid, and cells as for `draw`: `print` shows it as text, a notebook as SVG."""

    subject: Puzzle | Grid
    cells: Grid | Sequence[str] | None = None

    def render(self, style: Style) -> str:
        """Return the picture as lines of text, two characters per cell; only its size if it is too large."""
        subject = self.subject
        if subject.rows * subject.columns > MAX_CELLS:
            what = "grid" if isinstance(subject, Grid) else subject.label
            return f"({what}, {subject.rows} x {subject.columns}: too large to draw)"
        if isinstance(subject, Grid):
            return draw_grid(subject, style)
        return draw_text(subject, self.cells, style)

    def svg(self) -> str:
        """Return the picture as an SVG document; a ValueError says that it has more than a million cells."""
        return svg(self.subject, self._lines)

    def save(self, path: str | Path) -> None:
        """Write the picture to an .svg file, completely or not at all."""
        if Path(path).suffix.lower() != ".svg":
            raise InputError(str(path), "expected the extension .svg")
        try:
            content = self.svg().encode()
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
        return self.render(style_for(sys.stdout.encoding if sys.stdout is not None else None))

    def _repr_svg_(self) -> str | None:
        # Where this is None, a notebook shows the text instead.
        return self.svg() if self.subject.rows * self.subject.columns <= MAX_NOTEBOOK_CELLS else None


def draw(puzzle: PuzzleLike, cells: Grid | Sequence[str] | None = None) -> Picture:
    """Return a picture of a puzzle and its known cells.

    Args:
        puzzle: the puzzle, or its one-line form.
        cells: a solution, or rows as strings, ``1`` for a filled or pressed cell, ``0`` for one that is neither,
            anything else for an unknown cell.

    Returns:
        A `Picture`: `print` shows text, a notebook shows SVG; ``svg()`` returns that, ``save(path)`` writes a file.

    Examples:
        >>> from crosslit import Grid
        >>> print(draw("1,1|1,1", Grid.from_text("10/01")))
           1 1
        1 ##.
        1 . ##
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
