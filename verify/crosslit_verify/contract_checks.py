"""The checks of a backend. An answer is wrong if `compare` would find it wrong beside brute force.

`check` is pure: ``check-backend`` runs the backend in isolated processes under limits, the tests in their own process.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, product
from typing import Any, Literal

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.base.text import format_count
from crosslit.contract import QUESTIONS, QuestionName, registered
from crosslit.contract.run import ENDED, Limits, Run
from crosslit.judging.solutions import judge, judge_count, judge_fewest
from crosslit.judging.verdict import BRUTE, DISCREDITS, Finding, run_findings
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit.questions.formula import attributed
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve

Size = Literal["quick", "usual", "full"]
Status = Literal["passed", "failed", "skipped"]
Execute = Callable[[Sequence[Job]], Generator[tuple[Job, Run], None, None]]
"""A function that starts runs, and yields those that have ended."""

_MAX_SHOWN = 4  # maximum solutions written out


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    return Specimen(puzzle, frozenset(puzzle.all_solutions()))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Return every puzzle of a kind and shape: boards of the usual rules, or clues of pictures; otherwise samples."""
    complete = find_kind(kind).population().complete
    if not complete:
        return tuple(by_rules(one) for one in sample_puzzles(kind) if (one.rows, one.columns) == (rows, columns))
    family = max(complete, key=lambda family: family.solvable)
    return tuple(itertools.starmap(Specimen, family.members(rows, columns))) if family.has(rows, columns) else ()


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Return puzzles of other shapes and rules, from a fixed seed, including some with no or many solutions."""
    return tuple(find_kind(kind).samples())


def puzzles(kind: str, size: Size) -> list[Puzzle]:
    """Return every puzzle of some shapes, and samples of others; only ``full`` has every puzzle of 3 x 3."""
    shapes = [(1, 3), (2, 2)] if size == "quick" else [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 3)]
    small = [specimen.puzzle for shape in shapes for specimen in floor(kind, *shape)]
    # odd steps: a power of two would leave some cells dark in every board
    squares = floor(kind, 3, 3)[:: {"quick": 31, "usual": 3, "full": 1}[size]]
    larger = find_kind(kind).larger_samples()[: {"quick": 0, "usual": 2, "full": None}[size]]
    return [*small, *(each.puzzle for each in squares), *sample_puzzles(kind)[:: 3 if size == "quick" else 1], *larger]


@dataclass(frozen=True)
class CheckOutcome:
    """The result of one check."""

    check: str
    status: Status
    detail: str = ""  # the number of puzzles checked, the error, or why the check was skipped
    puzzle: str | None = None  # the first puzzle with an error, in its one-line form; None if there is none
    gave: str | None = None  # the backend's answer about that puzzle
    right: str | None = None  # the right answer


@dataclass(frozen=True)
class Configuration:
    """A backend with its encoding and options, on puzzles of one kind."""

    choice: Choice
    kind: str
    questions: tuple[QuestionName, ...]


def configurations(spec: str, kinds: Sequence[str]) -> list[Configuration]:
    """Return the backends and encodings that a spec selects, for each kind of puzzle that they support."""
    found: dict[tuple[str, str], Configuration] = {}
    refusal = ""
    for kind in kinds:
        smallest = (specimen.puzzle for specimen in floor(kind, 1, 1))
        for puzzle, question in product([*smallest, *puzzles(kind, "quick")], QUESTIONS):
            for choice in registry.select([spec], puzzle, question):
                if choice.refusal is not None:
                    suits = kind in registry.kinds(choice.backend) and choice.backend.answers(question)
                    refusal = choice.refusal if suits or not refusal else refusal
                    continue
                key = (f"{choice.spec} {choice.encoding and choice.encoding.name}", kind)
                known = found.get(key, Configuration(choice, kind, ()))
                found[key] = replace(known, questions=tuple(dict.fromkeys([*known.questions, question])))
    if not found:
        raise SpecError(f"backend {spec!r}: {refusal or 'it names no backend that can be checked'}")
    return list(found.values())


@dataclass
class CheckedBackend:
    """A checked backend, and what was wrong with the course of its runs so far."""

    configuration: Configuration
    execute: Execute
    size: Size
    limits: Limits
    faults: dict[str, tuple[Puzzle, str]] = field(default_factory=dict)  # the first one of each sort
    refusal: str = ""  # why it does not support the last puzzle that it refused
    is_late: bool = False  # whether a run reached the limit of time

    def suits(self, puzzle: Puzzle) -> bool:
        """Return whether the backend supports a puzzle."""
        choice = self.configuration.choice
        reason, problem = registered.reply(choice.backend, "unsupported_reason", puzzle, choice.options)
        if problem:
            self.faults.setdefault("refusal", (puzzle, problem))
        self.refusal = reason or self.refusal
        return not (reason or problem)

    def several(self, least: int = 3) -> list[Puzzle]:
        """Return the first three puzzles with at least this many solutions; the last puzzle if there are none."""
        samples = [*filter(self.suits, sample_puzzles(self.configuration.kind))]
        return list(islice((one for one in samples if len(by_rules(one).solutions) >= least), 3)) or samples[-1:]

    def run(self, puzzles: Iterable[Puzzle], limit: int | None = None, **request: Any) -> list[tuple[Job, Run]]:
        """Return runs on the puzzles that the backend supports, in order, up to the first that did not end well."""
        about: Any = {"choice": self.configuration.choice, "limits": replace(self.limits, solutions=limit)}
        jobs = [Job(puzzle=puzzle, request=Solve(**request), **about) for puzzle in puzzles if self.suits(puzzle)]
        order, pairs = {id(job): number for number, job in enumerate(jobs)}, list[tuple[Job, Run]]()
        with closing(self.execute(jobs)) as runs:
            for job, run in runs:
                pairs.append((job, run))
                self.is_late = self.is_late or run.status == "timeout"
                if run.status not in ENDED:
                    break  # the next would hang too
        pairs.sort(key=lambda pair: order[id(pair[0])])  # by identity, because equal jobs may occur
        for job, run in pairs:
            for found in run_findings(run):
                self.faults.setdefault(found.problem, (job.puzzle, found.detail))
        return pairs

    def has_no(self, problem: str, detail: str = "every run so far") -> CheckOutcome:
        """Return the failed check if there was such a problem in the course of a run."""
        if problem in self.faults:
            puzzle, detail = self.faults[problem]
            return CheckOutcome("", "failed", detail, puzzle.text)
        return CheckOutcome("", "passed", detail)


def check(
    configuration: Configuration, execute: Execute, size: Size = "usual", limits: Limits | None = None
) -> Iterator[CheckOutcome]:
    """Yield the result of every check, in the order of `CHECKS`."""
    subject = CheckedBackend(configuration, execute, size, limits or Limits())
    for name, function, question in CHECKS:
        if question is not None and question not in configuration.questions:
            yield CheckOutcome(name, "skipped", "not supported")
        elif question is not None and subject.is_late:  # each check would wait for as long again
            yield CheckOutcome(name, "skipped", "an earlier run was not done in time")
        else:
            yield replace(function(subject), check=name)


def _ended(_: Job, run: Run) -> str:
    """Return how a run ended; an empty text if it ended well."""
    return "" if run.status in ENDED else f"{run.status}: {run.error}" if run.error else run.status


def _problem(job: Job, run: Run) -> str:
    """Return what is wrong with a run, if anything: its end, or what `compare` finds if brute force runs beside it."""
    solutions = sorted(by_rules(job.puzzle).solutions, key=Grid.count)
    truth = Run(BRUTE, status="complete", grids=solutions)
    findings: Sequence[Finding]
    if job.question == "count":
        findings = judge_count(job.puzzle, [run], Limits(), [truth]).findings
    else:
        judged = judge_fewest if job.question == "fewest" else judge
        findings = judged(job.puzzle, [run, truth], Limits()).findings
    wrong = [found for found in findings if found.backend == run.backend and found.problem in DISCREDITS]
    details = (f"{found.problem}: {found.detail}" for found in attributed(job.puzzle, wrong, [run]))
    return _ended(job, run) or next(details, "")


def _judged(
    runs: Sequence[tuple[Job, Run]], what: str = "puzzles", judged: Callable[[Job, Run], str] = _problem
) -> CheckOutcome:
    """Return the check, failed by the first run with a problem; skipped without runs."""
    for job, run in runs:
        if problem := judged(job, run):
            is_whole = run.status == "complete"
            gave = _words(run.grids) + " and no more" * is_whole if run.grids or is_whole else "no answer"
            right = _words(sorted(by_rules(job.puzzle).solutions, key=lambda grid: grid.bits))
            return CheckOutcome("", "failed", problem, job.puzzle.text, gave if run.counted is None else None, right)
    return CheckOutcome("", "passed", f"{len(runs)} {what}") if runs else CheckOutcome("", "skipped", "no puzzle suits")


def _words(grids: Sequence[Grid]) -> str:
    texts = ", ".join(grid.text for grid in grids[:_MAX_SHOWN]) + ", ..." * (len(grids) > _MAX_SHOWN)
    return f"{format_count(len(grids), 'solution')}: {texts}" if grids else "no solution"


def _describes_itself(subject: CheckedBackend) -> CheckOutcome:
    choice = subject.configuration.choice
    lacks = [word for word in ("name", "summary", "trusted_base") if not getattr(choice.backend, word)]
    unknown = sorted(choice.backend.kinds - set(all_kinds()))
    words = f"it has no {', '.join(lacks)}" if lacks else f"it takes unknown kinds: {unknown}" if unknown else ""
    return CheckOutcome("", "failed" if words else "passed", words or choice.version)


def _answers_right(subject: CheckedBackend, question: QuestionName = "solutions") -> CheckOutcome:
    everything = puzzles(subject.configuration.kind, subject.size)
    runs = subject.run(everything, question=question)
    claims, refused = sum(run.status == "complete" for _, run in runs), len(everything) - len(runs)
    outcome = _judged(runs, f"puzzles, {claims} completely" + (f", {refused} refused" if refused else ""))
    course = subject.has_no("refusal", outcome.detail)
    if "failed" in (outcome.status, course.status):
        return outcome if outcome.status == "failed" else course
    if all(run.status == "gave-up" and not run.grids for _, run in runs):  # also if there are no runs
        why = next((run.error for _, run in runs if run.error), subject.refusal)
        return CheckOutcome("", "skipped", f"it answers none of {len(everything)} puzzles" + f": {why}" * bool(why))
    return outcome


def _repeats_itself(subject: CheckedBackend) -> CheckOutcome:
    first: dict[Puzzle, Run] = {}

    def changed(job: Job, run: Run) -> str:
        before = first.setdefault(job.puzzle, run).grids
        other = f"the same task gave other solutions, or another order: before, {_words(before)}"
        return _ended(job, run) or ("" if before == run.grids else other)

    return _judged(subject.run([*subject.several(2), *subject.several(2)]), "runs, each puzzle twice", changed)


def _of_several(name: str, what: str, subject: CheckedBackend) -> CheckOutcome:
    several = subject.several()
    return _judged([pair for number in (1, 2) for pair in subject.run(several, **{name: number})], what)


def _leaves_nothing_running(subject: CheckedBackend) -> CheckOutcome:
    # one run at a time: while several run, an escaped process cannot be attributed to one of them
    for limit in (None, 1):
        subject.run(subject.several()[:1], limit)
    return subject.has_no("orphaned-process", "every run so far, and runs one at a time")


def has_judged(outcomes: Iterable[CheckOutcome]) -> bool:
    """Return whether any answer of the backend was judged."""
    judges = {"answers right", "finds the fewest presses", "counts the solutions"}
    return any(outcome.check in judges and outcome.status != "skipped" for outcome in outcomes)


CHECKS: tuple[tuple[str, Callable[[CheckedBackend], CheckOutcome], QuestionName | None], ...] = (
    ("describes itself", _describes_itself, None),
    ("answers right", _answers_right, "solutions"),
    ("is repeatable", _repeats_itself, "solutions"),
    ("stops on request", partial(_of_several, "limit", "runs stopped early"), "solutions"),
    ("claims only proven results", partial(_of_several, "hint", "runs with a hint"), "solutions"),
    ("finds the fewest presses", partial(_answers_right, question="fewest"), "fewest"),
    ("counts the solutions", partial(_answers_right, question="count"), "count"),
    ("leaves nothing running", _leaves_nothing_running, "solutions"),
    ("prints nothing", lambda subject: subject.has_no("stray-output"), None),
)
