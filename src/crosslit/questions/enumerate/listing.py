"""Enumeration in a separate process: solutions are checked as they arrive, and passed on.

A backend with `crosslit.contract.Backend.batches` yields them in ascending order (unless it is ``unordered``), so that
comparing neighbours finds repetitions, memory is constant, and a list is continued where it ends. All others run again
from the start when a list is continued, and a set of the solutions seen finds the known and the repeated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from crosslit.base.errors import InputError
from crosslit.base.numbers import format_count
from crosslit.contract import COUNT, SOLUTIONS
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import CountResult, judge_count
from crosslit.judging.solutions import incomplete
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Evidence, Finding
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.questions.blame import attributed
from crosslit.questions.enumerate.lists import SolutionSet, not_ascending
from crosslit.questions.turns import can_confirm, take_turns
from crosslit.registry import Choice
from crosslit.registry.defaults import Checks
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner

TWICE = "gave this solution more than once"

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
    reason: str = ""  # why it is not complete; empty if it is
    findings: list[Finding] = field(default_factory=list)
    runs: list[tuple[Run, int]] = field(default_factory=list)  # that lists, that checks; with their solutions

    @property
    def consistent(self) -> bool:
        """True if there are no findings."""
        return not self.findings


@dataclass
class Lister:
    """An enumeration of the solutions of one puzzle.

    The runner's limit on solutions is the maximum length of the list, earlier solutions included. ``deliver`` is called
    with checked new solutions, packed and concatenated. Independent backends check a complete list: N different
    solutions, each accepted by the rules, are all if one of them counts N, or finds the same set in a second run.
    """

    puzzle: Puzzle
    choice: Choice
    runner: Runner
    deliver: Callable[[bytes], None]
    checks: Checks | None = None
    counts: list[Run] = field(default_factory=list)  # judged together with the list
    lists: list[Run] = field(default_factory=list)  # the same, of their numbers of checked solutions
    blamed: list[Finding] = field(default_factory=list)  # what is wrong with solutions of lists
    more: int | None = None  # maximum number of new solutions
    limits: Limits | None = None  # of the list; None for those of the runner
    on_batch: Callable[[], None] = lambda: None  # called when solutions have arrived

    def __post_init__(self) -> None:
        self.outcome = Enumeration(self.puzzle)
        self.checked = 0  # solutions of the run that checks
        self._limits = self.limits or self.runner.limits
        self._size = record_bytes(self.puzzle)
        self._ordered = self.choice.backend.answers("batches") and not self.choice.backend.unordered
        self._is_at_overlap = False  # the run begins with the last known solution
        self._last = b""
        self._is_lost = False  # the last known solution is not at its place in the order
        self._known = SolutionSet(self.puzzle.layout)  # skipped, wherever the run gives them
        # An ordered list needs no set to find repetitions.
        self._seen = SolutionSet(self.puzzle.layout) if not self._ordered or self.checks is not None else None
        self._choices = [self.choice]
        self.verdict: CountResult
        self._reasons: list[str] = []  # why the end of each run may say nothing

    def run(
        self,
        continued: Iterable[bytes] = (),
        ready: Callable[[], None] = lambda: None,
        given: SolutionSet | None = None,
    ) -> Enumeration:
        """List the unknown solutions, and return the result.

        ``continued`` yields the list so far, packed, in batches; a `NotAList` says that it cannot be continued.
        ``ready`` is called when it has been read and checked, before anything is delivered. ``given`` are solutions
        from elsewhere, which the rules accept.
        """
        outcome = self.outcome
        # Once a large block is freed, glibc keeps smaller ones for reuse, in the forked run too. New pages for every
        # batch would take a sixth of the time.
        bytes(1 << 24)
        with self.runner.guard():
            self._read(continued)
            if given is not None:
                self._known, outcome.found = given, len(given)
            ready()
            outcome.known = outcome.found
            if self.more is not None:
                self._limits = replace(self._limits, solutions=outcome.found + self.more)
            run = self._list()
            if self._is_lost:
                raise NotAList(f"{self.choice.spec} lists another solution {outcome.found}")
            self._conclude(run)
            if run.status == "complete" and self.checks is not None:
                self._confirm(self.checks)
            outcome.findings = attributed(self.puzzle, outcome.findings, self._choices)
        return outcome

    def _read(self, continued: Iterable[bytes]) -> None:
        """Read a list to be continued."""
        outcome, seen = self.outcome, self._seen if self._ordered else self._known
        for packed in continued:
            rejected = first_wrong(self.puzzle, packed)
            if rejected is not None:
                raise NotAList(f"solution {outcome.found + rejected[0] + 1}: {rejected[1]}")
            if self._ordered and (fault := not_ascending(self._last, packed, self.puzzle.layout)) is not None:
                raise NotAList(f"solution {outcome.found + fault + 1}: it is out of order")
            if seen is not None and (repeated := seen.add(packed)):
                raise NotAList(f"solution {outcome.found + repeated[0] + 1}: it is repeated")
            self._last = packed[-self._size :]
            outcome.found += len(packed) // self._size
            self._forget()

    def _forget(self) -> None:
        """Keep a long ordered list no longer if it can be counted, and is not compared with a given one."""
        long = self._ordered and not self._known and self._seen is not None and self.outcome.found > MAX_KEPT
        if (
            long
            and self.checks is not None
            and any(turn.choice.backend.answers(COUNT.name) for turn in self.checks(COUNT.name))
        ):
            self._seen = None

    def _list(self) -> Run:
        """Run the backend that lists."""
        outcome, limit = self.outcome, self._limits.solutions
        # An ordered list is continued at its last solution, to check that the order is the same.
        overlap = 1 if outcome.found and not self._known else 0
        # A run that gives known solutions again may stop at any number of them.
        bound = None if limit is None or self._known else max(1, limit - outcome.found + overlap)
        request = Solve(batched=True, skip=outcome.found - overlap if overlap else 0)
        limits = replace(self._limits, solutions=bound)
        job = Job(choice=self.choice, puzzle=self.puzzle, request=request, limits=limits)
        self._is_at_overlap = overlap > 0
        run = self.runner.run(job, self._listed)
        if self._is_at_overlap and run.status == "complete":
            detail = f"claims completeness before the last of {format_count(outcome.found, 'solution')} known before"
            self._blame("missing-solution", detail, self._last)
        return run

    def _listed(self, packed: bytes) -> bool:
        """Take solutions of the run that lists; return False to stop it."""
        outcome = self.outcome
        if self._is_at_overlap:
            self._is_at_overlap, self._is_lost = False, packed[: self._size] != self._last
            if self._is_lost:
                return False
            packed = packed[self._size :]
        # The rules come first: a wrong grid is neither stored nor delivered, and ends the run.
        packed, going_on = self._sound(packed, self.choice.spec)
        if self._ordered:
            packed, ascending = self._ascending(packed)
            going_on = going_on and ascending
        if self._seen is not None and (repeated := self._seen.add(packed)):
            # The solutions before the repetition are right, and stay.
            start = repeated[0] * self._size
            self._blame("duplicate-solution", TWICE, packed[start:][: self._size])
            packed, going_on = packed[:start], False
        if self._known:
            known = zip(self.puzzle.layout.parts(packed), self._known.holds(packed), strict=True)
            packed = b"".join(solution for solution, is_known in known if not is_known)
        limit = self._limits.solutions
        left = len(packed) // self._size if limit is None else max(0, limit - outcome.found)
        if left * self._size < len(packed):
            packed, going_on = packed[: left * self._size], False
        if packed:
            self.deliver(packed)
            outcome.found += len(packed) // self._size
            self._forget()
        return going_on

    def _sound(self, packed: bytes, backend: str) -> tuple[bytes, bool]:
        """Return the solutions before the first that breaks the rules, and whether none does."""
        self.on_batch()
        rejected = first_wrong(self.puzzle, packed)
        if rejected is None:
            return packed, True
        start = rejected[0] * self._size
        self._blame("wrong-solution", rejected[1], packed[start : start + self._size], backend)
        return packed[:start], False

    def _ascending(self, packed: bytes) -> tuple[bytes, bool]:
        """Return the solutions before the first that is out of order, and whether none is."""
        fault = not_ascending(self._last, packed, self.puzzle.layout)
        if fault is None:
            self._last = packed[-self._size :] or self._last
            return packed, True
        start = fault * self._size
        before = packed[start - self._size : start] if start else self._last
        if packed[start : start + self._size] == before:
            self._blame("duplicate-solution", TWICE, before)
        else:
            self._blame("error", "its batches are not in ascending order", packed[start : start + self._size])
        return packed[:start], False

    def _blame(self, problem: str, detail: str, packed: bytes | None, backend: str = "") -> None:
        witness = None
        if packed is not None:
            try:
                witness = self.puzzle.layout.answers(packed)[0].text
            except ValueError:  # bits after the last cell; the detail says so
                witness = None
        self.blamed.append(Finding(backend or self.choice.spec, problem, detail, witness))

    def _conclude(self, run: Run) -> None:
        outcome = self.outcome
        if run.status == "complete" and self._known and self._seen is not None:
            lacking, witness = self._known.lacking(self._seen)
            if lacking:
                detail = incomplete(outcome.found - lacking, lacking, "was known before")
                self._blame("missing-solution", detail, witness)
        self._judge(run, self._limits, outcome.found)
        outcome.runs = [(run, outcome.found - outcome.known)]

    def _judge(self, run: Run, limits: Limits, listed: int | None = None) -> None:
        """Judge everything again with one more run: a list with the number of its solutions, or a count."""
        outcome = self.outcome
        outcome.runs.append((run, listed or 0))
        if listed is None:
            self.counts.append(run)
        else:
            run.counted = listed  # in place of the solutions
            self.lists.append(run)
        self.verdict = judge_count(self.puzzle, self.counts, self._limits, self.lists, self.blamed)
        # Whoever takes the solutions may be slow, so the times do not matter here.
        outcome.findings = [finding for finding in self.verdict.findings if finding.problem != "timing"]
        guilty = {finding.backend for finding in outcome.findings if finding.problem in DISCREDITS}
        first, spec = outcome.runs[0][0], self.choice.spec
        outcome.complete = first.status == "complete" and spec not in guilty and self.verdict.number == outcome.found
        outcome.evidence, outcome.by = (self.verdict.evidence, self.verdict.by) if outcome.complete else (None, ())
        self._reasons.append(f"{run.backend}: {_why(run, limits, run.backend in guilty)}")
        unchecked = outcome.evidence == "claimed" and len(self._reasons) > 1
        outcome.reason = f"not cross-checked: {'; '.join(self._reasons[1:])}" if unchecked else ""
        if not outcome.complete:
            outcome.reason = f"{spec}: {_why(first, self._limits, spec in guilty)}"

    def _confirm(self, checks: Checks) -> None:
        """Let independent backends count the solutions, or find them again, until one agrees with the list."""
        outcome, spec = self.outcome, self.choice.spec
        is_few = outcome.found <= FEW

        def is_open() -> bool:
            about = {(finding.backend, finding.problem) for finding in outcome.findings}
            refuted = about & {(spec, "missing-solution"), (spec, DISAGREEMENT)}
            return not refuted and outcome.evidence not in ("agreed", "brute-force")

        def ask(check: Choice, limits: Limits) -> Run:
            self._choices.append(check)
            counts = check.backend.answers(COUNT.name) and not (is_few and check.backend.answers(SOLUTIONS.name))
            return self._count(check, limits) if counts else self._list_again(check, limits)

        def suits(check: Choice) -> bool:
            can_list = self._seen is not None or check.backend.answers(COUNT.name)
            return can_list and can_confirm(check, self.lists[:1], (spec,))

        limits = replace(self._limits, solutions=None)
        take_turns(checks("list" if is_few else COUNT.name), self.runner, ask, is_open, suits, limits)

    def _count(self, check: Choice, limits: Limits) -> Run:
        """Make another backend count: as many different solutions, each checked by the rules, are all of them."""
        run = self.runner.run(Job(choice=check, puzzle=self.puzzle, request=Solve(question=COUNT.name), limits=limits))
        self._judge(run, limits)
        return run

    def _list_again(self, check: Choice, limits: Limits) -> Run:
        """Make another backend find the set again, and compare solution by solution."""
        outcome, again = self.outcome, SolutionSet(self.puzzle.layout)
        seen = self._seen or SolutionSet(self.puzzle.layout)

        def take(packed: bytes) -> bool:
            packed, going_on = self._sound(packed, check.spec)
            if repeated := again.add(packed):
                self._blame("duplicate-solution", TWICE, packed[repeated[0] * self._size :][: self._size], check.spec)
                going_on = False
            self.checked = len(again)
            return going_on

        # Only its end proves that the first lacks nothing. Batches would share the code that makes those of the first.
        self.checked = 0
        run = self.runner.run(Job(choice=check, puzzle=self.puzzle, limits=limits), take)
        lacked, witness = again.lacking(seen)
        if lacked:
            self._blame("missing-solution", incomplete(outcome.found, lacked, f"{check.spec} found"), witness)
        missed, witness = seen.lacking(again)
        if missed and run.status == "complete":
            detail = incomplete(self.checked, missed, f"{self.choice.spec} found")
            self._blame("missing-solution", detail, witness, check.spec)
        self._judge(run, limits, self.checked)
        return run


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
