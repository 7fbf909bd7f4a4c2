"""The search for a smaller puzzle with the same failure, also for solvers that do not always fail.

Shrinking is greedy delta debugging until no reduction fails. It is not left to Hypothesis, because it must start from
any puzzle, and can use a known solution to stay among solvable puzzles. It also ended with smaller puzzles
(``benchmarks/shrinking.py``).
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crosslit_backends.programs.protocol import Answer, Reply, SolverFailure
from crosslit_generate import Case

from crosslit.base.grid import Grid
from crosslit.contract.puzzle import TRANSPOSED
from crosslit.kinds import Puzzle, kind_of
from crosslit_verify.clock import OutOfTime
from crosslit_verify.failure import Asked, Cause, cause_of
from crosslit_verify.judging import Problem, broken, contradiction, format_reply, judge, related, related_contradiction
from crosslit_verify.reference import Reference, Unanswered
from crosslit_verify.settings import Settings
from crosslit_verify.subject import Subject, hurried

Picture = Callable[[Puzzle], Grid | None]

SECONDS = 30.0
ASKS = 5_000
MIN_EXCHANGE_ASKS = 64
"""Minimum number of asks for puzzles with exchanged parts; otherwise as many as were needed before."""


@dataclass(frozen=True)
class ShrinkResult:
    """The smallest puzzle that shrinking found."""

    puzzle: Puzzle
    minimal: bool  # every reduction of it was tried and passes; otherwise the limit on time or on asks was reached
    asks: int  # number of puzzles tried


def shrink(
    puzzle: Puzzle,
    fails: Callable[[Puzzle], bool],
    *,
    picture: Picture = lambda _: None,
    square: bool = False,
    seconds: float = SECONDS,
    asks: int = ASKS,
) -> ShrinkResult:
    """Return the smallest puzzle that greedy reduction finds: 1-minimal under `reductions`, unless a limit is reached.

    The first reduction that still fails replaces the puzzle. Every reduction is smaller (`Puzzle.measure`), so this
    ends. If none fails, parts of it are exchanged (such as two clues), and the reductions of that are tried if it
    fails too. Finally the puzzle is transposed if that fails too and has fewer rows than columns, or the smaller text.
    ``picture`` returns a solution of a puzzle if one is known, for reductions that keep the puzzle solvable. The time
    limit does not interrupt a call of ``fails``.
    """
    search = _Shrinker(fails, time.monotonic() + seconds, asks)
    minimal = False
    while not minimal and not search.over:
        smaller, minimal = _first(search, puzzle, picture, square)
        if minimal:
            smaller = _after_exchange(search, puzzle, picture, square)
            minimal = smaller is None
        puzzle = smaller or puzzle
    # Last of all, towards a normal form: failures of one fault then end in the same puzzle more often.
    turned = puzzle.image(TRANSPOSED)
    if turned is not None and minimal and not search.over and _turn(turned) < _turn(puzzle) and search.tried(turned):
        puzzle = turned
    return ShrinkResult(puzzle, minimal, search.asks)


class _Shrinker:
    """A search that tries no puzzle twice, and stops when the time or the number of asks is used up."""

    def __init__(self, fails: Callable[[Puzzle], bool], deadline: float, max_asks: int) -> None:
        self._fails, self._deadline, self._max_asks = fails, deadline, max_asks
        self._passed: set[Puzzle] = set()
        self.asks = 0

    @property
    def over(self) -> bool:
        return self.asks >= self._max_asks or time.monotonic() > self._deadline

    def tried(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle fails; False also if it was tried before."""
        if puzzle in self._passed or self.over:
            return False
        self.asks += 1
        if self._fails(puzzle):
            return True
        # Only puzzles that pass are remembered: one that fails replaces the current puzzle.
        self._passed.add(puzzle)
        return False


def _first(search: _Shrinker, puzzle: Puzzle, picture: Picture, square: bool) -> tuple[Puzzle | None, bool]:
    """Return the first reduction that fails, and whether all were tried and pass."""
    # Begun again after each success, because the largest steps may be possible now.
    for smaller in reductions(puzzle, picture(puzzle), square):
        if search.tried(smaller):
            return smaller, False
        if search.over:
            return None, False
    return None, True


def _after_exchange(search: _Shrinker, puzzle: Puzzle, picture: Picture, square: bool) -> Puzzle | None:
    """Return a smaller puzzle that fails after an exchange; use at most as many asks as before."""
    # An exchange makes no puzzle smaller by itself, so its cost is bounded by that of the search before.
    max_asks = search.asks + max(MIN_EXCHANGE_ASKS, search.asks)
    for other in kind_of(puzzle).exchanged(puzzle):
        if search.asks >= max_asks:
            break
        if search.tried(other):
            smaller, _ = _first(search, other, picture, square)
            if smaller is not None:
                return smaller
    return None


