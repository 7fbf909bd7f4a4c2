"""The search for a smaller puzzle with the same failure, also for solvers that do not always fail.

Shrinking is greedy delta debugging until no reduction fails. It is not left to Hypothesis, because it must start from
any puzzle, and can use a known solution to stay among solvable puzzles. It also ended with smaller puzzles.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crosslit_backends.programs.protocol import Reply, SolverAnswer, SolverFailure
from crosslit_generate import Case

from crosslit.base.grid import Grid
from crosslit.contract.puzzle import TRANSPOSED
from crosslit.kinds import Puzzle, kind_of
from crosslit_verify.clock import CONFIRMATION_SHARE, OutOfTime
from crosslit_verify.failure import Asked, Cause, Observation, cause_of
from crosslit_verify.judging import Problem, contradiction, format_reply, related, related_contradiction
from crosslit_verify.reference import Unanswered
from crosslit_verify.subject import hurried
from crosslit_verify.trial import SLOWER, Trial

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


def shrink(puzzle: Puzzle, fails: Callable[[Puzzle], bool], **limits: Any) -> ShrinkResult:
    """Return the smallest puzzle that greedy reduction finds: 1-minimal under `reductions`; see `steps`."""
    *_, smallest = steps(puzzle, fails, **limits)
    return smallest


def steps(
    puzzle: Puzzle,
    fails: Callable[[Puzzle], bool],
    *,
    picture: Picture = lambda _: None,
    square: bool = False,
    seconds: float = SECONDS,
    asks: int = ASKS,
) -> Iterator[ShrinkResult]:
    """Yield ever smaller puzzles that fail; the last one, also if it is the first, with whether it is 1-minimal.

    The first reduction that still fails replaces the puzzle. Every reduction is smaller (`Puzzle.measure`), so this
    ends. If none fails, parts of it are exchanged (such as two clues), and the reductions of that are tried if it
    fails too. Finally the puzzle is transposed if that fails too and has fewer rows than columns, or the smaller text.
    ``picture`` returns a solution of a puzzle if one is known, for reductions that keep the puzzle solvable. The time
    limit does not interrupt a call of ``fails``.
    """
    search = _Shrinker(fails, picture, square, time.monotonic() + seconds, asks)
    minimal = False
    while not minimal and not search.over:
        smaller = search.smaller(puzzle)
        if smaller is None and not search.over:
            smaller = search.after_exchange(puzzle)
            minimal = smaller is None
        if smaller is not None:
            puzzle = smaller
            yield ShrinkResult(puzzle, False, search.asks)
    # Last of all, towards a normal form: failures of one fault then end in the same puzzle more often.
    turned = puzzle.image(TRANSPOSED)
    if turned is not None and minimal and not search.over and _turn(turned) < _turn(puzzle) and search.tried(turned):
        puzzle = turned
    yield ShrinkResult(puzzle, minimal, search.asks)


class _Shrinker:
    """A search that tries no puzzle twice, and stops when the time or the number of asks is used up."""

    def __init__(
        self, fails: Callable[[Puzzle], bool], picture: Picture, square: bool, deadline: float, max_asks: int
    ) -> None:
        self._fails, self._picture, self._square = fails, picture, square
        self._deadline, self._max_asks = deadline, max_asks
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

    def smaller(self, puzzle: Puzzle) -> Puzzle | None:
        """Return the first reduction that fails; None if none does, or the search is over."""
        # Begun again after each success, because the largest steps may be possible now.
        for smaller in reductions(puzzle, self._picture(puzzle), self._square):
            if self.tried(smaller):
                return smaller
            if self.over:
                break
        return None

    def after_exchange(self, puzzle: Puzzle) -> Puzzle | None:
        """Return a smaller puzzle that fails after an exchange; use at most as many asks as before."""
        # An exchange makes no puzzle smaller by itself, so its cost is bounded by that of the search before.
        max_asks = self.asks + max(MIN_EXCHANGE_ASKS, self.asks)
        for other in itertools.takewhile(lambda _: self.asks < max_asks, kind_of(puzzle).exchanged(puzzle)):
            if self.tried(other) and (smaller := self.smaller(other)) is not None:
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

_MIN_SECONDS = 0.25  # minimum for an answer while a puzzle is shrunk on which the solver hangs


class Reproducer:
    """A search for failures of one cause, within some seconds, beginning with one that was found.

    ``aside`` is called with failures of other causes met on the way.
    """

    def __init__(
        self, trial: Trial, found: Observation, cause: Cause, seconds: float, aside: Callable[[Observation], object]
    ) -> None:
        self._trial, self._settings, self._subject = trial, trial.settings, trial.subject
        self._found, self._cause, self._aside = found, cause, aside
        self._tries = TRIES
        self._until = time.monotonic() + seconds

    @property
    def _left(self) -> float:
        """Seconds that are left."""
        return self._until - time.monotonic()

    def smallest(self, found: Observation) -> Iterator[Observation]:
        """Yield failures on ever smaller puzzles, the last one with whether it is minimal.

        One that is no hang is yielded only if it recurs.
        """
        if found.problem.group == "hang":
            self._tries = 1
            yield from self._smallest_hang(found)
        elif (seen := self._seen_often(found.asked.case.puzzle)) is not None:
            yield from self._smaller(seen, self._left)

    def _smallest_hang(self, known: Observation) -> Iterator[Observation]:
        """Reproducer with a short time limit; if a new process does not hang too, search again with a longer one."""
        # Each candidate on which it hangs costs the whole limit, so a shorter one is used while shrinking.
        hurry = max(_MIN_SECONDS, SLOWER * self._trial.slowest)
        while self._left > 0:
            with hurried(self._subject, hurry):
                # Half of the time, so that the other half is left for the confirmation with a longer limit.
                *_, found = self._smaller(known, self._left / 2)
            if found.asked == known.asked:
                yield found
                return
            self._subject.close()  # so that a new process is asked only this puzzle
            began, seconds = time.monotonic(), CONFIRMATION_SHARE * self._left
            if seconds < 2 * hurry:
                return
            with hurried(self._subject, seconds):
                seen = self.seen(found.asked.case.puzzle)
            if seen is not None:
                yield seen._replace(minimal=found.minimal, tried=found.tried)
                return
            # The smaller puzzle was merely slow: with a longer limit such puzzles count as answered.
            hurry = max(2 * hurry, SLOWER * (time.monotonic() - began))

    def _smaller(self, known: Observation, seconds: float) -> Iterator[Observation]:
        """Yield a failure on each smaller puzzle that shrinking accepts, and the last one once more."""
        seen = {known.asked.case.puzzle: known}

        def fails(puzzle: Puzzle) -> bool:
            found = self.seen(puzzle)
            seen.update({} if found is None else {puzzle: found})
            return found is not None

        square = self._settings.sizes.square
        for step in steps(known.asked.case.puzzle, fails, picture=self._picture, square=square, seconds=seconds):
            yield seen[step.puzzle]._replace(minimal=step.minimal, tried=step.asks)

    def first(self, candidates: Iterable[Asked]) -> Asked | None:
        """Return the first of some puzzles on which the failure is seen in one try, if the time allows."""
        self._tries = 1  # each try may restart the solver, so more puzzles are better than more tries
        in_time = itertools.takewhile(lambda _: self._left > 0, candidates)
        with contextlib.suppress(OutOfTime):
            return next((asked for asked in in_time if self.seen(asked.case.puzzle)), None)
        return None

    def confirmed(self, found: Observation) -> Observation:
        """Ask again after a wrong answer; return it with whether it recurs, or as a contradiction, which shows more."""
        puzzle, reply, problem = found.asked.case.puzzle, found.asked.reply, found.problem
        recurs = False
        for _ in range(2):
            again = self._ask(puzzle)
            if isinstance(again, SolverFailure):
                self._note(puzzle, again, Problem(again.problem, again.detail))
            elif (contradicts := contradiction(self._settings.claims, reply, again)) is not None:
                return found._replace(problem=contradicts, again=False)
            else:
                recurs = recurs or self._problem(puzzle, reply, again) is not None
        if not recurs and not isinstance(again, SolverFailure):
            detail = f"{problem.detail}; asked again, it gave {format_reply(again)}"
            problem = Problem("contradicts-itself", detail, problem.others)
        return found._replace(problem=problem, again=recurs)

    def seen(self, puzzle: Puzzle) -> Observation | None:
        """Return the failure on a puzzle, or None if it does not occur or the settings exclude the puzzle."""
        with contextlib.suppress(Unanswered):
            if not self._suits(puzzle):
                return None
            first = self._ask(puzzle)
            # A contradiction needs at least two answers, so such puzzles are always asked often.
            for number in range(TRIES if self._cause.group == "contradicts-itself" else self._tries):
                if number and self._left <= 0:
                    break
                reply = first if number == 0 else self._ask(puzzle)
                problem = self._problem(puzzle, first, reply)
                if problem is not None and self._is_alike(puzzle, problem):
                    return self._found.of(puzzle, reply, problem)
                if problem is not None:
                    self._note(puzzle, reply, problem)
        return None

    def _seen_often(self, puzzle: Puzzle) -> Observation | None:
        """Return the failure on its original puzzle; if it recurs at once, send each puzzle only once from now on."""
        self._tries = 1
        # Two out of two: a solver that fails each time is asked only once for each candidate, not up to eight times.
        often = [self.seen(puzzle) for _ in range(2)]
        if None in often:
            self._tries = TRIES
            often.append(self.seen(puzzle))
        return next((seen for seen in often if seen is not None), None)

    def _is_alike(self, puzzle: Puzzle, problem: Problem) -> bool:
        """Return whether a failure has the cause of this search."""
        if problem.group != self._cause.group:
            return False
        solvable = self._trial.reference(puzzle).solvable if self._cause.kind else None
        return self._cause.matches(cause_of(problem, puzzle, solvable))

    def _note(self, puzzle: Puzzle, reply: Reply, problem: Problem) -> None:
        self._aside(self._found.of(puzzle, reply, problem))

    def _suits(self, puzzle: Puzzle) -> bool:
        settings, found = self._settings, self._found.asked.case.puzzle
        keeps_size = settings.has_sizes and settings.allows(found.rows, found.columns)
        if keeps_size and not settings.allows(puzzle.rows, puzzle.columns):
            return False
        known = None if settings.only in (None, "valid") else self._trial.reference(puzzle).solutions
        return Case(puzzle, "", False, solutions=known).suits(settings.only)

    def _ask(self, puzzle: Puzzle) -> Reply:
        reply = self._subject.ask(puzzle)
        if self._cause.group == "orphaned-process" and not isinstance(reply, SolverFailure):
            return self._subject.close() or reply  # some processes left behind are seen only after it has ended
        return reply

    def _problem(self, puzzle: Puzzle, first: Reply, reply: Reply) -> Problem | None:
        if self._cause.group == "contradicts-relation" and isinstance(reply, SolverAnswer):
            return self._judged(puzzle, reply) or self._related_problem(puzzle, reply)
        is_asked_again = self._cause.group == "contradicts-itself"
        found = contradiction(self._settings.claims, first, reply) if is_asked_again else None
        return found or self._trial.judge(puzzle, reply)

    def _judged(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Judge a reply; None also if the reference cannot be computed."""
        with contextlib.suppress(Unanswered):
            return self._trial.judge(puzzle, reply)
        return None

    def _related_problem(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Return the first contradiction between a reply and the replies to related puzzles."""
        claims = self._settings.claims
        for relation in related(claims, puzzle, self._settings.allows):
            there = self._ask(relation.puzzle)
            # Another failure is no contradiction, but it is not lost: it is kept for another search.
            if isinstance(there, SolverFailure):
                self._note(relation.puzzle, there, Problem(there.problem, there.detail))
            elif (problem := related_contradiction(claims, reply, relation, there)) is not None:
                other = self._judged(relation.puzzle, there)
                if other is None:
                    return problem
                self._note(relation.puzzle, there, other)  # the reply to the related puzzle is the wrong one
        return None

    def _picture(self, puzzle: Puzzle) -> Grid | None:
        """Return a solution, for reductions that keep a puzzle solvable."""
        with contextlib.suppress(Unanswered):
            return min(self._trial.reference(puzzle).solutions, key=Grid.text, default=None)
        return None
