"""A verification from top to bottom: cases, answers, what is wrong with them, smaller failing puzzles, the result."""

from __future__ import annotations

import contextlib
import itertools
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from crosslit_backends.programs.protocol import FEWEST, Abstention, Reply, SolverAnswer, SolverFailure
from crosslit_generate import Case

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.numbers import shorten
from crosslit.kinds import Puzzle
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit_verify.cases import Settings, given, probes, stream
from crosslit_verify.commands import Command, require_own_format
from crosslit_verify.judge import CERTAIN, CONTRADICTION, Problem, contradiction, judge
from crosslit_verify.process import OutOfTime, Solver
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered
from crosslit_verify.report import MAX_SHOWN, Cause, Coverage, Failure, Verification, cause_of
from crosslit_verify.shrink import SECONDS, steps

AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
TRIES = 8  # questions about a puzzle to a solver that does not always fail
MAX_CAUSES = 4  # causes of a group that get their own example
SLOW_SECONDS = 0.1  # for the quickest answer: such a solver gets few puzzles in all, so they should be varied
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

    @property
    def cause(self) -> Cause:
        """The cause by which failures are counted and shrunk."""
        return cause_of(self.problem)


class Verifier:
    """The verification of one solver.

    Only the ``own`` puzzles are sent if there are any; the ``corpus`` comes first. ``shrinking`` is the maximum number
    of seconds for shrinking a failure.
    """

    def __init__(
        self,
        settings: Settings,
        solver: Solver,
        on_case: Callable[[Verifier], None] = lambda _: None,
        shrinking: float = SECONDS,
        own: Sequence[Puzzle] = (),
        corpus: Sequence[Puzzle] = (),
    ) -> None:
        self.settings, self.solver, self.oracle = settings, solver, Oracle()
        self.coverage, self.failures, self.causes = Coverage(), list[Failure](), Counter[Cause]()
        self._own, self._corpus, self._on_case, self._shrinking = own, corpus, on_case, shrinking
        stream(settings, self._check_time)  # which raises a ValueError if there are no such puzzles
        self._slowest, self._quickest, self._has_read = 0.0, inf, False  # seconds of answers; whether any was readable
        self._began = self._spent = 0.0  # the start, and seconds of shrinking
        self._until, self._end = inf, ""
        self._last: tuple[int, Case] | None = None
        self._streaks, self._skips = Counter[str](), Counter[str]()  # by family: abstentions in a row, puzzles to skip

    @property
    def seconds(self) -> float:
        """Elapsed wall time, without shrinking."""
        return time.monotonic() - self._began - self._spent

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        self._began, interrupted = time.monotonic(), False
        self._set_end(self._began + (self.settings.seconds or inf))
        try:
            for found in self._problems():
                self._accuse(found)
                if not self.settings.keep_going:
                    self._end = "stopped at the first failure"
                    break
            if found_at_end := self._closing():
                self._accuse(found_at_end)
        except OutOfTime:
            self._end = f"stopped after {self.settings.seconds:g} s"
        except KeyboardInterrupt:
            self._end, interrupted = "interrupted", True
        finally:
            self.solver.close()
            self.oracle.close()
        return Verification(
            self.settings,
            tuple(self.failures),
            self.causes,
            self.coverage,
            self.seconds,
            self._end,
            interrupted,
            self.solver.description,
            bool(self._own),
        )

    # --- cases ---

    def _cases(self) -> Iterator[Case]:
        yield from itertools.chain(given(self._own, "own puzzles"), given(self._corpus, "corpus"))
        if not self._own:
            yield from stream(self.settings, self._check_time, lambda: SLOW_SECONDS < self._quickest < inf)

    def _sent(self) -> Iterator[tuple[int, Case]]:
        """Yield the cases to send with their numbers; families that a solver abstains from come less and less often."""
        numbers = itertools.count(1)
        for case in self._cases():
            # The last member, such as the board with all lights on, is often the only one that a solver answers.
            if self._skips[_of_any_shape(case.family)] and not case.last:
                self._skips[_of_any_shape(case.family)] -= 1
                self.coverage.family(case).passed_over += 1
                continue
            if (number := next(numbers)) > (self.settings.cases or inf):
                self._end = f"stopped after {self.settings.cases:,} cases"
                return
            yield number, case
        self._end = "no puzzles left"

    def _check_time(self) -> None:
        if time.monotonic() >= self._until:
            raise OutOfTime

    # --- ask and judge ---

    def _problems(self) -> Iterator[Found]:
        """Ask about each case, some of them again, and yield the replies with a problem."""
        waiting: deque[tuple[int, Case, Reply]] = deque()
        for number, case in self._sent():
            self._check_time()
            self._last, asked = (number, case), time.monotonic()
            try:
                reply = self._ask(case.puzzle, max(_BRIEF_SECONDS, SLOWER * self._slowest) if self._hung else None)
            except OutOfTime:
                if (waited := self._until - asked) >= 1:
                    text = shorten(case.puzzle.text, MAX_SHOWN)
                    self.coverage.skipped[f"asked {waited:.1f} s before the end: {text}"] += 1
                raise
            if number == 1 and not self._own:
                self._require_set_up(case.puzzle, reply)
            yield from self._judged(number, case, reply)
            self._on_case(self)
            if not isinstance(reply, SolverFailure | Abstention) and number % AGAIN_EVERY == 0:
                waiting.append((number, case, reply))
            if waiting and number >= waiting[0][0] + AGAIN_AFTER:
                yield from self._asked_again(*waiting.popleft())
            if number > len(self._own) + len(self._corpus):
                family = _of_any_shape(case.family)
                streak = self._streaks[family] = (self._streaks[family] + 1) * isinstance(reply, Abstention)
                self._skips[family] = min(streak // 4, _MAX_SKIPPED)
        if len(self._own) == 1 and not self.failures:  # perhaps of a solver that does not always fail
            for _ in range(TRIES - 1):
                yield from self._asked_again(number, case, reply)

    def _judged(self, number: int, case: Case, reply: Reply) -> Iterator[Found]:
        problem, reason = None, ""
        if self._hung and isinstance(reply, SolverFailure) and reply.problem == "hang":
            reason = "no answer in the shorter time after the first hang"
        else:
            try:
                problem = self._judge(case.puzzle, reply, case)
            except Unanswered as error:
                reason = str(error)
        self.coverage.count(case, reply, reason)
        if problem is not None:
            yield Found(number, case, reply, problem)

    def _asked_again(self, number: int, case: Case, before: Reply) -> Iterator[Found]:
        """Send a puzzle again, and judge the reply by the first one and by the reference."""
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
        if not isinstance(reply, SolverFailure):
            if self._has_read:  # the first answer includes the start
                self._slowest, self._quickest = max(self._slowest, taken), min(self._quickest, taken)
            self._has_read = True
        return reply

    def _judge(self, puzzle: Puzzle, reply: Reply, case: Case | None = None) -> Problem | None:
        return judge(puzzle, self.settings.claims, reply, lambda: self._reference(puzzle, case))

    def _reference(self, puzzle: Puzzle, case: Case | None = None) -> Reference:
        """Return the reference of a puzzle, whose case may have all its solutions; raise `Unanswered` without one."""
        if case is not None and case.solutions is not None:
            return Reference(case.solutions, True, ("rules",))
        if self.settings.claims == FEWEST:
            return self.oracle.fewest(puzzle)
        return self.oracle.reference(puzzle, None if self.settings.claims == "all" else 2)

    @property
    def _hung(self) -> bool:
        """True if there is an example of a hang."""
        return any(cause.group == "hang" for cause in self.causes)

    def _require_set_up(self, puzzle: Puzzle, reply: Reply) -> None:
        """Raise an `InputError` if a command crashes on three puzzles in the same way: its set-up is broken."""
        if not (isinstance(self.solver, Command) and isinstance(reply, SolverFailure) and reply.problem == "crash"):
            return
        self._require_format(1, puzzle)
        # Another shape, since a solver may well crash on every puzzle of one row.
        others = [other for other in probes(self.settings) if other != puzzle]
        others.sort(key=lambda other: (other.rows == puzzle.rows) + (other.columns == puzzle.columns))
        with contextlib.suppress(OutOfTime):
            if [self.solver.ask(other) for other in others[:2]] == [reply, reply]:
                known = self.solver.notes(puzzle, reply) or {"hint": "{file} in the command stands for a file"}
                notes = "".join(f"; {name}: {text}" for name, text in known.items())
                seen = f"it crashes on the first three puzzles in the same way; on {puzzle.text}: {reply.detail}{notes}"
                raise InputError(self.solver.name, f"its set-up seems to be broken: {seen}")

    def _require_format(self, number: int, puzzle: Puzzle) -> None:
        """Raise an `InputError` if the first failure is one of another format; see `require_own_format`."""

        def is_wrong(puzzle: Puzzle, reply: Reply) -> bool:
            with contextlib.suppress(Unanswered):
                return self._judge(puzzle, reply) is not None
            return False

        if not self.failures and number <= _MAX_EARLY:
            with contextlib.suppress(OutOfTime):
                require_own_format(self.solver, [puzzle, *probes(self.settings)], is_wrong)

    def _closing(self) -> Found | None:
        """End the solver; return the failure that this shows, such as processes left behind, by the first such case."""
        failure, until = self.solver.close(), time.monotonic() + _EARLY_SECONDS
        if failure is None or self._last is None or any(cause.group == failure.problem for cause in self.causes):
            return None
        number, case = self._last
        is_left = failure.problem == "orphaned-process"
        early = itertools.islice(self._cases(), min(_MAX_EARLY, number) * is_left)
        for earlier, candidate in enumerate(early, 1):
            if time.monotonic() > until:
                break
            self.solver.ask(candidate.puzzle)
            if (again := self.solver.close()) and again.problem == failure.problem:
                number, case, failure = earlier, candidate, again
                break
        return Found(number, case, failure, Problem(failure.problem, failure.detail))

    # --- shrink, acquit and report ---

    def _accuse(self, found: Found) -> None:
        """Count a failure; keep the first of its cause at once, then shrink it, so that an interrupt loses nothing."""
        began, cause = time.monotonic(), found.cause
        if cause in self.causes or sum(other.group == cause.group for other in self.causes) >= MAX_CAUSES:
            self.causes[cause if cause in self.causes else Cause(cause.group, "other causes")] += 1
            return
        self._acquit(found)
        self._require_format(found.number, found.case.puzzle)
        self.causes[cause] += 1
        self.failures.append(self._failure(found, found))
        seconds = min(self._shrinking, max(_LAST_SECONDS, self._until - began))
        self._set_end(max(end := self._until, began + seconds))
        with contextlib.suppress(OutOfTime):
            confirmed = self._confirmed(found)
            if confirmed.cause != cause:
                self.causes[confirmed.cause] += self.causes.pop(cause)
            self._shrink(found, confirmed, began + seconds)
        self._set_end(end)
        self._spent += time.monotonic() - began

    def _confirmed(self, found: Found) -> Found:
        """Ask again after a wrong answer; return it, or the contradiction, which shows more."""
        if found.problem.group in CERTAIN:
            return found
        recurs = False
        for _ in range(2):
            again = self._ask(found.case.puzzle)
            if (contradicts := contradiction(self.settings.claims, found.reply, again)) is not None:
                return replace(found, problem=contradicts)
            with contextlib.suppress(Unanswered):
                recurs = recurs or self._judge(found.case.puzzle, again) is not None
        if recurs or isinstance(again, SolverFailure):
            return found
        detail = f"{found.problem.detail}; asked again, it gave another answer"
        return replace(found, problem=Problem(CONTRADICTION, detail))

    def _shrink(self, original: Found, found: Found, until: float) -> None:
        """Replace the last failure by ever smaller ones of the same cause."""
        puzzle, seen, is_hang = found.case.puzzle, {found.case.puzzle: found}, found.cause.group == "hang"
        hurry = max(_HURRY_SECONDS, SLOWER * self._slowest) if is_hang else None
        tries = TRIES if found.cause.group == CONTRADICTION else 1

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
        first, cause = None, found.cause
        with contextlib.suppress(Unanswered):
            for _ in range(tries if self._suits(puzzle, found.case.puzzle) else 0):
                reply = self._ask(puzzle, seconds)
                if cause.group == "orphaned-process" and not isinstance(reply, SolverFailure):
                    reply = self.solver.close() or reply  # some are seen only after it has ended
                again = contradiction(self.settings.claims, first, reply) if first is not None else None
                problem = again if cause.group == CONTRADICTION and again else self._judge(puzzle, reply)
                if problem is not None and cause_of(problem) == cause:
                    return Found(found.number, Case(puzzle, found.case.family, False), reply, problem)
                first = first or reply
        return None

    def _suits(self, puzzle: Puzzle, original: Puzzle) -> bool:
        settings = self.settings
        keeps_size = settings.has_sizes and settings.allows(original.rows, original.columns)
        if (keeps_size and not settings.allows(puzzle.rows, puzzle.columns)) or not settings.has(puzzle):
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
        puzzle, problem = found.case.puzzle, found.problem
        needs_reference = isinstance(found.reply, SolverAnswer) and problem.group != CONTRADICTION
        if not needs_reference or puzzle.layout.bits > MAX_CELLS:
            return
        every = Reference(solutions_by_rules(puzzle), True, ("rules",))
        if judge(puzzle, self.settings.claims, found.reply, lambda: every) is None:
            place = found.case.family
            raise ReferencesDiffer(f"on {puzzle.text}: {problem.detail} ({place}); nothing is wrong by the rules")

    def _failure(self, original: Found, found: Found, **shrinking: Any) -> Failure:
        puzzle, reference = found.case.puzzle, None
        with contextlib.suppress(Unanswered):
            reference = self._reference(puzzle)
        return Failure(
            found.problem,
            puzzle,
            found.reply,
            reference,
            original.case.puzzle,
            case=0 if self._own else max(0, original.number - len(self._corpus)),
            asked=self.coverage.cases,
            family=original.case.family,
            claims=self.settings.claims,
            notes=self.solver.notes(puzzle, found.reply, self._has_read),
            **shrinking,
        )

    def _set_end(self, until: float) -> None:
        self._until = self.solver.until = self.oracle.until = until


def _of_any_shape(family: str) -> str:
    return re.sub(r"\d+ x \d+ ?", "", family)
