"""The progress of a running campaign: callbacks, and an estimate of the remaining time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crosslit.runs.run import Run
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store.store import Store


class Progress:
    """Callbacks during a campaign, which do nothing here."""

    def step(self, text: str) -> None:
        """Show what is being done before the first run."""

    def begin(self, store: Store, due: Sequence[PlannedRun], replaced: int) -> None:
        """Begin the runs.

        Args:
            store: the store, which may have some of the runs already.
            due: all runs that belong in the store.
            replaced: number of runs that replace stored ones, because their software has changed since.
        """

    def ended(self, planned: PlannedRun, run: Run) -> None:
        """Count a finished run."""

    def end(self) -> None:
        """End the runs, before their answers are compared."""


class ProgressEstimate:
    """An estimate of the remaining time of a campaign.

    Each remaining run is assumed to take the mean time of its contestant's finished runs, or of all finished runs if
    there are none. Runs are in random order, so the mean is unbiased.

    Args:
        due: all runs of the campaign, including finished ones.
        side_by_side: number of parallel runs.
    """

    def __init__(self, due: Sequence[PlannedRun], side_by_side: int = 1) -> None:
        self.total = len(due)
        self.statuses: Counter[str] = Counter()
        self._side_by_side = side_by_side
        self._left = Counter(run.contestant for run in due)
        self._seconds: Counter[str] = Counter()
        self._made: Counter[str] = Counter()

    @property
    def done(self) -> int:
        """The number of finished runs."""
        return sum(self.statuses.values())

    def ended(self, contestant: str, status: str, wall: float) -> None:
        """Count a finished run, which took ``wall`` seconds."""
        self.statuses[status] += 1
        self._left[contestant] -= 1
        self._made[contestant] += 1
        self._seconds[contestant] += wall  # type: ignore[assignment]

    @property
    def seconds_left(self) -> float | None:
        """The remaining time in seconds; None before the first run has ended.

        Examples:
            >>> pace = ProgressEstimate([], 2)
            >>> pace.seconds_left is None
            True
        """
        made = sum(self._made.values())
        if not made:
            return None
        average = sum(self._seconds.values()) / made
        rest = 0.0
        for contestant, left in self._left.items():
            known = self._made[contestant]
            rest += max(0, left) * (self._seconds[contestant] / known if known else average)
        return rest / self._side_by_side
