"""Enumeration in a separate process: solutions are checked as they arrive, and passed on.

Memory is bounded, however many solutions there are. A backend with `crosslit.contract.Backend.batches` yields
them in ascending order (unless it is ``unordered``), so that comparing neighbours finds repetitions, and a list is
continued where it ends. All others run again from the start when a list is continued, known solutions are skipped, and
a temporary file holds the solutions seen (`crosslit.questions.enumerate.solution_set`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import islice

from crosslit.contract import COUNT
from crosslit.judging.solutions import (
    against_nullity,
    disagreement,
    disproved_nullity,
    incomplete,
    nullity_claim,
    run_claim,
)
from crosslit.judging.verdict import DISCREDITS, Evidence, Finding, grade, run_findings
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.numbers import number_words
from crosslit.questions.enumerate.listing_format import not_ascending
from crosslit.questions.enumerate.solution_set import Seen
from crosslit.questions.self_check import require_sound
from crosslit.registry import Choice
from crosslit.registry.defaults import Checkers
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits, Run
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
    on_batch: Callable[[], None] = lambda: None  # called when solutions have arrived

    def __post_init__(self) -> None:
        self.outcome = Enumeration(self.puzzle)
        self.checked = 0  # solutions of the run that checks
        self._limits = self.runner.limits
        self._size = record_bytes(self.puzzle)
        self._ordered = self.choice.backend.answers("batches") and not self.choice.backend.unordered
        self._given = 0  # by the current run
        self._last = b""
        self._lost_place = False
        self._seen: Seen | None = None
        self._lists = LISTED  # the number of the current list in it
        self._larger: list[Run] = []  # counts of more solutions than were found

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
            run = self._list()
            if self._lost_place:  # the earlier solutions are not the head of the order
                self._lost_place = False
                self._read_unordered(stack, known())
                run = self._list()
            self._conclude(run)
            if run.status == "complete" and self.checks is not None:
                self._confirm(run, self.checks)
        require_sound(self.puzzle, outcome.findings)
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
        self.outcome.findings.append(Finding(backend or self.choice.spec, problem, detail, witness))

    def _conclude(self, run: Run) -> None:
        outcome, spec = self.outcome, self.choice.spec
        outcome.runs.append((run, outcome.found - outcome.known))
        outcome.findings += _about(run)
        if run.status == "complete" and self._seen is not None and not self._ordered:
            lacking, witness = self._seen.missing_from(LISTED)
            if lacking:
                detail = incomplete(outcome.found - lacking, lacking, "was known before")
                self._blame("missing-solution", detail, witness)
        self._ask_nullity(run)
        guilty = any(finding.problem in DISCREDITS and finding.backend == spec for finding in outcome.findings)
        outcome.complete = run.status == "complete" and not guilty
        if outcome.complete:
            outcome.evidence, outcome.by = grade([run])
        else:
            outcome.reason = f"{spec}: {_why(run, self._limits, guilty)}"

    def _ask_nullity(self, run: Run) -> None:
        found, nullity = self.outcome.found, kind_of(self.puzzle).nullity(self.puzzle)
        if nullity is None:
            return
        if found > 1 << nullity:
            # They are different and were all checked by the rules, so it is the nullity that is wrong.
            self.outcome.findings.append(disproved_nullity(found, nullity))
        elif run.status == "complete" and found not in (0, 1 << nullity):
            self.outcome.findings += against_nullity(found, nullity, [run])

    def _confirm(self, first: Run, checks: Checkers) -> None:
        """Compare a complete list with independent counts or lists until one agrees or refutes it."""
        outcome, reasons = self.outcome, "; ".join(self._compare_all(first, checks))
        if outcome.evidence == "claimed":
            outcome.reason = f"not cross-checked: {reasons}"
            if self._larger:
                # Either the list is too short or the count too large, and no second list shows which.
                claims = [run_claim(run.counted or 0, [run]) for run in self._larger]
                outcome.findings += disagreement([run_claim(outcome.found, [first]), *claims])
                outcome.complete, outcome.evidence, outcome.by = False, None, ()
        for run in self._larger if outcome.complete else ():
            detail = f"counts {number_words(run.counted or 0)}; {' and '.join(outcome.by)} found {outcome.found}"
            self._blame("wrong-count", detail, None, run.backend)

    def _compare_all(self, first: Run, checks: Checkers) -> Iterator[str]:
        """Ask backends in turn, and yield the reason of each that confirms nothing."""
        ways = [(COUNT.name, self._count), ("list", self._list_again)]
        # A second list of a few is quick and names what differs; one of many takes far longer than most counts.
        for purpose, way in ways if self.outcome.found > FEW else ways[::-1]:
            for check in islice(checks(purpose), MAX_CHECKS):
                yield from way(first, check)
                if self.outcome.evidence != "claimed" or self.runner.interrupted:
                    return

    def _count(self, first: Run, check: Choice) -> Iterator[str]:
        """Make another backend count: as many different solutions, each checked by the rules, are all of them."""
        outcome = self.outcome
        # If counting takes longer than listing did, a second list is the cheaper check.
        seconds = max(COUNT_SECONDS, first.timing.wall) if outcome.found > FEW else self._limits.seconds
        limits = replace(self._limits, solutions=None, seconds=min(self._limits.seconds, seconds))
        run = self.runner.run(Job(choice=check, puzzle=self.puzzle, request=Solve(question=COUNT.name), limits=limits))
        guilty, number = self._end_check(run, 0), run.counted or 0
        if guilty or run.status != "complete":
            yield f"{check.spec}: {_why(run, limits, guilty)}"
        elif number == outcome.found:
            self._agree(first, run)
        else:
            yield f"{check.spec}: it counts {number_words(number)}"
            if number > outcome.found:
                self._larger.append(run)
                return
            detail = f"counts {number}; {outcome.found} solutions were found and checked"
            self._blame("wrong-count", detail, None, check.spec)

    def _list_again(self, first: Run, check: Choice) -> Iterator[str]:
        """Make another backend find the set again, and compare solution by solution."""
        outcome, seen = self.outcome, self._seen
        if seen is None:
            return
        lacked, self.checked = 0, 0
        self._lists += 1
        witness = b""

        def take(packed: bytes) -> bool:
            nonlocal lacked, witness
            packed, sound = self._sound(packed, check.spec)
            statuses = seen.meet(self._each(packed), self._lists)
            if "new" in statuses:
                witness = witness or packed[statuses.index("new") * self._size :][: self._size]
                lacked += statuses.count("new")
            if "twice" in statuses:
                repeated = packed[statuses.index("twice") * self._size :][: self._size]
                self._blame("duplicate-solution", "gave this solution more than once", repeated, check.spec)
                sound = False
            self.checked += len(packed) // self._size
            return sound

        # Only its end proves that the first lacks nothing. Batches would share the code that makes those of the first.
        limits = replace(self._limits, solutions=None)
        run = self.runner.run(Job(choice=check, puzzle=self.puzzle, limits=limits), take)
        guilty = self._end_check(run, self.checked)
        if lacked:
            detail = incomplete(outcome.found, lacked, f"{check.spec} found")
            self._blame("missing-solution", detail, witness)
            # The solution that is lacking has passed the rules, so nothing is left of the claim of completeness.
            outcome.complete, outcome.evidence, outcome.by = False, None, ()
            outcome.reason = f"{self.choice.spec}: it lacks solutions that {check.spec} found"
        if run.status != "complete" or guilty:
            yield f"{check.spec}: {_why(run, self._limits, guilty)}"
            return
        missing, unseen = seen.missing_from(self._lists)
        if missing:
            detail = incomplete(self.checked, missing, f"{self.choice.spec} found")
            self._blame("missing-solution", detail, unseen, check.spec)
            yield f"{check.spec}: it is wrong"
        elif not lacked:
            self._agree(first, run)

    def _end_check(self, run: Run, given: int) -> bool:
        """Record a run that checks, and return whether it is wrong."""
        self.outcome.runs.append((run, given))
        findings = self.outcome.findings
        findings += _about(run)
        return any(finding.problem in DISCREDITS and finding.backend == run.backend for finding in findings)

    def _agree(self, *runs: Run) -> None:
        """Take the evidence of runs that claim the same; blame nobody if only the nullity contradicts them."""
        outcome, (evidence, by) = self.outcome, grade([*runs])
        if outcome.complete:
            outcome.evidence, outcome.by = evidence, by
            return
        others = [finding for finding in outcome.findings if finding.problem != "contradicts-nullity"]
        nullity = kind_of(self.puzzle).nullity(self.puzzle)
        doubted = any(finding.problem in DISCREDITS for finding in others)
        if nullity is not None and evidence != "claimed" and not doubted:
            outcome.findings = others + disagreement([run_claim(outcome.found, runs), nullity_claim(nullity)])
            outcome.reason = "the nullity contradicts what two backends found"


def _about(run: Run) -> list[Finding]:
    """Return the problems in the course of a run, without those of its times."""
    return [finding for finding in run_findings(run) if finding.problem != "timing"]


def _why(run: Run, limits: Limits, guilty: bool) -> str:
    """Return why the end of a run is not taken as the end of the solutions."""
    if guilty:
        return "it is wrong"
    if run.status == "limit":
        return f"stopped at {limits.solutions}, as requested; there may be more"
    if run.status == "timeout":
        return f"stopped after {limits.seconds:g} s"
    if run.status == "memory":
        return f"stopped at {limits.memory_mb} MB of memory"
    return run.error or run.status
