"""A solver under test and the references that judge it: questions about cases, and observations about the answers."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf

from crosslit_backends.programs.protocol import FEWEST, Abstention, Reply, SolverFailure
from crosslit_generate import Case

from crosslit.kinds import Puzzle
from crosslit_verify.clock import CONFIRMATION_SHARE, Deadline, OutOfTime
from crosslit_verify.failure import Asked, Observation
from crosslit_verify.judging import Problem, contradiction, judge, related, related_contradiction
from crosslit_verify.records import Coverage
from crosslit_verify.reference import SMALL, Oracle, Reference, Unanswered
from crosslit_verify.settings import Settings
from crosslit_verify.subject import Subject, hurried

AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
_RELATED_EVERY = 16  # after every 16th puzzle, a related one is asked
_MAX_EARLY = 64  # first puzzles that are kept
_MAX_SINGLE_HANGS = 3  # hangs that do not recur are ignored up to this number
BRIEF_SECONDS = 1.0  # minimum for an answer, once there is an example of a hang
_UNHURRIED = contextlib.nullcontext()
SLOWER = 10  # in times of the slowest answer: such a one is taken for a hang then


class Trial:
    """A solver under test, what its answers have shown so far, and the number of puzzles that it was sent."""

    def __init__(self, settings: Settings, subject: Subject) -> None:
        self.settings, self.subject, self.oracle = settings, subject, Oracle()
        self.coverage = Coverage()
        self.shares = {"solver": 0.0, "reference": 0.0}  # seconds
        self.slowest, self.quickest = 0.0, inf  # seconds of two answers
        self.has_read = self.has_hung = False  # whether any answer was readable, and whether there is an example
        self.early: list[Asked] = []  # the first cases
        self.last: Asked | None = None
        self._fresh = True  # no answer yet from this process of the solver
        self._waiting: deque[Asked] = deque()  # puzzles to be asked again
        self._single_hangs = 0  # hangs that did not recur
        self._prepared: tuple[Puzzle, Reference] | None = None  # computed while the solver worked
        self.begin(None)

    def begin(self, seconds: float | None) -> None:
        """Set the deadline of the solver and of the references; no puzzle waits to be asked again."""
        # One object for all three, so that an extension counts for every wait.
        self.deadline = self.oracle.deadline = Deadline(seconds)
        self.subject.end_by(self.deadline)
        self._waiting.clear()

    def close(self) -> None:
        """End all processes."""
        self.subject.close()
        self.oracle.close()

    def answers(self, numbered: Iterable[tuple[int, Case]]) -> Iterator[Asked]:
        """Ask about cases.

        Raises:
            OutOfTime: at the deadline.
        """
        for number, case in numbered:
            if self.deadline.is_over:
                raise OutOfTime
            left = self.deadline.left
            try:
                reply = self.ask(case.puzzle, case)
            except OutOfTime:
                self.coverage.unanswered = case.puzzle, left
                raise
            yield Asked(case, number, reply)

    def ask(self, puzzle: Puzzle, case: Case | None = None) -> Reply:
        """Return the reply to a puzzle."""
        began, before = time.perf_counter(), self.shares["reference"]
        # A second example of a hang is not worth the whole time limit.
        brief = hurried(self.subject, max(BRIEF_SECONDS, SLOWER * self.slowest)) if self.has_hung else _UNHURRIED
        with brief:
            reply = self.subject.ask(puzzle, lambda: self._prepare(case))
        taken = time.perf_counter() - began
        seconds = taken + before - self.shares["reference"]
        self.shares["solver"] += seconds
        self.quickest = min(self.quickest, seconds)
        if not isinstance(reply, SolverFailure) and not self._fresh:  # the first answer of a process includes its start
            self.slowest = max(self.slowest, taken)
        self._fresh = isinstance(reply, SolverFailure)
        self.has_read = self.has_read or not self._fresh
        return reply

    def examine(self, asked: Asked) -> Iterator[Observation]:
        """Judge an answer; after some, ask a related puzzle, or one of the puzzles before again."""
        self.last = asked
        if len(self.early) < _MAX_EARLY:
            self.early.append(asked)
        self.coverage.count(asked.case)
        problem = None
        try:
            problem = self._judged(asked)
            self.coverage.count_judged(asked.case, asked.reply, problem is not None)
        except Unanswered as reason:
            self.coverage.skipped[str(reason)] += 1
        if problem is not None:
            yield from self.found(Observation(asked, problem))
        elif not isinstance(asked.reply, Abstention):
            if asked.number % _RELATED_EVERY == 0:
                yield from self._ask_related(asked)
            if asked.number % AGAIN_EVERY == 0:
                self._waiting.append(asked)
        if self._waiting and asked.number >= self._waiting[0].number + AGAIN_AFTER:
            yield from self.ask_again(self._waiting.popleft())

    def ask_again(self, asked: Asked) -> Iterator[Observation]:
        """Send a puzzle again, and judge the reply by the first one and by the reference."""
        self.coverage.again += 1
        again = replace(asked, reply=self.ask(asked.case.puzzle))
        problem = contradiction(self.settings.claims, asked.reply, again.reply)
        with contextlib.suppress(Unanswered):
            problem = problem or self._judged(again)
        if problem is not None:
            yield from self.found(Observation(again, problem))

    def _ask_related(self, asked: Asked) -> Iterator[Observation]:
        """Send a puzzle related to one that was answered correctly, each relation in turn, and judge the reply."""
        claims, puzzle = self.settings.claims, asked.case.puzzle
        self.coverage.related += 1
        relations = related(claims, puzzle, self.settings.allows)
        if not relations:
            return
        relation = relations[asked.number // _RELATED_EVERY % len(relations)]

        def carried() -> Reference:
            reference = self.reference(puzzle, asked.case)
            return replace(reference, solutions=frozenset(map(relation.carry, reference.solutions)))

        case = Case(relation.puzzle, f"{asked.case.family}, {relation.name}", False)
        other = Asked(case, asked.number, self.ask(relation.puzzle))
        problem = None
        with contextlib.suppress(Unanswered):
            problem = judge(relation.puzzle, claims, other.reply, carried)
        if problem is not None:
            yield from self.found(Observation(other, problem))
        elif (problem := related_contradiction(claims, asked.reply, relation, other.reply)) is not None:
            yield from self.found(Observation(asked, problem))

    def found(self, observation: Observation) -> Iterator[Observation]:
        """Yield an observation, but a first hang only if it recurs, or too many have not."""
        if observation.problem.group == "hang" and not self.has_hung:
            observation = observation._replace(again=self._hangs_again(observation.asked.case.puzzle))
            if observation.again is False and self._single_hangs < _MAX_SINGLE_HANGS:
                self.coverage.skipped["no answer in time at first, but one when asked again"] += 1
                return
        self.has_hung = self.has_hung or observation.problem.group == "hang"
        yield observation

    def _hangs_again(self, puzzle: Puzzle) -> bool | None:
        """Return whether a restarted process hangs on the puzzle too; None if there is no time to ask."""
        # A share of the time left, so that some remains to report the failure.
        seconds = CONFIRMATION_SHARE * self.deadline.left
        if seconds < BRIEF_SECONDS:
            return None
        with contextlib.suppress(OutOfTime), hurried(self.subject, seconds):
            again = self.ask(puzzle)
            if isinstance(again, SolverFailure) and again.problem == "hang":
                return True
            self._single_hangs += 1
            return False
        return None

    def _judged(self, asked: Asked) -> Problem | None:
        if isinstance(asked.reply, SolverFailure) and asked.reply.problem == "hang" and self.has_hung:
            raise Unanswered("no answer in the shorter time after the first hang")
        return self.judge(asked.case.puzzle, asked.reply, asked.case)

    def judge(self, puzzle: Puzzle, reply: Reply, case: Case | None = None) -> Problem | None:
        """Return the problem of a reply; see `judging.judge`."""
        claims, no_unknown = self.settings.claims, self.settings.no_unknown
        return judge(puzzle, claims, reply, lambda: self.reference(puzzle, case), no_unknown=no_unknown)

    def reference(self, puzzle: Puzzle, case: Case | None = None) -> Reference:
        """Return the reference of a puzzle, whose case may have all its solutions; raise `Unanswered` without one."""
        if case is not None and case.solutions is not None:
            return Reference(case.solutions, True, ("rules",))
        if self._prepared is not None and self._prepared[0] == puzzle:
            return self._prepared[1]
        began = time.perf_counter()
        try:
            if self.settings.claims == FEWEST:
                return self.oracle.fewest(puzzle)
            return self.oracle.reference(puzzle, None if self.settings.claims == "all" else 2)
        finally:
            self.shares["reference"] += time.perf_counter() - began

    def is_solvable(self, case: Case) -> bool | None:
        """Return whether a case has a solution; None if that is unknown."""
        with contextlib.suppress(Unanswered):
            return self.reference(case.puzzle, case).solvable
        return None

    def _prepare(self, case: Case | None) -> None:
        """Compute the reference for judging the answer, if that is quick: waiting would count as the solver's time."""
        if case is None or case.solutions is not None or case.puzzle.rows * case.puzzle.columns > SMALL:
            return
        with contextlib.suppress(Unanswered):
            self._prepared = None if self.settings.claims == "one" else (case.puzzle, self.reference(case.puzzle))
