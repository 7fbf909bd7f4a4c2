"""Seeing a failure again, and the smallest puzzle on which it is seen, of solvers that do not always fail too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from crosslit.generation.exhaustive import is_valid
from crosslit.grid import Grid
from crosslit.programs.answers import Answer, Reply, SolverFailure
from crosslit.puzzles import Puzzle
from crosslit.verification.causes import Cause, cause_of
from crosslit.verification.judging import (
    Problem,
    broken,
    contradiction,
    judge,
    related,
    related_contradiction,
)
from crosslit.verification.reference import Reference, Unanswered
from crosslit.verification.settings import Settings
from crosslit.verification.shrinking import ShrinkResult, shrink
from crosslit.verification.subject import Subject, hurried

TRIES = 8
"""Questions to a solver that does not always fail."""

_MIN_SECONDS = 0.25  # seconds: of a solver that hangs, while a smaller puzzle is sought
SLOWER = 10  # or so many times its slowest answer
CONFIRMATION_SHARE = 0.8  # of the time that is left: for asking a puzzle on which a solver hangs again

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
    """Looks for failures of one cause.

    Args:
        settings: of the verification: what is claimed, and what puzzles must be.
        subject: the solver under test.
        reference: of a puzzle.
        cause: of the failures.
        slowest: seconds of the slowest answer so far.
        seconds: to look in.
        aside: called with failures of other causes that are met on the way.
    """

    def __init__(
        self,
        settings: Settings,
        subject: Subject,
        reference: Callable[[Puzzle], Reference],
        cause: Cause,
        slowest: float,
        *,
        seconds: float,
        aside: Callable[[Puzzle, Seen], None] = lambda *_: None,
    ) -> None:
        self._settings = settings
        self._subject = subject
        self._reference = reference
        self._cause, self._group = cause, cause.group
        self.tries = TRIES
        self._until = time.monotonic() + seconds
        self._aside = aside
        self._hurry = max(_MIN_SECONDS, SLOWER * slowest) if cause.group == "hang" else None
        self._last: Seen | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time to look is over."""
        return time.monotonic() >= self._until

    def smallest(self, puzzle: Puzzle, keep: Keep, known: Seen | None = None) -> None:
        """Shrink a puzzle; a smaller one on which the solver hangs is kept when it has been asked again alone.

        Args:
            puzzle: on which the failure was seen.
            keep: called with every smaller puzzle on which it is seen, and at the end with whether no reduction is.
            known: the failure, where it has been seen twice on the puzzle.
        """
        if known is not None:
            self.tries, self._last = 1, known
        elif self._seen_often(puzzle) is None:
            return
        if self._hurry is not None:
            self._smallest_hang(puzzle, keep)
            return
        shrunk = self._shrunk(puzzle, keep, self._until - time.monotonic())
        if self._last is not None:
            keep(shrunk.puzzle, self._last, shrunk.minimal, shrunk.asks)

    def _smallest_hang(self, puzzle: Puzzle, keep: Keep) -> None:
        """Look with little patience; where that was too little, look again with more."""
        assert self._hurry is not None
        assert self._last is not None
        known = self._last
        while not self.is_over:
            with hurried(self._subject, self._hurry):
                shrunk = self._shrunk(puzzle, lambda *_: None, (self._until - time.monotonic()) / 2)
            if shrunk.puzzle == puzzle:
                keep(puzzle, known, shrunk.minimal, shrunk.asks)
                return
            self._subject.close()  # it is asked alone, by a new process
            began = time.monotonic()
            seconds = CONFIRMATION_SHARE * (self._until - began)
            if seconds < 2 * self._hurry:
                return
            with hurried(self._subject, seconds):
                seen = self.seen(shrunk.puzzle)
            if seen is not None:
                keep(shrunk.puzzle, seen, shrunk.minimal, shrunk.asks)
                return
            self._hurry = max(2 * self._hurry, SLOWER * (time.monotonic() - began))

    def _shrunk(self, puzzle: Puzzle, keep: Keep, seconds: float) -> ShrinkResult:
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

        return shrink(puzzle, fails, picture=self._picture, square=self._settings.square, seconds=seconds)

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
                if problem is not None and self._is_alike(puzzle, problem):
                    return Seen(reply, problem)
                if problem is not None:
                    self._aside(puzzle, Seen(reply, problem))
        except Unanswered:
            pass
        return None

    def _is_alike(self, puzzle: Puzzle, problem: Problem) -> bool:
        """Return whether a failure has the cause that is sought."""
        if problem.group != self._group:
            return False
        solvable = self._reference(puzzle).solvable if self._cause.kind else None
        return self._cause.matches(cause_of(problem, puzzle, solvable))

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
