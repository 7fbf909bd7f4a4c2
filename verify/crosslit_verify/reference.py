"""The reference of a puzzle: solutions on which two independent solvers and the rules agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from crosslit_backends.programs.protocol import MAX_SOLUTIONS

from crosslit import registry
from crosslit.base.errors import CrosslitError, GaveUp, InternalError
from crosslit.base.grid import Grid
from crosslit.contract import FEWEST, QuestionName, Task
from crosslit.contract.run import Limits
from crosslit.kinds import Puzzle, Row
from crosslit.kinds.batch import wrong_grids
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit.registry import defaults
from crosslit.registry.defaults import default, independent_of
from crosslit.runs.job import Job, drive

if TYPE_CHECKING:
    from crosslit.runs.runner import Runner

SECONDS = 5.0
"""Seconds of wall time for each solver on a puzzle that is too large to be solved in this process."""

# 5 x 5 nonograms take `alignment` 0.54 ms, and minisat22 with the order encoding 1.43 ms, most of it for 75 clauses
SMALL = 36
"""Maximum cells for which a native solver cross-checks too: SAT takes longer to encode these than to search."""

MAX_CROSS_CHECKED = 64  # maximum solutions for SAT, which excludes each by a clause; native solvers do not
MAX_KEPT, MAX_KEPT_SOLUTIONS = 512, 256  # number of kept references, and solutions of each
_START_SECONDS = 2.0  # for the start of the first process on a busy machine


class Unanswered(CrosslitError):
    """A reference that cannot be computed; the message says why."""


class ReferencesDiffer(InternalError):
    """A disagreement between Crosslit's own solvers: a bug of Crosslit, not of the solver under test."""


