"""Results and pictures in Python: printed text, tables in notebooks, data frames, a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

from crosslit.errors import Unavailable

_UPDATE_SECONDS = 0.1  # minimum time between updates of a bar: each is a message to the browser


@dataclass(frozen=True)
class TextTable:
    """A table of strings that can be printed or shown in a notebook.

    Args:
        columns: the headings.
        rows: for each row, a text for each column.
        right: the headings of the right-aligned columns.

    Examples:
        >>> print(TextTable(("backend", "found"), [("gauss", "4"), ("glucose4/order", "12")], {"found"}))
        backend         found
        --------------  -----
        gauss               4
        glucose4/order     12
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[str] = ()

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        ends = [">" if name in self.right else "<" for name in self.columns]
        lines = [self.columns, ["-" * width for width in widths], *self.rows]
        padded = ("  ".join(map("{:{}{}}".format, line, ends, widths)) for line in lines)
        return "\n".join(line.rstrip() for line in padded)

    def _repr_html_(self) -> str:
        from html import escape  # only notebooks need it

        sides = ["right" if name in self.right else "left" for name in self.columns]

        def line(tag: str, cells: Sequence[str]) -> str:
            made = (
                f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>'
                for side, cell in zip(sides, cells, strict=True)
            )
            return f"<tr>{''.join(made)}</tr>"

        body = "".join(line("td", row) for row in self.rows)
        return f"<table><thead>{line('th', self.columns)}</thead><tbody>{body}</tbody></table>"


def data_frame(records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Return a ``pandas.DataFrame`` with a row for each record.

    Raises:
        Unavailable: if pandas is not installed.
    """
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise Unavailable("a data frame needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame([dict(record) for record in records], columns=list(columns))


class NotebookBar:
    """A progress bar in a notebook, as a context manager; elsewhere it shows nothing.

    Args:
        total: the number of steps; 0 if unknown.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown: Any = None
        self._updated = 0.0

    def __enter__(self) -> Self:
        if in_notebook():
            # IPython is there already, as this is its kernel; Crosslit does not depend on it.
            display: Any = import_module("IPython.display")
            self._html = display.HTML
            self._shown = display.display(self._html(self._bar("")), display_id=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.update(self._html(""))

    def step(self, text: str = "", steps: int = 1) -> None:
        """Count steps, and show a text."""
        self._done += steps
        if self._shown is not None and time.monotonic() - self._updated > _UPDATE_SECONDS:
            self._updated = time.monotonic()
            self._shown.update(self._html(self._bar(text)))

    def _bar(self, text: str) -> str:
        from html import escape

        value = f' value="{self._done}" max="{self._total}"' if self._total else ""
        counted = f"{self._done:,} of {self._total:,}" if self._total else f"{self._done:,}"
        return f"<progress{value}></progress> {counted} {escape(text)}"


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    # Not imported: if IPython is not loaded, this is no notebook. A terminal of IPython has no `kernel`.
    get: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    return hasattr(get(), "kernel")
