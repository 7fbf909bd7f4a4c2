"""A verification from top to bottom: cases, answers, what is wrong with them, smaller failing puzzles, the result."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from crosslit_backends.programs.program import OPTIONS
from crosslit_backends.programs.protocol import FEWEST, Claims, Reply, SolverAnswer, SolverFailure
from crosslit_generate.cases import Case, population
from crosslit_generate.solution_count import Only

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.grid import Grid
from crosslit.base.text import did_you_mean
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import MAX_CELLS, Puzzle, solutions_by_rules
from crosslit_verify.cases import Settings, stream
from crosslit_verify.judge import CERTAIN, CONTRADICTION, Problem, contradiction, judge
from crosslit_verify.process import MEMORY_MB, TIMEOUT, OutOfTime, Solver
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered
from crosslit_verify.report import Cause, Coverage, Failure, Verification, cause_of, read_corpus, write_corpus
from crosslit_verify.shrink import shrink
from crosslit_verify.solver import make_solver, require_own_format

SECONDS = 60.0  # of a verification, if neither cases nor seconds are given
AGAIN_EVERY, AGAIN_AFTER = 8, 5  # every 8th puzzle is asked again, 5 puzzles later: a solver's state may matter
TRIES = 8  # questions about a puzzle to a solver that does not always fail
MAX_CAUSES = 4  # causes of a group that get their own example
SHRINKING = 30.0  # maximum seconds for shrinking a failure
_LAST_SECONDS = 0.5  # the same for one that is found at the very end
_LONG = 1.0  # seconds without an answer that are reported, if the verification ends then
_MAX_EARLY, _MAX_PROBES = 64, 8  # first cases in which a wrong set-up is seen, and puzzles that show it


class Verifier:
    """The verification of one solver; only the ``own`` puzzles and the ``corpus`` are sent if there are own ones."""

    def __init__(
        self,
        settings: Settings,
        solver: Solver,
        on_case: Callable[[Verifier], None] = lambda _: None,
        shrinking: float = SHRINKING,
        own: Sequence[Puzzle] = (),
        corpus: Sequence[Puzzle] = (),
    ) -> None:
        self.settings, self.solver, self.oracle = settings, solver, Oracle()
        self.coverage, self.failures, self._causes = Coverage(), list[Failure](), set[Cause]()
        self._own, self._corpus, self._on_case, self._shrinking = own, corpus, on_case, shrinking
        stream(settings, self._check_time)  # which raises a ValueError if there are no such puzzles
        self._until, self._end = inf, ""

    def run(self) -> Verification:
        """Verify until the time is over or the solver fails; an interrupt ends it, and keeps what was found."""
        began, interrupted = time.monotonic(), False
        seconds = self.settings.seconds or (inf if self.settings.cases else SECONDS)
        self._set_end(began + seconds)
        try:
            for failure in self._wrong():  # cases, ask, judge
                self._accuse(failure)  # confirm, shrink, acquit, report
                if not self.settings.keep_going:
                    self._end = "stopped at the first failure"
                    break
        except OutOfTime:
            self._end = f"stopped after {seconds:g} s"
        except KeyboardInterrupt:
            self._end, interrupted = "interrupted", True
        finally:
            self.solver.close()
            self.oracle.close()
        result = self.settings, tuple(self.failures), self.coverage, time.monotonic() - began, self._end
        return Verification(*result, interrupted, self.solver.description, bool(self._own))

    # --- cases ---

    def _cases(self) -> Iterator[Case]:
        for family, puzzles in (("own puzzles", self._own), ("corpus", self._corpus)):
            distinct = [*dict.fromkeys(puzzles)]
            for puzzle in distinct:
                yield Case(puzzle, family, True, puzzle is distinct[-1])
        if not self._own:
            yield from stream(self.settings, self._check_time)

    def _check_time(self) -> None:
        if time.monotonic() >= self._until:
            raise OutOfTime

    # --- ask and judge ---

    def _replies(self) -> Iterator[tuple[int, Case, Reply, Reply | None]]:
        """Ask about each case, and about some of them again; yield its number, the reply, and the earlier one."""
        waiting: deque[tuple[int, Case, Reply]] = deque()
        cases = self._cases()
        for number, case in enumerate(itertools.islice(cases, self.settings.cases), 1):
            self._check_time()
            # Of a solver that hangs there is an example already: once more, four times as long, would show nothing new.
            is_once, sent = any(group == "hang" for group, _ in self._causes), time.monotonic()
            try:
                reply = self.solver.ask(case.puzzle, is_once)
            except (OutOfTime, KeyboardInterrupt):  # which cut off the last question of most runs, after a short time
                if (waited := time.monotonic() - sent) >= _LONG or not self.coverage.cases:
                    words = f"no answer in the last {waited:.1f} s{self.solver.hint}"
                    self.coverage.count(case, SolverFailure("hang", words), words)
                raise
            yield number, case, reply, None
            if isinstance(reply, SolverAnswer) and number % AGAIN_EVERY == 0:
                waiting.append((number, case, reply))
            if waiting and number >= waiting[0][0] + AGAIN_AFTER:
                earlier, again, before = waiting.popleft()
                yield earlier, again, self.solver.ask(again.puzzle), before
        self._end = f"stopped after {number:,} cases" if next(cases, None) else "no puzzles left"
        ended = self.solver.close()  # which may show a failure, such as processes left behind
        if ended is not None and ended.problem not in self.coverage.counts:
            for earlier, again in enumerate(itertools.islice(self._cases(), min(number, _MAX_EARLY)), 1):
                self.solver.ask(again.puzzle)
                if failure := self.solver.close():
                    number, case, ended = earlier, again, failure
                    break
            yield number, case, ended, ended

    def _wrong(self) -> Iterator[Failure]:
        """Judge all replies, and yield the failures."""
        for number, case, reply, before in self._replies():
            problem, reason = contradiction(self.settings.claims, before, reply), ""
            try:
                problem = problem or self._judge(case.puzzle, reply, case.solutions)
            except Unanswered as error:
                reason = str(error)
            if before is None:
                self.coverage.count(case, reply, reason)
            if problem is not None:
                seen, claims = case.puzzle, self.settings.claims
                yield Failure(problem, seen, reply, self._known(seen), seen, number, case.family, claims)
            self._on_case(self)

    def _judge(self, puzzle: Puzzle, reply: Reply, solutions: frozenset[Grid] | None = None) -> Problem | None:
        """Judge a reply, by all solutions of the puzzle if they are known; raise `Unanswered` without a reference."""
        known = None if solutions is None else Reference(solutions, True, ("rules",))
        return judge(puzzle, self.settings.claims, reply, lambda: known or self._reference(puzzle))

    def _reference(self, puzzle: Puzzle) -> Reference:
        return self.oracle.reference(puzzle, None if self.settings.claims in ("all", FEWEST) else 2)

    # --- confirm, shrink, acquit and report ---

    def _accuse(self, found: Failure) -> None:
        """Count a failure; keep the first of its cause at once, then shrink it, so that an interrupt loses nothing.

        A puzzle counts once, for the first cause, though another one also gets its example.
        """
        group, judged, end = found.problem.group, self.coverage.answered, self._until
        self.coverage.judge(found.original, group)
        if not self._is_new(cause_of(found.problem)):
            return
        self.failures.append(found)
        self._acquit(found)
        if len(self.failures) == 1 and self.coverage.cases <= _MAX_EARLY:
            first = (case.puzzle for case in stream(self.settings, self._check_time))
            with contextlib.suppress(OutOfTime):
                require_own_format(self.solver, [found.puzzle, *itertools.islice(first, _MAX_PROBES)], self._problem)
        now = time.monotonic()
        self._set_end(min(now + self._shrinking, max(end, now + _LAST_SECONDS)))
        with contextlib.suppress(OutOfTime):
            self.failures[-1] = confirmed = self._confirmed(found)
            if judged[found.original] == group:
                judged[found.original] = confirmed.problem.group
            if self._is_new(cause_of(confirmed.problem)):
                self._shrink(confirmed)
                self._acquit(self.failures[-1])
            else:
                self.failures.pop()
        self._causes.update(cause_of(failure.problem) for failure in self.failures)
        self._set_end(end)

    def _is_new(self, cause: Cause) -> bool:
        return cause not in self._causes and sum(group == cause[0] for group, _ in self._causes) < MAX_CAUSES

    def _confirmed(self, found: Failure) -> Failure:
        """Ask twice again after a wrong answer; return it, or the contradiction, which shows more."""
        recurs = found.problem.group in CERTAIN
        for _ in range(0 if recurs else 2):
            again = self.solver.ask(found.puzzle)
            if (contradicts := contradiction(self.settings.claims, found.reply, again)) is not None:
                return replace(found, problem=contradicts)
            recurs = recurs or isinstance(again, SolverFailure) or self._problem(found.puzzle, again) is not None
        if recurs:
            return found
        detail = f"{found.problem.detail}; asked again, it gave another answer"
        return replace(found, problem=Problem(CONTRADICTION, detail))

    def _shrink(self, found: Failure) -> None:
        """Replace the last failure by ever smaller ones of the same cause."""
        puzzle, seen, is_hang = found.puzzle, {found.puzzle: found}, found.problem.group == "hang"
        tries = TRIES if found.problem.group == CONTRADICTION else 1

        def fails(puzzle: Puzzle) -> bool:
            self._check_time()
            if (again := self._seen(found, puzzle, tries)) is not None:
                seen[puzzle] = again
            return again is not None

        if not is_hang and not all(map(fails, [puzzle] * (2 if tries == 1 else 1))):
            tries = TRIES
            if not fails(puzzle):
                self.failures[-1] = replace(found, again=False)
                return
        for step in shrink(puzzle, fails, self._picture, self.settings.sizes.square):
            self.failures[-1] = replace(seen[step.puzzle], again=True, minimal=step.minimal, tried=step.asks)

    def _seen(self, found: Failure, puzzle: Puzzle, tries: int) -> Failure | None:
        """Return a failure of the same cause on another puzzle; None if none is seen, or the settings exclude it."""
        first, cause = None, cause_of(found.problem)
        for _ in range(tries if self._suits(puzzle, found.original) else 0):
            reply = self.solver.ask(puzzle, once=True)
            if cause[0] == "orphaned-process" and not isinstance(reply, SolverFailure):
                reply = self.solver.close() or reply  # some are seen only after it has ended
            again = contradiction(self.settings.claims, first, reply)
            problem = again if cause[0] == CONTRADICTION and again else self._problem(puzzle, reply)
            if problem is not None and cause_of(problem) == cause:
                return replace(found, problem=problem, puzzle=puzzle, reply=reply, reference=self._known(puzzle))
            first = first or reply
        return None

    def _suits(self, puzzle: Puzzle, original: Puzzle) -> bool:
        settings = self.settings
        if settings.allows(original.rows, original.columns) and not settings.allows(puzzle.rows, puzzle.columns):
            return False
        if not population(settings.kind, settings.like).has(puzzle):
            return False
        known = None if settings.only in (None, "valid") else self._known(puzzle)
        return Case(puzzle, "", False, solutions=known.solutions if known else None).suits(settings.only)

    def _picture(self, puzzle: Puzzle) -> Grid | None:
        """Return a solution, for reductions that keep a puzzle solvable."""
        known = self._known(puzzle)
        return min(known.solutions, key=lambda grid: grid.text, default=None) if known else None

    def _known(self, puzzle: Puzzle) -> Reference | None:
        """Return the reference of a puzzle if it can be computed."""
        with contextlib.suppress(Unanswered):
            return self._reference(puzzle)
        return None

    def _problem(self, puzzle: Puzzle, reply: Reply) -> Problem | None:
        """Return the problem of a reply if it can be judged."""
        with contextlib.suppress(Unanswered):
            return self._judge(puzzle, reply)
        return None

    def _acquit(self, found: Failure) -> None:
        """Judge an answer on a small puzzle again, by all grids that follow its rules; raise if nothing is wrong."""
        puzzle, problem = found.puzzle, found.problem
        is_certain = not isinstance(found.reply, SolverAnswer) or problem.group == CONTRADICTION
        if is_certain or puzzle.layout.bits > MAX_CELLS:
            return
        if self._judge(puzzle, found.reply, solutions_by_rules(puzzle)) is None:
            words = f"{problem.detail} ({found.family}); nothing is wrong by the rules"
            raise ReferencesDiffer(f"on {puzzle.text}: {words}")

    def _set_end(self, until: float) -> None:
        self._until = self.solver.until = self.oracle.until = until


def verify(
    solver: Callable[[Any], Any] | str | Sequence[str] | None = None,
    kind: str = "",
    claims: Claims = "one",
    *,
    backend: str | None = None,
    python: str = "",
    timeout: float = TIMEOUT,
    memory_mb: int = MEMORY_MB,
    cases: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    size: str = "",
    only: Only | None = None,
    like: PuzzleLike | None = None,
    keep_going: bool = False,
    corpus: str | os.PathLike[str] | None = None,
    junit: str | os.PathLike[str] | None = None,
    **description: Any,
) -> Verification:
    """Verify a solver: send it puzzles, compare its answers with a reference, and shrink the first failing puzzle.

    All small puzzles are sent, smallest first, alternating with larger random ones; equal arguments give equal puzzles.
    The ``solver`` is a function of a puzzle that returns a `Grid`, several, or None for unsolvable; or a command, as a
    text or as words, that speaks the protocol of ``docs/reference/verify-protocol.md``. Without one, ``backend`` is the
    spec of a registered backend. A ``kind`` is not needed with ``like`` or a ``corpus`` of puzzles. All arguments are
    options of the command, which ``docs/reference/verify.md`` describes; the ``description`` of a command may have
    ``format``, ``cells``, ``unsolvable``, ``unique``, ``exit={20: "unsolvable"}``, ``lines=True`` and ``moves=0``.

    Returns:
        A `Verification`: true if it passed. `print` and pytest show its report.

    Raises:
        TypeError, ValueError, SpecError, InputError: if an argument is wrong, or the command cannot be started.
        InternalError: if Crosslit's own solvers disagree.
        KeyboardInterrupt: after Ctrl-C, when all processes have ended.

    Examples:
        >>> import crosslit
        >>> def forgetful(board):  # which leaves out the last row
        ...     presses = crosslit.solve(board)
        ...     return presses and crosslit.Grid.from_rows([*presses.row_bits()[:-1], 0], presses.columns)
        >>> found = crosslit.verify(forgetful, kind="lights-out", cases=200)
        >>> found.passed, found.failures[0].puzzle.text, found.failures[0].problem.group
        (False, '1', 'wrong-solution')
        >>> crosslit.verify(backend="cpsat", like="press=king/wrap=torus/1", cases=20).passed
        True
    """
    options = {"python": python, "timeout": timeout, "memory_mb": memory_mb, "like": like, "corpus": corpus}
    options |= {"cases": cases, "seconds": seconds, "seed": seed, "size": size, "only": only, "keep_going": keep_going}
    for name in description:
        if name not in OPTIONS or callable(solver) or solver is None:
            hint = "it describes a command" if name in OPTIONS else did_you_mean(name, verify.__annotations__)
            raise TypeError(f"verify() got an unexpected keyword argument {name!r}; {hint}".rstrip("; "))
    if not (solver is None if backend is not None else callable(solver) or isinstance(solver, str | Sequence)):
        raise wrong_type("a solver as a function of a puzzle, or as a command", solver)
    found = prepare(solver or (), backend, kind, claims, options | description).run()
    if corpus is not None:  # also after an interrupt, which loses no failure
        write_corpus(found, corpus)
    if found.interrupted:
        raise KeyboardInterrupt
    if junit is not None:
        write_bytes(junit, [found.junit(getattr(solver, "__name__", "") or str(solver or backend))])
    return found


def prepare(
    solver: Callable[[Any], Any] | str | Sequence[str],
    backend: str | None,
    kind: str | None,
    claims: Claims,
    options: Mapping[str, Any],
    own: Sequence[Puzzle] = (),
    on_case: Callable[[Verifier], None] = lambda _: None,
) -> Verifier:
    """Return the verification of a function, a command or a backend, with the options of `verify`; see `Verifier`."""
    model = as_puzzle(options["like"]) if options["like"] is not None else None
    corpus = read_corpus(options["corpus"]) if options["corpus"] is not None else []
    puzzles = [*([model] if model else []), *own, *corpus]
    kind = kind or (puzzles[0].kind if puzzles else "")
    for puzzle in puzzles:
        if puzzle.kind != kind:
            raise InputError(puzzle.name or puzzle.text[:80], f"expected a {kind} puzzle, found a {puzzle.kind}")
    chosen = {name: options[name] for name in ("seed", "size", "only", "cases", "seconds", "keep_going")}
    settings = Settings(kind, claims, like=model, **chosen)
    return Verifier(settings, make_solver(solver, backend, settings, options, own), on_case, own=own, corpus=corpus)
