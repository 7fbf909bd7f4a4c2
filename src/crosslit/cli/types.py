"""Types of options and arguments: what a value must be, said in words."""

from __future__ import annotations

import math
import re
from typing import Any

import click
from click.shell_completion import CompletionItem

from crosslit.runs.run import MAX_SECONDS


class Number(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """A number between bounds.

    Args:
        least: the smallest value; with ``above``, the largest value that is too small.
        most: the largest value; None for no bound.
        what: the noun for the value, in messages.
        fraction: whether it need not be whole.
        above: whether ``least`` itself is excluded.
    """

    name = "n"

    def __init__(
        self,
        least: float | None = None,
        most: float | None = None,
        *,
        what: str = "a whole number",
        fraction: bool = False,
        above: bool = False,
    ) -> None:
        self._least, self._most, self._what = least, most, what
        self._fraction, self._above = fraction, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail if it is none, or out of bounds."""
        try:
            number = float(value) if self._fraction else int(value)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isnan(number) or not self._is_within(number):
            self.fail(f"expected {self._words()}, found {str(value)[:40]!r}.", param, ctx)
        return number

    def _is_within(self, number: float) -> bool:
        if self._least is not None and (number < self._least or (self._above and number == self._least)):
            return False
        return self._most is None or number <= self._most

    def _words(self) -> str:
        if self._least is None:
            return self._what
        if self._above:
            return f"{self._what} above {self._least}" + (f", at most {self._most:,.0f}" if self._most else "")
        if self._most is None:
            return f"{self._what}, at least {self._least}"
        return f"{self._what} from {self._least} to {self._most}"


SECONDS = Number(0, MAX_SECONDS, what="a number of seconds", fraction=True, above=True)


class Size(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """Rows and columns, such as 5x7; 5 is 5x5."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of rows and that of columns; fail if they are none."""
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"([0-9]{1,6})(?:x([0-9]{1,6}))?", value.strip(), re.ASCII)
        size = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not all(size):
            self.fail(f"expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found {value[:20]!r}.", param, ctx)
        return size


class _PuzzleName(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """A file of puzzles, or a puzzle; the shell completes files."""

    name = "puzzle"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Let the shell complete the names of files."""
        return [CompletionItem(incomplete, type="file")]


class _Spec(click.ParamType):  # type: ignore[type-arg]
    """Specs of backends, separated by commas; the shell completes names and groups."""

    name = "spec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Return what the last of the specs may be."""
        from crosslit.registry import all_backends, all_groups

        before, comma, last = incomplete.rpartition(",")
        known = all_backends()
        names = sorted({*known, *all_groups(known)})
        return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last)]


PUZZLE, SPEC = _PuzzleName(), _Spec()
