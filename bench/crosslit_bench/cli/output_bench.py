"""The progress display of ``crosslit bench`` on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from crosslit.cli.output import one_line
from crosslit.numbers import format_wait

if TYPE_CHECKING:
    from rich.live import Live

    from crosslit.runs.run import Run
    from crosslit_bench.execution.progress import AnswerMonitor, ProgressEstimate
    from crosslit_bench.plan.plan import PlannedRun
    from crosslit_bench.store.outcome import Executor
    from crosslit_bench.store.store import Store

_MAX_WIDTH = 60  # characters for a current run
_NOW = 4  # listed current runs


class Panel:
    """A changing display of some lines; a context manager. It does nothing unless standard error is a terminal."""

    def __init__(self) -> None:
        self._text = ""
        self._bar: Callable[[], tuple[int, int]] | None = None
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
        self.hide()

    def hide(self) -> None:
        """Remove the display, before results are printed."""
        if self._live is not None:
            self._live.stop()

    def says(self, text: str) -> None:
        """Show a line of text."""
        self._text = text

    @contextmanager
    def following(
        self, store: Store, due: Sequence[PlannedRun], executor: Executor, side_by_side: int
    ) -> Iterator[Callable[[PlannedRun, Run], None]]:
        """Show the progress of a campaign; yield a callback for each finished run."""
        if self._live is None:
            yield lambda _planned, _run: None
            return
        from crosslit_bench.execution.progress import AnswerMonitor, ProgressEstimate

        about = store.about
        pace, watch = ProgressEstimate(due, side_by_side), AnswerMonitor(about.limits, about.question)
        ours = {one.key: one for one in due}
        # A resumed campaign counts its earlier runs, so that the bar and the estimate continue.
        for row in store.rows():
            if row.key in ours:
                pace.ended(row.contestant, row.run.status, row.run.timing.wall)
                watch.saw(ours[row.key].puzzle, row.puzzle, row.run)
        # The executor says only which runs are current, so their starts are noted when they are first seen here.
        began: dict[str, float] = {}

        def lines() -> list[str]:
            now = list(executor.under_way)
            for one in now:
                began.setdefault(one.key, time.monotonic())
            return words(pace, watch, [(one, time.monotonic() - began[one.key]) for one in now])

        def saw(planned: PlannedRun, run: Run) -> None:
            began.pop(planned.key, None)
            pace.ended(planned.contestant, run.status, run.timing.wall)
            watch.saw(planned.puzzle, planned.puzzle.id, run)

        self._bar, self._lines = lambda: (pace.done, pace.total), lines
        try:
            yield saw
        finally:
            self._text = "comparing the answers"
            self._bar, self._lines = None, lambda: [self._text]

    def _drawn(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        first, *others = self._lines() or [""]
        line = Table.grid(padding=(0, 1, 0, 0))
        bar = self._bar
        if bar is None:
            line.add_row(self._spinner(Spinner), Text(first))
        else:
            done, total = bar()
            line.add_row(self._spinner(Spinner), ProgressBar(total, done, width=20), Text(first))
        return Group(line, *(Text(f"  {text}", no_wrap=True, overflow="ellipsis") for text in others))

    def _spinner(self, make: Any) -> Any:
        if not hasattr(self, "_turning"):
            # Made once: a new spinner for each refresh would begin its animation again.
            self._turning = make("dots")
        return self._turning


def words(pace: ProgressEstimate, watch: AnswerMonitor, now: Sequence[tuple[PlannedRun, float]]) -> list[str]:
    """Return the progress of a campaign: a line of numbers, then a line for each of the first current runs."""
    parts = [f"{pace.done} of {pace.total} runs", f"{watch.wrong} wrong"]
    failed, late = pace.statuses["error"], pace.statuses["timeout"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{late} timeouts" if late != 1 else "1 timeout"] if late else []
    left = pace.seconds_left
    if left is not None and pace.done < pace.total:
        parts.append(f"about {format_wait(left)} left")
    lines = [", ".join(parts)]
    for one, seconds in now[:_NOW]:
        what = f"{one.contestant} on {one.puzzle.name or one.puzzle.kind}"
        lines.append(f"{one_line(what)[:_MAX_WIDTH]} ({format_wait(seconds)})")
    if len(now) > _NOW:
        lines.append(f"and {len(now) - _NOW} more")
    return lines if now else [*lines, "warming up"] if pace.done < pace.total else lines
