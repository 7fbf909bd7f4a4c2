"""Texts and numbers as a report shows them, and the shape of its sections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

_REPLACED = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "\ufffd")


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Shown:
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


@dataclass(frozen=True)
class Section:
    """A section of a report, in this order: paragraphs, figures, tables."""

    id: str
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[Shown] = ()
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


def digits(value: float | None, most: int = 3) -> str:
    """A number with three significant digits, without an exponent; empty for none.

    Examples:
        >>> digits(0.00012345), digits(12.0), digits(12345.6), digits(None), digits(float("inf"))
        ('0.000123', '12', '12346', '', '∞')
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞"
    exact = Decimal(value)
    if value and exact.adjusted() < most:
        exact = exact.quantize(Decimal(1).scaleb(max(exact.adjusted() - most + 1, -6)), ROUND_HALF_EVEN)
    else:
        exact = exact.quantize(Decimal(1))
    text = f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what is counted.

    Examples:
        >>> counted(1, "run"), counted(12000, "run")
        ('1 run', '12,000 runs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
