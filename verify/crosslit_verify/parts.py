"""Verification by several workers: they examine batches of cases, and failures are accused in the process that asks.

The cases are numbered there, and the batches are taken in order, so that the result is that of one worker.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from crosslit_generate import Case

from crosslit.runs.workers import Executor, TaskResult, in_order
from crosslit_verify.clock import CLOSING_SECONDS, Deadline, OutOfTime
from crosslit_verify.failure import Observation
from crosslit_verify.records import Coverage
from crosslit_verify.settings import Settings
from crosslit_verify.subject import Subject
from crosslit_verify.trial import AGAIN_EVERY, Trial

_BATCH_SECONDS = 1.0  # what a batch should take
_MAX_BATCH = 64 * AGAIN_EVERY


class Batch(NamedTuple):
    """Cases with successive numbers: the task of a worker."""

    order: int  # among the batches, from 0
    number: int  # of the first case
    cases: tuple[Case, ...]
    seconds: float | None  # left for it
    has_hung: bool  # whether there is an example of a hang


@dataclass
class BatchResult:
    """The result of a batch: its observations, each after the coverage before it, and the rest of the coverage."""

    observations: list[Coverage | Observation] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)
    slowest: float = 0.0  # seconds of the slowest answer
    has_read: bool = False  # whether any answer was readable
    seconds: float = 0.0


@contextlib.contextmanager
def share(
    settings: Settings, make_subject: Callable[[], Subject], _side_by_side: int
) -> Iterator[Callable[[Batch], BatchResult]]:
    """Open a worker of a verification, as a service of `crosslit.runs`."""
    with contextlib.closing(Trial(settings, make_subject())) as trial:
        try:
            yield functools.partial(examined, trial)
        finally:
            trial.subject.end_by(Deadline(-CLOSING_SECONDS))  # nobody waits for the end of a worker's solver


def examined(trial: Trial, batch: Batch) -> BatchResult:
    """Examine the cases of a batch, until the first failure or all of them."""
    began, found = time.monotonic(), BatchResult()
    trial.begin(batch.seconds)
    trial.has_hung, trial.coverage, trial.shares = batch.has_hung, Coverage(), dict.fromkeys(trial.shares, 0.0)
    with contextlib.suppress(OutOfTime):
        for asked in trial.answers(enumerate(batch.cases, batch.number)):
            for observation in trial.examine(asked):
                found.observations += [trial.coverage, observation._replace(host=platform.node())]
                trial.coverage = Coverage()
            if found.observations and not trial.settings.keep_going:
                break
    found.observations.append(trial.coverage)
    found.shares, found.slowest, found.has_read = trial.shares, trial.slowest, trial.has_read
    found.seconds = time.monotonic() - began
    return found


def shared_observations(
    executor: Executor, trial: Trial, numbered: Iterator[tuple[int, Case]], waiting: dict[int, TaskResult]
) -> Iterator[Iterator[Observation]]:
    """Yield the observations of workers about each batch of cases, in order, and add what they did to the trial.

    ``waiting`` gets the results whose predecessors have not come.
    """
    seconds_each = 0.0

    def batches() -> Iterator[Batch]:
        """Yield the batches, each as soon as a worker is free; no puzzle waits to be asked again at their ends."""
        with contextlib.suppress(OutOfTime):
            for order in itertools.count():
                each = max(seconds_each, _BATCH_SECONDS / _MAX_BATCH) if seconds_each else _BATCH_SECONDS
                size = AGAIN_EVERY * max(1, int(_BATCH_SECONDS / each / AGAIN_EVERY))
                cases = [*itertools.islice(numbered, 0 if trial.deadline.is_over else size)]
                if not cases:
                    return
                left = None if trial.settings.seconds is None else max(trial.deadline.left, 0.0)
                yield Batch(order, cases[0][0], tuple(case for _, case in cases), left, trial.has_hung)

    def taken(result: BatchResult) -> Iterator[Observation]:
        for found in result.observations:
            if isinstance(found, Coverage):
                trial.coverage.add(found)
                continue
            if not trial.settings.keep_going:
                results.close()  # the workers end before the failure is shrunk
            trial.has_hung = trial.has_hung or found.problem.group == "hang"
            yield found

    with contextlib.closing(executor.results(batches())) as results:
        for batch, result, lost in in_order(results, waiting):
            if result is None:
                for case in batch.cases:
                    trial.coverage.count(case)
                trial.coverage.skipped[f"their workers were lost: {lost[-1]}"] += len(batch.cases)
                yield iter(())
                continue
            for name, seconds in result.shares.items():
                trial.shares[name] += seconds
            trial.slowest, trial.has_read = max(trial.slowest, result.slowest), trial.has_read or result.has_read
            seconds_each = result.seconds / len(batch.cases)
            yield taken(result)
    trial.deadline.check()
