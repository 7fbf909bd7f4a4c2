"""Runs of backends without processes: inline through the contract, or given by a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Self

from crosslit import Limits
from crosslit.base.grid import Grid
from crosslit.contract import Task
from crosslit.contract.run import Run, RunStatus
from crosslit.kinds import Puzzle
from crosslit.registry import Choice, select_one
from crosslit.registry.defaults import Checks, Turn, turns
from crosslit.runs.drive import drive
from crosslit.runs.job import Job
from crosslit.runs.runner import Sink

_CHOICES: dict[tuple[str, str], Choice] = {}


def solve_inline(spec: str, puzzle: Puzzle) -> list[Grid]:
    """All solutions that a spec gives; an exception where it does not claim that these are all."""
    key = (spec, puzzle.kind)
    if key not in _CHOICES:  # choosing takes longer than solving a 3 x 3 puzzle
        _CHOICES[key] = select_one(spec, puzzle)
    choice = _CHOICES[key]
    return list(drive(choice.backend, puzzle, Task(encoding=choice.encoding, options=choice.options)))


Script = tuple[RunStatus, Sequence[Grid] | int]
"""The end of a run, and its solutions or its count."""


class Given:
    """A runner, and a context of one, whose runs a function makes."""

    guard = nullcontext

    def __init__(self, make: Callable[[Job], Run], *, interrupted: bool = False) -> None:
        self.make, self.limits, self.interrupted = make, Limits(), interrupted
        self.asked: list[Job] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, job: Job, sink: Sink | None = None) -> Run:
        self.asked.append(job)
        run = self.make(job)
        if sink is not None:
            all(sink(grid.packed) for grid in run.grids)
            run.grids = []
        return run

    def runs(self, planned: Iterable[Job]) -> Iterator[tuple[Job, Run]]:
        return ((job, self.run(job)) for job in planned)


class Scripted(Given):
    """A runner whose runs are given one after another."""

    def __init__(self, *runs: Script, limit: int | None = None) -> None:
        super().__init__(self.next_run)
        self.limits, self.left = Limits(limit), iter(runs)

    def next_run(self, job: Job) -> Run:
        status, answer = next(self.left)
        assert job.choice is not None
        assert isinstance(answer, int) == (job.question == "count")
        run = Run(job.spec, status=status, trusted_base=job.choice.trusted_base)
        if isinstance(answer, int):
            run.counted = answer if status == "complete" else None
        else:
            run.grids = [*answer]
        return run


def ended(status: Any, *grids: Grid, **more: Any) -> Callable[[Job], Run]:
    """Return a function that makes runs which end so."""

    def make(job: Job) -> Run:
        assert job.choice is not None
        base = job.choice.trusted_base
        return Run(job.spec, status=status, grids=[*grids], repetition=job.repetition, trusted_base=base, **more)

    return make


def checked_by(spec: str, puzzle: Puzzle) -> Checks:
    """Return a check by one backend, which counts or lists."""
    choice = next(iter(turns([spec], puzzle, "count"))).choice
    return lambda _: iter([Turn(choice)])
