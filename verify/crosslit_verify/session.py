"""A verification from top to bottom: cases, answers, what is wrong with them, smaller failing puzzles, the result."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

from crosslit_backends.programs.protocol import ABSTENTIONS, FEWEST, Abstention, Reply, SolverAnswer, SolverFailure
from crosslit_generate import Case

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.numbers import format_count
from crosslit.kinds import Puzzle
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit_verify.commands import Command
from crosslit_verify.judging import SOLVER_FAILURES, Problem, contradiction, judge
from crosslit_verify.process import OutOfTime, Solver
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered
from crosslit_verify.replay import NO_CORPUS, Corpus
from crosslit_verify.report import Cause, Coverage, Failure, Verification, cause_of
from crosslit_verify.settings import Settings
from crosslit_verify.shrink import SECONDS, steps
from crosslit_verify.stream import probes, stream

AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
TRIES = 8  # questions about a puzzle to a solver that does not always fail
MAX_CAUSES = 4  # causes of a group that get their own example
SLOW_SECONDS = 0.1  # for each of the first puzzles: such a solver gets few in all, so they should be varied
SLOWER = 10  # in times of the slowest answer: enough for a solver that does not hang
_BRIEF_SECONDS = 1.0  # minimum for an answer once there is an example of a hang, whose like are not reported again
_HURRY_SECONDS = 0.25  # minimum for an answer while a puzzle is shrunk on which the solver hangs
_LAST_SECONDS = 0.5  # after the end, in which a failure found at the very end may be shrunk
_MAX_EARLY, _EARLY_SECONDS = 64, 10.0  # first puzzles that are searched for one that leaves processes
_MAX_SKIPPED = 64  # puzzles of a family that are skipped after abstentions


@dataclass(frozen=True)
class Found:
    """A reply to a case with a problem."""

    number: int
    case: Case
    reply: Reply
    problem: Problem


class Verifier:
    """The verification of one solver.

    ``shrinking`` is the maximum number of seconds for shrinking a failure.
    """

    def __init__(
        self,
        settings: Settings,
        solver: Solver,
        on_case: Callable[[Verifier], None] = lambda _: None,
        shrinking: float = SECONDS,
        corpus: Corpus = NO_CORPUS,
    ) -> None:
        self.settings, self.solver, self.oracle = settings, solver, Oracle()
        self.coverage, self.failures = Coverage(), list[Failure]()
        self.counts: Counter[str] = Counter()  # failed puzzles, by group
        self._corpus, self._on_case, self._shrinking = corpus, on_case, shrinking
        stream(settings, self._check_time)  # which raises a ValueError if there are no such puzzles
        self._causes: Counter[Cause] = Counter()
        self._shares = {"solver": 0.0, "reference": 0.0}  # seconds
        self._slowest, self._quickest, self._has_read = 0.0, inf, False  # seconds of answers; whether any was readable
        self._began = self._spent = 0.0  # the start, and seconds of shrinking
        self._until, self._end, self._interrupted = inf, "", False
        self._streaks: Counter[str] = Counter()  # abstentions in a row, by family
        self._skips: Counter[str] = Counter()  # puzzles of it to skip

    @property
    def seconds(self) -> float:
        """Elapsed wall time, without shrinking."""
        return time.monotonic() - self._began - self._spent

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        return self._result(self._problems(), is_replay=False)

    def replay(self, puzzle: Puzzle) -> Verification:
        """Send one puzzle several times, because the solver may not always fail."""
        self._shrinking = 0
        return self._result(self._attempts(puzzle), is_replay=True)

    def _result(self, problems: Iterator[Found], is_replay: bool) -> Verification:
        """Accuse the solver of all that is found, and leave no process running."""
        self._began = time.monotonic()
        self._set_end(self._began + (self.settings.seconds or inf))
        try:
            for found in problems:
                self._accuse(found)
                if not self.settings.keep_going:
                    self._end = self._end if is_replay else "stopped at the first failure"
                    break
            if (found_at_end := self._closing()) and not (is_replay and self.failures):
                self._accuse(found_at_end)
        except OutOfTime:
            self._end = f"stopped after {self.settings.seconds:g} s"
        except KeyboardInterrupt:
            self._end, self._interrupted = "interrupted", True
        finally:
            self.solver.close()
            self.oracle.close()
        numbers = dict(self.counts), self.coverage, self.seconds, dict(self._shares)
        name, causes = self.solver.description, self._causes
        return Verification(
            self.settings,
            tuple(self.failures),
            *numbers,
            self._end,
            self._interrupted,
            is_replay,
            name,
            causes,
            self._corpus.is_all,
        )

    # --- cases ---

    def _cases(self) -> Iterator[tuple[int, Case]]:
        """Yield the cases with their numbers; after the first few, a slow solver gets mostly random ones."""
        first = list(itertools.islice(self._numbered(), AGAIN_AFTER))
        yield from first
        if self._quickest > SLOW_SECONDS and len(first) == AGAIN_AFTER and not self._corpus.is_all:
            self.settings = replace(self.settings, varied=True)
        # the first cases are the same, so each case has the number that it has with these settings
        yield from itertools.islice(self._numbered(), len(first), None)

    def _numbered(self) -> Iterator[tuple[int, Case]]:
        more = () if self._corpus.is_all else stream(self.settings, self._check_time)
        sent = filter(self._is_wanted, itertools.chain(self._corpus.cases(), more))
        for number, case in enumerate(sent, 1):
            if self.settings.cases is not None and number > self.settings.cases:
                self._end = f"stopped after {self.settings.cases:,} cases"
                return
            yield number, case
        self._end = "no puzzles left"

    def _is_wanted(self, case: Case) -> bool:
        """Return whether to send a case: families that the solver abstains from come less and less often."""
        # The last member, such as the board with all lights on, is often the only one that a solver answers.
        if case.last or not self._skips[case.family]:
            return True
        self._skips[case.family] -= 1
        self.coverage.pass_over(case)
        return False

    def _check_time(self) -> None:
        if time.monotonic() >= self._until:
            raise OutOfTime

    # --- ask and judge ---

    def _problems(self) -> Iterator[Found]:
        """Ask about each case, some of them again, and yield the replies with a problem."""
        waiting: deque[tuple[int, Case, Reply]] = deque()
        for number, case in self._cases():
            self._check_time()
            asked = time.monotonic()
            try:
                reply = self._ask(case.puzzle, max(_BRIEF_SECONDS, SLOWER * self._slowest) if self._hung else None)
            except OutOfTime:
                self.coverage.unanswered = case.puzzle, self._until - asked
                raise
            if number == 1 and not self._corpus.is_all:
                self._require_set_up(case.puzzle, reply)
            yield from self._judged(number, case, reply)
            self._on_case(self)
            if number % AGAIN_EVERY == 0 and not isinstance(reply, SolverFailure | Abstention):
                waiting.append((number, case, reply))
            if waiting and number >= waiting[0][0] + AGAIN_AFTER:
                yield from self._asked_again(*waiting.popleft())
            self._notice(case, reply)

    def _judged(self, number: int, case: Case, reply: Reply) -> Iterator[Found]:
        problem, reason = None, ""
        if isinstance(reply, SolverFailure) and reply.problem == "hang" and self._hung:
            reason = "no answer in the shorter time after the first hang"
        else:
            try:
                problem = self._judge(case.puzzle, reply, case)
            except Unanswered as error:
                reason = str(error)
        self.coverage.count(case, reply, failed=problem is not None, skipped=reason)
        if problem is not None:
            yield Found(number, case, reply, problem)

    def _asked_again(self, number: int, case: Case, before: Reply) -> Iterator[Found]:
        """Send a puzzle again, and judge the reply by the first one and by the reference."""
        self.coverage.again += 1
        reply = self._ask(case.puzzle)
        problem = contradiction(self.settings.claims, before, reply)
        with contextlib.suppress(Unanswered):
            problem = problem or self._judge(case.puzzle, reply, case)
        if problem is not None:
            yield Found(number, case, reply, problem)

    def _ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        began = time.monotonic()
        reply = self.solver.ask(puzzle, seconds)
        taken = time.monotonic() - began
        self._shares["solver"] += taken
        if not isinstance(reply, SolverFailure):
            if self._has_read:  # the first answer includes the start
                self._slowest, self._quickest = max(self._slowest, taken), min(self._quickest, taken)
            self._has_read = True
        return reply

    def _judge(self, puzzle: Puzzle, reply: Reply, case: Case | None = None) -> Problem | None:
        """Return the problem of a reply; see `judging.judge`."""
        claims, no_unknown = self.settings.claims, self.settings.no_unknown
        return judge(puzzle, claims, reply, lambda: self._reference(puzzle, case), no_unknown=no_unknown)

    def _reference(self, puzzle: Puzzle, case: Case | None = None) -> Reference:
        """Return the reference of a puzzle, whose case may have all its solutions; raise `Unanswered` without one."""
        if case is not None and case.solutions is not None:
            return Reference(case.solutions, True, ("rules",))
        began = time.monotonic()
        try:
            if self.settings.claims == FEWEST:
                return self.oracle.fewest(puzzle)
            return self.oracle.reference(puzzle, None if self.settings.claims == "all" else 2)
        finally:
            self._shares["reference"] += time.monotonic() - began

    @property
    def _hung(self) -> bool:
        """True if there is an example of a hang."""
        return "hang" in self.counts

    def _notice(self, case: Case, reply: Reply) -> None:
        """Skip more and more puzzles of a family as long as the solver abstains from them."""
        streak = self._streaks[case.family] = (self._streaks[case.family] + 1) * isinstance(reply, Abstention)
        if case.family != self._corpus.family:
            self._skips[case.family] = min(streak // 4, _MAX_SKIPPED)

    def _require_set_up(self, puzzle: Puzzle, reply: Reply) -> None:
        """Raise an `InputError` if a command crashes on three puzzles in the same way: its set-up is broken."""
        if not (isinstance(self.solver, Command) and isinstance(reply, SolverFailure) and reply.problem == "crash"):
            return
        # Another shape, since a solver may well crash on every puzzle of one row.
        others = [other for other in probes(self.settings) if other != puzzle]
        others.sort(key=lambda other: (other.rows == puzzle.rows) + (other.columns == puzzle.columns))
        with contextlib.suppress(OutOfTime):
            if [self.solver.ask(other) for other in others[:2]] == [reply, reply]:
                known = self.solver.notes(puzzle, reply) or {"hint": "{file} in the command stands for a file"}
                notes = "".join(f"; {name}: {text}" for name, text in known.items())
                seen = f"it crashes on the first three puzzles in the same way; on {puzzle.text}: {reply.detail}{notes}"
                raise InputError(self.solver.name, f"its set-up seems to be broken: {seen}")

    def _attempts(self, puzzle: Puzzle) -> Iterator[Found]:
        """Yield the first problem of several replies to a puzzle."""
        case, first = Case(puzzle, "replay file", False), None
        for attempt in range(1, TRIES + 1):
            self._end = f"asked {format_count(attempt, 'time')}"
            reply = self._ask(puzzle)
            first = first or reply
            problem = contradiction(self.settings.claims, first, reply)
            with contextlib.suppress(Unanswered):
                problem = problem or self._judge(puzzle, reply)
            if attempt == 1 or problem:
                self.coverage.count(case, reply, failed=problem is not None)
            if problem is not None:
                yield Found(0, case, reply, problem)
                return

    def _closing(self) -> Found | None:
        """End the solver; return the failure that this shows, such as processes left behind, by the first such case."""
        failure, until = self.solver.close(), time.monotonic() + _EARLY_SECONDS
        if failure is None or failure.problem in self.counts or self.coverage.last is None:
            return None
        early = itertools.islice(stream(self.settings, self._check_time), _MAX_EARLY) if not self._corpus.is_all else ()
        for number, case in enumerate(itertools.chain(self._corpus.cases(), early), 1):
            if number > self.coverage.cases or time.monotonic() > until or failure.problem != "orphaned-process":
                break
            self.solver.ask(case.puzzle)
            if (again := self.solver.close()) and again.problem == failure.problem:
                return Found(number, case, again, Problem(again.problem, again.detail))
        return Found(self.coverage.cases, self.coverage.last, failure, Problem(failure.problem, failure.detail))

    # --- shrink, acquit and report ---

    def _accuse(self, found: Found) -> None:
        """Count a failure; keep the first of its cause at once, then shrink it, so that an interrupt loses nothing."""
        began, cause = time.monotonic(), cause_of(found.problem)
        examples = [other for other in self._causes if other.group == cause.group]
        self.counts[cause.group] += 1
        if cause in self._causes or len(examples) >= MAX_CAUSES:
            self._causes[cause if cause in self._causes else Cause(cause.group, "other causes")] += 1
            return
        self._acquit(found)
        self._causes[cause] += 1
        self.failures.append(self._failure(found, found))
        seconds = min(self._shrinking, max(_LAST_SECONDS, self._until - began))
        self._set_end(max(end := self._until, began + seconds))
        with contextlib.suppress(OutOfTime):
            confirmed = self._confirmed(found)
            if confirmed.problem.group != found.problem.group:
                self.counts += Counter({cause.group: -1, confirmed.problem.group: 1})
                self._causes[cause_of(confirmed.problem)] = self._causes.pop(cause)
            self._shrink(found, confirmed, began + seconds)
        self._set_end(end)
        self._spent += time.monotonic() - began

    def _confirmed(self, found: Found) -> Found:
        """Ask again after a wrong answer; return it, or the contradiction, which shows more."""
        if found.problem.group in SOLVER_FAILURES | {*ABSTENTIONS, "contradicts-itself"}:
            return found
        puzzle, recurs = found.case.puzzle, False
        again = found.reply
        for _ in range(2):
            again = self._ask(puzzle)
            if (contradicts := contradiction(self.settings.claims, found.reply, again)) is not None:
                return replace(found, problem=contradicts)
            with contextlib.suppress(Unanswered):
                recurs = recurs or self._judge(puzzle, again) is not None
        if recurs or isinstance(again, SolverFailure):
            return found
        detail = f"{found.problem.detail}; asked again, it gave another answer"
        return replace(found, problem=Problem("contradicts-itself", detail))

    def _shrink(self, original: Found, found: Found, until: float) -> None:
        """Replace the last failure by ever smaller ones of the same cause."""
        puzzle, cause, seen = found.case.puzzle, cause_of(found.problem), {found.case.puzzle: found}
        is_hang = cause.group == "hang"
        hurry = max(_HURRY_SECONDS, SLOWER * self._slowest) if is_hang else None
        tries = TRIES if cause.group == "contradicts-itself" else 1

        def fails(puzzle: Puzzle) -> bool:
            if (again := self._seen(found, puzzle, tries, hurry)) is not None:
                seen[puzzle] = again
            return again is not None

        self.failures[-1] = self._failure(original, found)
        if not is_hang and not all(map(fails, [puzzle] * (2 if tries == 1 else 1))):
            tries = TRIES
            if not fails(puzzle):
                self.failures[-1] = replace(self.failures[-1], again=False)
                return
        self.failures[-1] = self._failure(original, seen[puzzle], again=True)
        if not self._shrinking:
            return
        left = until - time.monotonic()
        for step in steps(puzzle, fails, picture=self._picture, square=self.settings.sizes.square, seconds=left):
            smaller = self._failure(original, seen[step.puzzle], again=True, minimal=step.minimal, tried=step.asks)
            # A puzzle on which it is merely slow is no hang: the last one gets the usual time, in a new process.
            if not is_hang or step.puzzle == puzzle:
                self.failures[-1] = smaller
        if is_hang and self.failures[-1].puzzle != step.puzzle:
            self.solver.close()
            if self._seen(found, step.puzzle, 1, inf):
                self.failures[-1] = smaller
        self._acquit(seen[step.puzzle])

    def _seen(self, found: Found, puzzle: Puzzle, tries: int, seconds: float | None) -> Found | None:
        """Return a failure of the same cause on another puzzle; None if none is seen, or the settings exclude it."""
        first, cause = None, cause_of(found.problem)
        with contextlib.suppress(Unanswered):
            for _ in range(tries if self._suits(puzzle, found.case.puzzle) else 0):
                reply = self._ask(puzzle, seconds)
                if cause.group == "orphaned-process" and not isinstance(reply, SolverFailure):
                    reply = self.solver.close() or reply  # some are seen only after it has ended
                again = contradiction(self.settings.claims, first, reply) if first is not None else None
                problem = again if cause.group == "contradicts-itself" and again else self._judge(puzzle, reply)
                if problem is not None and cause_of(problem) == cause:
                    return Found(found.number, Case(puzzle, found.case.family, False), reply, problem)
                first = first or reply
        return None

    def _suits(self, puzzle: Puzzle, original: Puzzle) -> bool:
        settings = self.settings
        keeps_size = settings.has_sizes and settings.allows(original.rows, original.columns)
        if keeps_size and not settings.allows(puzzle.rows, puzzle.columns):
            return False
        known = None if settings.only in (None, "valid") else self._reference(puzzle).solutions
        return Case(puzzle, "", False, solutions=known).suits(settings.only)

    def _picture(self, puzzle: Puzzle) -> Grid | None:
        """Return a solution, for reductions that keep a puzzle solvable."""
        with contextlib.suppress(Unanswered):
            return min(self._reference(puzzle).solutions, key=lambda grid: grid.text, default=None)
        return None

    def _acquit(self, found: Found) -> None:
        """Judge an answer on a small puzzle again, by all grids that follow its rules and no solver of Crosslit.

        Raises:
            ReferencesDiffer: if nothing is wrong with it, which is a bug of Crosslit and not of the solver.
        """
        puzzle, reply, problem = found.case.puzzle, found.reply, found.problem
        needs_reference = isinstance(reply, SolverAnswer) and problem.group != "contradicts-itself"
        if not needs_reference or puzzle.layout.bits > MAX_CELLS:
            return
        every = Reference(solutions_by_rules(puzzle), True, ("rules",))
        if judge(puzzle, self.settings.claims, reply, lambda: every) is None:
            place = found.case.family
            raise ReferencesDiffer(f"on {puzzle.text}: {problem.detail} ({place}); nothing is wrong by the rules")

    def _failure(
        self, original: Found, found: Found, again: bool | None = None, minimal: bool = False, tried: int = 0
    ) -> Failure:
        puzzle, reply = found.case.puzzle, found.reply
        reference: Reference | None = None
        with contextlib.suppress(Unanswered):
            reference = self._reference(puzzle)
        return Failure(
            problem=found.problem,
            puzzle=puzzle,
            reply=reply,
            reference=reference,
            original=original.case.puzzle,
            case=max(0, original.number - len(self._corpus.puzzles)),
            asked=self.coverage.cases,
            family=original.case.family,
            minimal=minimal,
            tried=tried,
            again=again,
            claims=self.settings.claims,
            notes=self.solver.notes(puzzle, reply, self._has_read),
        )

    def _set_end(self, until: float) -> None:
        self._until = self.solver.until = self.oracle.until = until
