"""Runs of conformance checks in this process, with the stricter rules for Crosslit's own backends."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import islice

from crosslit.base.grid import Grid
from crosslit.contract import PHASES, Encoding, GaveUp, QuestionName, Task
from crosslit.contract.run import Run, Timing
from crosslit.runs.drive import drive, drive_count
from crosslit.runs.job import Job, Solve
from tests.contract.configurations import CHASES


def execute(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
    """Make runs without a process for each."""
    for job in jobs:
        yield job, _run(job)


def _run(job: Job) -> Run:
    choice, request = job.choice, job.request
    assert choice is not None
    limit = job.limits.solutions if job.limits else None
    assert isinstance(request, Solve)
    task = Task(
        request.question,
        limit if request.hint is None else request.hint,
        choice.encoding,
        choice.options,
        candidates=request.candidates,
    )
    run = Run(choice.spec, choice.encoding.name if choice.encoding else "", status="complete")
    try:
        if request.question == "count":
            run.counted = drive_count(choice.backend, job.puzzle, task)
        else:
            _take(run, drive(choice.backend, job.puzzle, task), limit)
    except GaveUp:
        may = task.max_solutions_hint is not None or lacks(choice.encoding, request.question)
        assert may, job.puzzle.text
        run.status = "gave-up"
    run.bound = task.bound
    seconds = task.clock.seconds
    total = sum(seconds.values())
    run.timing = Timing(seconds, total, total)
    if run.status == "complete":
        assert set(seconds) == set(PHASES)
        assert seconds["solve"] > 0
        assert choice.encoding is None or min(seconds["encode"], seconds["load"]) > 0
        # a claim of the smallest answer must be proved
        assert request.question in ("solutions", "count") or not run.grids or run.bound == run.grids[-1].count()
    return run


def _take(run: Run, solutions: Generator[Grid, None, None], limit: int | None) -> None:
    run.grids.extend(islice(solutions, limit))  # one by one, because a backend that gives up may have given some
    if len(run.grids) == limit:
        run.status = "limit"
    solutions.close()


def lacks(encoding: Encoding | None, question: QuestionName) -> bool:
    """Whether an encoding lacks a variable for every press, which a question needs."""
    return encoding is not None and question not in ("solutions", "count") and bool(CHASES & encoding.trusted_base)
