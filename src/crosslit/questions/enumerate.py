"""All solutions of one puzzle, or their number: by lists and counts of several backends, which are judged together.

A backend with `crosslit.contract.Backend.batches` yields them in ascending order (unless it is ``unordered``), so that
comparing neighbours finds repetitions, and memory is constant. The solutions of all others are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from crosslit.base.text import exact
from crosslit.contract import COUNT, SOLUTIONS
from crosslit.contract.run import MAX_SECONDS, Limits, Run
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.solutions import TWICE, Solutions, judge_count
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, CountResult, Evidence, Finding, Judged
from crosslit.kinds import Puzzle, first_wrong
from crosslit.questions.formula import attributed
from crosslit.questions.lists import not_ascending
from crosslit.questions.solve import can_confirm, take_turns
from crosslit.registry import Choice
from crosslit.registry.defaults import Checks, answers
from crosslit.registry.defaults import checks as usual_checks
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated

FEW = 1000  # solutions: a second list of at most as many is quick and names what differs; more are counted if possible
MAX_KEPT = 100_000  # solutions of an ordered list kept for a second one, if they can be counted instead
UNSORTED = "its batches are not in ascending order"


class Inquiry:
    """The runs that list or count the solutions of a puzzle, and the conclusion from them.

    Each solution is checked by the rules when it arrives, and kept, so that a solution of one run refutes every list
    that ended without it.
    """

    def __init__(self, puzzle: Puzzle, runner: Runner) -> None:
        self.puzzle, self.runner, self.solutions = puzzle, runner, Solutions(puzzle, stops=True)
        self.counts: list[Run] = []
        self.lists: list[Run] = []  # ``counted`` is the number of their different solutions
        self.on_batch: Callable[[], None] = lambda: None  # called when solutions have arrived

    @property
    def result(self) -> CountResult:
        """The conclusion from all runs so far."""
        return judge_count(self.puzzle, self.counts, self.runner.limits, self.lists, self.solutions)

    def count(self, choice: Choice, limits: Limits) -> Run:
        """Make a backend count, or list if it does not count."""
        if not choice.backend.answers(COUNT.name):
            return self.list(choice, limits)
        request = Solve(question=COUNT.name)
        run = self.runner.run(Job(choice=choice, puzzle=self.puzzle, request=request, limits=limits))
        self.counts.append(run)
        return run

    def list(
        self, choice: Choice, limits: Limits, take: Callable[[bytes], bool] | None = None, *, batched: bool = True
    ) -> Run:
        """Make a backend find all solutions until one is wrong or repeated; ``take`` adds them, and may end the run."""
        listed = self.solutions.start(choice.spec)

        def sink(packed: bytes) -> bool:
            self.on_batch()
            goes_on = take(packed) if take is not None else self.solutions.take(packed) is not None
            return goes_on and not listed.faults

        request = Solve(batched=batched)
        run = self.runner.run(Job(choice=choice, puzzle=self.puzzle, request=request, limits=limits), sink)
        self.solutions.end(run.status == "complete")
        run.counted = listed.right  # in place of the solutions
        self.lists.append(run)
        return run


def count(
    puzzle: PuzzleLike,
    backend: str | None = None,
    *,
    check: bool = False,
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> CountResult:
    """Return the number of solutions of a puzzle, and the evidence for it.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default several that count or list are asked in turns.
        check: also ask independent backends, until one has finished.
        timeout: limit of all runs together, in seconds of wall time, and again of those that check.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Examples:
        >>> found = count("1,1,1,1|1,1,1,1", check=True)
        >>> found.number, found.evidence
        (24, 'agreed')
    """
    puzzle = as_puzzle(puzzle)
    first = answers(puzzle, COUNT.name, backend)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        inquiry, limits = Inquiry(puzzle, runner), replace(runner.limits, solutions=None)

        def is_open() -> bool:
            result = inquiry.result
            return result.number is None and not any(found.problem in DISCREDITS for found in result.findings)

        take_turns(first, runner, inquiry.count, is_open, limits=limits)
        if check:
            take_turns(
                usual_checks(puzzle, COUNT.name),
                runner,
                inquiry.count,
                lambda: inquiry.result.evidence in (None, "claimed"),
                lambda choice: can_confirm(choice, inquiry.result.runs, inquiry.result.by),
                limits,
            )
    result, unchecked = inquiry.result, ""
    if check and result.evidence == "claimed":
        others = dict.fromkeys(run.backend for run in result.runs if run.backend not in result.by)
        unfinished, none = f"{', '.join(others)} did not finish", "no independent backend supports this puzzle"
        unchecked = unfinished if others else none
    return replace(result, findings=tuple(attributed(puzzle, result.findings, result.runs)), unchecked=unchecked)


@dataclass(repr=False)
class Enumeration(Judged):
    """The result of an enumeration, which its `Lister` fills."""

    puzzle: Puzzle
    found: int = 0  # the number of different solutions, each checked by the rules, including those given
    known: int = 0  # the number of those given
    complete: bool = False  # whether a reliable run claims that there are no more
    evidence: Evidence | None = None  # its grade, if it is complete
    by: tuple[str, ...] = ()  # the backends on which the evidence rests
    reason: str = ""  # why it is not complete, or not cross-checked; empty if it is
    findings: list[Finding] = field(default_factory=list)
    runs: list[tuple[Run, int]] = field(default_factory=list)  # that lists, that check; with their solutions
    limits: Limits = field(default_factory=Limits)  # of each run

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        runs = [{**run.json(), "solutions": number} for run, number in self.runs]
        for record in runs:
            del record["digest"], record["repetition"]  # solutions of long lists are not kept
        return {
            "limits": self.limits.json() | ({"timeout": None} if self.limits.timeout == MAX_SECONDS else {}),
            "puzzle": self.puzzle.json(self.puzzle.nullity()),
            "solutions": exact(self.found),
            "known": exact(self.known),
            "complete": self.complete,
            "evidence": self.evidence,
            "by": list(self.by),
            "reason": self.reason or None,
            "consistent": self.consistent,
            "findings": [finding.json() for finding in self.findings],
            "runs": runs,
        }


class Lister(Inquiry):
    """An enumeration of the solutions of one puzzle.

    The runner's limit on solutions is that of new ones. ``deliver`` is called with these, checked, packed and
    concatenated. Independent backends check a complete list: N different solutions, each accepted by the rules, are all
    if one of them counts N, or finds the same set in a second run.
    """

    def __init__(
        self,
        outcome: Enumeration,
        choice: Choice,
        runner: Runner,
        deliver: Callable[[bytes], None],
        checks: Checks | None = None,
    ) -> None:
        super().__init__(outcome.puzzle, runner)
        self.outcome, self.choice, self.deliver, self.checks = outcome, choice, deliver, checks
        self.is_ordered = choice.backend.answers("batches") and not choice.backend.unordered
        # An ordered list needs them only for a second list.
        self.keeps_solutions = not self.is_ordered or checks is not None
        self._max_kept = math.inf
        self._last = b""  # of an ordered list

    @property
    def checked(self) -> int:
        """The number of solutions of the current or last list that is only a check."""
        return sum(listed.right for listed in self.solutions.lists[1:][-1:])

    def run(self, given: Collection[bytes] = ()) -> Enumeration:
        """List the solutions that are not given, and return the result; the rules accept those given, each once."""
        outcome = self.outcome
        outcome.limits = self.runner.limits
        if given:
            self.solutions = Solutions(self.puzzle, given, stops=True)
        elif self.is_ordered and self.checks:
            counts = (turn.choice.backend.answers(COUNT.name) for turn in self.checks(COUNT.name))
            self._max_kept = MAX_KEPT if any(counts) else math.inf
        outcome.found = outcome.known = len(given)
        # A run that gives known solutions again may stop at any number of them.
        limits = replace(self.runner.limits, solutions=None) if given else self.runner.limits
        with self.runner.guard():
            run = self.list(self.choice, limits, self._take)
            outcome.runs = [(run, outcome.found - outcome.known)]
            if run.status == "complete" and self.checks is not None:
                self._confirm(self.checks)
            self._conclude()
        return outcome

    def _take(self, packed: bytes) -> bool:
        """Take solutions of the run that lists; return False to stop it."""
        outcome, layout, size = self.outcome, self.puzzle.layout, self.puzzle.layout.size
        fault = not_ascending(self._last, packed, layout) if self.is_ordered else None
        start = len(packed) if fault is None else fault * size
        new, limit = self.solutions.take(packed[:start], self.keeps_solutions), self.runner.limits.solutions
        if fault is not None and not self.solutions.lists[-1].faults:
            before, guilty = (self._last + packed[:start])[-size:], packed[start:][:size]
            problem, detail = ("duplicate-solution", TWICE) if guilty == before else ("error", UNSORTED)
            if (rejected := first_wrong(self.puzzle, guilty)) is not None:
                problem, detail = "wrong-solution", rejected[1]
            self.solutions.blame(problem, detail, guilty)
        self._last = packed[-size:] or self._last
        left = len(new) if limit is None else (limit - outcome.found + outcome.known) * size
        if new[:left]:
            self.deliver(new[:left])
            outcome.found += len(new[:left]) // size
        # A long ordered list is kept no longer if it can be counted.
        if self.keeps_solutions and outcome.found > self._max_kept:
            self.keeps_solutions = False
            self.solutions.forget()
        return len(new) <= left

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
            return can_list and can_confirm(check, self.lists, (spec,))

        limits = replace(self.runner.limits, solutions=None)
        take_turns(checks("list" if is_few else COUNT.name), self.runner, ask, is_open, suits, limits)

    def _conclude(self) -> None:
        """Complete the result by what follows from all runs."""
        outcome, spec, first = self.outcome, self.choice.spec, self.lists[0]
        # Whoever takes the solutions may be slow, so the times do not matter here.
        findings = [finding for finding in self.result.findings if finding.problem != "timing"]
        outcome.findings = attributed(self.puzzle, findings, self.result.runs)
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
    return "it is wrong" if guilty else run.ending(limits)
