"""Cross-checks of minimal subsets: cells to reveal, and minimal unsatisfiable subsets of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crosslit.grid import Grid
from crosslit.judging.verdict import DISCREDITS, Evidence, Finding, grade, puzzle_json, run_findings, support_json
from crosslit.kinds import Puzzle
from crosslit.numbers import exact
from crosslit.records import Result
from crosslit.runs.run import Limits, Run


@dataclass(frozen=True, repr=False)
class MinimalSubset(Result):
    """A minimal subset of cells or constraints, and the evidence for it."""

    chosen: Grid | None  # the best answer
    bound: int  # proved lower bound on the size of an answer
    decided: bool  # whether the run that found it searched everything: then it is the smallest, or there is none
    # the backend that, asked only about this answer, confirms that it suffices and that no part can be left out
    confirmed: str = ""
    findings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()

    @property
    def evidence(self) -> Evidence | None:
        """The grade of the evidence for the answer."""
        if self.chosen is None and not self.decided:
            return None
        return grade(list(self.runs) if self.confirmed else [self.runs[0]])[0]

    @property
    def by(self) -> tuple[str, ...]:
        """The backends on which the evidence rests."""
        return tuple(filter(None, (self.runs[0].backend, self.confirmed)))

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        return {
            "size": None if self.chosen is None else self.chosen.count(),
            "bound": exact(self.bound),
            "smallest": self.chosen is not None and self.decided,
            **support_json(self),
        }


@dataclass(frozen=True, repr=False)
class RevealResult(Result):
    """The cells of a solution, ``target``, to reveal, so that no other solution has the same values there."""

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
        """Return the JSON form, documented in docs/reference/json.md."""
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "target": None if self.target is None else self.target.text(),
            "cells": None if self.answer.chosen is None else self.answer.chosen.text(),
            **self.answer.json(),
        }


def judge_minimal_subset(puzzle: Puzzle, runs: Sequence[Run], limits: Limits) -> MinimalSubset:  # noqa: ARG001  (as every judge)
    """Return the answer of the first run, which was asked about the whole puzzle, and whether a second one confirms it.

    The candidates of the second run are the answer of the first: it must find that none of them can be left out.
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
        # The second run tries to leave out each element; its last answer is all that it needs.
        if check.grids[-1:] != [best]:
            says = f"only {check.grids[-1].text()} of it is needed" if check.grids else "it does not suffice"
            detail = f"gave {best.text()}; {check.backend} says that {says}"
            findings.append(Finding(run.backend, "unconfirmed", detail))
        else:
            confirmed = check.backend
    return MinimalSubset(best, bound, decided, confirmed, tuple(findings), tuple(runs))
