"""Cross-checks of numbers of solutions, and of minimal sets of constraints that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

from crosslit.base.grid import Grid
from crosslit.base.numbers import exact, number_words
from crosslit.base.records import Result
from crosslit.contract.run import Limits, Run
from crosslit.judging.solutions import Solutions, reconcile, sift
from crosslit.judging.verdict import (
    DISCREDITS,
    Evidence,
    Finding,
    Judged,
    grade,
    puzzle_json,
    run_findings,
    support_json,
)
from crosslit.kinds import Puzzle

DIGITS = 4300  # maximum digits of a number that Python writes by default


@total_ordering
@dataclass(frozen=True, repr=False)
class CountResult(Judged):
    """The number of solutions of a puzzle according to some runs, and the evidence for it.

    It equals its number, and is compared, converted and tested like it. If the number is not known, that is an error.
    """

    puzzle: Puzzle
    number: int | None  # None if no reliable run gives it
    evidence: Evidence | None
    by: tuple[str, ...]  # the backends on which the evidence rests
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]  # including those asked for the solutions
    limits: Limits  # of each run
    at_least: int = 0  # number of solutions that were found and checked
    unchecked: str = ""  # why a requested check confirmed nothing, and what could; empty if it did

    def __int__(self) -> int:
        if self.number is None:
            raise TypeError(f"the number of solutions is not known; there are at least {self.at_least}")
        return self.number

    __index__ = __int__

    def __bool__(self) -> bool:
        return self.at_least > 0 or int(self) > 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CountResult):
            return self is other or (self.number is not None and self.number == other.number)
        return int(self) == other if isinstance(other, int | float) else NotImplemented

    def __lt__(self, other: float | CountResult) -> bool:
        return int(self) < (int(other) if isinstance(other, CountResult) else other)

    def __hash__(self) -> int:
        return hash(self.number)

    def _lines(self) -> list[str]:
        stopped = [run for run in self.runs if self.number is None and run.status != "complete"]
        return [*super()._lines(), *(f"{run.backend}: {run.error or run.status}" for run in stopped)]

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        return {
            "limits": self.limits.json(),
            "puzzle": puzzle_json(self.puzzle, None),
            "count": exact(self.number),
            **({"at_least": self.at_least} if self.number is None else {}),
            **support_json(self),
            **({"unchecked": self.unchecked} if self.unchecked else {}),
            "consistent": self.consistent,
        }


def judge_count(
    puzzle: Puzzle,
    runs: Sequence[Run],
    limits: Limits,
    lists: Sequence[Run] = (),
    solutions: Solutions | None = None,
) -> CountResult:
    """Judge counts and complete lists of one puzzle together: the number, the errors, and who is to blame.

    A count is wrong if it is below the number of solutions found and checked, or differs from the number on which brute
    force, or two independent backends, agree; see `reconcile` for the nullity. If two single claims differ, one is
    wrong, and both are named. The ``solutions`` are those of lists that were checked as they came.
    """
    solutions = solutions or Solutions.of(puzzle, lists)
    findings, believed = sift(lists, solutions)
    # Complete lists are claims about the number too, so they are grouped with equal counts.
    groups: dict[int, list[Run]] = {solutions.found: believed} if believed else {}
    for run in runs:
        errors = run_findings(run)
        number = run.counted
        if number is not None and number < solutions.found:
            detail = f"counts {number}; {solutions.found} solutions were found and checked"
            errors.append(Finding(run.backend, "wrong-count", detail))
        if number is not None and not any(finding.problem in DISCREDITS for finding in errors):
            groups.setdefault(number, []).append(run)
        findings += errors
    findings += reconcile(groups, solutions.found, puzzle.nullity())[0]
    grades = {claimed: grade(group) for claimed, group in groups.items()}
    strong = [claimed for claimed, (evidence, _) in grades.items() if evidence != "claimed"]
    # One claim stands by itself; among several, the only one with independent evidence wins.
    settled = list(groups) if len(groups) == 1 else strong if len(strong) == 1 else []
    number = settled[0] if settled else None
    words = {claimed: number_words(claimed, DIGITS) for claimed in groups}
    for claimed in [claimed for claimed in groups if claimed != number]:
        problem, other = "wrong-count", number
        if other is None:
            problem, other = "counts-differ", next(other for other in groups if other != claimed)
            against = f"{groups[other][0].backend} counts {words[other]}: one of them is wrong"
        else:
            against = f"{' and '.join(grades[other][1])} counted {words[other]}"
        detail = f"counts {words[claimed]}; {against}"
        findings += [Finding(run.backend, problem, detail) for run in groups[claimed]]
    evidence, by = grades[number] if number is not None else (None, ())
    about, every = tuple(dict.fromkeys(findings)), (*runs, *lists)
    return CountResult(puzzle, number, evidence, by, about, every, limits, solutions.found)


@dataclass(frozen=True, repr=False)
class MinimalSubset(Result):
    """A minimal set of constraints that contradict each other, and the evidence for it."""

    chosen: Grid | None  # the best answer
    bound: int  # proved lower bound on the size of an answer
    decided: bool  # whether the run that found it searched everything: then it is the smallest, or there is none
    evidence: Evidence | None = None  # its grade, if there is an answer or nothing is left to search
    # The backends on which it rests. A second one was asked only about this answer: it suffices, and needs all parts.
    by: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        return {
            "size": None if self.chosen is None else self.chosen.count(),
            "bound": exact(self.bound),
            "smallest": self.chosen is not None and self.decided,
            **support_json(self),
        }


def judge_minimal_subset(run: Run, check: Run | None = None) -> MinimalSubset:
    """Return the answer of a run, and whether another one, asked only about this answer, needs all of it."""
    findings, runs = run_findings(run), [run] if check is None else [run, check]
    best, bound = min(run.grids, key=Grid.count, default=None), run.bound
    decided, supporting = run.status == "complete", [run]
    if any(finding.problem in DISCREDITS for finding in findings):
        best, bound, decided = None, 0, False
    elif best is not None:
        bound = best.count() if decided else bound
        # The check tries to leave out each element; its last answer is all that it needs.
        if check is not None and check.status == "complete":
            if check.grids[-1:] == [best]:
                supporting = runs
            else:
                says = f"only {check.grids[-1].text} of it is needed" if check.grids else "it does not suffice"
                detail = f"gave {best.text}; {check.backend} says that {says}"
                findings.append(Finding(run.backend, "unconfirmed", detail))
    evidence = None if best is None and not decided else grade(supporting)[0]
    by = tuple(supporter.backend for supporter in supporting)
    return MinimalSubset(best, bound, decided, evidence, by, tuple(findings), tuple(runs))
