"""Cross-checks of minimal subsets: cells to reveal, and minimal unsatisfiable subsets of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crosslit.grid import Grid
from crosslit.judging.verdict import DISCREDITS, Evidence, Finding, grade, puzzle_json, run_findings
from crosslit.numbers import exact
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Limits, Run


@dataclass(frozen=True)
class MinimalSubset:
    """Some cells, or some constraints, and how well it is known that they are what was asked for.

    Args:
        chosen: the best answer; None where there is none.
        bound: no answer has fewer, as far as is proved.
        decided: whether the run that found it searched everything: then it is the smallest, or there is none.
        confirmed: by whom: another backend, asked about these alone, says that they suffice and that none can be left
            out; empty where none was asked.
        findings: what is wrong with a run.
        runs: that were made.
    """

    chosen: Grid | None
    bound: int
    decided: bool
    confirmed: str = ""
    findings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()

    @property
    def evidence(self) -> Evidence | None:
        """How well it is known that the answer is one."""
        if self.chosen is None and not self.decided:
            return None
        return grade(list(self.runs) if self.confirmed else [self.runs[0]])[0]

    @property
    def by(self) -> tuple[str, ...]:
        """The backends that this rests on."""
        return tuple(filter(None, (self.runs[0].backend, self.confirmed)))

    def json(self) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        return {
            "size": None if self.chosen is None else self.chosen.count(),
            "bound": exact(self.bound),
            "smallest": self.chosen is not None and self.decided,
            "evidence": self.evidence,
            "by": list(self.by),
            "findings": [finding.json() for finding in self.findings],
            "runs": [run.json() for run in self.runs],
        }


@dataclass(frozen=True)
class RevealResult:
    """The cells of a solution to reveal, so that no other solution has the same values there.

    Args:
        puzzle: that is to become unique.
        target: the solution.
        answer: which cells, and how well that is known.
    """

    puzzle: Puzzle
    target: Grid | None
    answer: MinimalSubset = field(default_factory=lambda: MinimalSubset(None, 0, False))

    @property
    def lines(self) -> list[str]:
        """The rows: ``1`` and ``0`` for the revealed cells, a blank for the others."""
        if self.target is None or self.answer.chosen is None:
            return []
        pairs = zip(self.target.lines(), self.answer.chosen.lines(), strict=True)
        return ["".join(value if shown == "1" else " " for value, shown in zip(*pair, strict=True)) for pair in pairs]

    def json(self) -> dict[str, Any]:
        """The JSON form, documented in the README."""
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "target": None if self.target is None else self.target.text(),
            "cells": None if self.answer.chosen is None else self.answer.chosen.text(),
            **self.answer.json(),
        }


def judge_minimal_subset(puzzle: Puzzle, runs: Sequence[Run], limits: Limits) -> MinimalSubset:  # noqa: ARG001  (as every judge)
    """Return the answer of one run, and whether a second one confirms it.

    Pure. The second was asked to choose among what the first chose: it must find that none of it can be left out.

    Args:
        puzzle: that the runs were asked about.
        runs: one that was asked about all of the puzzle, and the second, if there is one.
        limits: of each run.
    """
    run, *checks = runs
    findings = run_findings(run)
    if any(finding.problem in DISCREDITS for finding in findings):
        return MinimalSubset(None, 0, False, findings=tuple(findings), runs=tuple(runs))
    decided = run.status == "complete"
    if not run.grids:
        return MinimalSubset(None, run.bound, decided, findings=tuple(findings), runs=tuple(runs))
    best = min(run.grids, key=Grid.count)
    bound = best.count() if decided else run.bound
    confirmed = ""
    for check in checks:
        if check.status != "complete":
            continue
        if check.grids[-1:] != [best]:
            says = f"only {check.grids[-1].text()} of it is needed" if check.grids else "it does not suffice"
            detail = f"gave {best.text()}; {check.backend} says that {says}"
            findings.append(Finding(run.backend, "unconfirmed", detail))
        else:
            confirmed = check.backend
    return MinimalSubset(best, bound, decided, confirmed, tuple(findings), tuple(runs))
