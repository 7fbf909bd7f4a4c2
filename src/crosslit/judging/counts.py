"""Cross-checks of the number of solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.judging.solutions import against_nullity, disagreement, disproved_nullity, nullity_claim, run_claim, sift
from crosslit.judging.verdict import DISCREDITS, Evidence, Finding, grade, puzzle_json, run_findings, support_json
from crosslit.kinds import Puzzle, kind_of
from crosslit.numbers import exact, number_words
from crosslit.records import Result
from crosslit.runs.run import Limits, Run

DIGITS = 4300  # maximum digits of a number that Python writes by default


@dataclass(frozen=True, repr=False)
class CountResult(Result):
    """The number of solutions of a puzzle according to some runs, and the evidence for it."""

    puzzle: Puzzle
    number: int | None  # None if no reliable run gives it
    evidence: Evidence | None
    by: tuple[str, ...]  # the backends on which the evidence rests
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]  # including those asked for the solutions
    limits: Limits  # of each run
    unchecked: str = ""  # why a requested check confirmed nothing, and what could; empty if it did

    @property
    def consistent(self) -> bool:
        """True if there are no findings."""
        return not self.findings

    def _lines(self) -> list[str]:
        stopped = [run for run in self.runs if self.number is None and run.status != "complete"]
        return [*super()._lines(), *(f"{run.backend}: {run.error or run.status}" for run in stopped)]

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        support = support_json(self)
        evidence = {name: support.pop(name) for name in ("evidence", "by")}
        head = {"limits": self.limits.json(), "puzzle": puzzle_json(self.puzzle, None)}
        unchecked = {"unchecked": self.unchecked} if self.unchecked else {}
        return {**head, "count": exact(self.number), **evidence, **unchecked, "consistent": self.consistent, **support}


def judge_count(
    puzzle: Puzzle,
    runs: Sequence[Run],
    limits: Limits,
    enumerated: Sequence[Run] = (),
    about: Sequence[Finding] = (),
) -> CountResult:
    """Judge counts and complete enumerations of one puzzle together: the number, the errors, and who is to blame.

    A count is wrong if it is below the number of solutions found and checked, or differs from the number on which brute
    force, or two independent backends, agree. A single claim about a board is wrong if it is neither 0 nor 2^nullity.
    If two single claims differ, or two independent backends and the nullity, one is wrong, and all are named. An
    enumeration whose solutions were checked as they came has their number in their place, and findings ``about`` it.
    """
    findings, believed, finders = sift(puzzle, enumerated)
    findings += about
    least = max([len(finders), *(run.counted or 0 for run in enumerated)])
    wrong = {finding.backend for finding in about if finding.problem in DISCREDITS}
    believed = [run for run in believed if run.counted in (None, least) and run.backend not in wrong]
    # Complete lists are claims about the number too, so they are grouped with equal counts.
    groups: dict[int, list[Run]] = {least: believed} if believed else {}
    for run in runs:
        about = run_findings(run)
        number = run.counted
        if number is not None and number < least:
            detail = f"counts {number}; {least} solutions were found and checked"
            about.append(Finding(run.backend, "wrong-count", detail))
        if number is not None and not any(finding.problem in DISCREDITS for finding in about):
            groups.setdefault(number, []).append(run)
        findings += about
    nullity = kind_of(puzzle).nullity(puzzle)
    if nullity is not None and least > 1 << nullity:
        # Then the nullity judges no count either.
        findings.append(disproved_nullity(least, nullity))
    elif nullity is not None:
        findings += _by_nullity(groups, nullity)
    return _concluded(puzzle, [*runs, *enumerated], groups, findings, limits)


def _by_nullity(groups: dict[int, list[Run]], nullity: int) -> list[Finding]:
    """Compare the numbers with the nullity, and remove those that it contradicts."""
    # 0 is allowed too: the nullity gives the number of solutions of solvable boards only.
    against = {number: group for number, group in groups.items() if number not in (0, 1 << nullity)}
    # Two independent backends weigh as much as the nullity, so nobody is blamed, and no number is left.
    if any(grade(group)[0] != "claimed" for group in against.values()):
        claims = [run_claim(number, group) for number, group in groups.items()]
        groups.clear()
        return disagreement([*claims, nullity_claim(nullity)])
    findings: list[Finding] = []
    for number, group in against.items():
        findings += against_nullity(number, nullity, group)
        del groups[number]
    return findings


def _concluded(
    puzzle: Puzzle, runs: list[Run], groups: dict[int, list[Run]], findings: list[Finding], limits: Limits
) -> CountResult:
    """Return the number with the best evidence; other claims are wrong, or it stays open which one is."""
    grades = {claimed: grade(group) for claimed, group in groups.items()}
    strong = [claimed for claimed, (evidence, _) in grades.items() if evidence != "claimed"]
    # One claim stands by itself; among several, the only one with independent evidence wins.
    settled = list(groups) if len(groups) == 1 else strong if len(strong) == 1 else []
    number = settled[0] if settled else None
    for claimed, group in groups.items():
        if claimed == number:
            continue
        if number is not None:
            problem = "wrong-count"
            against = f"{' and '.join(grades[number][1])} counted {number_words(number, DIGITS)}"
        else:
            other = next(other for other in groups if other != claimed)
            against = f"{groups[other][0].backend} counts {number_words(other, DIGITS)}: one of them is wrong"
            problem = "counts-differ"
        detail = f"counts {number_words(claimed, DIGITS)}; {against}"
        findings += [Finding(run.backend, problem, detail) for run in group]
    evidence, by = grades[number] if number is not None else (None, ())
    return CountResult(puzzle, number, evidence, by, tuple(dict.fromkeys(findings)), tuple(runs), limits)