def _turn(puzzle: Puzzle) -> tuple[int, str]:
    return puzzle.rows - puzzle.columns if puzzle.rows > puzzle.columns else 0, puzzle.text


def reductions(puzzle: Puzzle, picture: Grid | None = None, square: bool = False) -> Iterator[Puzzle]:
    """Yield all reductions of a puzzle, the largest steps first; all are smaller by `Puzzle.measure`.

    The kind of the puzzle gives them. If a solution is known, its lines are dropped and its cells cleared, and a puzzle
    is derived from the rest, so that it stays solvable. Those of a square puzzle stay square if requested.

    Examples:
        >>> from crosslit.formats import read
        >>> [smaller.text for smaller in reductions(read("11"))]
        ['0', '00', '1', '10', '01']
    """
    seen: set[Puzzle] = set()
    for smaller in kind_of(puzzle).smaller(puzzle, picture, square):
        # The measure decreases strictly with each accepted reduction, so shrinking ends.
        if smaller not in seen and smaller.measure < puzzle.measure:
            seen.add(smaller)
            yield smaller


TRIES = 8
"""Number of questions about a puzzle to a solver that does not always fail."""

# while a puzzle is shrunk on which the solver hangs, an answer gets this time, whichever is longer
_MIN_SECONDS = 0.25
SLOWER = 10  # in times of the slowest answer
CONFIRMATION_SHARE = 0.8  # share of the remaining time for asking again a puzzle on which the solver hangs

Keep = Callable[[Puzzle, "Observation", bool, int], None]


class Observation(NamedTuple):
    """An observed failure: a reply of the solver, and its problem."""

    reply: Reply
    problem: Problem


