"""Tables of text: for terminals of any width, for notebooks, for pages and for papers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from crosslit.base.numbers import join_names

FULL_WIDTH = 10_000  # columns: a table that is no wider is neither folded nor cut

_MIN_FOLDED = 16  # minimum characters of a folded column
_GAP = 2  # characters of each column in addition to its cells
_NUMBER = re.compile(r"\S*\d\S*")
_BOLD, _RED, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


class Table:
    """Rows of text under headings; `print` shows it at its full width, a notebook as HTML.

    In a narrow terminal, these are tried in order until the table fits: empty columns are dropped, prose and then names
    are folded, minor columns are dropped (a line below names them), each cell gets a line. In prose no number is cut.

    Args:
        columns: the headings.
        rows: for each row, a text for each column; `add_row` adds more.
        right: the right-aligned columns.
        prose: the columns that may be folded between words.
        names: the columns that may be folded anywhere.
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
        self.columns, self.right, self.prose, self.names, self.minor = columns, right, prose, names, minor
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
            for group in (self.prose, self.names):
                least = {index: self._min_width(index) for index in shown if self.columns[index] in group}
                while excess > 0 and (wide := [index for index in least if shown[index] > least[index]]):
                    shown[max(wide, key=shown.__getitem__)] -= 1
                    excess -= 1
            if excess <= 0:
                break
        return shown

    def _min_width(self, index: int) -> int:
        cells = self._cells(index) if self.columns[index] in self.prose else []
        # A number that is cut would be a wrong number, so the longest one bounds the width from below.
        numbers = (number for cell in cells for number in _NUMBER.findall(cell))
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
