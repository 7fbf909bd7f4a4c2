"""A verification from top to bottom: cases, answers, what is wrong, failures judged again and shrunk, the result.

A `Trial` asks and judges; what it finds becomes a failure here.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from crosslit_backends.programs.protocol import ABSTENTIONS, Claims, SolverAnswer, SolverFailure
from crosslit_generate import Case

from crosslit.base.numbers import format_count
from crosslit.kinds import Puzzle
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit_verify.clock import OutOfTime
from crosslit_verify.commands import require_set_up
from crosslit_verify.failure import Asked, Cause, Failure, Observation, cause_of, class_of
from crosslit_verify.judging import SOLVER_FAILURES, Problem, judge
from crosslit_verify.records import Verification
from crosslit_verify.reference import Reference, ReferencesDiffer, Unanswered
from crosslit_verify.replay import NO_CORPUS, Corpus
from crosslit_verify.settings import Settings
from crosslit_verify.shrinking import SECONDS, TRIES, Reproducer
from crosslit_verify.stream import stream
from crosslit_verify.subject import Subject
from crosslit_verify.trial import AGAIN_AFTER, Trial

_EARLY_SECONDS = 10.0  # in which the first puzzles are searched for one that leaves processes
SLOW_SECONDS = 0.1  # for each of the first puzzles: such a solver gets few in all, so they should be varied


class Verifier:
    """The verification of one solver.

    ``shrinking`` is the maximum number of seconds for shrinking a failure.
    """

    def __init__(
        self,
        settings: Settings,
        subject: Subject,
        on_case: Callable[[Verifier], None] = lambda _: None,
        shrinking: float = SECONDS,
        corpus: Corpus = NO_CORPUS,
    ) -> None:
        self.settings, self.trial = settings, Trial(settings, subject)
        self.coverage = self.trial.coverage
        self.failures: list[Failure] = []
        self.counts: Counter[str] = Counter()  # failed puzzles, by group
        self._corpus, self._on_case, self._shrinking = corpus, on_case, shrinking
        self._aside: dict[Cause, Observation] = {}  # first failures of other causes, seen while shrinking
        self._began = self._spent = 0.0  # the start, and seconds of shrinking
        self._cases, self._end = self._numbered(), ""
        self._interrupted = False

    @property
    def seconds(self) -> float:
        """Elapsed wall time, without shrinking."""
        return time.monotonic() - self._began - self._spent

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        return self._result(self._observations(), is_replay=False)

    def replay(self, puzzle: Puzzle) -> Verification:
        """Send one puzzle several times, because the solver may not always fail."""
        self._shrinking = 0
        return self._result(self._attempts(puzzle), is_replay=True)

    def _result(self, found: Iterable[Iterable[Observation]], is_replay: bool) -> Verification:
        """Accuse the solver of all that is found, and leave no process running."""
        self._began = time.monotonic()
        self.trial.begin(self.settings.seconds)
        try:
            end = self._accused(found, stops=not (is_replay or self.settings.keep_going))
            for observation in () if is_replay and self.failures else self._closing():
                self._accuse(observation)
        except KeyboardInterrupt:
            end, self._interrupted = "interrupted", True
        finally:
            self.trial.close()
        numbers = dict(self.counts), self.coverage, self.seconds, dict(self.trial.shares)
        solver = self.trial.subject.description
        return Verification(self.settings, tuple(self.failures), *numbers, end, self._interrupted, is_replay, solver)

    def _numbered(self) -> Iterator[tuple[int, Case]]:
        """Return the cases of the settings with their numbers."""
        more = () if self._corpus.is_all else stream(self.settings, lambda: self.trial.deadline.check())
        return self._limited(enumerate(itertools.chain(self._corpus.cases(), more), 1))

    def _limited(self, numbered: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
        for number, case in numbered:
            if self.settings.cases is not None and number > self.settings.cases:
                self._end = f"stopped after {self.settings.cases:,} cases"
                return
            yield number, case

    def _observations(self) -> Iterator[Iterable[Observation]]:
        """Yield the observations about each case; the first cases are asked here, to notice a wrong set-up at once."""
        yield from self._examined(itertools.islice(self._cases, AGAIN_AFTER))
        is_open = not (self._end or self._corpus.is_all)
        if is_open and self.trial.quickest > SLOW_SECONDS:
            # the first cases are the same, and so each case has the number that it has then
            self.settings = replace(self.settings, varied=True)
            self._cases = itertools.islice(self._numbered(), AGAIN_AFTER, None)
        yield from self._examined(self._cases)

    def _examined(self, numbered: Iterable[tuple[int, Case]]) -> Iterator[Iterable[Observation]]:
        subject = self.trial.subject
        for asked in self.trial.answers(numbered):
            if asked.number == 1 and not self._corpus.is_all and isinstance(asked.reply, SolverFailure):
                require_set_up(subject, asked.case.puzzle, asked.reply, self.settings)
            yield self.trial.examine(asked)

    def _attempts(self, puzzle: Puzzle) -> Iterator[Iterable[Observation]]:
        """Yield the observations of each attempt at a puzzle, until one fails."""
        for attempt in range(1, TRIES + 1):
            self._end = f"asked {format_count(attempt, 'time')}"
            asked = Asked(Case(puzzle, "replay file", False), 0, self.trial.ask(puzzle))
            yield self.trial.examine(asked)
            if not self.failures:
                yield self.trial.ask_again(asked)
            if self.failures:
                return

    def _closing(self) -> Iterator[Observation]:
        """End the solver, and yield the failure that this shows, such as processes left behind."""
        failure, last = self.trial.subject.close(), self.trial.last
        if failure is None or last is None or failure.problem in self.counts:
            return
        found = Observation(replace(last, reply=failure), Problem(failure.problem, failure.detail))
        if self._shrinking and failure.problem == "orphaned-process":
            seconds = self.trial.deadline.for_search(min(self._shrinking, _EARLY_SECONDS))
            first = self._search(found, Cause(failure.problem, "", ""), seconds).first(self.trial.early)
            found = found._replace(asked=replace(first or last, reply=failure))
        yield from self.trial.found(found)

    def _accused(self, found: Iterable[Iterable[Observation]], stops: bool) -> str:
        """Accuse the solver of what is found, case after case; return why it ends."""
        try:
            for observations in found:
                for observation in observations:
                    self._accuse(observation)
                self._on_case(self)
                if stops and self.counts:
                    return "stopped at the first failure"
        except OutOfTime:
            return f"stopped after {self.settings.seconds:g} s"
        return self._end or "no puzzles left"

    def _accuse(self, found: Observation) -> None:
        """Count and keep a failure, also if an interrupt ends its confirmation."""
        try:
            self._settle(found)
        except KeyboardInterrupt:
            known = {"hang", *(failure.problem.group for failure in self.failures)}
            if found.problem.group not in known:
                self.counts[found.problem.group], self._interrupted = 1, True
                self.failures.append(self._failure(found._replace(again=None), found.asked.case.puzzle))
            raise

    def _settle(self, found: Observation) -> None:
        """Count a failure; judge the first of its cause again, and keep it."""
        began = time.monotonic()
        case, causes = found.asked.case, self.coverage.causes
        if not causes.is_known(self._cause(found)):
            require_guilt(found, self.settings.claims)
            if found.problem.group not in SOLVER_FAILURES | {*ABSTENTIONS, "contradicts-itself"}:
                with contextlib.suppress(OutOfTime):
                    found = self._search(found, Cause(found.problem.group, "", ""), 0).confirmed(found)
        cause = self._cause(found)
        self.counts[cause.group] += 1
        if causes.add(cause, class_of(case.puzzle, self.trial.is_solvable(case))):
            self._keep(found, cause)
            self._spent += time.monotonic() - began
        for other in list(self._aside) if self.settings.keep_going else ():
            if not causes.is_known(other):
                for observation in self.trial.found(self._aside[other]):
                    self._accuse(observation)

    def _keep(self, found: Observation, cause: Cause) -> None:
        """Keep a failure at once, then replace it by smaller ones, so that an interrupt loses nothing."""
        index, original = len(self.failures), found.asked.case.puzzle
        self.failures.append(self._failure(found, original))
        if not self._shrinking:
            return
        search = self._search(found, cause, self.trial.deadline.for_search(self._shrinking))
        smallest = found
        try:
            for smallest in search.smallest(found):
                is_seen_again = found.again is not None or smallest.asked.case.puzzle != original
                self.failures[index] = self._failure(smallest._replace(again=is_seen_again or None), original)
        except OutOfTime:
            if not self.failures[index].again:
                self.failures[index] = replace(self.failures[index], again=None)
        require_guilt(smallest, self.settings.claims)

    def _search(self, found: Observation, cause: Cause, seconds: float) -> Reproducer:
        """Return a search for failures of a cause; those of other causes that it meets are kept for later."""
        return Reproducer(
            self.trial, found, cause, seconds, lambda other: self._aside.setdefault(self._cause(other), other)
        )

    def _cause(self, found: Observation) -> Cause:
        case = found.asked.case
        return cause_of(found.problem, case.puzzle, self.trial.is_solvable(case))

    def _failure(self, found: Observation, original: Puzzle) -> Failure:
        puzzle, reply = found.asked.case.puzzle, found.asked.reply
        reference: Reference | None = None
        if not self._interrupted:
            with contextlib.suppress(Unanswered):
                reference = self.trial.reference(puzzle)
        return Failure(
            problem=found.problem,
            puzzle=puzzle,
            reply=reply,
            reference=reference,
            original=original,
            case=max(0, found.asked.number - len(self._corpus.puzzles)),
            asked=self.coverage.cases,
            family=found.asked.case.family,
            minimal=found.minimal,
            tried=found.tried,
            again=found.again,
            claims=self.settings.claims,
            notes=self.trial.subject.notes(puzzle, reply, self.trial.has_read),
        )


def require_guilt(found: Observation, claims: Claims) -> None:
    """Judge an answer on a small puzzle again, by all grids that follow its rules and without any solver of Crosslit.

    Raises:
        ReferencesDiffer: if nothing is wrong with it, which is a bug of Crosslit and not of the solver.
    """
    puzzle, reply, problem = found.asked.case.puzzle, found.asked.reply, found.problem
    if not isinstance(reply, SolverAnswer) or problem.others or puzzle.layout.bits > MAX_CELLS:
        return  # its problem needs no reference, or there are too many grids
    if judge(puzzle, claims, reply, lambda: Reference(solutions_by_rules(puzzle), True, ("rules",))) is None:
        place = found.asked.case.family
        raise ReferencesDiffer(f"on {puzzle.text}: {problem.detail} ({place}); nothing is wrong by the rules")
