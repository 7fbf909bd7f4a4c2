"""Enumeration of all solutions, however many: each is checked as it arrives, and passed on exactly once.

A backend with `crosslit.contract.Backend.batches` yields them in ascending order (unless it is ``unordered``), so that
comparing neighbours finds repetitions, memory is constant, and a list is continued where it ends. All others run again
from the start when a list is continued; the solutions seen are kept, to find the known and the repeated ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from crosslit.base.errors import InputError
from crosslit.base.numbers import format_count
from crosslit.contract import COUNT, SOLUTIONS
from crosslit.contract.run import Limits, Run
from crosslit.judging.solutions import TWICE
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Evidence, Finding
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.batch import first_wrong
from crosslit.questions.inquiry import Inquiry
from crosslit.questions.lists import not_ascending
from crosslit.questions.turns import can_confirm, take_turns
from crosslit.registry import Choice
from crosslit.registry.defaults import Checks
from crosslit.runs.job import Solve
from crosslit.runs.runner import Runner

FEW = 1000  # solutions: a second list of at most as many is quick and names what differs; more are counted if possible
MAX_KEPT = 100_000  # solutions of an ordered list kept for a second one, if they can be counted instead


_MAX_NULLITY = 26  # of a board whose solutions are listed without a limit: a minute


def require_listable(puzzle: Puzzle) -> None:
    """Raise an `InputError` if a list of all solutions would not end, because their number is known to be huge."""
    nullity = kind_of(puzzle).nullity(puzzle) or 0
    if nullity > _MAX_NULLITY:
        number = f"there are 2^{nullity} solutions or none, too many to list"
        raise InputError(
            puzzle.name or puzzle.label, f"{number}; `crosslit count --check` counts them, --limit lists some"
        )


class NotAList(Exception):
    """The list to be continued does not consist of different solutions of the puzzle, or the backend has another."""


@dataclass
class Enumeration:
    """The result of an enumeration."""

    puzzle: Puzzle
    found: int = 0  # the number of different solutions listed, each checked by the rules, including earlier ones
    known: int = 0  # the number of earlier solutions
    complete: bool = False  # whether a reliable run claims that there are no more
    evidence: Evidence | None = None  # its grade, if it is complete
    by: tuple[str, ...] = ()  # the backends on which the evidence rests
    reason: str = ""  # why it is not complete, or not cross-checked; empty if it is
    findings: list[Finding] = field(default_factory=list)
    runs: list[tuple[Run, int]] = field(default_factory=list)  # that lists, that check; with their solutions

    @property
    def consistent(self) -> bool:
        """True if there are no findings."""
        return not self.findings


class Lister(Inquiry):
    """An enumeration of the solutions of one puzzle.

    The runner's limit on solutions is the maximum length of the list, earlier solutions included; ``more`` is that of
    new ones. ``deliver`` is called with checked new solutions, packed and concatenated. Independent backends check a
    complete list: N different solutions, each accepted by the rules, are all if one of them counts N, or finds the same
    set in a second run.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        choice: Choice,
        runner: Runner,
        deliver: Callable[[bytes], None],
        checks: Checks | None = None,
        more: int | None = None,
    ) -> None:
        super().__init__(puzzle, runner)
        self.choice, self.deliver, self.checks, self.more = choice, deliver, checks, more
        self.outcome = Enumeration(puzzle)
        self.limits = runner.limits
        self.is_ordered = choice.backend.answers("batches") and not choice.backend.unordered
        # An ordered list needs them only for a second list.
        self.keeps_solutions = not self.is_ordered or checks is not None
        self._max_kept = math.inf
        self._last = b""  # of an ordered list
        self._is_at_overlap = False  # the run begins with the last known solution
        self._is_lost = False  # the last known solution is not at its place in the order

    def run(
        self,
        continued: Iterable[bytes] = (),
        ready: Callable[[], None] = lambda: None,
        given: Iterable[bytes] = (),
    ) -> Enumeration:
        """List the unknown solutions, and return the result.

        ``continued`` yields the list so far, packed, in batches; a `NotAList` says that it cannot be continued.
        ``ready`` is called when it has been read and checked, before anything is delivered. ``given`` are solutions
        from elsewhere, which the rules accept, each once.
        """
        outcome = self.outcome
        with self.runner.guard():
            if given:
                self.last, self.keeps_solutions = dict.fromkeys(given, 0), True
                outcome.found = len(self.last)
            elif self.is_ordered and self.checks:
                counts = (turn.choice.backend.answers(COUNT.name) for turn in self.checks(COUNT.name))
                self._max_kept = MAX_KEPT if any(counts) else math.inf
            for packed in continued:
                self._continue(packed)
            ready()
            outcome.known = outcome.found
            run = self._list()
            if self._is_lost:
                raise NotAList(f"{self.choice.spec} lists another solution {outcome.found}")
            if run.status == "complete" and self.checks is not None:
                self._confirm(self.checks)
            self._conclude()
        return outcome

    def _continue(self, packed: bytes) -> None:
        """Read solutions of a list to be continued."""
        found = self.outcome.found
        if (rejected := first_wrong(self.puzzle, packed)) is not None:
            raise NotAList(f"solution {found + rejected[0] + 1}: {rejected[1]}")
        if self.is_ordered:
            if (fault := not_ascending(self._last, packed, self.puzzle.layout)) is not None:
                raise NotAList(f"solution {found + fault + 1}: it is out of order")
            self._last = packed[-self.puzzle.layout.size :]
        if self.keeps_solutions:
            known = len(self.last)
            for number, solution in enumerate(self.puzzle.layout.parts(packed), 1):
                # The run is trusted to give those of an ordered list, which it skips.
                self.last[solution] = int(self.is_ordered)
                if len(self.last) < known + number:
                    raise NotAList(f"solution {found + number}: it is repeated")
        self._add(len(packed) // self.puzzle.layout.size)

    def _add(self, number: int) -> None:
        """Count new solutions, and keep an ordered list no longer if it is long and can be counted."""
        self.outcome.found += number
        if self.keeps_solutions and self.outcome.found > self._max_kept:
            self.keeps_solutions, self.last = False, {}

    def _list(self) -> Run:
        """Run the backend that lists."""
        outcome = self.outcome
        if self.more is not None:
            self.limits = replace(self.limits, solutions=outcome.found + self.more)
        # An ordered list is continued at its last solution, to check that the order is the same.
        overlap = int(bool(self._last))
        self._is_at_overlap, limit = overlap > 0, self.limits.solutions
        # A run that gives known solutions again may stop at any number of them.
        is_open = limit is None or (outcome.found > 0 and not overlap)
        bound = None if is_open else max(1, (limit or 0) - outcome.found + overlap)
        request = Solve(batched=True, skip=outcome.found - overlap if overlap else 0)
        limits = replace(self.limits, solutions=bound)
        run = self.listed(self.choice, limits, request, self._take, lambda: outcome.found)
        if self._is_at_overlap and run.status == "complete":
            detail = f"claims completeness before the last of {format_count(outcome.found, 'solution')} known before"
            self.blame("missing-solution", detail, self._last, self.choice.spec)
            self.judge()
        outcome.runs = [(run, outcome.found - outcome.known)]
        return run

    def _take(self, packed: bytes) -> bool:
        """Take solutions of the run that lists; return False to stop it."""
        size, limit = self.puzzle.layout.size, self.limits.solutions
        if self._is_at_overlap:
            self._is_at_overlap, self._is_lost = False, packed[:size] != self._last
            if self._is_lost:
                return False
            packed = packed[size:]
        # The rules come first: a wrong grid is neither stored nor delivered, and ends the run.
        packed, going_on = self.sound(packed, self.choice.spec)
        if self.is_ordered:
            packed, is_ascending = self._ascending(packed)
            going_on = going_on and is_ascending
        if self.keeps_solutions:
            # The solutions before a repetition are right, and stay.
            _, packed, is_new = self.note(packed, self.choice.spec)
            going_on = going_on and is_new
        left = len(packed) // size if limit is None else max(0, limit - self.outcome.found)
        if left * size < len(packed):
            packed, going_on = packed[: left * size], False
        if packed:
            self.deliver(packed)
            self._add(len(packed) // size)
        return going_on

    def _ascending(self, packed: bytes) -> tuple[bytes, bool]:
        """Return the solutions before the first that is out of order, and whether none is."""
        fault, size = not_ascending(self._last, packed, self.puzzle.layout), self.puzzle.layout.size
        if fault is None:
            self._last = packed[-size:] or self._last
            return packed, True
        start = fault * size
        before = packed[start - size : start] if start else self._last
        if packed[start : start + size] == before:
            self.blame("duplicate-solution", TWICE, before, self.choice.spec)
        else:
            wrong = packed[start : start + size]
            self.blame("error", "its batches are not in ascending order", wrong, self.choice.spec)
        return packed[:start], False

    def _confirm(self, checks: Checks) -> None:
        """Let independent backends count the solutions, or find them again, until one agrees with the list."""
        spec, is_few = self.choice.spec, self.outcome.found <= FEW

        def is_open() -> bool:
            about = {finding.problem for finding in self.result.findings if finding.backend == spec}
            is_refuted = not about.isdisjoint({"missing-solution", DISAGREEMENT})
            return not is_refuted and self.result.evidence not in ("agreed", "brute-force")

        def ask(check: Choice, limits: Limits) -> Run:
            if check.backend.answers(COUNT.name) and not (is_few and check.backend.answers(SOLUTIONS.name)):
                run = self.count(check, limits)
            else:
                # Batches would share the code that makes those of the first list.
                run = self.list(check, limits, batched=False)
            self.outcome.runs.append((run, self.checked if run is self.lists[-1] else 0))
            return run

        def suits(check: Choice) -> bool:
            can_list = self.keeps_solutions or check.backend.answers(COUNT.name)
            return can_list and can_confirm(check, self.lists[:1], (spec,))

        limits = replace(self.limits, solutions=None)
        take_turns(checks("list" if is_few else COUNT.name), self.runner, ask, is_open, suits, limits)

    def _conclude(self) -> None:
        """Complete the result by what follows from all runs."""
        outcome, spec, first = self.outcome, self.choice.spec, self.lists[0]
        # Whoever takes the solutions may be slow, so the times do not matter here.
        outcome.findings = [finding for finding in self.findings() if finding.problem != "timing"]
        guilty = {finding.backend for finding in outcome.findings if finding.problem in DISCREDITS}
        outcome.complete = first.status == "complete" and spec not in guilty and self.result.number == outcome.found
        if not outcome.complete:
            outcome.reason = f"{spec}: {_why(first, self.limits, spec in guilty)}"
            return
        outcome.evidence, outcome.by = self.result.evidence, self.result.by
        checks = [run for run, _ in outcome.runs[1:]]
        if outcome.evidence == "claimed" and checks:
            reasons = (f"{run.backend}: {_why(run, self.limits, run.backend in guilty)}" for run in checks)
            outcome.reason = f"not cross-checked: {'; '.join(reasons)}"


def _why(run: Run, limits: Limits, guilty: bool) -> str:
    """Return why the end of a run is not taken as the end of the solutions."""
    if run.status == "complete":
        return "its number of solutions is contradicted" if guilty else f"it says {run.counted}"
    if guilty:
        return "it is wrong"
    if run.status == "limit":
        return f"stopped at {limits.solutions}, as requested; there may be more"
    if run.status == "timeout":
        return run.error or f"stopped after {limits.timeout:g} s"
    if run.status == "memory":
        return f"stopped at {limits.memory_mb} MB of memory"
    return run.error or run.status
