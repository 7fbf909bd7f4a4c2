"""The runs of a campaign on the workers of a Dask cluster.

On a worker, `crosslit.runs.runner.Runner` makes the runs under their limits, as everywhere.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Self

from crosslit.errors import SpecError
from crosslit.registry import Choice
from crosslit.runs.run import Run
from crosslit.runs.runner import Runner
from crosslit.workers.executor import open_executor
from crosslit_bench.execution.local import Executor, tiny_jobs
from crosslit_bench.plan.campaign import CampaignSpec
from crosslit_bench.plan.plan import PlannedRun, chosen, find_change
from crosslit_bench.store.answers import StoredAnswer, storable
from crosslit_bench.store.outcome import Outcome, circumstances

EXECUTOR = "dask"
Made = tuple[Outcome, StoredAnswer | None]
"""An outcome without its solutions, and these: a million small objects take far longer to pickle than a block."""


@contextlib.contextmanager
def campaign_runs(campaign: CampaignSpec, side_by_side: int) -> Iterator[Callable[[PlannedRun], Made]]:
    """Open a worker of a campaign, as a service of `crosslit.workers`."""
    warmed: set[tuple[str, str]] = set()
    with Runner(campaign.limits) as runner:

        def make(planned: PlannedRun) -> Made:
            choice = _checked(planned, campaign)
            warm = choice.backend.name, choice.encoding.name if choice.encoding else ""
            if warm not in warmed:  # an unmeasured tiny run loads the backend's files from disk
                warmed.add(warm)
                for job in tiny_jobs([planned], campaign):
                    runner.run(job)
            where = circumstances(side_by_side, EXECUTOR)
            run, answer = storable(runner.run(planned.job(campaign.question)))
            run = dataclasses.replace(run, grids=[])
            return Outcome(key=planned.key, run=run, circumstances=where), answer

        yield make


def _checked(planned: PlannedRun, campaign: CampaignSpec) -> Choice:
    """Return the backend of a planned run; a SpecError if the software here differs from that of the plan."""
    try:
        choice = chosen(planned.spec, planned.puzzle, campaign.question)
    except SpecError as error:
        raise SpecError(f"cannot make a planned run: {error}") from None
    # The worker computes the key itself, from its own files: equal keys mean equal software.
    if why := find_change(planned, campaign, choice):
        raise SpecError(f"cannot make a planned run: {why}")
    return choice


class DaskExecutor(Executor):
    """An executor on a Dask cluster, by the address of its scheduler; ``local`` starts one here with ``jobs`` workers.

    A run that loses two workers has the status ``lost``. The campaign ends if the versions of a worker differ from the
    plan.
    """

    def __init__(self, address: str, campaign: CampaignSpec, jobs: int = 1) -> None:
        super().__init__(Runner(campaign.limits, jobs))  # makes no runs here, only handles Ctrl-C
        service = functools.partial(campaign_runs, dataclasses.replace(campaign, sources=(), text="", software=None))
        self._cluster = open_executor(service, jobs, address, lambda: self.interrupted)
        self._cluster.on_idle = lambda: self.on_idle()

    def __enter__(self) -> Self:
        """Connect to the scheduler."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._runner.guard())  # until results are stored: an interrupt must not lose one
            stack.enter_context(self._cluster)
            self._stack = stack.pop_all()
        return self

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """Yield the runs with their outcomes, each as soon as it ends."""
        with contextlib.closing(self._cluster.results(planned)) as results:
            for run, made, lost in results:
                yield run, _lost(run, *lost) if made is None else _whole(run, *made, *lost)


def _whole(planned: PlannedRun, outcome: Outcome, answer: StoredAnswer | None, lost: str = "") -> Outcome:
    if answer is not None:
        run = dataclasses.replace(outcome.run, grids=answer.grids(planned.puzzle))
        outcome = dataclasses.replace(outcome, run=run)
    return dataclasses.replace(outcome, attempts=2 if lost else 1, lost=lost)


def _lost(planned: PlannedRun, before: str, why: str) -> Outcome:
    run = Run(planned.spec, status="lost", repetition=planned.repetition)
    run.error = f"{why} while it made this run, as one before it: {before}"
    return Outcome(key=planned.key, run=run, circumstances=circumstances(1, EXECUTOR), attempts=2, lost=before)