class Reproducer:
    """A search for failures of one cause, within some seconds.

    ``slowest`` are the seconds of the slowest answer so far. ``aside`` is called with failures of other causes found on
    the way.
    """

    def __init__(
        self,
        settings: Settings,
        subject: Subject,
        reference: Callable[[Puzzle], Reference],
        cause: Cause,
        slowest: float,
        seconds: float,
        aside: Callable[[Puzzle, Observation], None],
    ) -> None:
        self._settings, self._subject, self._reference, self._aside = settings, subject, reference, aside
        self._cause, self._group = cause, cause.group
        self.tries = TRIES
        self._until = time.monotonic() + seconds
        # Each candidate on which it hangs costs the whole limit, so a shorter one is used while shrinking.
        self._hurry = max(_MIN_SECONDS, SLOWER * slowest) if cause.group == "hang" else None
        self._last: Observation | None = None

    @property
    def is_over(self) -> bool:
        """True if the time of the search is over."""
        return time.monotonic() >= self._until

    def smallest(self, puzzle: Puzzle, keep: Keep, known: Observation | None = None) -> None:
        """Shrink a puzzle; keep a smaller one on which the solver hangs once a new process hangs on it too.

        ``keep`` is called with every smaller puzzle on which the failure is seen, and at the end with whether it is
        minimal; ``known`` is the failure, if it has been seen twice on the puzzle.
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
        """Search with a short time limit; if the hang is not confirmed, search again with a longer one."""
        assert self._hurry is not None
        assert self._last is not None
        known = self._last
        while not self.is_over:
            with hurried(self._subject, self._hurry):
                # Half of the time, so that the other half is left for the confirmation with a longer limit.
                shrunk = self._shrunk(puzzle, lambda *_: None, (self._until - time.monotonic()) / 2)
            if shrunk.puzzle == puzzle:
                keep(puzzle, known, shrunk.minimal, shrunk.asks)
                return
            self._subject.close()  # so that a new process is asked only this puzzle
            began = time.monotonic()
            seconds = CONFIRMATION_SHARE * (self._until - began)
            if seconds < 2 * self._hurry:
                return
            with hurried(self._subject, seconds):
                seen = self.seen(shrunk.puzzle)
            if seen is not None:
                keep(shrunk.puzzle, seen, shrunk.minimal, shrunk.asks)
                return
            # The smaller puzzle was merely slow: with a longer limit such puzzles count as answered.
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

        return shrink(puzzle, fails, picture=self._picture, square=self._settings.sizes.square, seconds=seconds)

    def first(self, candidates: Iterable[Asked]) -> Asked | None:
        """Return the first of some puzzles on which the failure is seen in one try, if the time allows."""
        self.tries = 1  # each try may restart the solver, so more puzzles are better than more tries
        open_ones = itertools.takewhile(lambda _: not self.is_over, candidates)
        with contextlib.suppress(OutOfTime):
            return next((met for met in open_ones if self.seen(met.case.puzzle)), None)
        return None

    def confirmed(self, puzzle: Puzzle, reply: Reply, problem: Problem) -> tuple[Problem, bool]:
        """Ask again after a wrong answer; return whether it recurs, or a contradiction, which shows more."""
        recurs = False
        for _ in range(2):
            again = self._ask(puzzle)
            if isinstance(again, SolverFailure):
                self._aside(puzzle, Observation(again, Problem(again.problem, again.detail)))
            elif (found := contradiction(self._settings.claims, reply, again)) is not None:
                return found, False
            else:
                recurs = recurs or self._problem(puzzle, reply, again) is not None
        if not recurs and not isinstance(again, SolverFailure):
            detail = f"{problem.detail}; asked again, it gave {format_reply(again)}"
            problem = Problem("contradicts-itself", detail, problem.others)
        return problem, recurs

    def seen(self, puzzle: Puzzle) -> Observation | None:
        """Return the failure on a puzzle, or None if it does not occur or the settings exclude the puzzle."""
        with contextlib.suppress(Unanswered):
            if not self._suits(puzzle):
                return None
            first = self._ask(puzzle)
            # A contradiction needs at least two answers, so such puzzles are always asked often.
            for number in range(TRIES if self._group == "contradicts-itself" else self.tries):
                if number and self.is_over:
                    break
                reply = first if number == 0 else self._ask(puzzle)
                problem = self._problem(puzzle, first, reply)
                if problem is not None and self._is_alike(puzzle, problem):
                    return Observation(reply, problem)
                if problem is not None:
                    self._aside(puzzle, Observation(reply, problem))
        return None

    def _is_alike(self, puzzle: Puzzle, problem: Problem) -> bool:
        """Return whether a failure has the cause of this search."""
        if problem.group != self._group:
            return False
        solvable = self._reference(puzzle).solvable if self._cause.kind else None
        return self._cause.matches(cause_of(problem, puzzle, solvable))

    def related(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Return the first contradiction between a reply and the replies to related puzzles."""
        settings = self._settings
        for relation in related(settings.claims, puzzle, settings.allows):
            there = self._ask(relation.puzzle)
            # A failure is no contradiction, but it is not lost: it is kept for another search.
            if isinstance(there, SolverFailure):
                self._aside(relation.puzzle, Observation(there, Problem(there.problem, there.detail)))
            elif (problem := related_contradiction(settings.claims, reply, relation, there)) is not None:
                other = self._judged(relation.puzzle, there)
                if other is None:
                    return problem
                self._aside(
                    relation.puzzle, Observation(there, other)
                )  # the reply to the related puzzle is the wrong one
        return None

    def _judged(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Judge a reply; None also if the reference cannot be computed."""
        with contextlib.suppress(Unanswered):
            return judge(puzzle, self._settings.claims, reply, lambda: self._reference(puzzle))
        return None

    def _seen_often(self, puzzle: Puzzle) -> Observation | None:
        """Return the failure on its original puzzle; if it recurs at once, send each puzzle only once from now on."""
        self.tries = 1
        # Two out of two: a solver that fails each time is asked only once for each candidate, not up to eight times.
        often = [self.seen(puzzle) for _ in range(2)]
        if None in often:
            self.tries = TRIES
            often.append(self.seen(puzzle))
        self._last = next((seen for seen in often if seen is not None), None)
        return self._last

    def _suits(self, puzzle: Puzzle) -> bool:
        settings = self._settings
        if settings.has_sizes and not settings.allows(puzzle.rows, puzzle.columns):
            return False
        if not settings.rules.allow(puzzle):
            return False
        known = None if settings.only in (None, "valid") else self._reference(puzzle).solutions
        return Case(puzzle, "", False, solutions=known).suits(settings.only)

    def _ask(self, puzzle: Puzzle) -> Reply:
        reply = self._subject.ask(puzzle)
        if self._group == "orphaned-process" and not isinstance(reply, SolverFailure):
            return self._subject.close() or reply  # some processes left behind are seen only after it has ended
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
        """Return a solution, for reductions that keep a puzzle solvable."""
        with contextlib.suppress(Unanswered):
            return min(self._reference(puzzle).solutions, key=Grid.text, default=None)
        return None
