"""The progress of ``crosslit bench`` on standard error, if that is a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Self

from crosslit.cli import output
from crosslit.numbers import format_count
from crosslit.registry.listing import kernel_note
from crosslit_bench.execution.progress import Progress

if TYPE_CHECKING:
    from crosslit.runs.run import Run
    from crosslit_bench.plan.plan import PlannedRun
    from crosslit_bench.store.store import Store


class Panel(Progress):
    """A line about the progress, and a context manager that erases it; if silent, nothing goes to standard output."""

    def __init__(self, parallel: int, is_silent: bool) -> None:
        self._parallel, self._is_silent = parallel, is_silent
        self._line = output.Progress(1)
        self._total = 0
        self._statuses: Counter[str] = Counter()
        self._seconds = 0.0  # wall time of all finished runs

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
        there = store.keys()
        usual = (run for run in due if run.key not in there and ":kernel=no" not in run.spec)
        if note := kernel_note({re.split("[/:]", run.spec)[0]: run.version for run in usual}):
            self._line.hide()
            output.complain(note)
        self._total, keys = len(due), {planned.key for planned in due}
        # A resumed campaign counts its earlier runs, so that the estimate continues.
        for key, status, wall in store.select("SELECT key, status, wall FROM runs"):
            if key in keys:
                self._count(status, wall)
        self._line.says("warming up")

    def ended(self, planned: PlannedRun, run: Run) -> None:  # noqa: ARG002
        """Count a run."""
        self._count(run.status, run.timing.wall)
        self.step(progress_line(self._total, self._statuses, self._seconds / self._parallel))

    def _count(self, status: str, wall: float) -> None:
        self._statuses[status] += 1
        self._seconds += wall

    def end(self) -> None:
        """Show that the answers are compared."""
        self._line.says("comparing the answers")


def progress_line(total: int, statuses: Mapping[str, int], seconds: float) -> str:
    """Return the numbers of finished, failed and late runs, which took a number of seconds, and the remaining time.

    >>> progress_line(5, {"complete": 1, "timeout": 1}, 40.0)
    '2 of 5 runs, 1 timeout, about 0:01:00 left'
    """
    done, failed, late = sum(statuses.values()), statuses.get("error"), statuses.get("timeout")
    parts = [f"{done} of {total} runs"]
    parts += [f"{failed} failed"] if failed else []
    parts += [format_count(late, "timeout")] if late else []
    if 0 < done < total:
        # Runs are in random order, so the remaining ones take as long on average.
        parts.append(f"about {timedelta(seconds=round(seconds / done * (total - done)))} left")
    return ", ".join(parts)
