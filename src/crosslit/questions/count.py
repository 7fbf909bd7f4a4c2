"""How many solutions a puzzle has: counted, not enumerated, and cross-checked by another lineage where asked."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit import registry
from crosslit.contract import Task
from crosslit.errors import SpecError
from crosslit.judging.counts import Counted, judge_count
from crosslit.judging.findings import BRUTE
from crosslit.puzzles import Puzzle
from crosslit.registry import Choice
from crosslit.registry.defaults import default_backend
from crosslit.runs.inline import drive_count
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Run
from crosslit.runs.runner import Runner

FEW_CELLS = 12
"""Up to so many, brute force checks a count: in a tenth of a second."""

ENUMERABLE = 20_000
"""Up to so many solutions, enumerating them checks a count."""

ENUMERATORS = ("gauss", "first-row", "line", "glucose4")


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
    choice = registry.select_one(backend or default_backend(puzzle, "count"), puzzle, "count")
    return drive_count(choice.backend, puzzle, Task("count", None, choice.encoding, choice.options))


def count_isolated(puzzle: Puzzle, runner: Runner, backend: str | None = None, check: bool = False) -> Counted:
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
    first = registry.select_one(backend or default_backend(puzzle, "count"), puzzle, "count")
    request = Solve(question="count")
    runs = _run(Job(choice=first, puzzle=puzzle, request=request), runner)
    enumerated: list[Run] = []
    if check:
        for choice in _others(first, puzzle):
            if runner.interrupted or len([run for run in runs if run.status == "complete"]) > 1:
                break
            runs += _run(Job(choice=choice, puzzle=puzzle, request=request), runner)
        told = [run.counted for run in runs if run.counted is not None]
        if not runner.interrupted and (not told or max(told) <= ENUMERABLE) and (len(told) < 2 or len(set(told)) > 1):
            enumerator = _enumerator([*first.trusts], puzzle)
            if enumerator is not None:
                enumerated = _run(Job(choice=enumerator, puzzle=puzzle), runner)
    return judge_count(puzzle, runs, enumerated, runner.limits)


def _run(job: Job, runner: Runner) -> list[Run]:
    return [run for _, run in runner.runs([job])]


def _others(first: Choice, puzzle: Puzzle) -> list[Choice]:
    """The counters that share nothing with the first, brute force first where the puzzle is tiny, else not at all."""
    tiny = puzzle.rows * puzzle.columns <= FEW_CELLS
    chosen = [choice for choice in registry.select("*", puzzle, "count") if choice.refusal is None]
    apart = [choice for choice in chosen if choice.trusts.isdisjoint(first.trusts)]
    natives = [choice for choice in apart if (tiny if choice.backend.name == BRUTE else True)]
    return sorted(natives, key=lambda choice: (choice.backend.name != BRUTE, bool(choice.backend.accepts)))


def _enumerator(trusts: Sequence[str], puzzle: Puzzle) -> Choice | None:
    for spec in ENUMERATORS:
        try:
            choice = registry.select_one(spec, puzzle)
        except SpecError:
            continue
        if choice.trusts.isdisjoint(trusts):
            return choice
    return None
