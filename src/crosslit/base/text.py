"""Numbers, times, counts and names as text on one line, numbers as JSON, and tables.

A table is for terminals of any width, for notebooks, for pages and for papers.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from typing import Any

FULL_WIDTH = 10_000  # columns: a table that is no wider is neither folded nor cut

_MIN_FOLDED = 16  # minimum characters of a folded column
_GAP = 2  # characters of each column in addition to its cells
_NUMBER = re.compile(r"\S*\d\S*")
_BOLD, _RED, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


def exact(number: Any) -> Any:
    """Return a number in a form that every JSON reader keeps exact: beyond 2^53 {"log2": k} or decimal digits.

    A value that JSON cannot express (such as an infinity) becomes a string; strings are returned unchanged.

    Examples:
        >>> exact(2**53), exact(2**80), exact(exact(2**80)), exact(2**53 + 1), exact(float("inf")), exact([1])
        (9007199254740992, {'log2': 80}, {'log2': 80}, '9007199254740993', 'inf', '[1]')
    """
    if isinstance(number, float):
        return number if math.isfinite(number) else str(number)
    if not isinstance(number, int):
        known = isinstance(number, dict) and number.keys() == {"log2"} and type(number["log2"]) is int
        return number if number is None or isinstance(number, str) or known else str(number)
    if abs(number) <= 2**53:
        return number
    exponent = number.bit_length() - 1
    return {"log2": exponent} if number == 1 << exponent else number_words(number)


def number_words(number: int, max_digits: int = 16) -> str:
    """Return a number in decimal digits, or a power of two of more than ``max_digits`` digits as ``2^k``.

    Examples:
        >>> number_words(16), number_words(2**54), number_words(2**80, 4300), number_words(2**53 + 1)
        ('16', '2^54', '1208925819614629174706176', '9007199254740993')
        >>> number_words(2**20_000, 4300), len(number_words(10**5000))
        ('2^20000', 5001)
    """
    from decimal import Decimal

    if number.bit_count() == 1 and number // 10**max_digits > 0:
        return f"2^{number.bit_length() - 1}"
    return f"{Decimal(number):f}"  # str() limits the number of digits


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number rounded to significant digits, without an exponent; an empty text for None and NaN.

    Examples:
        >>> [format_number(value) for value in (0.00012345, 12.0, 12345.6, None, float("inf"))]
        ['0.000123', '12', '12346', '', '∞']
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞"
    if isinstance(value, int):
        return str(value)
    # More digits than a float has, so that the exponent is not rounded up.
    exponent = int(f"{value:.17e}".rpartition("e")[2])
    text = f"{value:.{max(0, min(digits - 1 - exponent, 6))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_seconds(seconds: float | None, digits: int = 3, *, column: bool = False) -> str:
    """Return a measured time with significant digits, in ms below one second; an empty text for None and NaN.

    In a column times are aligned: three digits, at most two decimals, trailing zeros kept.

    Examples:
        >>> [format_seconds(value) for value in (0, 0.000291, 0.999, 0.9995, 1.25, 184.2, 3600, float("inf"))]
        ['0 ms', '0.291 ms', '999 ms', '1 s', '1.25 s', '184 s', '3600 s', '∞']
        >>> [format_seconds(value, column=True) for value in (0, 0.000123, 0.028, 0.4567, 7.5, 61.25)]
        ['0 ms', '0.12 ms', '28.0 ms', '457 ms', '7.50 s', '61.2 s']
    """
    if seconds is None or not math.isfinite(seconds):
        return format_number(seconds)
    value, unit = (seconds * 1000, "ms") if seconds < 0.9995 else (seconds, "s")  # 0.9995 s would be 1000 ms
    if column and value:
        return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{format_number(value, digits)} {unit}"


def format_count(number: int, singular: str, many: str = "") -> str:
    """Return a number with its noun; ``many`` is the plural, by default ``singular`` with an s.

    Examples:
        >>> format_count(1, "run"), format_count(12000, "run"), format_count(2, "press", "presses")
        ('1 run', '12,000 runs', '2 presses')
    """
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in a sentence; of five or more, only three and the number of the rest.

    Examples:
        >>> join_names(["a"]), join_names(["a", "b", "c", "d"]), join_names(["a", "b", "c", "d", "e"])
        ('a', 'a, b, c and d', 'a, b, c and 2 more')
    """
    shown = [*names[:3], f"{len(names) - 3} more"] if len(names) > 4 else names
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests the names closest to a misspelt one; an empty text if none is close.

    Examples:
        >>> did_you_mean("sovle", ["solve", "solve", "count"]), did_you_mean("xyz", ["solve"])
        ('did you mean solve?', '')
    """
    import difflib

    close = difflib.get_close_matches(name, set(names))
    return f"did you mean {' or '.join(close)}?" if close else ""


def one_line(text: str) -> str:
    r"""Return a text with ``?`` for line ends and other characters that would control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def shorten(text: str, max_length: int) -> str:
    """Return a text, its end replaced by three dots if it is too long."""
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, minimum and maximum of times.

    Examples:
        >>> spread([9.0, 1.0, 2.0, 9.0, 3.0])
        {'median': 3.0, 'min': 1.0, 'max': 9.0}
    """
    ordered = sorted(values)
    middle = len(ordered) // 2
    # `statistics` takes 5 ms to import
    return {"median": (ordered[middle] + ordered[-middle - 1]) / 2, "min": ordered[0], "max": ordered[-1]}


class Table:
    """Rows of text under headings; `print` shows it at its full width, a notebook as HTML.

    In a narrow terminal, these are tried in order until the table fits: empty columns are dropped, prose is folded,
    minor columns are dropped (a line below names them), each cell gets a line. No number is cut, nor a spec.

    Args:
        columns: the headings.
        rows: for each row, a text for each column; `add_row` adds more.
        right: the right-aligned columns.
        prose: the columns that may be folded between words.
        minor: the columns that may be dropped, in this order.
        caption: the title of the table on a page or in a paper.
        notes: paragraphs below it on a page, one paragraph in a paper.

    Examples:
        >>> print(Table("backend", "found", rows=[("gauss", "4"), ("glucose4/order", "12")], right={"found"}))
        <BLANKLINE>
         backend         found
         ─────────────────────
         gauss               4
         glucose4/order     12
        <BLANKLINE>
    """

    def __init__(
        self,
        *columns: str,
        rows: Iterable[Sequence[str]] = (),
        right: Collection[str] = (),
        prose: Collection[str] = (),
        minor: Sequence[str] = (),
        caption: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.columns, self.right, self.prose, self.minor = columns, right, prose, minor
        self.caption, self.notes = caption, notes
        self.rows: list[tuple[tuple[str, ...], bool]] = [(tuple(row), False) for row in rows]

    def add_row(self, *cells: str, alarm: bool = False) -> None:
        """Add a row of plain text; ``alarm`` shows it in red."""
        self.rows.append((cells, alarm))

    def render(self, width: int = FULL_WIDTH, *, rule: str = "─", styled: bool = False) -> str:
        """Return the table as text, with control sequences of terminals if it is ``styled``."""
        widths = self._widths(width)
        lines: list[str] = []
        if sum(widths.values()) + _GAP * len(widths) > width:
            for cells, _ in self.rows:
                for name, cell in zip(self.columns, cells, strict=True):
                    lines += wrapped(cell, width, f"{name}: ") if cell else []
                lines.append("")
            return "\n".join(lines)
        head = self._line([self.columns[index] for index in widths], widths)
        lines = ["", f"{_BOLD}{head}{_PLAIN}" if styled else head]
        lines.append(f" {rule * (sum(widths.values()) + _GAP * (len(widths) - 1))}")
        for cells, alarm in self.rows:
            folded = [textwrap.wrap(cells[index], size, break_on_hyphens=False) for index, size in widths.items()]
            row = [self._line(parts, widths) for parts in zip_longest(*folded, fillvalue="")] or [""]
            lines += [f"{_RED}{line}{_PLAIN}" for line in row] if alarm and styled else row
        hidden = [name for index, name in enumerate(self.columns) if index not in widths and any(self._cells(index))]
        lines += ["", f" (not shown in {width} columns: {join_names(hidden)})"] if hidden else []
        return "\n".join([*lines, ""])

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from html import escape  # only notebooks need it

        def line(tag: str, cells: Sequence[str]) -> str:
            sides = ["right" if name in self.right else "left" for name in self.columns]
            pairs = zip(sides, cells, strict=True)
            parts = (f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for side, cell in pairs)
            return f"<tr>{''.join(parts)}</tr>"

        body = "".join(line("td", cells) for cells, _ in self.rows)
        return f"<table><thead>{line('th', self.columns)}</thead><tbody>{body}</tbody></table>"

    def _widths(self, width: int) -> dict[int, int]:
        """Return the width of each column that is shown."""
        widest = {index: max(map(len, [name, *self._cells(index)])) for index, name in enumerate(self.columns)}
        if sum(widest.values()) + _GAP * len(widest) <= width:
            return widest
        filled = {index: size for index, size in widest.items() if not self.rows or any(self._cells(index))}
        for number in range(len(self.minor) + 1):
            shown = {index: size for index, size in filled.items() if self.columns[index] not in self.minor[:number]}
            excess = sum(shown.values()) + _GAP * len(shown) - width
            least = {index: self._min_width(index) for index in shown if self.columns[index] in self.prose}
            while excess > 0 and (wide := [index for index in least if shown[index] > least[index]]):
                shown[max(wide, key=shown.__getitem__)] -= 1
                excess -= 1
            if excess <= 0:
                break
        return shown

    def _min_width(self, index: int) -> int:
        # A number that is cut would be a wrong number, so the longest one bounds the width from below.
        numbers = (number for cell in self._cells(index) for number in _NUMBER.findall(cell))
        return max([_MIN_FOLDED, len(self.columns[index]), *map(len, numbers)])

    def _cells(self, index: int) -> list[str]:
        return [cells[index] for cells, _ in self.rows]

    def _line(self, parts: Sequence[str], widths: dict[int, int]) -> str:
        padded = [
            part.rjust(width) if self.columns[index] in self.right else part.ljust(width)
            for part, (index, width) in zip(parts, widths.items(), strict=True)
        ]
        return f" {(' ' * _GAP).join(padded)}".rstrip()


def wrapped(text: str, width: int, heading: str = "") -> list[str]:
    """Return the lines of a text within a width: the first after a heading, the others aligned with it."""
    width, indent = max(width, len(heading) + _MIN_FOLDED), " " * len(heading)
    return textwrap.wrap(
        heading + text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
