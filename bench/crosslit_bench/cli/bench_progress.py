"""The progress of ``crosslit bench`` on standard error, if that is a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from crosslit.cli import output
from crosslit.numbers import format_count
from crosslit_bench.execution.progress import Progress, ProgressEstimate

if TYPE_CHECKING:
    from crosslit.runs.run import Run
    from crosslit_bench.plan.plan import PlannedRun
    from crosslit_bench.store.store import Store


class Panel(Progress):
    """A line about the progress, as a context manager that erases it.

    Args:
        parallel: number of parallel runs.
        is_silent: print nothing on standard output.
    """

    def __init__(self, parallel: int, is_silent: bool) -> None:
        self._parallel, self._is_silent = parallel, is_silent
        self._line = output.Progress(1)
        self._estimate = ProgressEstimate([])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.hide()

    def step(self, text: str) -> None:
        """Show a text."""
        if self._line.is_due:
            self._line.says(text)

    def begin(self, store: Store, due: Sequence[PlannedRun], replaced: int) -> None:
        """Show the progress of the runs."""
        if replaced and not self._is_silent:
            many = replaced != 1
            self._line.hide()
            output.write(
                f"repeating {format_count(replaced, 'stored run')} that {'are' if many else 'is'} out of date, because"
                f" {'their' if many else 'its'} software has changed since"
            )
        self._estimate = ProgressEstimate(due, self._parallel)
        keys = {planned.key for planned in due}
        # A resumed campaign counts its earlier runs, so that the estimate continues.
        for key, contestant, status, wall in store.select("SELECT key, contestant, status, wall FROM runs"):
            if key in keys:
                self._estimate.ended(contestant, status, wall)
        self._line.says("warming up")

    def ended(self, planned: PlannedRun, run: Run) -> None:
        """Count a finished run."""
        self._estimate.ended(planned.contestant, run.status, run.timing.wall)
        self.step(progress_line(self._estimate))

    def end(self) -> None:
        """Show that the answers are compared."""
        self._line.says("comparing the answers")


def progress_line(estimate: ProgressEstimate) -> str:
    """Return the numbers of finished, failed and late runs, and the remaining time."""
    parts = [f"{estimate.done} of {estimate.total} runs"]
    failed, late = estimate.statuses["error"], estimate.statuses["timeout"]
    parts += [f"{failed} failed"] if failed else []
    parts += [format_count(late, "timeout")] if late else []
    left = estimate.seconds_left
    if left is not None and estimate.done < estimate.total:
        parts.append(f"about {format_wait(left)} left")
    return ", ".join(parts)


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
