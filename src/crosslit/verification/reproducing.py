"""Seeing a failure again, and the smallest puzzle on which it is seen, of solvers that do not always fail too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from crosslit.generation.exhaustive import is_valid
from crosslit.grid import Grid
from crosslit.programs.answers import Answer, Reply, SolverFailure
from crosslit.puzzles import Puzzle
from crosslit.verification.judging import (
    Problem,
    broken,
    contradiction,
    judge,
    related,
    related_contradiction,
)
from crosslit.verification.patience import OutOfTime
from crosslit.verification.reference import Reference, Unanswered
from crosslit.verification.settings import Settings
from crosslit.verification.shrinking import shrink
from crosslit.verification.subject import Subject

TRIES = 8
"""Questions to a solver that does not always fail."""

_MIN_SECONDS = 0.25  # seconds: of a solver that hangs, while a smaller puzzle is sought
SLOWER = 10  # or so many times its slowest answer

Keep = Callable[[Puzzle, "Seen", bool, int], None]


@dataclass(frozen=True)
class Seen:
    """A failure, as it was seen.

    Args:
        reply: what the solver said.
        problem: what is wrong with that.
    """

    reply: Reply
    problem: Problem


class Reproducer:
    """Looks for failures of one group.

    Args:
        settings: of the verification: what is claimed, and what puzzles must be.
        subject: the solver under test.
        reference: of a puzzle.
        group: of the failures.
        slowest: seconds of the slowest answer so far.
        seconds: to look in.
        aside: called with failures of other groups that are met on the way.
    """

    def __init__(
        self,
        settings: Settings,
        subject: Subject,
        reference: Callable[[Puzzle], Reference],
        group: str,
        slowest: float,
        *,
        seconds: float,
        aside: Callable[[Puzzle, Seen], None] = lambda *_: None,
    ) -> None:
        self._settings = settings
        self._subject = subject
        self._reference = reference
        self._group = group
        self.tries = TRIES
        self._until = time.monotonic() + seconds
        self._aside = aside
        self._hurry = max(_MIN_SECONDS, SLOWER * slowest) if group == "hang" else None
        self._last: Seen | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time to look is over."""
        return time.monotonic() >= self._until

    def smallest(self, puzzle: Puzzle, keep: Keep, known: Seen | None = None) -> None:
        """Shrink a puzzle.

        Args:
            puzzle: on which the failure was seen.
            keep: called with every smaller puzzle on which it is seen, and at the end with whether no reduction is.
            known: the failure, where it has been seen twice on the puzzle.
        """
        patience = getattr(self._subject, "timeout", None)
        if known is not None:
            self.tries, self._last = 1, known
        elif self._seen_often(puzzle) is None:
            return
        if patience is not None and self._hurry is not None:
            self._subject.timeout = min(patience, self._hurry)  # type: ignore[attr-defined]
        tried = 0

        def fails(smaller: Puzzle) -> bool:
            nonlocal tried
            tried += 1
            seen = self.seen(smaller)
            if seen is None:
                return False
            self._last = seen
            keep(smaller, seen, False, tried)
            return True

        seconds = self._until - time.monotonic()
        try:
            shrunk = shrink(puzzle, fails, picture=self._picture, square=self._settings.square, seconds=seconds)
        finally:
            if patience is not None:
                self._subject.timeout = patience  # type: ignore[attr-defined]
        if self._hurry is not None and shrunk.puzzle != puzzle:
            self._last = self._with_all_its_time(shrunk.puzzle, known)
        if self._last is not None:
            keep(shrunk.puzzle, self._last, shrunk.minimal, shrunk.asks)

    def _with_all_its_time(self, puzzle: Puzzle, known: Seen | None) -> Seen | None:
        """Ask the smallest puzzle with the whole limit, if there is time for it."""
        try:
            return self.seen(puzzle)
        except OutOfTime:
            brief = self._last
            if brief is None or known is None:
                return brief
            detail = f"{brief.problem.detail}; {known.problem.detail} on the puzzle it was found on"
            return Seen(brief.reply, Problem("hang", detail))

    def seen(self, puzzle: Puzzle) -> Seen | None:
        """The failure, if it is seen on a puzzle that is as the settings ask for."""
        try:
            if not self._suits(puzzle):
                return None
            first = self._ask(puzzle)
            for number in range(TRIES if self._group == "contradicts-itself" else self.tries):
                if number and self.is_over:
                    break
                reply = first if number == 0 else self._ask(puzzle)
                problem = self._problem(puzzle, first, reply)
                if problem is not None and problem.group == self._group:
                    return Seen(reply, problem)
                if problem is not None:
                    self._aside(puzzle, Seen(reply, problem))
        except Unanswered:
            pass
        return None

    def related(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """What a reply says against that to any related puzzle."""
        settings = self._settings
        for relation in related(settings.claims, puzzle, settings.allows):
            there = self._ask(relation.puzzle)
            if isinstance(there, SolverFailure):
                self._aside(relation.puzzle, Seen(there, Problem(there.problem, there.detail)))
            elif (problem := related_contradiction(settings.claims, reply, relation, there)) is not None:
                wrong = self._judged(relation.puzzle, there)
                if wrong is None:
                    return problem
                self._aside(relation.puzzle, Seen(there, wrong))  # that is the puzzle to show
        return None

    def _judged(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Judge a reply, if the reference is within reach."""
        try:
            return judge(puzzle, self._settings.claims, reply, lambda: self._reference(puzzle))
        except Unanswered:
            return None

    def _seen_often(self, puzzle: Puzzle) -> Seen | None:
        """The failure on the puzzle where it was met; what fails twice at once is asked once from now on."""
        self.tries = 1
        often = [self.seen(puzzle) for _ in range(2)]
        if None in often:
            self.tries = TRIES
            often.append(self.seen(puzzle))
        self._last = next((seen for seen in often if seen is not None), None)
        return self._last

    def _suits(self, puzzle: Puzzle) -> bool:
        if self._settings.has_sizes and not self._settings.allows(puzzle.rows, puzzle.columns):
            return False
        if not self._settings.rules.allow(puzzle):
            return False
        only = self._settings.only
        if only is None:
            return True
        if only == "valid":
            return is_valid(puzzle)
        reference = self._reference(puzzle)
        return {"solvable": reference.solvable, "unique": reference.unique, "unsolvable": not reference.solvable}[only]

    def _ask(self, puzzle: Puzzle) -> Reply:
        reply = self._subject.ask(puzzle)
        if self._group == "orphaned-process" and not isinstance(reply, SolverFailure):
            return self._subject.close() or reply  # some are seen only when it has ended
        return reply

    def _problem(self, puzzle: Puzzle, first: Reply, reply: Reply) -> Problem | None:
        claims = self._settings.claims
        if self._group == "contradicts-itself":
            found = contradiction(claims, first, reply)
            if found is not None:
                return found
        if self._group == "contradicts-relation" and isinstance(reply, Answer):
            if any(broken(puzzle, grid) for grid in reply.solutions):
                return judge(puzzle, claims, reply, lambda: self._reference(puzzle))
            return self._judged(puzzle, reply) or self.related(puzzle, reply)
        return judge(puzzle, claims, reply, lambda: self._reference(puzzle), no_unknown=self._settings.no_unknown)

    def _picture(self, puzzle: Puzzle) -> Grid | None:
        """A solution, for reductions that keep a puzzle solvable."""
        try:
            return min(self._reference(puzzle).solutions, key=Grid.text, default=None)
        except Unanswered:
            return None
