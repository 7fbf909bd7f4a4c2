"""The number of solutions, counted without enumeration, and checked by an independent backend on request."""

from __future__ import annotations

from contextlib import AbstractContextManager
from itertools import islice

from crosslit import registry
from crosslit.errors import SpecError
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.counts import CountResult, judge_count
from crosslit.kinds import Puzzle
from crosslit.questions.ask import isolated
from crosslit.registry.defaults import default, independent_of
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits, Run
from crosslit.runs.runner import Runner

# Finding as many takes seconds: 40,320 took 2.8 to 7.7 s, depending on the backend (docs/experiments.md).
ENUMERABLE = 20_000
"""Maximum number of solutions for checking a count by finding all of them."""


def count(
    puzzle: PuzzleLike,
    backend: str | None = None,
    *,
    check: bool = False,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> CountResult:
    """Return the number of solutions of a puzzle, and the evidence for it.

    Lights Out boards have 2^nullity solutions or none; nonograms are counted by dynamic programming. A backend that
    does not count finds all solutions instead. Each backend runs in a separate process. With ``check`` an
    independent backend counts too (for tiny puzzles brute force). If there is none or it does not finish, and there are
    at most `ENUMERABLE` solutions, all of them are found and checked by the rules.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native counter.
        check: also ask an independent backend.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `CountResult`: ``number`` (None if no reliable run gives it), ``evidence``, ``by`` and ``findings``.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if the spec does not name exactly one backend that counts and supports the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        solutions: the solutions themselves.
        nullity: the exponent for a board's size.

    Examples:
        >>> from crosslit import load
        >>> found = count(load("1,1,1,1|1,1,1,1"), check=True)
        >>> found.number, found.evidence
        (24, 'agreed')
    """
    puzzle = as_puzzle(puzzle)
    try:
        first = registry.select_one(backend or default(puzzle, "count"), puzzle, "count")
    except SpecError:
        lister = registry.select_one(backend or default(puzzle, "list"), puzzle)
        return _listed(lister, puzzle, check, isolated(runner, Limits(None, timeout, memory_mb)))
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        request = Solve(question="count")
        runs = _run(Job(choice=first, puzzle=puzzle, request=request), runner)
        enumerated: list[Run] = []
        if check:
            for choice in independent_of(first, puzzle, "count"):
                # Two complete counts are enough: one of the first backend and one that shares nothing with it.
                if runner.interrupted or len([run for run in runs if run.status == "complete"]) > 1:
                    break
                runs += _run(Job(choice=choice, puzzle=puzzle, request=request), runner)
            counts = [run.counted for run in runs if run.counted is not None]
            # Also if two counts differ: then the list of all solutions shows which one is wrong.
            settled = len(counts) > 1 and len(set(counts)) == 1
            if not (runner.interrupted or settled) and max(counts, default=0) <= ENUMERABLE:
                enumerator = next(independent_of(first, puzzle, "recount"), None)
                if enumerator is not None:
                    enumerated = _run(Job(choice=enumerator, puzzle=puzzle), runner)
        return judge_count(puzzle, runs, runner.limits, enumerated)


def _listed(first: registry.Choice, puzzle: Puzzle, check: bool, opened: AbstractContextManager[Runner]) -> CountResult:
    """Count by finding all solutions, with a backend that does not count."""
    with opened as runner:
        runs = _run(Job(choice=first, puzzle=puzzle), runner)
        if check and not runner.interrupted:
            for choice in islice(independent_of(first, puzzle, "recount"), 1):
                runs += _run(Job(choice=choice, puzzle=puzzle), runner)
        return judge_count(puzzle, [], runner.limits, runs)


def _run(job: Job, runner: Runner) -> list[Run]:
    return [run for _, run in runner.runs([job])]