@dataclass(frozen=True)
class Reference:
    """Solutions of a puzzle, each checked by the rules, and whether these are all.

    ``by`` names the solvers that agree, or a proof such as ``rules``.
    """

    solutions: frozenset[Grid]
    complete: bool
    by: tuple[str, ...]

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
    need two complete searches by independent solvers that agree. On a puzzle that is too large to be solved in this
    process, each solver has `SECONDS` of wall time.
    """

    def __init__(self, max_solutions: int = MAX_SOLUTIONS) -> None:
        self._max_solutions = max_solutions
        self.until = inf  # when the time of the verification is over, by `time.monotonic`
        self._runner: Runner | None = None
        self._known: dict[tuple[Puzzle, int | None], Reference] = {}  # shrinking asks again

    def close(self) -> None:
        """End the processes started for large puzzles."""
        if self._runner is not None:
            self._runner.__exit__(None, None, None)
            self._runner = None

    def reference(self, puzzle: Puzzle, want: int | None = None) -> Reference:
        """Return the reference of a puzzle; ``want`` is 2 if more than two solutions are not needed, and None for all.

        Raise `Unanswered` if it has too many solutions or a solver does not finish, and `ReferencesDiffer` if two
        solvers of Crosslit disagree.
        """
        if (known := self._known.get((puzzle, want))) is None:
            known = self._found(puzzle, want)
            if len(self._known) == MAX_KEPT:
                self._known.clear()
            if len(known.solutions) <= MAX_KEPT_SOLUTIONS:
                self._known[puzzle, want] = known
        return known

    def _found(self, puzzle: Puzzle, want: int | None) -> Reference:
        # One more than allowed shows that there are too many, without finding the rest.
        limit = self._max_solutions + 1 if want is None else want
        row = defaults.row(puzzle, "verify")
        if row == defaults.ANY and puzzle.layout.bits <= MAX_CELLS:
            return Reference(solutions_by_rules(puzzle), True, ("rules",))
        first, few, many = team(row, puzzle)
        claim = self._ask(row, first, puzzle, limit)
        if not claim.complete:
            if want is None:
                raise Unanswered(f"more than {self._max_solutions} solutions")
            # Two grids that satisfy the rules are proof enough, so nobody has to agree.
            return Reference(claim.solutions, False, ("rules",))
        # For SAT, clues with different sums may be a pigeonhole problem; the native solvers compare the sums, each in
        # its own code.
        quick = puzzle.rows * puzzle.columns <= SMALL or puzzle.is_refuted
        native = len(claim.solutions) > MAX_CROSS_CHECKED or (many and quick)
        if (check := many if native else few) is None:
            raise Unanswered(f"{len(claim.solutions)} solutions, which no second backend can check")
        # One more than the first found is enough to show that the first lacks one.
        other = self._ask(row, check, puzzle, len(claim.solutions) + 1)
        require_agreement(puzzle, claim, other)
        return Reference(claim.solutions, True, claim.by + other.by)

    def fewest(self, puzzle: Puzzle) -> Reference:
        """Return all solutions, if the native search for the fewest presses agrees with them; see `reference`."""
        reference = self.reference(puzzle)
        choice = registry.select_one(default(puzzle, FEWEST.name), puzzle, FEWEST.name)
        presses = inline(choice, puzzle, None, FEWEST.name).presses
        if presses != reference.presses:
            raise ReferencesDiffer(
                f"fewest says {presses} presses for {puzzle.text}, {' and '.join(reference.by)} {reference.presses}"
            )
        return reference

    def _ask(self, row: Row, choice: registry.Choice, puzzle: Puzzle, limit: int) -> Reference:
        cells = row.quick if choice.encoding is None else row.quick_formula
        if puzzle.rows * puzzle.columns <= cells:
            return inline(choice, puzzle, limit)
        left = self.until - time.monotonic()
        if left < (_START_SECONDS if self._runner is None else 0):
            raise Unanswered("the time ran out")
        if self._runner is None:
            from crosslit.runs.runner import Runner

            self._runner = Runner(Limits(2, SECONDS))
        seconds = min(SECONDS, left / 2)  # the next reference gets some time too
        run = self._runner.run(Job(choice=choice, puzzle=puzzle, limits=Limits(limit, seconds)))
        # The runner records an interrupt instead of raising it.
        if self._runner.interrupted:  # perhaps when the run had ended
            raise KeyboardInterrupt
        if run.status not in ("complete", "limit"):
            raise Unanswered(f"{choice.spec} ended as {run.status} {run.error}".rstrip())
        return checked(choice.spec, puzzle, run.grids, run.status == "complete")


Team = tuple[registry.Choice, registry.Choice | None, registry.Choice | None]
_TEAMS: dict[tuple[str, Row], Team] = {}


def team(row: Row, puzzle: Puzzle) -> Team:
    """Return the solver of the reference, the one that checks few solutions, and the one that checks many.

    They are looked up once per kind and row of defaults, because the registry takes longer than a small puzzle.
    """
    key = puzzle.kind, row
    if key not in _TEAMS:
        first = registry.select_one(default(puzzle, "verify"), puzzle)
        checks = list(independent_of(first, puzzle, "verify"))
        few = next((choice for choice in checks if choice.encoding is not None), None)
        many = next((choice for choice in checks if choice.encoding is None), None)
        _TEAMS[key] = first, few or many, many
    return _TEAMS[key]


def inline(
    choice: registry.Choice, puzzle: Puzzle, limit: int | None, question: QuestionName = "solutions"
) -> Reference:
    """Ask a solver in this process."""
    task = Task(question, max_solutions_hint=limit, encoding=choice.encoding, options=choice.options)
    try:
        with closing(drive(choice.backend, puzzle, task)) as found:
            grids = list(islice(found, limit))
    except GaveUp as error:
        raise Unanswered(f"{choice.spec} gave up: {error}") from None
    return checked(choice.spec, puzzle, grids, limit is None or len(grids) < limit)


def checked(spec: str, puzzle: Puzzle, grids: Sequence[Grid], complete: bool) -> Reference:
    """Return the solutions of a solver of Crosslit, which follow the rules and are different."""
    if (rejected := first_wrong_grid(puzzle, grids)) is not None:
        grid, violation = rejected
        raise ReferencesDiffer(f"{spec} is wrong on {puzzle.text}: it gives {grid.text}, but {violation}")
    found = frozenset(grids)
    if len(found) < len(grids):
        raise ReferencesDiffer(f"{spec} is wrong on {puzzle.text}: it gives a solution twice")
    return Reference(found, complete, (spec,))


def require_agreement(puzzle: Puzzle, first: Reference, other: Reference) -> None:
    """Compare two complete searches: one that lacks a checked solution of the other is wrong."""
    if other.solutions == first.solutions and other.complete:
        return
    # Both directions: all these solutions passed the rules, so the solver that lacks one is wrong.
    for claim, rival in ((first, other), (other, first)):
        lacking = sorted(rival.solutions - claim.solutions, key=lambda grid: grid.text)
        if lacking:
            found = f"{lacking[0].text}, which {rival.by[0]} found"
            raise ReferencesDiffer(f"{claim.by[0]} is wrong on {puzzle.text}: it lacks {found}")
    raise Unanswered(f"{other.by[0]} did not finish")


def first_wrong_grid(puzzle: Puzzle, grids: Sequence[Grid]) -> tuple[Grid, str] | None:
    """Return the first of some grids of the puzzle's shape that breaks the rules, and the reason; None if none does."""
    found = next(wrong_grids(puzzle, grids), None)
    return None if found is None else (grids[found[0]], found[1])
