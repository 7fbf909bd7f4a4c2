"""A verification from top to bottom: cases, answers, what is wrong with them, smaller failing puzzles, the result."""

from __future__ import annotations

import contextlib
import itertools
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from crosslit_backends.programs.protocol import FEWEST, Abstention, Reply, SolverAnswer, SolverFailure
from crosslit_generate import Case

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit_verify.cases import Settings, given, stream
from crosslit_verify.judge import CERTAIN, CONTRADICTION, Problem, contradiction, judge
from crosslit_verify.process import OutOfTime, Solver
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered
from crosslit_verify.report import ABSTAINS, Cause, Coverage, Failure, Verification, cause_of
from crosslit_verify.shrink import SECONDS, steps
from crosslit_verify.solver import Command, require_own_format

AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
TRIES = 8  # questions about a puzzle to a solver that does not always fail
MAX_CAUSES = 4  # causes of a group that get their own example
_SLOWER, _BRIEF_SECONDS = 10, 0.25  # for an answer while a hang is shrunk: times the slowest answer, and a minimum
_LAST_SECONDS = 0.5  # after the end, in which a failure found at the very end may be shrunk
_MAX_EARLY, _MAX_PROBES = 64, 8  # first cases in which a wrong set-up is seen, and puzzles that show it
_MAX_SKIPPED = 64  # puzzles of a family that are skipped after abstentions
# Without a limit on the time, nothing else bounds the drawing of random puzzles that are not sent: up to 64 for each
# one that is, and about 3 ms each.
MAX_SKIPPED_PER_CASE = 5


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
        self._slowest, self._has_read = 0.0, False  # seconds of answers; whether any was readable
        self._began = self._spent = 0.0  # the start, and seconds of shrinking
        self._until, self._end = inf, ""
        self._last: tuple[int, Case] | None = None

    @property
    def seconds(self) -> float:
        """Elapsed wall time, without shrinking."""
        return time.monotonic() - self._began - self._spent

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        self._began, interrupted = time.monotonic(), False
        self._set_end(self._began + (self.settings.seconds or inf))
        try:
            for failure in self._problems():  # cases, ask, judge
                self._accuse(failure)  # confirm, shrink, acquit, report
                if not self.settings.keep_going:
                    self._end = "stopped at the first failure"
                    break
            for failure in self._closing():
                self._accuse(failure)
        except OutOfTime:
            self._end = f"stopped after {self.settings.seconds:g} s"
        except KeyboardInterrupt:
            self._end, interrupted = "interrupted", True
        finally:
            self.solver.close()
            self.oracle.close()
        result = self.settings, tuple(self.failures), self.causes, self.coverage, self.seconds, self._end, interrupted
        return Verification(*result, self.solver.description, bool(self._own))

    # --- cases ---

    def _cases(self) -> Iterator[Case]:
        yield from itertools.chain(given(self._own, "own puzzles"), given(self._corpus, "corpus"))
        if not self._own:
            yield from stream(self.settings, self._check_time)

    def _check_time(self) -> None:
        if time.monotonic() >= self._until:
            raise OutOfTime

    # --- ask and judge ---

    def _problems(self) -> Iterator[Failure]:
        """Ask about each case, some of them again, and yield the failures.

        Families that a solver abstains from come less and less often.
        """
        waiting: deque[tuple[int, Case, Reply]] = deque()
        streaks, skips = Counter[str](), Counter[str]()  # by family: abstentions in a row, puzzles to skip
        number, skipped = 0, 0
        max_skipped = MAX_SKIPPED_PER_CASE * (self.settings.cases or inf) if self.settings.seconds is None else inf
        for case in self._cases():
            family = re.sub(r"\d+ x \d+ ?", "", case.family)
            # The last member, such as the board with all lights on, is often the only one that a solver answers.
            if skips[family] and not case.last:
                skips[family] -= 1
                self.coverage.family(case).passed_over += 1
                skipped += not case.exhaustive  # families are finite, and the last member is never skipped
                if skipped > max_skipped:
                    self._end = ABSTAINS
                    return
                continue
            if number == self.settings.cases:
                self._end = f"stopped after {number:,} cases"
                return
            number += 1
            self._check_time()
            self._last = number, case
            # Of a solver that hangs there is an example already: once more, four times as long, would show nothing new.
            reply = self._ask(case.puzzle, inf if any(cause.group == "hang" for cause in self.causes) else None)
            try:
                problem, reason = self._judge(case.puzzle, reply, case), ""
            except Unanswered as error:
                problem, reason = None, str(error)
            self.coverage.count(case, reply, reason)
            if problem is not None:
                yield self._failure(number, case, reply, problem)
            self._on_case(self)
            if not isinstance(reply, SolverFailure | Abstention) and number % AGAIN_EVERY == 0:
                waiting.append((number, case, reply))
            if waiting and number >= waiting[0][0] + AGAIN_AFTER:
                yield from self._asked_again(*waiting.popleft())
            if number > len(self._own) + len(self._corpus):
                streaks[family] = (streaks[family] + 1) * isinstance(reply, Abstention)
                skips[family] = min(streaks[family] // 4, _MAX_SKIPPED)
        self._end = "no puzzles left"
        if len(self._own) == 1 and not self.failures:  # perhaps of a solver that does not always fail
            for _ in range(TRIES - 1):
                yield from self._asked_again(number, case, reply)

    def _asked_again(self, number: int, case: Case, before: Reply) -> Iterator[Failure]:
        """Send a puzzle again, and judge the reply by the first one and by the reference."""
        reply = self._ask(case.puzzle)
        problem = contradiction(self.settings.claims, before, reply)
        with contextlib.suppress(Unanswered):
            problem = problem or self._judge(case.puzzle, reply, case)
        if problem is not None:
            yield self._failure(number, case, reply, problem)

    def _ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        began = time.monotonic()
        reply = self.solver.ask(puzzle, seconds)
        if not isinstance(reply, SolverFailure):
            # The first answer includes the start.
            self._slowest = max(self._slowest, time.monotonic() - began) if self._has_read else 0.0
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

    # --- confirm, shrink, acquit and report ---

    def _closing(self) -> Iterator[Failure]:
        """End the solver, and yield what this shows, such as processes left behind, on the first such case."""
        failure = self.solver.close()
        if failure is None or self._last is None or any(cause.group == failure.problem for cause in self.causes):
            return
        number, case = self._last
        with contextlib.suppress(OutOfTime):
            for earlier, candidate in enumerate(itertools.islice(self._cases(), min(number, _MAX_EARLY)), 1):
                self.solver.ask(candidate.puzzle)
                if (again := self.solver.close()) and again.problem == failure.problem:
                    number, case, failure = earlier, candidate, again
                    break
        yield self._failure(number, case, failure, Problem(failure.problem, failure.detail))

    def _accuse(self, found: Failure) -> None:
        """Count a failure; keep the first of its cause at once, then shrink it, so that an interrupt loses nothing.

        A puzzle counts once, for the first cause, though another one also gets its example.
        """
        began, cause = time.monotonic(), cause_of(found.problem)
        if cause in self.causes or sum(other.group == cause.group for other in self.causes) >= MAX_CAUSES:
            if self.coverage.fail(found.original):
                self.causes[cause if cause in self.causes else Cause(cause.group, "other causes")] += 1
            return
        self._acquit(found)
        self.causes[cause] += self.coverage.fail(found.original)
        self.failures.append(found)
        self._require_set_up(found)
        seconds = min(self._shrinking, max(_LAST_SECONDS, self._until - began))
        self._set_end(max(end := self._until, began + seconds))
        with contextlib.suppress(OutOfTime):
            self.failures[-1] = confirmed = self._confirmed(found)
            if (other := cause_of(confirmed.problem)) != cause:
                self.causes[other] += self.causes.pop(cause)
            self._shrink(confirmed, began + seconds)
            self._acquit(self.failures[-1])
        self._set_end(end)
        self._spent += time.monotonic() - began

    def _confirmed(self, found: Failure) -> Failure:
        """Ask again after a wrong answer; return it, or the contradiction, which shows more."""
        if found.problem.group in CERTAIN:
            return found
        recurs = False
        for _ in range(2):
            again = self._ask(found.puzzle)
            if (contradicts := contradiction(self.settings.claims, found.reply, again)) is not None:
                return replace(found, problem=contradicts)
            with contextlib.suppress(Unanswered):
                recurs = recurs or self._judge(found.puzzle, again) is not None
        if recurs or isinstance(again, SolverFailure):
            return found
        detail = f"{found.problem.detail}; asked again, it gave another answer"
        return replace(found, problem=Problem(CONTRADICTION, detail))

    def _shrink(self, found: Failure, until: float) -> None:
        """Replace the last failure by ever smaller ones of the same cause."""
        puzzle, seen, is_hang = found.puzzle, {found.puzzle: found}, found.problem.group == "hang"
        # So many times its slowest answer are enough for a solver that does not hang.
        seconds = max(_BRIEF_SECONDS, _SLOWER * self._slowest) if is_hang else None
        tries = TRIES if found.problem.group == CONTRADICTION else 1

        def fails(puzzle: Puzzle) -> bool:
            if (again := self._seen(found, puzzle, tries, seconds)) is not None:
                seen[puzzle] = again
            return again is not None

        if not is_hang and not all(map(fails, [puzzle] * (2 if tries == 1 else 1))):
            tries = TRIES
            if not fails(puzzle):
                self.failures[-1] = replace(found, again=False)
                return
        left = until - time.monotonic()
        for step in steps(puzzle, fails, picture=self._picture, square=self.settings.sizes.square, seconds=left):
            smaller = replace(seen[step.puzzle], again=True, minimal=step.minimal, tried=step.asks)
            # A puzzle on which it is merely slow is no hang: the last one gets the usual time, in a new process.
            if not is_hang or step.puzzle == puzzle:
                self.failures[-1] = smaller
        if is_hang and step.puzzle != puzzle:
            self.solver.close()
            if self._seen(found, step.puzzle, 1, inf):
                self.failures[-1] = smaller

    def _seen(self, found: Failure, puzzle: Puzzle, tries: int, seconds: float | None) -> Failure | None:
        """Return a failure of the same cause on another puzzle; None if none is seen, or the settings exclude it."""
        first, cause = None, cause_of(found.problem)
        with contextlib.suppress(Unanswered):
            for _ in range(tries if self._suits(puzzle, found.original) else 0):
                reply = self._ask(puzzle, seconds)
                if cause.group == "orphaned-process" and not isinstance(reply, SolverFailure):
                    reply = self.solver.close() or reply  # some are seen only after it has ended
                again = contradiction(self.settings.claims, first, reply) if first is not None else None
                problem = again if cause.group == CONTRADICTION and again else self._judge(puzzle, reply)
                if problem is not None and cause_of(problem) == cause:
                    return replace(found, **self._about(puzzle, reply, problem))
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

    def _failure(self, number: int, case: Case, reply: Reply, problem: Problem) -> Failure:
        return Failure(
            **self._about(case.puzzle, reply, problem),
            original=case.puzzle,
            case=0 if self._own else max(0, number - len(self._corpus)),
            asked=number,
            family=case.family,
            claims=self.settings.claims,
        )

    def _about(self, puzzle: Puzzle, reply: Reply, problem: Problem) -> dict[str, Any]:
        """Return what a failure says about a reply."""
        about: dict[str, Any] = {"puzzle": puzzle, "reply": reply, "problem": problem, "reference": None}
        with contextlib.suppress(Unanswered):
            about["reference"] = self._reference(puzzle)
        return {**about, "notes": self.solver.notes(puzzle, reply, self._has_read)}

    def _require_set_up(self, found: Failure) -> None:
        """Raise an `InputError` if the first failure shows a wrong set-up: another format, or a crash on all puzzles.

        A command that is right about the first puzzles in another format is not wrong; see `require_own_format`.
        """

        def is_wrong(puzzle: Puzzle, reply: Reply) -> bool:
            with contextlib.suppress(Unanswered):
                return self._judge(puzzle, reply) is not None
            return False

        if len(self.failures) > 1 or self.coverage.cases > _MAX_EARLY:
            return
        with contextlib.suppress(OutOfTime):
            first = [case.puzzle for case in itertools.islice(stream(self.settings, self._check_time), _MAX_PROBES)]
            require_own_format(self.solver, [found.puzzle, *first], is_wrong)
            is_first = found.problem.group == "crash" and self.coverage.cases == 1 and not self._own
            if is_first and isinstance(self.solver, Command) and {*map(self.solver.ask, first)} == {found.reply}:
                known = found.notes or {"hint": "{file} in the command stands for a file"}
                notes = "".join(f"; {name}: {text}" for name, text in known.items())
                crash = f"it crashes on the first {len(first)} puzzles in the same way; on {found.puzzle.text}"
                words = f"its set-up seems to be broken: {crash}: {found.problem.detail}{notes}"
                raise InputError(self.solver.name, words)

    def _acquit(self, found: Failure) -> None:
        """Judge an answer on a small puzzle again, by all grids that follow its rules and no solver of Crosslit.

        Raises:
            ReferencesDiffer: if nothing is wrong with it, which is a bug of Crosslit and not of the solver.
        """
        puzzle, problem = found.puzzle, found.problem
        is_certain = not isinstance(found.reply, SolverAnswer) or problem.group == CONTRADICTION
        if is_certain or puzzle.layout.bits > MAX_CELLS:
            return
        every = Reference(solutions_by_rules(puzzle), True, ("rules",))
        if judge(puzzle, self.settings.claims, found.reply, lambda: every) is None:
            words = f"{problem.detail} ({found.family}); nothing is wrong by the rules"
            raise ReferencesDiffer(f"on {puzzle.text}: {words}")

    def _set_end(self, until: float) -> None:
        self._until = self.solver.until = self.oracle.until = until
