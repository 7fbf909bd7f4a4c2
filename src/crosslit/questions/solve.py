"""Solutions of a puzzle, in this process or by one run."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from crosslit import registry
from crosslit.contract import FEWEST, QuestionName, Task
from crosslit.errors import WrongSolution
from crosslit.formats import as_puzzle
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.registry.defaults import default
from crosslit.runs.inline import closing_at_exit, drive
from crosslit.runs.job import Job
from crosslit.runs.run import Run

if TYPE_CHECKING:
    from crosslit.runs.runner import Runner  # isolated runs do not work everywhere; `solve` does


def some_solutions(runner: Runner, puzzle: Puzzle, count: int) -> tuple[list[Grid], Run]:
    """Up to so many solutions that the usual backend finds and the rules accept, and its run."""
    choice = registry.select_one(default(puzzle), puzzle)
    run = runner.run(Job(choice=choice, puzzle=puzzle, limits=replace(runner.limits, solutions=count)))
    return [grid for grid in run.grids if not any(puzzle.violations(grid))], run


def solutions(puzzle: Puzzle | str, backend: str | None = None) -> Iterator[Grid]:
    """All solutions, as they are found, each checked by the rules; exhaustion claims that there are no more.

    It runs in this process, without limits of time or memory, and a SAT solver hears Ctrl-C only when it has found a
    solution or proved that there is none: `compare` has limits.

    Args:
        puzzle: what to solve, or its one-line form.
        backend: one spec; by default a native solver.

    Raises:
        InputError: if the one-line form is none.
        SpecError: if the spec does not name one backend that suits the puzzle.
        GaveUp: if the backend stops without the claim that there are no more.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> from crosslit.formats import load
        >>> sorted(grid.text() for grid in solutions(load("1,1|1,1")))
        ['01/10', '10/01']
    """
    return _drive(puzzle, backend, None)


def solve(puzzle: Puzzle | str, backend: str | None = None) -> Grid | None:
    """One solution, checked by the rules; None if the backend claims that there is none.

    Args and errors are those of `solutions`.

    Examples:
        >>> solve("11/11").text()
        '11/11'
        >>> print(solve("2,1|1,2"))
        ####
        . ##
        >>> solve("2|1") is None
        True
    """
    # Closed here, not when it is collected: Python drops an interrupt that is raised while it collects a generator.
    with closing(_drive(puzzle, backend, 1)) as found:
        return next(found, None)


def fewest(puzzle: LightsOut | str, backend: str | None = None) -> Grid | None:
    """A solution with the fewest presses, checked by the rules; None if the backend claims that there is none.

    That it has the fewest is the claim of one backend: `compare` cross-checks it.

    Args and errors are those of `solutions`.

    Examples:
        >>> from crosslit.formats import load
        >>> fewest(load("10000/11110/11111/11110/10000")).count()
        6
    """
    best = None
    with closing(_drive(puzzle, backend, None, FEWEST.name)) as found:
        for grid in found:
            best = grid if best is None or grid.count() < best.count() else best
    return best


def _drive(
    given: Puzzle | str, spec: str | None, want: int | None, question: QuestionName = "solutions"
) -> Generator[Grid, None, None]:
    puzzle = as_puzzle(given)
    choice = registry.select_one(spec or default(puzzle, question), puzzle, question)
    return _checked(choice, puzzle, Task(question, want, choice.encoding, choice.options))


def _checked(choice: registry.Choice, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
    with closing_at_exit(drive(choice.backend, puzzle, task)) as found:
        for grid in found:
            violation = next(puzzle.violations(grid), None)
            if violation is not None:
                raise WrongSolution(f"{choice.spec} gave {grid.text()}: {violation}")
            yield grid
