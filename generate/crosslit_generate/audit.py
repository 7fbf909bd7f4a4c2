"""The audit of a pack of puzzles: number of solutions, difficulty, the fewest presses, duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.base.numbers import exact, shorten
from crosslit.base.records import Result
from crosslit.contract import FEWEST
from crosslit.contract.run import Limits, Presses, Run
from crosslit.formats import PuzzleLike, as_puzzles
from crosslit.judging.answers import CountResult
from crosslit.judging.solutions import NULLITY, judge, judge_fewest
from crosslit.judging.verdict import DISCREDITS, Comparison, Evidence, Finding, puzzle_columns, puzzle_json
from crosslit.kinds import Puzzle
from crosslit.questions.compare import jobs
from crosslit.questions.enumerate import count
from crosslit.questions.turns import can_confirm, take_turns
from crosslit.registry.defaults import Turn, default, row, turns
from crosslit.registry.specs import why_unsuited
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated

_ENOUGH = frozenset({"certified", "brute-force", "agreed", "witnessed"})
_UNFINISHED = ("interrupted", "lost")  # a run that says nothing about the puzzle or the backend
_OF_A_BOARD = 2  # solutions: the nullity gives their number
_SHARE = 8  # the fewest presses get an eighth of the time limit: the status does not depend on them
_MAX_IMAGE_CELLS = 1_000_000  # maximum cells of a puzzle that is compared with its images


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """The result of the audit for one puzzle of a pack."""

    comparison: Comparison  # of the runs that were asked for its solutions
    solutions: int | None  # their number; None if it is unknown
    counted_by: str | None = None  # its source if that is not the comparison's verdict: a backend, or ``nullity``
    difficulty: str | None = None  # of a nonogram, by the backend `line`; None if that has not solved it
    presses: Presses | None = None  # the bounds on the fewest presses, for a board with a solution
    presses_evidence: Evidence | None = None  # None if the fewest presses are not proved
    findings: tuple[Finding, ...] = ()  # errors that discredit a backend
    same_as: str | None = None  # the name of an equal earlier puzzle
    image_of: str | None = None  # the name of an earlier puzzle that is this one rotated or mirrored

    @property
    def puzzle(self) -> Puzzle:
        """The audited puzzle."""
        return self.comparison.puzzle

    @property
    def status(self) -> str:
        """The status of the verdict on its solutions."""
        return self.comparison.verdict.status

    def record(self) -> dict[str, Any]:
        """Return the values of a row of a table: text, numbers or None."""
        values, presses = self.json(), self.presses or Presses(None, None, False)
        names = ("status", "evidence", "counted_by", "difficulty", "same_as", "image_of")
        return {
            **puzzle_columns(self.puzzle),
            "rows": self.puzzle.rows,
            "columns": self.puzzle.columns,
            "nullity": self.comparison.nullity,
            **{name: values[name] for name in names},
            "solutions": self.solutions,
            "at_least": max(self.comparison.verdict.at_least, self.solutions or 0),
            "presses": presses.best,
            "presses_at_least": presses.bound,
            "findings": len(self.findings),
        }

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        verdict = self.comparison.verdict
        return {
            "puzzle": puzzle_json(self.puzzle, self.comparison.nullity),
            "status": verdict.status,
            "solutions": exact(self.solutions),
            "at_least": exact(max(verdict.at_least, self.solutions or 0)),
            "evidence": verdict.evidence,
            "by": list(verdict.by),
            "counted_by": self.counted_by,
            "difficulty": self.difficulty,
            "presses": None if self.presses is None else {**self.presses.json(), "evidence": self.presses_evidence},
            "same_as": self.same_as,
            "image_of": self.image_of,
            "findings": [finding.json() for finding in self.findings],
        }


def audit(
    puzzles: Iterable[PuzzleLike],
    backends: str | Iterable[str] | None = None,
    *,
    limit: int = 1000,
    timeout: float = 20.0,
    memory_mb: int = Limits.memory_mb,
) -> list[Audit]:
    """Audit puzzles: number of solutions, difficulty, the fewest presses, duplicates.

    Backends are asked one after another, in separate processes, until two independent ones agree.

    Args:
        puzzles: the pack, or the one-line forms of its puzzles.
        backends: specs, groups and wildcards; those that do not support a puzzle are skipped.
        limit: maximum number of solutions to find for a nonogram; more are counted, if possible.
        timeout: limit of each run, in seconds of wall time; an eighth of it for the fewest presses.
        memory_mb: limit of each run, in 2^20 bytes.

    Raises:
        SpecError: if a spec cannot be parsed, or no backend supports a puzzle.
        ValueError: if a limit is not positive.

    Examples:
        >>> [(found.status, found.solutions, found.same_as) for found in audit(["10/01", "1,1|1,1", "1,1|1,1"])]
        [('unique', 1, None), ('multiple', 2, None), ('multiple', 2, '1,1|1,1')]
    """
    planned = plan(as_puzzles(puzzles), backends)
    with isolated(None, Limits(limit, timeout, memory_mb)) as runner:
        return list(audit_planned(planned, runner))


def plan(puzzles: Iterable[Puzzle], backends: str | Iterable[str] | None = None) -> list[tuple[Puzzle, list[Turn]]]:
    """Return each puzzle with the turns of the backends that may be asked about it."""
    planned = []
    for puzzle in puzzles:
        usual = [] if backends else [*turns(row(puzzle, "audit").answers, puzzle, "audit")]
        choices = [] if usual else [job.choice for job in jobs(puzzle, backends or "default") if job.choice]
        # If none supports the puzzle, they all stay, so that the report shows their reasons.
        suitable = [choice for choice in choices if choice.refusal is None] or choices
        planned.append((puzzle, usual or [*map(Turn, suitable)]))
    return planned


def audit_planned(planned: Iterable[tuple[Puzzle, list[Turn]]], runner: Runner) -> Iterator[Audit]:
    """Run the result of `plan`, and yield the audits; after an interrupt, only those of finished puzzles.

    The runner's limit on solutions applies to nonograms.
    """
    names, images = dict[str, str](), dict[str, str]()  # of earlier puzzles, by id
    for puzzle, waiting in planned:
        if runner.interrupted:
            return
        with runner.guard():  # including the judging: an interrupt must not lose results
            audit = _audit(puzzle, waiting, runner)
        if audit is not None:
            yield mark_repeated(audit, names, images)


def _audit(puzzle: Puzzle, waiting: list[Turn], runner: Runner) -> Audit | None:
    """Ask backends about a puzzle, each chosen by the answers so far, until nothing is open; None if interrupted."""
    runs = list[Run]()
    comparison: Comparison | None = None

    def ask(choice: registry.Choice, limits: Limits) -> Run:
        nonlocal comparison
        runs.append(runner.run(Job(choice=choice, puzzle=puzzle, limits=limits)))
        comparison = judge(puzzle, runs, runner.limits)
        return runs[-1]

    limits = replace(runner.limits, solutions=_OF_A_BOARD if puzzle.is_linear else runner.limits.solutions)
    take_turns(
        waiting,
        runner,
        ask,
        lambda: (
            comparison is None or (comparison.verdict.evidence not in _ENOUGH and runs[-1].status not in _UNFINISHED)
        ),
        # A run that is not independent of the claim would confirm nothing.
        lambda choice: comparison is None or can_confirm(choice, runs, comparison.verdict.by),
        limits,
    )
    if comparison is None or runs[-1].status in _UNFINISHED:
        return None
    verdict, fewest, counted = comparison.verdict, None, None
    if verdict.status == "multiple" and not why_unsuited(FEWEST, puzzle):
        fewest = runner.run(_fewest_job(puzzle, limits))
    elif verdict.status == "multiple" and not verdict.complete:
        with suppress(SpecError):  # no backend here can
            counted = count(puzzle, runner=runner)
    if runner.interrupted or (fewest is not None and fewest.status in _UNFINISHED):
        return None
    return _conclusion(comparison, runs, fewest, counted)


def _fewest_job(puzzle: Puzzle, limits: Limits) -> Job:
    choice = registry.select_one(default(puzzle, FEWEST.name), puzzle, FEWEST.name)
    limits = replace(limits, solutions=None, timeout=limits.timeout / _SHARE)
    return Job(choice=choice, puzzle=puzzle, request=Solve(question=FEWEST.name), limits=limits)


def _conclusion(comparison: Comparison, runs: list[Run], fewest: Run | None, counted: CountResult | None) -> Audit:
    """Return the audit that follows from the runs for solutions, and from one for the open question."""
    puzzle, verdict, findings = comparison.puzzle, comparison.verdict, list(comparison.findings)
    has_fewest = not why_unsuited(FEWEST, puzzle)
    number, counted_by, presses, evidence = verdict.solutions, None, None, None
    if number is None and verdict.status == "multiple":
        # If two lineages contradict the nullity, it must not be the source of a number.
        doubtful = NULLITY in {finding.backend for finding in findings}
        if comparison.nullity is not None and not doubtful:
            number, counted_by = 1 << comparison.nullity, "nullity"
        elif counted is not None:
            findings += counted.findings
            if counted.number is not None and counted.number < verdict.at_least:
                detail = f"counts {counted.number}; {verdict.at_least} solutions were found and checked"
                findings += [Finding(name, "wrong-count", detail) for name in counted.by]
            else:
                number, counted_by = counted.number, counted.by[0] if counted.by else None
    if has_fewest and comparison.solutions and verdict.status == "unique":
        only = comparison.solutions[0].count()
        presses, evidence = Presses(only, only, True), verdict.evidence
    elif comparison.solutions and fewest is not None:
        judged = judge_fewest(puzzle, [fewest], comparison.limits)
        findings += judged.findings
        presses, evidence = judged.presses, judged.verdict.evidence
    # of `line`, which has one only if it has decided whether there is a solution
    words = (run.stats.get("difficulty") for run in runs if run.grids or run.status == "complete")
    difficulty = next((str(word) for word in words if word), None)
    # Findings can come from two judges of the same runs, so `dict.fromkeys` drops repetitions but keeps their order.
    believed = tuple(finding for finding in dict.fromkeys(findings) if finding.problem in DISCREDITS)
    return Audit(comparison, number, counted_by, difficulty, presses, evidence, believed)


def mark_repeated(audit: Audit, names: dict[str, str], images: dict[str, str]) -> Audit:
    """Return an audit with the name of an equal earlier puzzle, or of a rotated or mirrored one, and add its puzzle."""
    puzzle, name = audit.puzzle, called(audit.puzzle)
    if puzzle.id in names:
        return replace(audit, same_as=names[puzzle.id])
    names[puzzle.id] = name
    # All eight images of a board of 10,000 x 10,000 would have to be made, written and hashed.
    if puzzle.rows * puzzle.columns > _MAX_IMAGE_CELLS:
        return audit
    # The smallest id of all images is the same for every one of them, so one look-up finds any earlier image.
    key = min(image.id for image in puzzle.images())
    earlier = images.get(key)
    images.setdefault(key, name)
    return replace(audit, image_of=earlier)


def called(puzzle: Puzzle) -> str:
    """Return the name of a puzzle, or the beginning of its one-line form."""
    return puzzle.name or shorten(puzzle.text, 40)


def totals(audits: Sequence[Audit]) -> dict[str, Any]:
    """Return the number of puzzles by status and difficulty, as in the JSON form."""
    statuses = Counter(audit.status for audit in audits)
    words = Counter(audit.difficulty for audit in audits if audit.difficulty)
    return {
        "puzzles": len(audits),
        "solvable": statuses["unique"] + statuses["multiple"],
        "unsolvable": statuses["unsolvable"],
        "undecided": statuses["undecided"],
        "unique": statuses["unique"],
        "multiple": statuses["multiple"],
        "difficulty": dict(sorted(words.items())),
        "same": sum(audit.same_as is not None for audit in audits),
        "images": sum(audit.image_of is not None for audit in audits),
        "wrong": sum(bool(audit.findings) for audit in audits),
    }
