"""The loop of a verification: ask, judge, ask again, shrink failures, and count."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf

from crosslit_backends.programs.protocol import ABSTENTIONS, FEWEST, Abstention, Reply, SolverFailure
from crosslit_generate import Case

from crosslit.base.numbers import format_count
from crosslit.kinds import Puzzle
from crosslit_verify.canary import require_guilt, require_sound, require_transport
from crosslit_verify.clock import Deadline, OutOfTime
from crosslit_verify.commands import in_batches, require_set_up
from crosslit_verify.failure import Asked, Cause, Failure, cause_of
from crosslit_verify.judging import SOLVER_FAILURES, Problem, contradiction, judge, related, related_contradiction
from crosslit_verify.records import Coverage, Verification
from crosslit_verify.reference import SMALL, Oracle, Reference, Unanswered
from crosslit_verify.replay import NO_CORPUS, Corpus
from crosslit_verify.settings import Settings
from crosslit_verify.shrinking import CONFIRMATION_SHARE, SECONDS, SLOWER, TRIES, Observation, Reproducer
from crosslit_verify.stream import stream
from crosslit_verify.subject import Subject, hurried

AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
_RELATED_EVERY = 16  # after every 16th puzzle, a related one is asked
_MAX_EARLY, _EARLY_SECONDS = 64, 10.0  # first puzzles that are searched, for this time, for one that leaves processes
SLOW_SECONDS = 0.1  # for each of the first puzzles: such a solver gets few in all, so they should be varied
_MAX_SINGLE_HANGS = 3  # hangs that do not recur are ignored up to this number
BRIEF_SECONDS = 1.0  # minimum for an answer, once there is an example of a hang


class Session:
    """The verification of one solver; ``shrinking`` is the maximum number of seconds for shrinking a failure."""

    is_stand_in = False  # whether the solver is known to be right

    def __init__(
        self,
        settings: Settings,
        subject: Subject,
        on_case: Callable[[Session], None] = lambda _: None,
        shrinking: float = SECONDS,
        corpus: Corpus = NO_CORPUS,
    ) -> None:
        self.settings = settings
        self.coverage = Coverage()
        self.failures: list[Failure] = []
        self.counts: Counter[str] = Counter()
        self.shares = {"solver": 0.0, "reference": 0.0}
        self._corpus, self._subject, self._on_case, self._shrinking = corpus, subject, on_case, shrinking
        self._oracle = Oracle()
        self._waiting: deque[Asked] = deque()  # puzzles to be asked again
        self._early: list[Asked] = []  # the first ones
        self._aside: dict[Cause, tuple[Asked, Problem]] = {}  # first failures of other causes, seen while shrinking
        self._spent, self._deadline = 0.0, Deadline()  # seconds of shrinking
        self._began, self._slowest, self._quickest = 0.0, 0.0, inf  # the start, and seconds of two answers
        self._cases = self._numbered()
        self._fresh, self._has_read = True, False
        self._under_way: tuple[Puzzle, float] | None = None  # a puzzle, and when it was asked
        self._single_hangs, self._interrupted = 0, False  # hangs that did not recur
        self._prepared: tuple[Puzzle, Reference] | None = None  # computed while the solver worked

    @property
    def seconds(self) -> float:
        """Elapsed wall time, without shrinking."""
        return time.monotonic() - self._began - self._spent

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        return self._guarded(self._all)

    def replay(self, puzzle: Puzzle) -> Verification:
        """Send one puzzle several times, because the solver may not always fail."""
        self._shrinking = 0
        return replace(self._guarded(lambda: self._in_time(lambda: self._replayed(puzzle))), replayed=True)

    def _guarded(self, body: Callable[[], str]) -> Verification:
        """Run a function that returns why it ended, and leave no process running."""
        self._began = time.monotonic()
        # One object for all three, so that an extension counts for every wait.
        self._deadline = self._oracle.deadline = Deadline(self.settings.seconds)
        self._subject.end_by(self._deadline)
        try:
            end = body()
        except KeyboardInterrupt:
            end, self._interrupted = "interrupted", True
        finally:
            self._subject.close()
            self._oracle.close()
        found = tuple(self.failures), dict(self.counts), self.coverage, self.seconds, dict(self.shares)
        return Verification(self.settings, *found, end, self._interrupted, solver=self._subject.description)

    def _replayed(self, puzzle: Puzzle) -> str:
        attempt = 0
        while not self.failures and attempt < TRIES:
            attempt += 1
            self._waiting.clear()
            met = Asked(Case(puzzle, "replay file", False), 0, self._ask(puzzle))
            self._one(met)
            if not self.failures:
                self._asked_again(met)
        if not self.failures:
            self._closing()
        return f"asked {format_count(attempt, 'time')}"

    def _in_time(self, body: Callable[[], str]) -> str:
        try:
            return body()
        except OutOfTime:
            self.coverage.unanswered = self._under_way
            return f"stopped after {self.settings.seconds:g} s"

    def _all(self) -> str:
        end = self._in_time(self._all_cases)
        self._closing()
        return end

    def _numbered(self) -> Iterator[tuple[int, Case]]:
        """Yield the cases of the settings with their numbers."""
        more = () if self._corpus.is_all else stream(self.settings, lambda: self._deadline.check())
        return enumerate(itertools.chain(self._corpus.cases(), more), 1)

    def _all_cases(self) -> str:
        end = self._each(itertools.islice(self._cases, AGAIN_AFTER))
        if end is None and self._quickest > SLOW_SECONDS and self.settings.rules.are_usual:
            # the first cases are the same, and so each case has the number that it has then
            self.settings = replace(self.settings, varied=True)
            self._cases = itertools.islice(self._numbered(), AGAIN_AFTER, None)
        return end or self._following_cases() or "no puzzles left"

    def _following_cases(self) -> str | None:
        return self._each(self._cases)

    def _each(self, numbered: Iterable[tuple[int, Case]]) -> str | None:
        """Ask and judge cases; return why the verification ends with one of them, or None."""
        for number, case in in_batches(self._subject, numbered):
            if self.settings.cases is not None and number > self.settings.cases:
                return f"stopped after {self.settings.cases:,} cases"
            if self._deadline.is_over:
                raise OutOfTime
            self._under_way = case.puzzle, time.monotonic() - self._began
            reply = self._ask(case.puzzle, case)
            self._under_way = None
            if number == 1 and not self._corpus.is_all and isinstance(reply, SolverFailure):
                require_transport(Session, type(self._subject))
                require_set_up(self._subject, case.puzzle, reply, self.settings)
            self._one(Asked(case, number, reply))
            self._on_case(self)
            if self.counts and not self.settings.keep_going:
                return "stopped at the first failure"
        return None

    def _closing(self) -> None:
        """End the solver, which may show a failure, such as processes left behind."""
        failure = self._subject.close()
        if failure is not None and self.coverage.cases and failure.problem not in self.counts:
            met = Asked(self._last.case, self._last.number, failure)
            if self._shrinking and failure.problem == "orphaned-process":
                seconds = self._deadline.for_search(min(self._shrinking, _EARLY_SECONDS))
                first = self._search(Cause(failure.problem, "", ""), seconds, self._last).first(self._early)
                met = replace(first or met, reply=failure)
            self._fail(met, Problem(failure.problem, failure.detail))

    def _ask(self, puzzle: Puzzle, case: Case | None = None) -> Reply:
        began, before = time.perf_counter(), self.shares["reference"]
        # A second example of a hang is not worth the whole time limit.
        seconds = max(BRIEF_SECONDS, SLOWER * self._slowest) if self.counts["hang"] else inf
        with hurried(self._subject, seconds):
            reply = self._subject.ask(puzzle, lambda: self._prepare(case))
        taken = time.perf_counter() - began
        seconds = taken + before - self.shares["reference"]
        self.shares["solver"] += seconds
        self._quickest = min(self._quickest, seconds)
        if not isinstance(reply, SolverFailure) and not self._fresh:  # the first answer of a process includes its start
            self._slowest = max(self._slowest, taken)
        self._fresh = isinstance(reply, SolverFailure)
        self._has_read = self._has_read or not self._fresh
        return reply

    def _prepare(self, case: Case | None) -> None:
        """Compute the reference for judging the answer, if that is quick: waiting would count as the solver's time."""
        if case is None or case.solutions is not None or case.puzzle.rows * case.puzzle.columns > SMALL:
            return
        with contextlib.suppress(Unanswered):
            self._prepared = None if self.settings.claims == "one" else (case.puzzle, self._reference(case.puzzle))

    def _one(self, met: Asked) -> None:
        """Judge an answer; send some puzzles again."""
        self._last = met
        if len(self._early) < _MAX_EARLY:
            self._early.append(met)
        self.coverage.count(met.case)
        try:
            problem = self._judged(met.case, met.reply)
        except Unanswered as reason:
            self.coverage.skipped[str(reason)] += 1
            problem = None
        else:
            self.coverage.count_judged(met.case, met.reply, problem is not None)
        if problem is not None:
            self._fail(met, problem)
        elif not isinstance(met.reply, Abstention):
            if met.number % _RELATED_EVERY == 0:
                self._ask_related(met)
            if met.number % AGAIN_EVERY == 0:
                self._waiting.append(met)
        if self._waiting and met.number >= self._waiting[0].number + AGAIN_AFTER:
            self._asked_again(self._waiting.popleft())

    def _asked_again(self, met: Asked) -> None:
        self.coverage.again += 1
        again = Asked(met.case, met.number, self._ask(met.case.puzzle))
        problem = contradiction(self.settings.claims, met.reply, again.reply)
        with contextlib.suppress(Unanswered):
            problem = problem or self._judged(met.case, again.reply)
        if problem is not None:
            self._fail(again, problem)

    def _ask_related(self, met: Asked) -> None:
        """Send a puzzle related to one that was answered correctly, each relation in turn, and judge the reply."""
        self.coverage.related += 1
        found = related(self.settings.claims, met.case.puzzle, self.settings.allows)
        if not found:
            return
        relation = found[met.number // _RELATED_EVERY % len(found)]

        def carried(case: Case) -> Reference:
            reference = self._reference(case.puzzle, case)
            return replace(reference, solutions=frozenset(map(relation.carry, reference.solutions)))

        there = self._ask(relation.puzzle)
        other = Asked(Case(relation.puzzle, f"{met.case.family}, {relation.name}", False), met.number, there)
        problem = None
        with contextlib.suppress(Unanswered):
            problem = judge(relation.puzzle, self.settings.claims, there, lambda: carried(met.case))
        if problem is not None:
            self._fail(other, problem)
        elif (problem := related_contradiction(self.settings.claims, met.reply, relation, there)) is not None:
            self._fail(met, problem)

    def _judged(self, case: Case, reply: Reply) -> Problem | None:
        if isinstance(reply, SolverFailure) and reply.problem == "hang" and self.counts["hang"]:
            raise Unanswered("no answer in the shorter time after the first hang")
        puzzle, claims, no_unknown = case.puzzle, self.settings.claims, self.settings.no_unknown
        return judge(puzzle, claims, reply, lambda: self._reference(puzzle, case), no_unknown=no_unknown)

    def _reference(self, puzzle: Puzzle, case: Case | None = None) -> Reference:
        if case is not None and case.solutions is not None:
            return Reference(case.solutions, True, ("rules",))
        if self._prepared is not None and self._prepared[0] == puzzle:
            return self._prepared[1]
        began = time.perf_counter()
        try:
            if self.settings.claims == FEWEST:
                return self._oracle.fewest(puzzle)
            return self._oracle.reference(puzzle, None if self.settings.claims == "all" else 2)
        finally:
            self.shares["reference"] += time.perf_counter() - began

    def _fail(self, met: Asked, problem: Problem) -> None:
        """Keep a failure, also if an interrupt ends its confirmation; only a hang counts for nothing until then."""
        again: bool | None = False
        try:
            if problem.group == "hang" and not self.counts["hang"]:
                again = self._hangs_again(met)
                if again is False and self._single_hangs < _MAX_SINGLE_HANGS:
                    self.coverage.skipped["no answer in time at first, but one when asked again"] += 1
                    return
            self._settle(met, problem, again)
        except KeyboardInterrupt:
            self._keep_unconfirmed(met, problem)
            raise

    def _keep_unconfirmed(self, met: Asked, problem: Problem) -> None:
        known = {"hang", *(failure.problem.group for failure in self.failures)}
        if problem.group not in known and self._is_guilty(met, problem):
            self.counts[problem.group], self._interrupted = 1, True
            self.failures.append(self._failure(met, met.case.puzzle, Observation(met.reply, problem), again=None))

    def _settle(self, met: Asked, problem: Problem, again: bool | None, worker: str = "") -> None:
        """Count a failure; shrink and keep the first of its cause."""
        began = time.monotonic()
        puzzle, solvable, causes = met.case.puzzle, self._is_solvable(met.case), self.coverage.causes
        if not causes.is_known(cause_of(problem, puzzle, solvable)):
            if not self._is_guilty(met, problem, worker):
                return
            if problem.group not in SOLVER_FAILURES | {*ABSTENTIONS, "contradicts-itself"}:
                with contextlib.suppress(OutOfTime):
                    search = self._search(Cause(problem.group, "", ""), 0, met)
                    problem, again = search.confirmed(puzzle, met.reply, problem)
        cause = cause_of(problem, puzzle, solvable)
        self.counts[problem.group] += 1
        self.coverage.classes.add(problem.group, puzzle, solvable)
        if causes.add(cause):
            self._shrunk(met, problem, cause, again)
            self._spent += time.monotonic() - began
        for other in list(self._aside) if self.settings.keep_going else ():
            if not causes.is_known(other):
                self._fail(*self._aside[other])

    def _is_guilty(self, met: Asked, problem: Problem, worker: str = "") -> bool:
        """Judge a failure again, see `require_guilt`; return False if there is nothing to judge it by."""
        if not self.is_stand_in:
            require_transport(Session, type(self._subject))
        try:
            require_guilt(met, problem, self.settings.claims, self._oracle, worker)
        except Unanswered as reason:
            self.coverage.skipped[f"wrong by the first judgement, and none by the second: {reason}"] += 1
            return False
        return True

    def _hangs_again(self, met: Asked) -> bool | None:
        """Return whether a restarted process hangs on the puzzle too; None if there is no time to ask."""
        # A share of the time left, so that some remains to report the failure.
        seconds = CONFIRMATION_SHARE * self._deadline.left
        if seconds < BRIEF_SECONDS:
            return None
        with contextlib.suppress(OutOfTime), hurried(self._subject, seconds):
            again = self._ask(met.case.puzzle)
            if isinstance(again, SolverFailure) and again.problem == "hang":
                return True
            self._single_hangs += 1
            return False
        return None

    def _note(self, met: Asked, problem: Problem) -> None:
        """Keep for later a failure seen while shrinking another one."""
        self._aside.setdefault(cause_of(problem, met.case.puzzle, self._is_solvable(met.case)), (met, problem))

    def _shrunk(self, met: Asked, problem: Problem, cause: Cause, again: bool | None) -> None:
        """Keep the failure at once, then replace it by smaller ones, so that an interrupt loses nothing."""
        index = len(self.failures)
        self.failures.append(self._failure(met, met.case.puzzle, Observation(met.reply, problem), again=again))
        if not self._shrinking:
            return

        def keep(puzzle: Puzzle, seen: Observation, minimal: bool, tried: int) -> None:
            seen_again = again is not None or puzzle != met.case.puzzle
            self.failures[index] = self._failure(met, puzzle, seen, minimal, tried, seen_again or None)

        search = self._search(cause, self._deadline.for_search(self._shrinking), met)
        try:
            search.smallest(met.case.puzzle, keep, Observation(met.reply, problem) if problem.group == "hang" else None)
        except OutOfTime:
            if not self.failures[index].again:
                self.failures[index] = replace(self.failures[index], again=None)
        final = self.failures[index]
        self._is_guilty(replace(met, case=replace(met.case, puzzle=final.puzzle), reply=final.reply), final.problem)

    def _search(self, cause: Cause, seconds: float, met: Asked) -> Reproducer:
        """Return a search for failures of one cause; it notes failures of other causes as found on the same case."""

        def aside(puzzle: Puzzle, seen: Observation) -> None:
            self._note(replace(met, case=Case(puzzle, met.case.family, False), reply=seen.reply), seen.problem)

        return Reproducer(self.settings, self._subject, self._reference, cause, self._slowest, seconds, aside)

    def _is_solvable(self, case: Case) -> bool | None:
        with contextlib.suppress(Unanswered):
            return self._reference(case.puzzle, case).solvable
        return None

    def _failure(
        self,
        met: Asked,
        puzzle: Puzzle,
        seen: Observation,
        minimal: bool = False,
        tried: int = 0,
        again: bool | None = False,
    ) -> Failure:
        reference: Reference | None = None
        if not self._interrupted:
            require_sound(puzzle)
            with contextlib.suppress(Unanswered):
                reference = self._reference(puzzle)
        return Failure(
            problem=seen.problem,
            puzzle=puzzle,
            reply=seen.reply,
            reference=reference,
            original=met.case.puzzle,
            case=max(0, met.number - len(self._corpus.puzzles)),
            asked=self.coverage.cases,
            family=met.case.family,
            minimal=minimal,
            tried=tried,
            again=again,
            claims=self.settings.claims,
            notes=self._subject.notes(puzzle, seen.reply, self._has_read),
        )
