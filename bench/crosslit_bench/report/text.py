"""The sections, tables, texts and pictures of a report."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crosslit.base.grid import Grid
from crosslit.base.table import Table
from crosslit.formats.picture import svg
from crosslit.kinds import Puzzle

REFERENCE = (
    "Crosslit's documentation, docs/reference/campaigns.md, explains the columns, the measurement and the methods."
)
_REPLACED = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "\ufffd")


class Column(NamedTuple):
    """A column of a table: its heading, a function from an item to its text, and whether that is words."""

    heading: str
    text: Callable[[Any], str]
    is_word: bool = False


def tables_of(caption: str, items: Iterable[Any], columns: Sequence[Column], max_rows: int = 0) -> tuple[Table, ...]:
    """Return a table with a row for each item, at most ``max_rows`` unless that is 0; () without items."""
    known = list(items)
    shown = known[: max_rows or None]
    notes = (f"And {len(known) - len(shown):,} more.",) if len(known) > len(shown) else ()
    rows = [[column.text(item) for column in columns] for item in shown]
    right = {column.heading for column in columns[1:] if not column.is_word}
    headings = (column.heading for column in columns)
    return (Table(*headings, rows=rows, right=right, caption=caption, notes=notes),) if known else ()


def facts(
    caption: str, pairs: Iterable[tuple[str, str]], names: tuple[str, str] = ("fact", "value")
) -> tuple[Table, ...]:
    """Return a table of facts with their values, which are words."""
    return tables_of(
        caption, pairs, [Column(names[0], lambda pair: pair[0]), Column(names[1], lambda pair: pair[1], True)]
    )


class ReportFigure(NamedTuple):
    """A figure of a report: a ``data:`` URL, a description of its content, and its title."""

    source: str
    alt: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a report: paragraphs, then figures, then tables; folded behind a line if there is one."""

    id: str
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[ReportFigure] = ()
    sheets: Sequence[Table] = ()
    folded: str = ""


def plain(text: str) -> str:
    r"""Return a text without surrogates and control characters, which a UTF-8 file of HTML cannot contain.

    Examples:
        >>> plain("a\x00\ud800b")
        'a��b'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_REPLACED)


def brief(text: str, max_length: int = 80) -> str:
    r"""Return a text on one line, with its middle elided if it is too long.

    Examples:
        >>> brief("one\nline"), brief("0123456789abcdef", 9)
        ('one line', '01234…def')
    """
    text = " ".join(text[: 4 * max_length].split()) + ("" if len(text) <= 4 * max_length else text[-max_length:])
    return (
        text
        if len(text) <= max_length
        else f"{text[: max_length - max_length // 3 - 1]}…{text[len(text) - max_length // 3 :]}"
    )


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
