"""The reference of a puzzle: solutions on which two independent solvers and the rules agree."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import inf

from crosslit_backends.programs.protocol import MAX_SOLUTIONS

from crosslit import registry
from crosslit.base.errors import CrosslitError, GaveUp, InternalError
from crosslit.base.grid import Grid
from crosslit.contract import Task
from crosslit.contract.run import Limits, Run
from crosslit.judging.solutions import Solutions, sift
from crosslit.judging.verdict import DISCREDITS, grade
from crosslit.kinds import MAX_CELLS, Puzzle, solutions_by_rules
from crosslit.questions.solve import can_confirm, take_turns
from crosslit.registry import defaults
from crosslit.registry.defaults import Turn
from crosslit.registry.table import Row
from crosslit.runs.drive import drive
from crosslit.runs.job import Job
from crosslit.runs.runner import Runner

SECONDS = 5.0  # of wall time for each solver on a puzzle that is too large to be solved in this process
_ALL_SECONDS = 2 * SECONDS  # for all solvers
MAX_KEPT = 64  # references, each of up to 10,000 solutions


class Unanswered(CrosslitError):
    """A reference that cannot be computed; the message says why."""


class ReferencesDiffer(InternalError):
    """A disagreement between Crosslit's own solvers: a bug of Crosslit, not of the solver under test."""


@dataclass(frozen=True)
class Reference:
    """Solutions of a puzzle, each checked by the rules."""

    solutions: frozenset[Grid]
    complete: bool  # whether these are all
    by: tuple[str, ...]  # the solvers that agree, or a proof such as ``rules``

    @property
    def solvable(self) -> bool:
        """True if there is a solution."""
        return bool(self.solutions)

    @property
    def unique(self) -> bool:
        """True if there is exactly one solution."""
        return self.complete and len(self.solutions) == 1

    @property
    def presses(self) -> int | None:
        """The fewest presses; None unless all solutions are known and there is one."""
        return min((grid.count() for grid in self.solutions), default=None) if self.complete else None


class Oracle:
    """The source of references.

    Two solutions that satisfy the rules prove that a puzzle has several. The other claims, "none", "one" and "all",
    need two complete searches by independent solvers that agree; `crosslit.registry.table` has their order.
    """

    def __init__(self) -> None:
        self.until = inf  # when the time of the verification is over, by `time.monotonic`
        self._runner = Runner(Limits(timeout=SECONDS))  # which starts a process for the first large puzzle
        self._find = lru_cache(MAX_KEPT)(self._found)  # shrinking asks again
        self._turns: dict[tuple[str, Row], list[Turn]] = {}

    def close(self) -> None:
        """End the processes started for large puzzles."""
        self._runner.__exit__()

    def reference(self, puzzle: Puzzle, want: int | None = None) -> Reference:
        """Return the reference of a puzzle; ``want`` is 2 if more than two solutions are not needed, and None for all.

        Raise `Unanswered` if it has too many solutions or a solver does not finish, and `ReferencesDiffer` if two
        solvers of Crosslit disagree.
        """
        return self._find(puzzle, want)

    def _found(self, puzzle: Puzzle, want: int | None) -> Reference:
        row = defaults.row(puzzle, "verify")
        if row == defaults.ANY and puzzle.layout.bits <= MAX_CELLS:
            return Reference(solutions_by_rules(puzzle), True, ("rules",))
        runs, found = list[Run](), Reference(frozenset(), False, ())

        def ask(choice: registry.Choice, limits: Limits) -> Run:
            nonlocal found
            runs.append(self._run(choice, puzzle, row, limits))
            found = agreed(puzzle, runs)
            return runs[-1]

        def is_open() -> bool:
            return not found.complete and not (runs and runs[0].status == "limit")

        def suits(choice: registry.Choice) -> bool:
            return can_confirm(choice, runs, [run.backend for run in runs])

        if (key := (puzzle.kind, row)) not in self._turns:  # looked up once: that takes longer than a small puzzle
            self._turns[key] = [*defaults.turns([*row.answers, *row.checks], puzzle, "verify")]
        limits = Limits(MAX_SOLUTIONS + 1 if want is None else want, _ALL_SECONDS)
        take_turns(self._turns[key], self._runner, ask, is_open, suits, limits)
        # The runner records an interrupt instead of raising it.
        if self._runner.interrupted:
            raise KeyboardInterrupt
        if is_open():
            last = runs[-1] if runs else Run("no backend")
            raise Unanswered(f"not decided by {last.backend}: {last.error or last.status}")
        if want is None and not found.complete:
            raise Unanswered(f"more than {MAX_SOLUTIONS} solutions")
        return found

    def _run(self, choice: registry.Choice, puzzle: Puzzle, row: Row, limits: Limits) -> Run:
        """Ask a solver, in this process if the puzzle is small."""
        if puzzle.rows * puzzle.columns <= (row.quick if choice.encoding is None else row.quick_formula):
            return inline(choice, Task("solutions", limits.solutions, choice.encoding, choice.options), puzzle)
        # The next reference gets some time too.
        seconds = min(SECONDS, limits.timeout, (self.until - time.monotonic()) / 2)
        if seconds <= 0:
            return Run(choice.spec, status="timeout", error="the time ran out")
        return self._runner.run(Job(choice=choice, puzzle=puzzle, limits=replace(limits, timeout=seconds)))


def inline(choice: registry.Choice, task: Task, puzzle: Puzzle) -> Run:
    """Ask a solver in this process."""
    run, limit = Run(choice.spec, trusted_base=choice.trusted_base), task.max_solutions_hint
    try:
        with closing(drive(choice.backend, puzzle, task)) as search:
            run.grids = [*islice(search, limit)]
        run.status = "complete" if limit is None or len(run.grids) < limit else "limit"
    except GaveUp as error:
        run.status, run.error = "gave-up", str(error)
    return run


def agreed(puzzle: Puzzle, runs: list[Run]) -> Reference:
    """Return the solutions of some runs, complete if two independent ones agree; see `Oracle.reference`."""
    checked = Solutions.of(puzzle, runs)
    findings, believed = sift(runs, checked)
    for found in findings:
        if found.problem in DISCREDITS - {"error"}:
            raise ReferencesDiffer(f"{found.backend} is wrong on {puzzle.text}: {found.detail}")
    evidence, by = grade(believed) if believed else (None, ())
    is_agreed = evidence not in (None, "claimed")
    # Two grids that satisfy the rules are proof enough that there are several, so nobody has to agree.
    return Reference(frozenset(checked.all()), is_agreed, by if is_agreed else ("rules",))
