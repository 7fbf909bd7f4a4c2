"""The progress display of ``crosslit bench`` on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from crosslit.cli.output import one_line, write
from crosslit.numbers import format_count
from crosslit_bench.execution.progress import Progress, ProgressEstimate

if TYPE_CHECKING:
    from rich.live import Live

    from crosslit.runs.run import Run
    from crosslit_bench.plan.plan import PlannedRun
    from crosslit_bench.store.outcome import Executor
    from crosslit_bench.store.store import Store

_MAX_WIDTH = 60  # characters for a current run
_MAX_CURRENT = 4  # listed current runs


class Panel(Progress):
    """A changing display of some lines; a context manager. It does nothing unless standard error is a terminal.

    Args:
        parallel: number of parallel runs.
        is_silent: print nothing on standard output.
    """

    def __init__(self, parallel: int, is_silent: bool) -> None:
        self._parallel, self._is_silent = parallel, is_silent
        self._text = ""
        self._estimate: ProgressEstimate | None = None
        self._lines: Callable[[], list[str]] = lambda: [self._text]
        self._live: Live | None = None
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            # standard output is not redirected, because only `write` may print results
            console = Console(stderr=True)
            self._live = Live(
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
                get_renderable=self._drawn,
            )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def step(self, text: str) -> None:
        """Show a line of text."""
        self._text = text

    def begin(self, store: Store, due: Sequence[PlannedRun], executor: Executor, replaced: int) -> None:
        """Show the progress of the runs."""
        if replaced and not self._is_silent:
            many = replaced != 1
            write(
                f"repeating {format_count(replaced, 'stored run')} that {'are' if many else 'is'} out of date, because"
                f" {'their' if many else 'its'} software has changed since"
            )
        if self._live is None:
            return
        estimate = ProgressEstimate(due, self._parallel)
        keys = {planned.key for planned in due}
        # A resumed campaign counts its earlier runs, so that the bar and the estimate continue.
        for row in store.rows():
            if row.key in keys:
                estimate.ended(row.contestant, row.run.status, row.run.timing.wall)
        # The executor says only which runs are current, so their starts are noted when they are first seen here.
        started: dict[str, float] = {}

        def lines() -> list[str]:
            now = time.monotonic()
            current = [(planned, now - started.setdefault(planned.key, now)) for planned in executor.under_way]
            return progress_lines(estimate, current)

        self._estimate, self._lines = estimate, lines

    def ended(self, planned: PlannedRun, run: Run) -> None:
        """Count a finished run."""
        if self._estimate is not None:
            self._estimate.ended(planned.contestant, run.status, run.timing.wall)

    def end(self) -> None:
        """Show that the answers are compared."""
        self._text = "comparing the answers"
        self._estimate, self._lines = None, lambda: [self._text]

    def _drawn(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        first, *others = self._lines() or [""]
        line = Table.grid(padding=(0, 1, 0, 0))
        estimate = self._estimate
        bar = [] if estimate is None else [ProgressBar(estimate.total, estimate.done, width=20)]
        line.add_row(self._spinner(Spinner), *bar, Text(first))
        return Group(line, *(Text(f"  {text}", no_wrap=True, overflow="ellipsis") for text in others))

    def _spinner(self, make: Any) -> Any:
        if not hasattr(self, "_turning"):
            # Made once: a new spinner for each refresh would begin its animation again.
            self._turning = make("dots")
        return self._turning


def progress_lines(estimate: ProgressEstimate, current: Sequence[tuple[PlannedRun, float]]) -> list[str]:
    """Return the progress of a campaign: a line of numbers, then a line for each of the first current runs."""
    parts = [f"{estimate.done} of {estimate.total} runs"]
    failed, late = estimate.statuses["error"], estimate.statuses["timeout"]
    parts += [f"{failed} failed"] if failed else []
    parts += [format_count(late, "timeout")] if late else []
    left = estimate.seconds_left
    if left is not None and estimate.done < estimate.total:
        parts.append(f"about {format_wait(left)} left")
    lines = [", ".join(parts)]
    for planned, seconds in current[:_MAX_CURRENT]:
        where = f"{planned.contestant} on {planned.puzzle.name or planned.puzzle.kind}"
        lines.append(f"{one_line(where)[:_MAX_WIDTH]} ({format_wait(seconds)})")
    if len(current) > _MAX_CURRENT:
        lines.append(f"and {len(current) - _MAX_CURRENT} more")
    return lines if current else [*lines, "warming up"] if estimate.done < estimate.total else lines


def format_wait(seconds: float) -> str:
    """Return a waiting time in its two largest units.

    Examples:
        >>> format_wait(4.4), format_wait(75), format_wait(3 * 3600 + 120), format_wait(3 * 86400)
        ('4 s', '1 min 15 s', '3 h 2 min', '3 days 0 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} days {whole % 86400 // 3600} h"
