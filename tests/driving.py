"""Run a backend inline through the contract, as the exhaustive tests do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice

from crosslit.contract import GaveUp, Task
from crosslit.driving import drive
from crosslit.grid import Grid
from crosslit.isolation import Job
from crosslit.puzzles import Puzzle
from crosslit.records import Run, RunStatus, Timing
from crosslit.registry import Choice, select_one

_CHOICES: dict[tuple[str, str], Choice] = {}


def solve_inline(spec: str, puzzle: Puzzle) -> list[Grid]:
    """All solutions that a spec gives; an exception where it does not claim that these are all."""
    key = (spec, puzzle.kind)
    if key not in _CHOICES:  # choosing takes longer than solving a 3 x 3 puzzle
        _CHOICES[key] = select_one(spec, puzzle)
    choice = _CHOICES[key]
    return list(drive(choice.backend, puzzle, Task(encoding=choice.encoding, options=choice.options)))


def execute_inline(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
    """The runs of a check in this process, which is faster, and shows where an exception comes from."""
    for job in jobs:
        choice = job.choice
        task = Task(job.question, limit if job.hint is None else job.hint, choice.encoding, choice.options)
        grids: list[Grid] = []
        status: RunStatus = "complete"
        try:
            with closing(drive(choice.backend, job.puzzle, task)) as solutions:
                grids.extend(islice(solutions, limit))
        except GaveUp:
            status = "gave-up"
        if len(grids) == limit:
            status = "limit"
        seconds = task.clock.seconds
        timing = Timing(seconds, cpu=sum(seconds.values()), wall=sum(seconds.values()))
        encoding = choice.encoding.name if choice.encoding else ""
        yield job, Run(choice.spec, encoding, status=status, grids=grids, timing=timing, bound=task.bound)
