"""Runs in this process, for the commands that work without isolated runs: nothing limits their time and memory."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import Any, Self

from crosslit.base.errors import UnenforcedLimit
from crosslit.contract import QUESTIONS, Clock
from crosslit.contract.run import Limits, Run, Timing
from crosslit.runs.inline import drive, drive_count
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner
from crosslit.runs.wire import failure
from crosslit.sandbox.posix import isolation_problem


def open_runner(limits: Limits, *arguments: Any, in_process: bool = False, **options: Any) -> Runner:
    """Return a runner; with ``in_process``, one for runs in this process if the system has no isolated ones."""
    if in_process and isolation_problem():
        return InProcessRunner(limits)  # type: ignore[return-value]  # the part of it that such commands use
    return Runner(limits, *arguments, **options)


@contextmanager
def isolated(
    runner: Runner | None, limits: Limits, side_by_side: int = 1, in_process: bool = False
) -> Iterator[Runner]:
    """Yield the given runner, whose owner handles interrupts, or a new one, which raises them when it has ended."""
    if runner is not None:
        yield runner
        return
    with open_runner(limits, side_by_side, in_process=in_process) as own:
        yield own
    if own.interrupted:
        raise KeyboardInterrupt


class InProcessRunner:
    """The part of `crosslit.runs.runner.Runner` that answers questions with the default backends."""

    interrupted = False  # an interrupt is raised at once

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        warnings.warn("limits of time and memory have no effect on this system", UnenforcedLimit, stacklevel=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def guard(self) -> nullcontext[None]:
        """Return a context that does nothing."""
        return nullcontext()

    def runs(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Run]]:
        """Yield the runs, one after another."""
        return ((job, self.run(job)) for job in jobs)

    def run(self, job: Job) -> Run:
        """Return one run."""
        if job.refusal is not None or job.choice is None or not isinstance(job.request, Solve):
            return job.blank("unsupported", job.refusal or "it needs an isolated run")
        limits, run, clock = job.limits or self.limits, job.blank("complete"), Clock()
        task = job.task(limits, clock=clock)
        began, used = time.perf_counter(), time.process_time()
        try:
            if QUESTIONS[job.request.question].answer == "number":
                run.counted = drive_count(job.choice.backend, job.puzzle, task)
            else:
                with closing(drive(job.choice.backend, job.puzzle, task)) as found:
                    for grid in found:
                        run.grids.append(grid)
                        if len(run.grids) == limits.solutions:
                            run.status = "limit"
                            break
        except Exception as error:
            run.status, run.error = failure(error)
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        run.timing = Timing(dict(clock.seconds), cpu, wall, wall - sum(clock.seconds.values()))
        run.stats, run.threads = dict(task.stats), max(1, task.threads)
        return run
