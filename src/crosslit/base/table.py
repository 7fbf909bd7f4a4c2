"""Tables of text: for terminals of any width, for notebooks, for pages and for papers."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from crosslit.base.numbers import join_names

FULL_WIDTH = 10_000  # columns: a table that is no wider is neither folded nor cut
MIN_PROSE = 16  # minimum characters of a folded column

_MIN_NAME = 16  # minimum characters of a shortened name
_GAP = 2  # characters of each column in addition to its cells
_NUMBER = re.compile(r"\S*\d\S*")
_BOLD, _RED, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"

Widths = dict[int, int]  # the width of each visible column


class Table:
    """Rows of text under headings; `print` shows it at its full width, a notebook as HTML.

    In a terminal that is too narrow, these are tried in order until the table fits: empty columns are dropped, prose is
    folded, names are shortened in the middle, minor columns are dropped (a line below names them). If nothing helps,
    each row becomes a paragraph. A number is never cut, nor separated from its unit.

    Args:
        columns: the headings.
        rows: for each row, a text for each column; `add_row` adds more.
        right: the right-aligned columns.
        prose: the columns that may be folded.
        names: the columns that may be shortened.
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
        names: Collection[str] = (),
        minor: Sequence[str] = (),
        caption: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.columns = columns
        self.right: Collection[str] = right
        self.prose: Collection[str] = prose
        self.names: Collection[str] = names
        self.minor: Sequence[str] = minor
        self.caption, self.notes = caption, notes
        self.rows: list[tuple[tuple[str, ...], bool]] = [(tuple(row), False) for row in rows]

    def add_row(self, *cells: str, alarm: bool = False) -> None:
        """Add a row of plain text; ``alarm`` shows it in red."""
        self.rows.append((cells, alarm))

    def render(self, width: int = FULL_WIDTH, *, rule: str = "─", styled: bool = False) -> str:
        """Return the table as text, with control sequences of terminals if it is ``styled``."""
        layout = self._layout(width)
        if layout is None:
            return "\n".join(self._paragraphs(width))
        head = self._line([self.columns[index] for index in layout], layout)
        lines = ["", f"{_BOLD}{head}{_PLAIN}" if styled else head]
        lines.append(f" {rule * (sum(layout.values()) + _GAP * (len(layout) - 1))}")
        for cells, alarm in self.rows:
            folded = [self._folded(index, cells[index], size) for index, size in layout.items()]
            row = [self._line(parts, layout) for parts in zip_longest(*folded, fillvalue="")]
            lines += [f"{_RED}{line}{_PLAIN}" for line in row] if alarm and styled else row
        hidden = [name for index, name in enumerate(self.columns) if index not in layout and any(self._cells(index))]
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

    def _layout(self, width: int) -> Widths | None:
        """Return the columns that fit a width and their widths; None if a number would not fit."""
        widest = {
            index: max(map(display_width, [name, *self._cells(index)])) for index, name in enumerate(self.columns)
        }
        if sum(widest.values()) + _GAP * len(widest) <= width:
            return widest
        filled = {index: size for index, size in widest.items() if not self.rows or any(self._cells(index))}
        for number in range(len(self.minor) + 1):
            layout = {index: size for index, size in filled.items() if self.columns[index] not in self.minor[:number]}
            excess = sum(layout.values()) + _GAP * len(layout) - width
            least = {index: self._min_width(index, layout[index]) for index in layout}
            for group in (self.prose, self.names):
                flexible = [index for index in layout if self.columns[index] in group]
                while excess > 0 and (wide := [index for index in flexible if layout[index] > least[index]]):
                    layout[max(wide, key=layout.__getitem__)] -= 1
                    excess -= 1
            if excess <= 0:
                return layout
        return None

    def _min_width(self, index: int, widest: int) -> int:
        least = max(_MIN_NAME, len(self.columns[index]))
        if self.columns[index] in self.prose:
            # A number that is cut would be a wrong number, so the longest one bounds the width from below.
            numbers = (number for cell in self._cells(index) for number in _NUMBER.findall(cell))
            least = max([MIN_PROSE, len(self.columns[index]), *map(display_width, numbers)])
        return min(widest, least)

    def _cells(self, index: int) -> list[str]:
        return [cells[index] for cells, _ in self.rows]

    def _folded(self, index: int, cell: str, width: int) -> list[str]:
        if self.columns[index] in self.prose:
            return textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        return [_shorten_middle(cell, width)]

    def _line(self, parts: Sequence[str], layout: Widths) -> str:
        padded = []
        for part, (index, width) in zip(parts, layout.items(), strict=True):
            space = " " * (width - display_width(part))
            padded.append(space + part if self.columns[index] in self.right else part + space)
        return f" {(' ' * _GAP).join(padded)}".rstrip()

    def _paragraphs(self, width: int) -> list[str]:
        """Return each row as its first cell, then the other cells with their headings."""
        lines = []
        for (head, *others), _ in self.rows:
            lines += wrapped(head, width)
            line = ""
            for name, cell in zip(self.columns[1:], others, strict=True):
                part = f"  {name}: {cell}" if cell else ""
                if line and display_width(line + part) > width:
                    lines += wrapped(line, width, indent="  ")
                    line = ""
                line += part
            lines += [*wrapped(line, width, indent="  "), ""]
        return lines


def wrapped(text: str, width: int, heading: str = "", indent: str | None = None) -> list[str]:
    """Return the lines of a text within a width: the first after a heading, the others aligned with it."""
    indent = " " * len(heading) if indent is None else indent
    width = max(width, len(heading) + MIN_PROSE)
    return textwrap.wrap(
        heading + text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def display_width(text: str) -> int:
    """Return the columns that a text takes in a terminal, where Chinese characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _shorten_middle(text: str, width: int) -> str:
    """Return a name, shortened in the middle if it is too wide: its beginning and end distinguish it."""
    if display_width(text) <= width:
        return text
    end = (width - 3) // 2
    head, tail = text, text[-end:]
    while display_width(tail) > end:
        tail = tail[1:]
    while display_width(head) > width - 3 - display_width(tail):
        head = head[:-1]
    return f"{head}...{tail}"
