"""Texts as a report shows them, and the shape of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_REPLACED = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "\ufffd")


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table of a report.

    Args:
        caption: what it is.
        columns: the headings.
        rows: one text for each column; the first names the row.
        words: the columns that hold words; the others are numbers, and flush right.
        notes: what is to be said below.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: frozenset[int] = frozenset()
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class ReportFigure:
    """A figure of a report.

    Args:
        source: a ``data:`` URL.
        alt: what is to be seen in it.
        caption: what it is.
        wide: whether it takes the width of the page; others stand side by side.
    """

    source: str
    alt: str
    caption: str
    wide: bool


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a report, in this order: paragraphs, figures, tables."""

    id: str
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[ReportFigure] = ()
    sheets: Sequence[Sheet] = ()


def plain(text: str) -> str:
    r"""Text that a UTF-8 file of HTML can hold: without surrogates and control characters.

    Examples:
        >>> plain("a\x00\ud800b")
        'a��b'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_REPLACED)


def brief(text: str, most: int = 80) -> str:
    r"""A text on one line, its middle left out where it is too long.

    Examples:
        >>> brief("one\nline"), brief("0123456789abcdef", 9)
        ('one line', '01234…def')
    """
    text = " ".join(text[: 4 * most].split()) + ("" if len(text) <= 4 * most else text[-most:])
    return text if len(text) <= most else f"{text[: most - most // 3 - 1]}…{text[len(text) - most // 3 :]}"
