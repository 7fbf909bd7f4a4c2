"""The checks that a backend keeps its contract, on small puzzles whose solutions follow from the rules.

`check` is pure: the caller runs the backend. ``check-backend`` does so in isolated processes under limits, the tests in
their own process.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.contract import COUNT, FEWEST, MUS, QUESTIONS, QuestionName, answer_layout
from crosslit.contract.family import random_grid
from crosslit.contract.run import Run
from crosslit.judging.verdict import run_findings
from crosslit.kinds import Puzzle, all_kinds, find_kind, kind_of
from crosslit.kinds.registry import OWN
from crosslit_verify.contract_checks.subject import (
    CheckedBackend,
    CheckOutcome,
    Configuration,
    Execute,
    Size,
    Specimen,
    broke,
    by_rules,
    ended,
    failed,
    first_failed,
    floor,
    grids_words,
    larger_samples,
    last,
    passed,
    sample_puzzles,
    small_samples,
    some_samples,
    sorted_grids,
    specimens,
)

__all__ = ["CHECKS", "Configuration", "Execute", "Size", "check", "configurations", "specimens"]

_MAX_TIMEOUTS = 2  # checks that time out before the rest is skipped
_TRIES = 3  # runs of which one must report its time correctly: the machine may be busy


def configurations(spec: str, kinds: Sequence[str] = OWN) -> list[Configuration]:
    """Return the backends and encodings that a spec selects, for each kind of puzzle that they support."""
    found: dict[tuple[str, str], Configuration] = {}
    reasons = [f"backend {spec!r}: it names no backend that can be checked"]
    for kind in kinds:
        for specimen in (*floor(kind, 1, 1), *floor(kind, 2, 2), *floor(kind, 3, 3)[:1], *last(kind)):
            for question in QUESTIONS:
                for choice in registry.select([spec], specimen.puzzle, question):
                    if choice.refusal is not None:
                        suits = kind in registry.kinds(choice.backend)
                        is_supported = suits and question in registry.questions(choice.backend)
                        reasons.insert(len(reasons) if is_supported else 1, f"backend {spec!r}: {choice.refusal}")
                        continue
                    key = (f"{choice.spec} {choice.encoding and choice.encoding.name}", kind)
                    known = found.get(key, Configuration(choice, kind, ()))
                    questions = tuple(dict.fromkeys([*known.questions, question]))
                    found[key] = replace(known, questions=questions)
    if not found:
        raise SpecError(reasons[-1])
    return list(found.values())


def check(configuration: Configuration, execute: Execute, size: Size = "usual") -> Iterator[CheckOutcome]:
    """Yield the result of every check, in the order of `CHECKS`."""
    subject = CheckedBackend(configuration, execute, size)
    late = 0
    for name, function, question in CHECKS:
        if question is not None and question not in configuration.questions:
            yield CheckOutcome(name, "skipped", "not supported")
        elif late >= _MAX_TIMEOUTS:
            yield CheckOutcome(name, "skipped", f"{late} checks have run out of time")
        else:
            subject.late = False
            yield replace(function(subject), check=name)
            late += subject.late


def _describes_itself(subject: CheckedBackend) -> CheckOutcome:
    choice = subject.configuration.choice
    backend = choice.backend
    lacks = [word for word in ("name", "summary", "trusted_base") if not getattr(backend, word)]
    lacks += [] if choice.version else ["version()"]
    if lacks:
        return CheckOutcome("", "failed", f"it has no {', '.join(lacks)}")
    if unknown := sorted(backend.kinds - set(all_kinds())):
        return CheckOutcome("", "failed", f"it takes unknown kinds: {unknown}")
    return CheckOutcome("", "passed", choice.version)


def _ends(subject: CheckedBackend) -> CheckOutcome:
    everything = specimens(subject.configuration.kind, subject.size)
    for specimen, run in subject.run(everything):
        if broke(run):
            subject.runs.append((specimen, replace(run, status="gave-up")))  # the solutions up to then are judged
            return failed(ended(run), specimen.puzzle, run, specimen.solutions)
        subject.runs.append((specimen, run))
    if subject.unasked is not None:
        return failed(subject.unasked[1], subject.unasked[0])
    refused = len(everything) - len(subject.runs)
    return passed(len(subject.runs), f"puzzles{f', {refused} refused' if refused else ''}")


def _obeys_the_rules(subject: CheckedBackend) -> CheckOutcome:
    return first_failed(subject.runs, _broken_rule) or passed(
        sum(len(run.grids) for _, run in subject.runs), "solutions"
    )


def _broken_rule(specimen: Specimen, run: Run) -> str:
    rejected = next((grid for grid in run.grids if grid not in specimen.solutions), None)
    if rejected is None:
        return ""
    return f"{rejected.text()} is no solution: {next(specimen.puzzle.violations(rejected), '')}"


def _none_twice(subject: CheckedBackend) -> CheckOutcome:
    def repeated(_: Specimen, run: Run) -> str:
        return "it gave a solution more than once" if len(set(run.grids)) < len(run.grids) else ""

    return first_failed(subject.runs, repeated) or passed(sum(len(run.grids) for _, run in subject.runs), "solutions")


def _none_missing(subject: CheckedBackend) -> CheckOutcome:
    complete = [(specimen, run) for specimen, run in subject.runs if run.status == "complete"]
    for specimen, run in complete:
        if lacking := specimen.solutions.difference(run.grids):
            first = sorted_grids(lacking)[0].text()
            detail = f"it claims all and lacks {len(lacking)} of {len(specimen.solutions)}, for example {first}"
            return failed(detail, specimen.puzzle, run, specimen.solutions)
    confirmed = CheckOutcome("", "passed", f"{len(complete)} of {len(complete)} claims confirmed")
    return confirmed if complete else CheckOutcome("", "skipped", "no run claimed to be complete")


def _repeats_itself(subject: CheckedBackend) -> CheckOutcome:
    count = 0
    suited = filter(subject.suits, sample_puzzles(subject.configuration.kind))
    several = list(islice((specimen for specimen in map(by_rules, suited) if len(specimen.solutions) > 1), 3))
    first: dict[Puzzle, Run] = {}
    for specimen, run in subject.run(several or specimens(subject.configuration.kind, "quick")[:3], tries=2):
        if broke(run):
            return failed(ended(run), specimen.puzzle, run)
        before = first.setdefault(specimen.puzzle, run).grids
        if before != run.grids:
            again = f"the same task gave other solutions, or another order: before, {grids_words(before)}"
            return failed(again, specimen.puzzle, run)
        count += 1
    return passed(count, "runs, each puzzle twice")


def _stops_when_enough(subject: CheckedBackend) -> CheckOutcome:
    count = 0
    for limit in (1, 2):
        for specimen, run in subject.run(subject.richest, limit):
            if broke(run):
                return failed(f"stopped after {limit}: {ended(run)}", specimen.puzzle, run)
            if run.status == "complete":
                return failed(f"it ended before it gave {limit}", specimen.puzzle, run, specimen.solutions)
            if len(set(run.grids)) < len(run.grids) or not specimen.solutions.issuperset(run.grids):
                return failed("wrong or repeated solutions", specimen.puzzle, run, specimen.solutions)
            count += 1
    return passed(count, "runs stopped early")


def _claims_only_what_it_knows(subject: CheckedBackend) -> CheckOutcome:
    count = 0
    for hint in (1, 2):
        for specimen, run in subject.run(subject.richest, hint=hint):
            if broke(run):
                return failed(f"with the hint {hint}: {ended(run)}", specimen.puzzle, run)
            if run.status == "complete" and set(run.grids) != specimen.solutions:
                detail = f"with the hint {hint}, it claims that there are no more than it gave"
                return failed(detail, specimen.puzzle, run, specimen.solutions)
            count += 1
    return passed(count, "runs with a hint")


def _tells_its_time(subject: CheckedBackend) -> CheckOutcome:
    tries = subject.run(subject.richest or last(subject.configuration.kind), tries=_TRIES)
    result = CheckOutcome("", "skipped", "no puzzle to check")
    for specimen, run in tries:
        seconds = run.timing.phases
        unexplained = [finding.detail for finding in run_findings(run) if finding.problem == "timing"]
        if broke(run):
            return failed(ended(run), specimen.puzzle, run)
        if min(seconds.values(), default=0) < 0 or run.timing.total <= 0:
            return failed(f"impossible times: {seconds}", specimen.puzzle)
        if run.encoding and not seconds["encode"]:
            return failed("it uses an encoding and spends no time in the phase encode", specimen.puzzle)
        if not unexplained:
            return passed(1, "run")
        result = failed(unexplained[0], specimen.puzzle)
    return result


def _prints_nothing(subject: CheckedBackend) -> CheckOutcome:
    if subject.stray is not None:
        puzzle, run = subject.stray
        return failed(f"it printed {run.stray.strip()[:60]!r} on standard output", puzzle)
    return CheckOutcome("", "passed", "every run so far")


def _leaves_nothing_running(subject: CheckedBackend) -> CheckOutcome:
    # one run at a time: while several run, an escaped process cannot be attributed to one of them
    for limit in (None, 1):
        for specimen in subject.richest or last(subject.configuration.kind):
            subject.run([specimen], limit)
    if subject.left is not None:
        return failed("it left a process running", subject.left)
    return CheckOutcome("", "passed", "every run so far, and runs one at a time")


# The right answers to the other questions come from all solutions, and from trying all sets of cells or constraints.

_LARGER = {"quick": 0, "usual": 2, "full": 4}  # boards of 15 and 16 cells


def _finds_the_fewest(subject: CheckedBackend) -> CheckOutcome:
    """Check the fewest presses."""
    kind = subject.configuration.kind
    boards = [*some_samples(kind, subject.size), *larger_samples(kind)[: _LARGER[subject.size]]]
    runs = subject.run(boards, question=FEWEST.name)
    return first_failed(runs, _judge_fewest) or passed(len(runs), "boards")


def _judge_fewest(specimen: Specimen, run: Run) -> str:
    counts = [grid.count() for grid in run.grids]
    best = sorted(specimen.solutions, key=lambda grid: grid.count())[:1]
    if not specimen.solutions.issuperset(run.grids):
        return "it gave a grid that is not a solution"
    if counts != sorted(set(counts), reverse=True):
        return "a solution has no fewer presses than the previous one"
    if run.status == "complete" and counts[-1:] != [grid.count() for grid in best]:
        return "it wrongly claims the fewest presses"
    if best and run.bound > best[0].count():
        return f"it claims that every solution has {run.bound} presses at least"
    return ""


def _counts_right(subject: CheckedBackend) -> CheckOutcome:
    """Check the number of solutions."""
    kind = subject.configuration.kind
    runs = subject.run(specimens(kind, "quick" if subject.size == "quick" else "usual"), question=COUNT.name)
    for specimen, run in runs:
        if broke(run):
            return failed(ended(run), specimen.puzzle)
        if run.counted not in (None, len(specimen.solutions)):
            detail = f"it counts {run.counted} where there are {len(specimen.solutions)} solutions"
            return failed(detail, specimen.puzzle, right=specimen.solutions)
    return passed(sum(run.counted is not None for _, run in runs), "counts")


def _finds_contradictions(subject: CheckedBackend) -> CheckOutcome:
    """Check the minimal unsatisfiable subsets of the constraints."""
    if find_kind(subject.configuration.kind).satisfied is None:
        return passed(0)
    rng = random.Random(9)
    count = 0
    for specimen in small_samples(subject.configuration.kind, subject.size):
        for candidates in (None, random_grid(rng, *answer_layout(MUS.name, specimen.puzzle)[:2], 0.8)):
            judge = functools.partial(_judge_subsets, candidates=candidates)
            runs = subject.run([specimen], question=MUS.name, candidates=candidates)
            if problem := first_failed(runs, judge, shows_right=False):
                return problem
            count += sum(run.status == "complete" for _, run in runs)
    return passed(count)


def _judge_subsets(specimen: Specimen, run: Run, candidates: Grid | None) -> str:
    """Return the error in some answers: each must be allowed, sufficient and minimal, and the last the smallest."""
    fewest = _smallest(specimen.puzzle, candidates)
    counts = [grid.count() for grid in run.grids]
    if counts != sorted(set(counts), reverse=True):
        return "an answer is no smaller than the previous one"
    for grid in run.grids:
        places = [1 << row * grid.columns + column for row, column in grid.cells()]
        if candidates is not None and grid.bits & ~candidates.bits:
            return f"{grid.text()} has cells outside the candidates"
        if not _contradict(specimen.puzzle, grid.bits):
            return f"{grid.text()} is not enough"
        if any(_contradict(specimen.puzzle, grid.bits ^ place) for place in places):
            return f"of {grid.text()} a part is enough"
    if fewest is not None and run.bound > fewest:
        return f"it claims that an answer has {run.bound} at least, and {fewest} are enough"
    if run.status == "complete" and (counts[-1] if counts else None) != fewest:
        right = "there is no answer" if fewest is None else f"{fewest} are enough"
        return f"it claims that its last answer is the smallest, and {right}"
    return ""


@functools.cache
def _smallest(puzzle: Puzzle, candidates: Grid | None) -> int | None:
    """Return the size of the smallest answer; None if there is none."""
    allowed = (1 << answer_layout(MUS.name, puzzle).bits) - 1 if candidates is None else candidates.bits
    if not _contradict(puzzle, allowed):
        return None
    places = [1 << bit for bit in range(allowed.bit_length()) if allowed >> bit & 1]
    sizes = range(len(places) + 1)
    return next(size for size in sizes if any(_contradict(puzzle, sum(some)) for some in combinations(places, size)))


def _contradict(puzzle: Puzzle, constraints: int) -> bool:
    """Return whether no grid satisfies some constraints, given as bits."""
    return all(constraints & ~satisfied for satisfied in _kept(puzzle))


@functools.cache
def _kept(puzzle: Puzzle) -> frozenset[int]:
    satisfied = kind_of(puzzle).satisfied
    assert satisfied is not None
    return frozenset(satisfied(puzzle, grid) for grid in puzzle.layout.every())


CHECKS: tuple[tuple[str, Callable[[CheckedBackend], CheckOutcome], QuestionName | None], ...] = (
    ("describes itself", _describes_itself, None),
    ("ends without an error", _ends, "solutions"),
    ("every solution obeys the rules", _obeys_the_rules, "solutions"),
    ("no solution twice", _none_twice, "solutions"),
    ("complete", _none_missing, "solutions"),
    ("is repeatable", _repeats_itself, "solutions"),
    ("stops on request", _stops_when_enough, "solutions"),
    ("claims only proven results", _claims_only_what_it_knows, "solutions"),
    ("reports its time", _tells_its_time, "solutions"),
    ("finds the fewest presses", _finds_the_fewest, FEWEST.name),
    ("counts the solutions", _counts_right, COUNT.name),
    ("finds minimal contradictions", _finds_contradictions, MUS.name),
    ("leaves nothing running", _leaves_nothing_running, "solutions"),
    ("prints nothing", _prints_nothing, None),
)
