"""Solutions of a puzzle: in this process, or by runs in turns, in which the backends of all questions are asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from crosslit import registry
from crosslit.base.errors import GaveUp, WrongSolution
from crosslit.base.grid import Grid
from crosslit.contract import FEWEST, SOLUTIONS, QuestionName, Task, why_dependent
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.solutions import judge, judge_fewest
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle, first_wrong
from crosslit.questions.formula import attributed
from crosslit.registry import Choice
from crosslit.registry.defaults import Turn, answers, default
from crosslit.runs.drive import closing_at_exit, drive, drive_batches
from crosslit.runs.job import Job, Solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crosslit.runs.runner import Runner  # `solve` works on systems without isolated runs


_DECIMALS = 1  # of the seconds that are left
GROWTH = 4  # of turns in each round: starting again then costs a third; 2 cost .3 to .9 more


def take_turns(
    turns: Iterable[Turn],
    runner: Runner,
    ask: Callable[[Choice, Limits], Run],
    is_open: Callable[[], bool],
    suits: Callable[[Choice], bool] = lambda _: True,
    limits: Limits | None = None,
) -> None:
    """Ask the backends that suit in turns while a question is open, then in longer turns, until the time is up.

    A backend that was not stopped by the end of its turn is not asked again, and the last that is left gets all the
    time. ``limits`` are those of the question, by default those of a run; a turn is shorter, in processor time, so that
    a busy machine asks the same backends.
    """
    limits = limits or runner.limits
    began, spent, factor = time.monotonic(), 0.0, 1
    late: list[Turn] = []
    ended: set[str] = set()
    waiting = iter(turns)
    # Only then the next one: to find out whether it supports the puzzle may import its engine.
    while is_open() and not runner.interrupted:
        turn = next(waiting, None)
        if turn is None:
            again = [turn for turn in late if turn.choice.spec not in ended]
            if not again:
                return
            is_last = len({turn.choice.spec for turn in again}) == 1
            waiting, late, factor = iter([Turn(again[0].choice)] if is_last else again), [], factor * GROWTH
            continue
        choice, seconds = turn
        if (left := limits.timeout - spent) <= 0:
            return
        if choice.spec in ended or not suits(choice):
            continue
        share = seconds and min(seconds * factor, left)
        run = ask(choice, replace(limits, timeout=left, cpu_timeout=share))
        spent = round(time.monotonic() - began, _DECIMALS)
        if run.status == "timeout" and not run.is_cpu_timeout and left < limits.timeout:
            run.error = f"stopped after {left:.3g} s, all the time that was left"
        if run.status == "timeout" and share is not None and share < left:
            late.append(turn)
        else:
            ended.add(choice.spec)


def can_confirm(choice: Choice, runs: Iterable[Run], by: Collection[str]) -> bool:
    """Return whether a backend is independent of the runs on whose backends a claim rests."""
    claims = (run.trusted_base for run in runs if run.backend in by)
    return not any(why_dependent(choice.trusted_base, claim) for claim in claims)


def ask_in_turns(
    puzzle: Puzzle,
    runner: Runner,
    question: QuestionName = SOLUTIONS.name,
    backend: str | None = None,
    max_solutions: int | None = None,
) -> Comparison:
    """Run the default backends, or the named one, until one has answered or there is no time left, and judge all runs.

    The last run is the one that answered.
    """
    runs: list[Run] = []

    def ask(choice: Choice, limits: Limits) -> Run:
        job = Job(choice=choice, puzzle=puzzle, request=Solve(question=question), limits=limits)
        runs.append(runner.run(job))
        return runs[-1]

    def is_open() -> bool:
        return all(run.status in ("timeout", "gave-up", "memory") for run in runs)

    limits, turns = replace(runner.limits, solutions=max_solutions), answers(puzzle, question, backend)
    first = next(turns)
    take_turns(chain([first], turns), runner, ask, is_open, limits=limits)
    if not runs:  # after an interrupt, as the status of the run says
        ask(first.choice, limits)
    comparison = (judge_fewest if question == FEWEST.name else judge)(puzzle, runs, runner.limits)
    comparison.findings = attributed(puzzle, comparison.findings, runs)
    return comparison


def solutions(
    puzzle: PuzzleLike, backend: str | None = None, *, limit: int | None = None, timeout: float | None = None
) -> Iterator[Grid]:
    """Yield all solutions as they are found, each checked by the rules; an end before the limit claims no more.

    It runs in this process, without limits of time or memory, and a SAT solver reacts to Ctrl-C only when it has found
    a solution or proved that there is none. With a ``timeout`` it runs isolated, and its solutions come at its end.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native solver.
        limit: maximum number of solutions; by default all of them.
        timeout: limit of the run, in seconds of wall time.

    Raises:
        GaveUp: if the backend stops without the claim that there are no more, or at the timeout.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> sorted(grid.text for grid in solutions("1,1|1,1"))
        ['01/10', '10/01']
    """
    found = _drive(puzzle, backend, Limits(limit).solutions, timeout)
    return found if limit is None else islice(found, limit)  # a backend may give more than it was asked for


def solve(puzzle: PuzzleLike, backend: str | None = None, *, timeout: float | None = None) -> Grid | None:
    """Return one solution, checked by the rules; None if the backend claims that there is none.

    The arguments and errors are those of `solutions`.

    Examples:
        >>> print(solve("2,1|1,2"))
        ####
        . ##
        >>> solve("2|1") is None
        True
    """
    # Closed here: Python loses an interrupt that is raised while it collects a generator.
    with closing(_drive(puzzle, backend, 1, timeout)) as found:
        return next(found, None)


def fewest(puzzle: PuzzleLike, backend: str | None = None, *, timeout: float | None = None) -> Grid | None:
    """Return a solution of a board with the fewest presses, checked by the rules; None if there is none.

    That no solution has fewer presses is the backend's claim, which is not checked here; `compare` cross-checks it.
    The arguments and errors are those of `solutions`.

    Examples:
        >>> fewest("10000/11110/11111/11110/10000").count()
        6
    """
    # Better and better solutions arrive, and only the end of the search proves the last one.
    with closing(_drive(puzzle, backend, None, timeout, FEWEST.name)) as found:
        return min(found, key=Grid.count, default=None)


def batches(puzzle: PuzzleLike, backend: str | None = None) -> Iterator[NDArray[np.uint8]]:
    """Yield all solutions in arrays, each checked by the rules; the end claims that there are no more.

    The arguments and errors are those of `solutions`. The default backend of a board makes millions of solutions per
    second, in ascending order of their one-line form; a backend without batches gives arrays of one solution. An array
    has shape (solutions, bytes): the cells are packed as in `crosslit.Grid`, ``puzzle.layout.width`` bits for each.

    Examples:
        >>> sum(len(array) for array in batches("/".join(["0" * 19] * 19)))
        65536
        >>> [array.tolist() for array in batches("modular-lights-out:3/12/00")]
        [[[96]], [[133]], [[26]]]
    """
    import numpy as np

    puzzle = as_puzzle(puzzle)
    choice, task = _chosen(puzzle, backend, None, SOLUTIONS.name)
    size = puzzle.layout.size
    search: Generator[bytes, None, None] = (
        drive_batches(choice.backend, puzzle, task)
        if choice.backend.answers("batches")
        else (grid.packed for grid in drive(choice.backend, puzzle, task))
    )
    with closing_at_exit(search) as found:
        for packed in found:
            if (rejected := first_wrong(puzzle, packed)) is not None:
                index, violation = rejected
                (grid,) = puzzle.layout.grids(packed[index * size : (index + 1) * size])
                raise WrongSolution(f"{choice.spec} gave {grid.text}: {violation}")
            # A view without a copy; it is read-only, since `bytes` cannot change.
            yield np.frombuffer(packed, (np.uint8, (size,)))


def _chosen(puzzle: Puzzle, spec: str | None, want: int | None, question: QuestionName) -> tuple[Choice, Task]:
    choice = registry.select_one(spec or default(puzzle, question), puzzle, question)
    return choice, Task(question, want, choice.encoding, choice.options)


def _drive(
    given: PuzzleLike, spec: str | None, want: int | None, timeout: float | None, question: QuestionName = "solutions"
) -> Generator[Grid, None, None]:
    """Choose the backend, and return its solutions, checked by the rules."""
    puzzle = as_puzzle(given)
    choice, task = _chosen(puzzle, spec, want, question)

    def isolated_run(seconds: float) -> Generator[Grid, None, None]:
        from crosslit.runs.runner import isolated

        with isolated(None, Limits(want, seconds)) as runner:
            run = runner.run(Job(choice=choice, puzzle=puzzle, request=Solve(question=question)))
        yield from run.grids
        if run.status not in ("complete", "limit", "one found"):
            raise GaveUp(f"{choice.spec}: {run.ending(runner.limits)}")

    def checked(search: Generator[Grid, None, None]) -> Generator[Grid, None, None]:
        with closing_at_exit(search) as found:
            for grid in found:
                violation = next(puzzle.violations(grid), None)
                if violation is not None:
                    raise WrongSolution(f"{choice.spec} gave {grid.text}: {violation}")
                yield grid

    return checked(drive(choice.backend, puzzle, task) if timeout is None else isolated_run(timeout))
