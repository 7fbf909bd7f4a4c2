"""Enumeration in a separate process: solutions are checked as they arrive, and passed on.

Memory is bounded, however many solutions there are. A backend with `crosslit.contract.Backend.batches` yields
them in ascending order (unless it is ``unordered``), so that comparing neighbours finds repetitions, and a list is
continued where it ends. All others run again from the start when a list is continued, known solutions are skipped, and
a temporary file holds the solutions seen (`crosslit.questions.enumerate.lists`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import islice

from crosslit.contract import COUNT
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import judge_count
from crosslit.judging.solutions import incomplete
from crosslit.judging.verdict import DISAGREEMENT, DISCREDITS, Evidence, Finding
from crosslit.kinds import Puzzle
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.questions.enumerate.lists import Seen, not_ascending
from crosslit.registry import Choice
from crosslit.registry.defaults import Checkers
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner

FILE, LISTED = 0, 1  # the runs of `Seen`: earlier solutions, the run that lists; those that check have higher numbers
FEW = 1000  # solutions: a list of at most as many is checked by a second list first, a longer one by a count
MAX_CHECKS = 2  # counts, and as many second lists
COUNT_SECONDS = 10.0  # minimum limit of a count for a long list
MAX_KEPT = 100_000  # solutions of an ordered list kept for a second one, if they can be counted instead


class NotAList(Exception):
    """The list to be continued does not consist of different solutions of the puzzle."""


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
    checks: Checkers | None = None
    counts: list[Run] = field(default_factory=list)  # judged together with the list
    more: int | None = None  # maximum number of new solutions
    limits: Limits | None = None  # of the list; None for those of the runner
    on_batch: Callable[[], None] = lambda: None  # called when solutions have arrived

    def __post_init__(self) -> None:
        self.outcome = Enumeration(self.puzzle)
        self.checked = 0  # solutions of the run that checks
        self._limits = self.limits or self.runner.limits
        self._size = record_bytes(self.puzzle)
        self._ordered = self.choice.backend.answers("batches") and not self.choice.backend.unordered
        self._given = 0  # by the current run
        self._last = b""
        self._lost_place = False
        self._seen: Seen | None = None
        self._lists: list[Run] = []
        self._blamed: list[Finding] = []  # for their solutions
        self._reasons: list[str] = []  # why the end of each run may say nothing

    def run(self, known: Callable[[], Iterable[bytes]], ready: Callable[[], None] = lambda: None) -> Enumeration:
        """List the unknown solutions, and return the result.

        ``known`` yields the earlier solutions, packed, in batches, and is called at most twice; a `NotAList` says that
        they are not different solutions of the puzzle. ``ready`` is called when they have been read and checked, before
        anything is delivered.
        """
        outcome = self.outcome
        # Once a large block is freed, glibc keeps smaller ones for reuse, in the forked run too. New pages for every
        # batch would take a sixth of the time.
        bytes(1 << 24)
        with ExitStack() as stack:
            stack.enter_context(self.runner.guard())
            # An ordered list needs no set: comparing neighbours finds repetitions, and memory stays constant.
            if not self._ordered or self.checks is not None:
                self._seen = stack.enter_context(closing(Seen()))
            # A list in another order, such as that of another backend, is continued by skipping known solutions.
            if not self._read(known()):
                self._read_unordered(stack, known())
            ready()
            outcome.known = outcome.found
            if self.more is not None:
                self._limits = replace(self._limits, solutions=outcome.found + self.more)
            run = self._list()
            if self._lost_place:  # the earlier solutions are not the head of the order
                self._lost_place = False
                self._read_unordered(stack, known())
                run = self._list()
            self._conclude(run)
            if run.status == "complete" and self.checks is not None:
                self._confirm(self.checks)
        return outcome

    def _read(self, known: Iterable[bytes]) -> bool:
        """Read a list, and return False if it is not in order although it should be."""
        self.outcome.found, self._last = 0, b""
        for packed in known:
            rejected = first_wrong(self.puzzle, packed)
            if rejected is not None:
                raise NotAList(f"solution {self.outcome.found + rejected[0] + 1}: {rejected[1]}")
            if self._ordered and not_ascending(self._last, packed, self.puzzle.layout) is not None:
                return False
            if self._seen is not None:
                # the continued run answers for the solutions that it skips in an ordered list
                statuses = self._seen.meet(self._each(packed), LISTED if self._ordered else FILE)
                if "twice" in statuses:
                    number = self.outcome.found + statuses.index("twice") + 1
                    raise NotAList(f"solution {number}: it is repeated")
            self._last = packed[-self._size :]
            self.outcome.found += len(packed) // self._size
            self._forget()
        return True

    def _read_unordered(self, stack: ExitStack, known: Iterable[bytes]) -> None:
        self._ordered = False
        self._seen = stack.enter_context(closing(Seen()))
        self._read(known)

    def _forget(self) -> None:
        """Keep a long ordered list no longer if it can be counted."""
        long = self._ordered and self._seen is not None and self.outcome.found > MAX_KEPT
        if long and self.checks is not None and any(self.checks(COUNT.name)):
            self._seen = None

    def _each(self, packed: bytes) -> list[bytes]:
        return [packed[start : start + self._size] for start in range(0, len(packed), self._size)]

    def _list(self) -> Run:
        """Run the backend that lists."""
        outcome, limit = self.outcome, self._limits.solutions
        overlap = 1 if self._ordered and outcome.found else 0  # the last known one, to check that the order is the same
        self._given = 0
        bound = limit if outcome.found == 0 else limit - outcome.found + overlap if limit and self._ordered else None
        request = Solve(batched=True, skip=outcome.found - overlap if overlap else 0)
        # Without an order the run gives known solutions again, so it is not known in advance at which number it may
        # stop.
        limits = replace(self._limits, solutions=None if bound is None else max(1, bound))
        job = Job(choice=self.choice, puzzle=self.puzzle, request=request, limits=limits)
        run = self.runner.run(job, self._listed)
        if overlap and run.status == "complete" and not self._given:
            self._lost_place = True  # more are known than it finds
        return run

    def _listed(self, packed: bytes) -> bool:
        """Take solutions of the run that lists; return False to stop it."""
        outcome = self.outcome
        if self._ordered and self._given == 0 and outcome.found:
            self._lost_place = packed[: self._size] != self._last
            if self._lost_place:
                return False
            packed = packed[self._size :]
        self._given += 1
        # The rules come first: a wrong grid is neither stored nor delivered, and ends the run.
        packed, going_on = self._sound(packed, self.choice.spec)
        if self._ordered:
            packed, ascending = self._ascending(packed)
            going_on = going_on and ascending
        if self._seen is not None:
            statuses = self._seen.meet(self._each(packed), LISTED)
            if "twice" in statuses:
                end = statuses.index("twice")
                repeated = packed[end * self._size :][: self._size]
                self._blame("duplicate-solution", "gave this solution more than once", repeated)
                # The solutions before the repetition are right, and stay.
                packed, statuses, going_on = packed[: end * self._size], statuses[:end], False
            # A backend without an order gives known solutions again: they are skipped, and are no errors.
            if "known" in statuses:
                pairs = zip(self._each(packed), statuses, strict=True)
                packed = b"".join(solution for solution, word in pairs if word == "new")
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
            self._blame("duplicate-solution", "gave this solution more than once", before)
        else:
            self._blame("error", "its batches are not in ascending order", packed[start : start + self._size])
        return packed[:start], False

    def _blame(self, problem: str, detail: str, packed: bytes | None, backend: str = "") -> None:
        witness = None
        if packed is not None:
            try:
                witness = self.puzzle.layout.answers(packed)[0].text()
            except ValueError:  # bits after the last cell; the detail says so
                witness = None
        self._blamed.append(Finding(backend or self.choice.spec, problem, detail, witness))

    def _conclude(self, run: Run) -> None:
        outcome = self.outcome
        if run.status == "complete" and self._seen is not None and not self._ordered:
            lacking, witness = self._seen.missing_from(LISTED)
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
            self._lists.append(run)
        self.verdict = judge_count(self.puzzle, self.counts, self._limits, self._lists, self._blamed)
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

    def _confirm(self, checks: Checkers) -> None:
        """Let independent backends count the solutions, or find them again, until one agrees with the list."""
        outcome, spec = self.outcome, self.choice.spec
        ways = [(COUNT.name, self._count), ("list", self._list_again)]
        # A second list of a few is quick and names what differs; one of many takes far longer than most counts.
        for purpose, way in ways if outcome.found > FEW else ways[::-1]:
            for check in islice(checks(purpose), MAX_CHECKS):
                about = {(finding.backend, finding.problem) for finding in outcome.findings}
                refuted = about & {(spec, "missing-solution"), (spec, DISAGREEMENT)}
                if refuted or self.runner.interrupted or outcome.evidence in ("agreed", "brute-force"):
                    return
                way(check)

    def _count(self, check: Choice) -> None:
        """Make another backend count: as many different solutions, each checked by the rules, are all of them."""
        # If counting takes longer than listing did, a second list is the cheaper check.
        seconds = max(COUNT_SECONDS, self._lists[0].timing.wall) if self.outcome.found > FEW else self._limits.seconds
        limits = replace(self._limits, solutions=None, seconds=min(self._limits.seconds, seconds))
        job = Job(choice=check, puzzle=self.puzzle, request=Solve(question=COUNT.name), limits=limits)
        self._judge(self.runner.run(job), limits)

    def _list_again(self, check: Choice) -> None:
        """Make another backend find the set again, and compare solution by solution."""
        outcome, seen = self.outcome, self._seen
        if seen is None:
            return
        lacked, self.checked = 0, 0
        number = LISTED + len(self._lists)  # of this run in the set
        witness = b""

        def take(packed: bytes) -> bool:
            nonlocal lacked, witness
            packed, sound = self._sound(packed, check.spec)
            statuses = seen.meet(self._each(packed), number)
            if "new" in statuses:
                witness = witness or packed[statuses.index("new") * self._size :][: self._size]
                lacked += statuses.count("new")
            if "twice" in statuses:
                repeated = packed[statuses.index("twice") * self._size :][: self._size]
                self._blame("duplicate-solution", "gave this solution more than once", repeated, check.spec)
                sound = False
            self.checked += len(statuses) - statuses.count("twice")
            return sound

        # Only its end proves that the first lacks nothing. Batches would share the code that makes those of the first.
        limits = replace(self._limits, solutions=None)
        run = self.runner.run(Job(choice=check, puzzle=self.puzzle, limits=limits), take)
        if lacked:
            self._blame("missing-solution", incomplete(outcome.found, lacked, f"{check.spec} found"), witness)
        missing, unseen = seen.missing_from(number)
        if missing and run.status == "complete":
            detail = incomplete(self.checked, missing, f"{self.choice.spec} found")
            self._blame("missing-solution", detail, unseen, check.spec)
        self._judge(run, limits, self.checked)


def _why(run: Run, limits: Limits, guilty: bool) -> str:
    """Return why the end of a run is not taken as the end of the solutions."""
    if run.status == "complete":
        return "its number of solutions is contradicted" if guilty else f"it says {run.counted}"
    if guilty:
        return "it is wrong"
    if run.status == "limit":
        return f"stopped at {limits.solutions}, as requested; there may be more"
    if run.status == "timeout":
        return f"stopped after {limits.seconds:g} s"
    if run.status == "memory":
        return f"stopped at {limits.memory_mb} MB of memory"
    return run.error or run.status
