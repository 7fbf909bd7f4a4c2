"""The number of solutions of a generated puzzle."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from crosslit.base.errors import InternalError, NoBackend, WrongSolution
from crosslit.contract.run import ENDED, Limits
from crosslit.judging.verdict import DISCREDITS
from crosslit.kinds import MAX_CELLS, Puzzle, solutions_by_rules
from crosslit.questions.solve import ask_in_turns, solutions
from crosslit.registry.table import find_row

if TYPE_CHECKING:
    from crosslit.runs.runner import Runner  # small puzzles are counted on systems without isolated runs too

Only = Literal["solvable", "unique", "valid", "unsolvable"]
ONLY: tuple[Only, ...] = get_args(Only)
SECONDS = 5.0  # maximum of a count in another process

Tick = Callable[[], object]
"""A function that is called while puzzles are made, and may raise to stop."""


def count_up_to(puzzle: Puzzle, max_solutions: int, tick: Tick = lambda: None) -> int:
    """Count up to some solutions: by the method or backend of the puzzle's kind, or by all grids.

    Raises:
        NoBackend: if nothing can count them, or not in time.
        InternalError: if a backend gives a grid that breaks the rules.
    """
    if (count := puzzle.count_up_to(max_solutions)) is not None:
        return count
    row = find_row(puzzle, "list")
    if row is None and puzzle.layout.bits <= MAX_CELLS:
        return min(max_solutions, len(solutions_by_rules(puzzle)))
    if row is None or puzzle.rows * puzzle.columns > row.quick:
        return _count_isolated(puzzle, max_solutions, tick)
    try:
        return sum(1 for _ in islice(solutions(puzzle, row.answers[0]), max_solutions))
    except WrongSolution as error:
        raise InternalError(str(error)) from None


def _count_isolated(puzzle: Puzzle, max_solutions: int, tick: Tick) -> int:
    """Count in another process, because an engine neither keeps a time limit nor reacts to Ctrl-C by itself."""
    runner = _runner()
    runner.on_idle = tick
    found = ask_in_turns(puzzle, runner, max_solutions=max_solutions)
    run = found.runs[-1]
    if runner.interrupted:  # it records an interrupt instead of raising it
        runner.interrupted = False
        raise KeyboardInterrupt
    if run.status not in ENDED:
        raise NoBackend(f"{run.backend}: {run.error or run.status}")
    for finding in found.findings:
        if finding.problem in DISCREDITS:
            raise InternalError(f"{puzzle.text}: {finding}")
    return len(found.solutions)


@functools.cache
def _runner() -> Runner:
    """Return the runner of this process; it stays open, because its start takes longer than most counts."""
    from crosslit.runs.runner import Runner

    runner = Runner(Limits(timeout=SECONDS))
    atexit.register(runner.__exit__)
    return runner


def few_solutions(puzzle: Puzzle, max_solutions: int, tick: Tick = lambda: None) -> bool:
    """Return whether there are at most ``max_solutions`` solutions."""
    # The bound is arithmetic, while a count is a search, so it is tried first.
    if puzzle.most_solutions is not None and puzzle.most_solutions <= max_solutions:
        return True
    return count_up_to(puzzle, max_solutions + 1, tick) <= max_solutions


def admitted(
    puzzle: Puzzle, solvable: bool | None, only: Only | None, max_solutions: int, tick: Tick = lambda: None
) -> bool:
    """Return whether a puzzle, whose solvability may be known, is as requested and has few solutions.

    A puzzle whose solutions cannot be counted is not admitted.
    """
    with suppress(NoBackend):
        if only == "unique":
            return solvable is not False and count_up_to(puzzle, 2, tick) == 1
        if only == "solvable":
            few = solvable is not False and few_solutions(puzzle, max_solutions, tick)
            return few and (solvable or count_up_to(puzzle, 1, tick) == 1)
        if only == "unsolvable":
            return not solvable and (solvable is False or count_up_to(puzzle, 1, tick) == 0)
        is_valid_enough = only != "valid" or not any(puzzle.contradictions())
        return is_valid_enough and (solvable is False or few_solutions(puzzle, max_solutions, tick))
    return False
