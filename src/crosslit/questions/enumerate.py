"""Enumeration of all solutions, however many: each is checked as it arrives, and passed on exactly once.

A backend with `crosslit.contract.Backend.batches` yields them in ascending order (unless it is ``unordered``), so that
comparing neighbours finds repetitions, and memory is constant. The solutions of all others are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from crosslit.base.errors import InputError
from crosslit.contract import COUNT, SOLUTIONS
from crosslit.contract.run import Limits, Run
from crosslit.judging.solutions import TWICE
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Evidence, Finding
from crosslit.kinds import Puzzle, kind_of
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


@dataclass
class Enumeration:
    """The result of an enumeration."""

    puzzle: Puzzle
    found: int = 0  # the number of different solutions, each checked by the rules, including those given
    known: int = 0  # the number of those given
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

    The runner's limit on solutions is that of new ones. ``deliver`` is called with these, checked, packed and
    concatenated. Independent backends check a complete list: N different solutions, each accepted by the rules, are all
    if one of them counts N, or finds the same set in a second run.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        choice: Choice,
        runner: Runner,
        deliver: Callable[[bytes], None],
        checks: Checks | None = None,
    ) -> None:
        super().__init__(puzzle, runner)
        self.choice, self.deliver, self.checks = choice, deliver, checks
        self.outcome = Enumeration(puzzle)
        self.is_ordered = choice.backend.answers("batches") and not choice.backend.unordered
        # An ordered list needs them only for a second list.
        self.keeps_solutions = not self.is_ordered or checks is not None
        self._max_kept = math.inf
        self._last = b""  # of an ordered list

    def run(self, given: Collection[bytes] = ()) -> Enumeration:
        """List the solutions that are not given, and return the result; the rules accept those given, each once."""
        outcome = self.outcome
        if given:
            self.last, self.keeps_solutions = dict.fromkeys(given, 0), True
        elif self.is_ordered and self.checks:
            counts = (turn.choice.backend.answers(COUNT.name) for turn in self.checks(COUNT.name))
            self._max_kept = MAX_KEPT if any(counts) else math.inf
        outcome.found = outcome.known = len(given)
        # A run that gives known solutions again may stop at any number of them.
        limits = replace(self.runner.limits, solutions=None) if given else self.runner.limits
        with self.runner.guard():
            run = self.listed(self.choice, limits, Solve(batched=True), self._take, lambda: outcome.found)
            outcome.runs = [(run, outcome.found - outcome.known)]
            if run.status == "complete" and self.checks is not None:
                self._confirm(self.checks)
            self._conclude()
        return outcome

    def _take(self, packed: bytes) -> bool:
        """Take solutions of the run that lists; return False to stop it."""
        outcome, size, limit = self.outcome, self.puzzle.layout.size, self.runner.limits.solutions
        # The rules come first: a wrong grid is neither stored nor delivered, and ends the run.
        packed, going_on = self.sound(packed, self.choice.spec)
        if self.is_ordered:
            packed, is_ascending = self._ascending(packed)
            going_on = going_on and is_ascending
        if self.keeps_solutions:
            # The solutions before a repetition are right, and stay.
            _, packed, is_new = self.note(packed, self.choice.spec)
            going_on = going_on and is_new
        left = len(packed) // size if limit is None else limit - (outcome.found - outcome.known)
        if left * size < len(packed):
            packed, going_on = packed[: left * size], False
        if packed:
            self.deliver(packed)
            outcome.found += len(packed) // size
        # A long ordered list is kept no longer if it can be counted.
        if self.keeps_solutions and outcome.found > self._max_kept:
            self.keeps_solutions, self.last = False, {}
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

        limits = replace(self.runner.limits, solutions=None)
        take_turns(checks("list" if is_few else COUNT.name), self.runner, ask, is_open, suits, limits)

    def _conclude(self) -> None:
        """Complete the result by what follows from all runs."""
        outcome, spec, first = self.outcome, self.choice.spec, self.lists[0]
        # Whoever takes the solutions may be slow, so the times do not matter here.
        outcome.findings = [finding for finding in self.findings() if finding.problem != "timing"]
        guilty = {finding.backend for finding in outcome.findings if finding.problem in DISCREDITS}
        outcome.complete = first.status == "complete" and spec not in guilty and self.result.number == outcome.found
        if not outcome.complete:
            outcome.reason = f"{spec}: {_why(first, self.runner.limits, spec in guilty)}"
            return
        outcome.evidence, outcome.by = self.result.evidence, self.result.by
        checks = [run for run, _ in outcome.runs[1:]]
        if outcome.evidence == "claimed" and checks:
            reasons = (f"{run.backend}: {_why(run, self.runner.limits, run.backend in guilty)}" for run in checks)
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
