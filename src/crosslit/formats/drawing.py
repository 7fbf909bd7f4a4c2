"""Pictures of puzzles and grids: as text, two characters per cell, and as SVG."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslit.base import shapes
from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.grid import Grid
from crosslit.base.shapes import ASCII, CELL, MARGIN, UNICODE, Shape, Style, box
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle

Known = Grid | Sequence[str] | None
MAX_CELLS = 1_000_000  # of a picture: no page shows more
MAX_NOTEBOOK_CELLS = 10_000  # of a picture in a notebook; larger ones would block a browser for seconds
_FONT = "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\""


def style_of_output() -> Style:
    """Return block characters if standard output is in Unicode, otherwise ASCII."""
    encoding = (sys.stdout and sys.stdout.encoding) or ""
    return UNICODE if encoding.lower().startswith("utf") else ASCII


def draw_lines(subject: Puzzle | Grid, cells: Known = None, style: Style = UNICODE) -> Iterator[str]:
    """Yield a puzzle, with its lights or its known cells, or a grid as lines of text; missing cells are blank.

    In ``cells``, a solution or rows as text, ``1`` is a filled or pressed cell, ``0`` one that is not, and any other
    character stands for itself, as does every digit if cells have more than two states.

    Examples:
        >>> from crosslit.formats import read
        >>> [*draw_lines(read("1,1|1,1"), ["?1", " 0"], ASCII)]
        ['   1 1', '1 ? ##', '1   .']
    """
    if isinstance(subject, Grid):
        return (line.rstrip() for line in _grid_lines(subject, style.filled, style.empty))
    true = style.filled if cells is None or subject.shown is None else style.press
    if cells is None:
        cells = subject.shown or Grid.from_bits(subject.rows, subject.columns, 0)
    if isinstance(cells, Grid):
        lines = _grid_lines(cells, true, style.empty)
    else:
        words = {"1": true, "0": style.empty} if subject.layout.states == 2 else {}
        lines = ("".join(words.get(value, f"{value} ") for value in line) for line in cells)
    if subject.missing is not None:
        pairs = zip(lines, subject.missing.lines(), strict=True)
        lines = (
            "".join("  " if gone == "1" else line[2 * cell : 2 * cell + 2] for cell, gone in enumerate(missing))
            for line, missing in pairs
        )
    return iter(subject.frame(line.rstrip() for line in lines))


def _grid_lines(grid: Grid, true: str, false: str) -> Iterator[str]:
    if grid.states != 2:
        return (" ".join(line) for line in grid.lines())
    return (line.replace("0", false).replace("1", true) for line in grid.lines())


Scene = tuple[float, float, tuple[Shape, ...], str]
"""A picture: width, height, shapes from back to front, and a description."""


def scene(subject: Puzzle | Grid, lines: Sequence[str] | None = None) -> Scene:
    """Return the scene of a puzzle with the known cells, or of a grid, of at most `MAX_CELLS` cells."""
    rows, columns = subject.rows, subject.columns
    if rows * columns > MAX_CELLS:
        raise InputError("picture", f"expected at most {MAX_CELLS:,} cells, found {rows} x {columns}")
    left = top = MARGIN
    cells: Iterable[Shape]
    if isinstance(subject, Grid):
        label, cells = "grid", shapes.squares(subject, subject.lines(), left, top)
    else:
        lines = [" " * columns] * rows if lines is None else lines
        label = f"{subject.name}: {subject.label}" if subject.name else subject.label
        left, top, cells = subject.scene(lines)
    width, height = left + columns * CELL + MARGIN, top + rows * CELL + MARGIN
    return width, height, (box(0, 0, width, height, shapes.PAPER), *cells), f"{label}, {rows} x {columns}"


def svg(picture: Scene) -> str:
    """Return a picture as a complete SVG document, which can also be embedded in a page."""
    width, height, drawn, title = shapes.number(picture[0]), shapes.number(picture[1]), *picture[2:]
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {_FONT} font-size="{shapes.LETTER:g}">'
    return "\n".join([head, f"<title>{shapes.escaped(title)}</title>", *drawn, "</svg>\n"])


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a puzzle or grid, and cells as for `draw`: `print` shows it as text, a notebook as SVG."""

    subject: Puzzle | Grid
    cells: Known = None

    def svg(self) -> str:
        """Return the picture as an SVG document; a ValueError says that it has more than a million cells."""
        return svg(scene(self.subject, self.cells.lines() if isinstance(self.cells, Grid) else self.cells))

    def save(self, path: str | Path) -> None:
        """Write the picture to an .svg file, completely or not at all."""
        if Path(path).suffix.lower() != ".svg":
            raise InputError(str(path), "expected the extension .svg")
        write_bytes(path, [self.svg().encode()])

    def __repr__(self) -> str:
        return f"<Picture of {self.subject.title() if isinstance(self.subject, Puzzle) else self.subject!r}>"

    def __str__(self) -> str:
        subject = self.subject
        if subject.rows * subject.columns > MAX_CELLS:
            what = "grid" if isinstance(subject, Grid) else subject.label
            return f"({what}, {subject.rows} x {subject.columns}: too large to draw)"
        return "\n".join(draw_lines(subject, self.cells, style_of_output()))

    def _repr_svg_(self) -> str | None:  # without it, a notebook shows the text
        return self.svg() if self.subject.rows * self.subject.columns <= MAX_NOTEBOOK_CELLS else None


def draw(puzzle: PuzzleLike, cells: Known = None) -> Picture:
    """Return a picture of a puzzle and its known cells: `print` shows text, a notebook SVG.

    Args:
        puzzle: the puzzle, or its one-line form.
        cells: a solution, or rows as strings, ``1`` for a filled or pressed cell, ``0`` for one that is neither,
            anything else for an unknown cell.

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
