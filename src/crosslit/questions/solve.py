"""Solutions of a puzzle, in this process or by one run."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from crosslit import registry
from crosslit.base.errors import GaveUp, WrongSolution
from crosslit.base.grid import Grid
from crosslit.contract import FEWEST, QuestionName, Task
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle
from crosslit.questions.turns import take_turns
from crosslit.registry.defaults import answers, default, faster_spec
from crosslit.runs.job import Job, Solve, closing_at_exit, drive

if TYPE_CHECKING:
    from crosslit.runs.runner import Runner  # `solve` works on systems without isolated runs


def ask_in_turns(
    puzzle: Puzzle,
    runner: Runner,
    question: QuestionName = "solutions",
    backend: str | None = None,
    max_solutions: int | None = None,
) -> list[Run]:
    """Return the runs of the default backends, or of the named one, until one has answered or there is no time left."""
    runs: list[Run] = []

    def ask(choice: registry.Choice, limits: Limits) -> Run:
        job = Job(choice=choice, puzzle=puzzle, request=Solve(question=question), limits=limits)
        runs.append(run := runner.run(job))
        if run.status == "timeout" and (faster := faster_spec(choice, puzzle, question)):
            run.error = f"{faster} decides it in seconds"
        return run

    limits = replace(runner.limits, solutions=max_solutions)
    turns = answers(puzzle, question, backend)

    def is_open() -> bool:
        enough = bool(runs) and max_solutions is not None and len(runs[-1].grids) >= max_solutions
        return not enough and all(run.status in ("timeout", "gave-up", "memory") for run in runs)

    first = next(turns)
    take_turns(chain([first], turns), runner, ask, is_open, limits=limits)
    return runs or [ask(first.choice, limits)]  # after an interrupt, as its status says


def some_solutions(runner: Runner, puzzle: Puzzle, count: int) -> tuple[list[Grid], Run]:
    """Return up to ``count`` solutions of a default backend that the rules accept, and its run."""
    run = ask_in_turns(puzzle, runner, max_solutions=count)[-1]
    # Checked here too, because no judge sees this run.
    return [grid for grid in run.grids if not any(puzzle.violations(grid))], run


def solutions(
    puzzle: PuzzleLike, backend: str | None = None, *, limit: int | None = None, timeout: float | None = None
) -> Iterator[Grid]:
    """Yield all solutions as they are found, each checked by the rules.

    An end before the limit claims that there are no more. It runs in this process, without limits of time or memory,
    and a SAT solver reacts to Ctrl-C only when it has found a solution or proved that there is none. With a ``timeout``
    it runs isolated, and its solutions come together at its end.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native solver.
        limit: maximum number of solutions; by default all of them.
        timeout: limit of the run, in seconds of wall time.

    Returns:
        An iterator over the solutions, as grids of the puzzle's shape.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        GaveUp: if the backend stops without the claim that there are no more, or at the timeout.
        ValueError: if the limit is not positive.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> from crosslit.formats import load
        >>> sorted(grid.text for grid in solutions(load("1,1|1,1")))
        ['01/10', '10/01']
    """
    found = _drive(puzzle, backend, Limits(limit).solutions, timeout)
    return found if limit is None else islice(found, limit)  # a backend may give more than it was asked for


def solve(puzzle: PuzzleLike, backend: str | None = None, *, timeout: float | None = None) -> Grid | None:
    """Return one solution, checked by the rules; None if the backend claims that there is none.

    It runs in this process, without limits unless there is a ``timeout``, as `solutions` does.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native solver.
        timeout: limit of the run, in seconds of wall time.

    Returns:
        A grid of the puzzle's shape, or None.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        GaveUp: if the backend stops without an answer, or at the timeout.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> solve("11/11").text
        '11/11'
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
    """Return a solution with the fewest presses, checked by the rules; None if the backend claims that there is none.

    That no solution has fewer presses is the backend's claim, which is not checked here; `compare` cross-checks it.

    Args:
        puzzle: a Lights Out board, or its one-line form.
        backend: one spec; by default a native solver.
        timeout: limit of the run, in seconds of wall time.

    Returns:
        A grid of the board's shape, or None.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        GaveUp: if the backend stops without proving that its best solution has the fewest presses.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> from crosslit.formats import load
        >>> fewest(load("10000/11110/11111/11110/10000")).count()
        6
    """
    best = None
    # Better and better solutions arrive, and only the end of the search proves the last one.
    with closing(_drive(puzzle, backend, None, timeout, FEWEST.name)) as found:
        for grid in found:
            best = grid if best is None or grid.count() < best.count() else best
    return best


def _drive(
    given: PuzzleLike, spec: str | None, want: int | None, timeout: float | None, question: QuestionName = "solutions"
) -> Generator[Grid, None, None]:
    puzzle = as_puzzle(given)
    choice = registry.select_one(spec or default(puzzle, question), puzzle, question)
    task = Task(question, want, choice.encoding, choice.options)
    found = (
        drive(choice.backend, puzzle, task)
        if timeout is None
        else _isolated(choice, puzzle, task, Limits(want, timeout))
    )
    return _checked(choice, puzzle, found)


def _isolated(choice: registry.Choice, puzzle: Puzzle, task: Task, limits: Limits) -> Generator[Grid, None, None]:
    from crosslit.runs.runner import isolated

    with isolated(None, limits) as runner:
        run = runner.run(Job(choice=choice, puzzle=puzzle, request=Solve(question=task.question)))
    yield from run.grids
    if run.status not in ("complete", "limit", "one found"):
        raise GaveUp(f"{choice.spec}: {run.error or run.status} after {run.timing.wall:.1f} s")


def _checked(
    choice: registry.Choice, puzzle: Puzzle, search: Generator[Grid, None, None]
) -> Generator[Grid, None, None]:
    with closing_at_exit(search) as found:
        for grid in found:
            violation = next(puzzle.violations(grid), None)
            if violation is not None:
                raise WrongSolution(f"{choice.spec} gave {grid.text}: {violation}")
            yield grid
