"""The audit of a file of results: solutions against the rules of their puzzles, plan and verdicts as expected."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from crosslit.errors import InputError
from crosslit.judging.verdict import VerdictStatus
from crosslit.kinds import Puzzle
from crosslit_bench.provenance.software import Software
from crosslit_bench.results.judged import Results
from crosslit_bench.store.store import Store

_DIGITS = 16  # shown digits of a puzzle's id
_UNDECIDED = "undecided"
_STATUSES = "|".join(get_args(VerdictStatus))
_EXPECTATION = re.compile(
    rf"(?:plan|software) [0-9a-f]{{64}}|[0-9a-f]{{{_DIGITS}}} (?:{_STATUSES})(?: [0-9]+)?", re.ASCII
)
_PROBLEMS = {
    "plan": "puzzles, backends, versions of engines or the order of runs differ",
    "software": "sources of Crosslit or a plugin, or files of a command differ",
}


@dataclass(frozen=True, kw_only=True)
class WrongSolution:
    """A stored answer that breaks the rules, or cannot be read.

    Args:
        contestant: the contestant that gave it.
        puzzle: the puzzle's name, or the start of its id.
        repetition: the repetition of the run.
        problem: the violated rule, or the damage.
    """

    contestant: str
    puzzle: str
    repetition: int
    problem: str


@dataclass(frozen=True, kw_only=True)
class SolutionAudit:
    """The result of judging the stored solutions of a file again.

    Args:
        runs: number of runs with solutions.
        solutions: number of judged solutions.
        wrong: wrong solutions, at most one for each run.
        unjudged: number of runs on puzzles of an earlier plan, which are no longer in the file.
    """

    runs: int
    solutions: int
    wrong: tuple[WrongSolution, ...]
    unjudged: int


def audit_solutions(store: Store) -> SolutionAudit:
    """Judge every stored solution by the rules of its puzzle, including runs outside the plan."""
    puzzles = {instance.puzzle.id: instance.puzzle for instance in store.instances()}
    query = "SELECT puzzle, contestant, repetition, solutions, answer FROM runs ORDER BY puzzle, contestant, repetition"
    known: dict[tuple[str, str, int], tuple[int, str]] = {}
    wrong, runs, solutions, unjudged = [], 0, 0, 0
    for id_, contestant, repetition, count, answer in store.select(query):
        if not (answer or count):
            continue
        if id_ not in puzzles:
            unjudged += 1
            continue
        key = id_, answer, count
        if key not in known:
            known[key] = _judged(store, puzzles[id_], answer, count)
        judged, problem = known[key]
        runs, solutions = runs + 1, solutions + judged
        if problem:
            name = puzzles[id_].name or id_[:_DIGITS]
            wrong.append(WrongSolution(contestant=contestant, puzzle=name, repetition=repetition, problem=problem))
    return SolutionAudit(runs=runs, solutions=solutions, wrong=tuple(wrong), unjudged=unjudged)


def _judged(store: Store, puzzle: Puzzle, answer: str, count: int) -> tuple[int, str]:
    """Return the number of solutions, and the first problem; empty if there is none."""
    try:
        with store.understood():
            grids = store.answer(answer).grids()
    except InputError as error:
        return 0, str(error).removeprefix(f"{store.path}: ")
    if len(grids) != count:
        return len(grids), f"{len(grids)} of {count} solutions are stored"
    for number, grid in enumerate(grids, 1):
        if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
            return len(grids), f"solution {number} is a grid of {grid.rows} x {grid.columns}"
        broken = next(iter(puzzle.violations(grid)), "")
        if broken:
            return len(grids), f"solution {number}: {broken}"
    return len(grids), ""


def software_hash(software: Software) -> str:
    """Return a sha256 of the contents of Crosslit and plugins, and of the files of commands."""
    parts = [[one.name, one.content] for one in software.components]
    parts += sorted([one.backend, one.name, one.sha256] for one in software.programs)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def expectations(results: Results) -> Iterator[str]:
    """Yield the lines of a file of expectations for a repeated campaign: hashes, then a verdict for each puzzle."""
    yield f"plan {results.plan_hash}"
    if results.about.software is not None:
        yield f"software {software_hash(results.about.software)}"
    for judged in results.judged:
        verdict, presses = judged.comparison.verdict, judged.comparison.presses
        number = presses.best if presses is not None and presses.proved else verdict.solutions
        words = verdict.status if number is None else f"{verdict.status} {number}"
        yield f"{judged.instance.puzzle.id[:_DIGITS]} {words}"


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """A difference between a campaign and its expectations.

    Args:
        what: ``plan``, ``software``, or the name of a puzzle.
        expected, found: the values on both sides.
        is_wrong: False if a verdict is undecided on one side only.
    """

    what: str
    expected: str
    found: str
    is_wrong: bool

    def __str__(self) -> str:
        words = f"expected {self.expected}, found {self.found}"
        return f"{self.what}: {words}; {_PROBLEMS[self.what]}" if self.what in _PROBLEMS else f"{self.what}: {words}"


def deviations(expected: Sequence[str], results: Results) -> list[Deviation]:
    """Return the differences of a campaign from the `expectations` of another one, wrong ones first.

    Raises:
        ValueError: if a line is malformed.
    """
    names = {judged.instance.puzzle.id[:_DIGITS]: judged.name for judged in results.judged}
    here, there = _read(expectations(results)), _read(expected)
    found = []
    for what in dict.fromkeys([*there, *here]):
        one, other = there.get(what, "nothing"), here.get(what, "nothing")
        if one == other or _agree(one, other) or (what == "software" and "nothing" in (one, other)):
            continue
        decided = _UNDECIDED not in (one, other)
        found.append(Deviation(what=names.get(what, what), expected=one, found=other, is_wrong=decided))
    return sorted(found, key=lambda deviation: not deviation.is_wrong)


def _agree(one: str, other: str) -> bool:
    """Return whether two verdicts agree except that one of them lacks the number of solutions."""
    first, second = one.split(), other.split()
    return first[0] == second[0] and 1 in (len(first), len(second))


def _read(lines: Iterable[str]) -> dict[str, str]:
    found = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if line:
            if not _EXPECTATION.fullmatch(line):
                raise ValueError(
                    f"line {number}: expected `plan`, `software` or a puzzle and its verdict, found {line[:40]!r}"
                )
            what, _, found[what] = line.partition(" ")
    if "plan" not in found:
        raise ValueError("expected a line `plan` with a hash, as `bench reproduce` writes it, found none")
    return found
