"""How many solutions a puzzle has: counted, not enumerated, and cross-checked by another lineage where asked."""

from __future__ import annotations

from crosslit import registry
from crosslit.contract import Task
from crosslit.judging.counts import CountResult, judge_count
from crosslit.puzzles import Puzzle
from crosslit.registry.defaults import default, independent_of
from crosslit.runs.inline import drive_count
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Run
from crosslit.runs.runner import Runner

ENUMERABLE = 20_000
"""Up to so many solutions, enumerating them checks a count."""


def count(puzzle: Puzzle, backend: str | None = None) -> int:
    """How many solutions a puzzle has, by the claim of one backend.

    Lights Out boards have 2^nullity solutions or none; nonograms are counted by dynamic programming. It runs in this
    process, without a limit of time; the backend `frontier` gives up beyond the states that a gigabyte holds.

    Args:
        puzzle: what to count.
        backend: one spec; by default a native counter.

    Raises:
        SpecError: if the spec does not name one backend that counts and suits the puzzle.
        GaveUp: if the backend does not find out.

    Examples:
        >>> from crosslit import load
        >>> count(load("1111/1111/1111/1111")), count(load("1,1,1,1|1,1,1,1"))
        (16, 24)
    """
    choice = registry.select_one(backend or default(puzzle, "count"), puzzle, "count")
    return drive_count(choice.backend, puzzle, Task("count", None, choice.encoding, choice.options))


def count_isolated(puzzle: Puzzle, runner: Runner, backend: str | None = None, check: bool = False) -> CountResult:
    """Count in a process of its own, under limits, and let other lineages check the number.

    What checks is a backend that counts and shares nothing with the first (for tiny puzzles brute force); where there
    is none, or it does not end, and the solutions are at most `ENUMERABLE`, all of them are found and checked by the
    rules.

    Args:
        puzzle: what to count.
        runner: holds the limits.
        backend: one spec; by default a native counter.
        check: whether a second lineage is asked too.

    Raises:
        SpecError: if the spec does not name one backend that counts and suits the puzzle.
    """
    first = registry.select_one(backend or default(puzzle, "count"), puzzle, "count")
    request = Solve(question="count")
    runs = _run(Job(choice=first, puzzle=puzzle, request=request), runner)
    enumerated: list[Run] = []
    if check:
        for choice in independent_of(first, puzzle, "count"):
            if runner.interrupted or len([run for run in runs if run.status == "complete"]) > 1:
                break
            runs += _run(Job(choice=choice, puzzle=puzzle, request=request), runner)
        told = [run.counted for run in runs if run.counted is not None]
        if not runner.interrupted and (not told or max(told) <= ENUMERABLE) and (len(told) < 2 or len(set(told)) > 1):
            enumerator = next(independent_of(first, puzzle, "recount"), None)
            if enumerator is not None:
                enumerated = _run(Job(choice=enumerator, puzzle=puzzle), runner)
    return judge_count(puzzle, runs, runner.limits, enumerated)


def _run(job: Job, runner: Runner) -> list[Run]:
    return [run for _, run in runner.runs([job])]
