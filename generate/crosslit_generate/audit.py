"""The audit of a pack of puzzles: number of solutions, difficulty, duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from crosslit.base.records import Result
from crosslit.base.text import exact, number_words, one_line, shorten
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzles
from crosslit.judging.solutions import judge
from crosslit.judging.verdict import DISCREDITS, Comparison, Finding
from crosslit.kinds import Puzzle
from crosslit.questions.compare import jobs
from crosslit.questions.solve import can_confirm, take_turns
from crosslit.registry import Choice
from crosslit.registry.defaults import Turn, checks
from crosslit.runs.job import Job
from crosslit.runs.runner import Runner, isolated

Specs = str | Iterable[str] | None


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """The result of the audit for one puzzle of a pack."""

    puzzle: Puzzle
    name: str  # or the beginning of its one-line form
    comparison: Comparison  # of the runs that were asked for its solutions
    findings: list[Finding]  # the errors that discredit a backend
    status: str  # of the verdict on its solutions
    solutions: int | None  # their number; None if it is unknown
    difficulty: str | None  # of a nonogram, by the backend `line`; None if that has not solved it
    same_as: str | None = None  # the name of an equal earlier puzzle

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        verdict = self.comparison.verdict
        return {
            "puzzle": self.puzzle.json(self.comparison.nullity),
            "status": self.status,
            "solutions": exact(self.solutions),
            "at_least": exact(verdict.at_least),
            "evidence": verdict.evidence,
            "by": list(verdict.by),
            "difficulty": self.difficulty,
            "same_as": self.same_as,
            "findings": [finding.json() for finding in self.findings],
        }

    def row(self) -> dict[str, str]:
        """Return the JSON form as texts for a table: other words for the puzzle and the number, and a note."""
        verdict = self.comparison.verdict
        number = f"at least {verdict.at_least}" if verdict.at_least else "?"
        notes = [f"{finding.backend}: {finding.problem}" for finding in self.findings]
        notes += islice(self.puzzle.contradictions(), 2)
        notes += [f"same as {self.same_as}"] if self.same_as is not None else []
        if self.status == "undecided":
            notes += [f"{run.backend}: {run.error or run.status}" for run in self.comparison.runs]
        words = {"puzzle": self.name, "size": f"{self.puzzle.rows} x {self.puzzle.columns}", "note": "; ".join(notes)}
        words["solutions"] = number if self.solutions is None else number_words(self.solutions)
        record = self.json() | words | {"nullity": self.comparison.nullity}
        return {key: "" if value is None else one_line(str(value)) for key, value in record.items()}


def audit(
    puzzles: Iterable[PuzzleLike],
    backends: str | Iterable[str] | None = None,
    *,
    limit: int = 1000,
    timeout: float = 20.0,
    memory_mb: int = Limits.memory_mb,
) -> list[Audit]:
    """Audit puzzles: number of solutions, difficulty, duplicates.

    Backends are asked one after another, in separate processes, until two independent ones agree, or more than one
    solution is found but not all of them. At most ``limit`` are found. ``timeout``, in seconds of wall time, and
    ``memory_mb``, in 2^20 bytes, limit each run. A SpecError says that no backend among ``backends`` supports a puzzle.

    Examples:
        >>> [(found.status, found.solutions, found.same_as) for found in audit(["10/01", "1,1|1,1", "1,1|1,1"])]
        [('unique', 1, None), ('multiple', 2, None), ('multiple', 2, '1,1|1,1')]
    """
    with isolated(None, Limits(limit, timeout, memory_mb)) as runner:
        return list(audit_all(as_puzzles(puzzles), runner, backends))


def audit_all(puzzles: Iterable[Puzzle], runner: Runner, backends: Specs = None) -> Iterator[Audit]:
    """Yield the audits of puzzles, after an interrupt only of finished ones; a wrong spec is found before any run."""
    names = dict[str, str]()  # of earlier puzzles, by id
    for puzzle, turns in [(puzzle, _turns(puzzle, backends)) for puzzle in puzzles]:
        with runner.guard():  # including the judging: an interrupt must not lose results
            audit = _audit(puzzle, turns, runner)
        if audit is None:
            return
        yield replace(audit, same_as=names.get(puzzle.id))
        names.setdefault(puzzle.id, audit.name)


def _turns(puzzle: Puzzle, backends: Specs) -> list[Turn]:
    """Return the turns of the backends to ask, by default those that check a list; a SpecError says that none can."""
    usual = [*checks(puzzle, "list")] if backends is None else []
    return usual or [Turn(job.choice) for job in jobs(puzzle, backends or "default") if job.choice]


def _audit(puzzle: Puzzle, turns: list[Turn], runner: Runner) -> Audit | None:
    """Ask backends about a puzzle, each chosen by the answers so far, until nothing is open; None if interrupted."""
    runs, comparison = list[Run](), judge(puzzle, [], runner.limits)

    def ask(choice: Choice, limits: Limits) -> Run:
        nonlocal comparison
        runs.append(runner.run(Job(choice=choice, puzzle=puzzle, limits=limits)))
        comparison = judge(puzzle, runs, runner.limits)
        return runs[-1]

    def is_open() -> bool:
        return comparison.verdict.evidence in (None, "claimed")

    def suits(choice: Choice) -> bool:  # a run that is not independent of the claim would confirm nothing
        return can_confirm(choice, runs, comparison.verdict.by)

    take_turns(turns, runner, ask, is_open, suits)
    if runner.interrupted and is_open():
        return None
    verdict = comparison.verdict
    findings = [finding for finding in comparison.findings if finding.problem in DISCREDITS]
    # of `line`, which has one only if it has decided whether there is a solution
    words = (run.stats.get("difficulty") for run in runs if run.grids or run.status == "complete")
    difficulty, name = next((str(word) for word in words if word), None), puzzle.name or shorten(puzzle.text, 40)
    return Audit(puzzle, name, comparison, findings, verdict.status, verdict.solutions, difficulty)


def totals(audits: Sequence[Audit]) -> dict[str, Any]:
    """Return the number of puzzles by status and difficulty, as in the JSON form."""
    statuses = Counter(audit.status for audit in audits)
    return {
        "puzzles": len(audits),
        "solvable": statuses["unique"] + statuses["multiple"],
        **{status: statuses[status] for status in ("unsolvable", "undecided", "unique", "multiple")},
        "difficulty": dict(sorted(Counter(audit.difficulty for audit in audits if audit.difficulty).items())),
        "same": sum(audit.same_as is not None for audit in audits),
        "wrong": sum(bool(audit.findings) for audit in audits),
    }
