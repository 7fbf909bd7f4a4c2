"""The number of solutions, counted without enumeration, and checked by an independent backend on request."""

from __future__ import annotations

from dataclasses import replace

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.contract.registered import version
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.answers import CountResult, judge_count
from crosslit.kinds import Puzzle
from crosslit.questions.enumerate.listing import Lister
from crosslit.registry.defaults import Checkers, checkers, default
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated

LISTED_PER_SECOND = 1_000_000
"""Solutions of a second that no backend finds, checks and keeps: a count that would take more is not listed."""


MAX_LISTED = 10**9
"""Solutions of a list that is still advised: it takes a quarter of an hour at `LISTED_PER_SECOND`, and more checked."""

LEAST_SECONDS = 2.0  # of a list, if no backend counts the solutions in time: so many there are at least


def count(
    puzzle: PuzzleLike,
    backend: str | None = None,
    *,
    check: bool = False,
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> CountResult:
    """Return the number of solutions of a puzzle, and the evidence for it.

    Lights Out boards have 2^nullity solutions or none; nonograms are counted by dynamic programming. A backend that
    does not count finds all solutions instead. Each backend runs in a separate process. With ``check`` an
    independent backend counts too (for tiny puzzles brute force). If there is none or it does not finish, one finds all
    solutions, which are checked by the rules. If nothing confirms the number, ``unchecked`` says what could.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native counter.
        check: also ask an independent backend.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `CountResult`: ``number`` (None if no reliable run gives it), ``evidence``, ``by``, ``findings``, and
            ``unchecked``: why ``check`` confirmed nothing, if so.

    Raises:
        SpecError: if the spec does not name exactly one backend that counts and supports the puzzle.

    Examples:
        >>> from crosslit import load
        >>> found = count(load("1,1,1,1|1,1,1,1"), check=True)
        >>> found.number, found.evidence
        (24, 'agreed')
    """
    puzzle = as_puzzle(puzzle)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        try:
            first = registry.select_one(backend or default(puzzle, "count"), puzzle, "count")
        except SpecError:
            first = registry.select_one(backend or default(puzzle, "list"), puzzle)
            checks = checkers(first, puzzle) if check else None
            result = _list(Lister(puzzle, first, runner, lambda _: None, checks))
        else:
            counts = [_count(first, puzzle, runner)]
            checks = checkers(first, puzzle) if check else None
            result = _checked(puzzle, counts, checks, runner) if checks else judge_count(puzzle, counts, runner.limits)
            if result.number is None and not (result.findings or check or backend or runner.interrupted):
                brief = replace(runner.limits, timeout=min(runner.limits.timeout, LEAST_SECONDS))
                lister = registry.select_one(default(puzzle, "list"), puzzle)
                result = _list(Lister(puzzle, lister, runner, lambda _: None, counts=counts, limits=brief))
    return replace(result, unchecked=_advice(result)) if check and result.evidence == "claimed" else result


def _count(choice: registry.Choice, puzzle: Puzzle, runner: Runner) -> Run:
    return runner.run(Job(choice=choice, puzzle=puzzle, request=Solve(question="count")))


def _list(lister: Lister) -> CountResult:
    lister.run()
    return lister.verdict


def _checked(puzzle: Puzzle, counts: list[Run], checks: Checkers, runner: Runner) -> CountResult:
    """Let independent backends count too, and if that does not settle the number, find all solutions."""
    for choice in checks("count"):
        # One that shares nothing with the first backend is enough, once it has finished.
        if runner.interrupted or len([run for run in counts if run.status == "complete"]) > 1:
            break
        counts.append(_count(choice, puzzle, runner))
    numbers = [run.counted for run in counts if run.counted is not None]
    # If two counts differ, the list of all solutions shows which one is wrong.
    settled = len(numbers) > 1 and len(set(numbers)) == 1
    most = LISTED_PER_SECOND * runner.limits.timeout
    lister = None if settled or max(numbers, default=0) > most else next(checks("list"), None)
    if lister is None or runner.interrupted:
        return judge_count(puzzle, counts, runner.limits)
    return _list(Lister(puzzle, lister, runner, lambda _: None, counts=counts))


def _advice(result: CountResult) -> str:
    """Return what could still check a number that nothing has checked."""
    kind, seconds = result.puzzle.kind, result.limits.timeout
    absent = [
        f"{name}: {problem}"
        for name, backend in registry.all_backends().items()
        if backend.answers("count") and kind in registry.kinds(backend) and (problem := version(backend).problem)
    ]
    tried = f"no independent backend counted or listed the solutions within {seconds:g} s"
    is_listable = result.number is not None and result.number <= MAX_LISTED
    listing = ["`crosslit enumerate PUZZLE --check` has no limit of time"] if is_listable else []
    return "; ".join([tried, *listing, *absent])
