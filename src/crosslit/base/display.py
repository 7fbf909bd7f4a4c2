"""Displays in notebooks and by `print`: pictures and reports, made by layers above, and a progress bar.

`crosslit/__init__.py` sets both functions; each imports its module when something is shown for the first time.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False  # `import crosslit` loads this module, so it does without `typing`

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

picture: Callable[[Any], Any]
"""Return the picture of a grid or a puzzle."""

report: Callable[[Any], Any]
"""Return the report on a comparison."""


_UPDATE_SECONDS = 0.1  # minimum time between updates of a bar: each is a message to the browser


class NotebookBar:
    """A progress bar in a notebook; elsewhere it shows nothing. The total number of steps is 0 if it is unknown."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._updated = total, 0, 0.0
        self._shown: Any = None

    def __enter__(self) -> Self:
        if in_notebook():
            # IPython is there already, as this is its kernel; Crosslit does not depend on it.
            from IPython.display import HTML, display

            self._html: Callable[[str], Any] = HTML
            self._shown = display(self._html(self._bar("")), display_id=True)
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
