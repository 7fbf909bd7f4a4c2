"""Cross-checks of backbones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.answer import differing
from crosslit.grid import Grid
from crosslit.judging.verdict import (
    DISCREDITS,
    Evidence,
    Finding,
    checked,
    grade,
    puzzle_json,
    run_findings,
    support_json,
)
from crosslit.kinds import Puzzle
from crosslit.records import Result
from crosslit.runs.run import Limits, Run


@dataclass(frozen=True, repr=False)
class BackboneResult(Result):
    """The cells that are equal in all solutions of a puzzle."""

    puzzle: Puzzle
    solutions: tuple[Grid, ...]  # checked by the rules; not all, but they differ in every cell known to vary
    proved: bool  # whether all solutions agree where these do
    evidence: Evidence | None
    by: tuple[str, ...]  # the backends on which the evidence rests
    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]

    @property
    def varying(self) -> Grid:
        """The cells in which two of the solutions differ."""
        return _varying(self.puzzle, self.solutions)

    @property
    def fixed(self) -> int:
        """Number of cells, without missing ones, that do not vary among the solutions."""
        missing = self.puzzle.missing
        cells = self.puzzle.rows * self.puzzle.columns - (0 if missing is None else missing.count())
        return cells - self.varying.count()

    @property
    def lines(self) -> list[str]:
        """The rows: the values of fixed cells, ``?`` for varying ones; all ``?`` without a solution."""
        if not self.solutions:
            return ["?" * self.puzzle.columns] * self.puzzle.rows
        pairs = zip(self.solutions[0].lines(), self.varying.lines(), strict=True)
        return ["".join("?" if open_ == "1" else value for value, open_ in zip(*pair, strict=True)) for pair in pairs]

    def json(self) -> dict[str, Any]:
        """Return the JSON form, documented in docs/reference/json.md."""
        varying = self.varying.count()
        found = bool(self.solutions)
        return {
            "puzzle": puzzle_json(self.puzzle, None),
            "status": ("proved" if found else "unsolvable") if self.proved else "undecided",
            "backbone": "/".join(self.lines) if found and self.proved else None,
            "fixed": self.fixed if found and self.proved else None,
            "varying": varying if found else None,
            **support_json(self),
        }


def judge_backbone(puzzle: Puzzle, runs: Sequence[Run], limits: Limits) -> BackboneResult:  # noqa: ARG001  (as every judge)
    """Check every solution by the rules, and every claim against all of them.

    A run that claims that cells are equal in all solutions is wrong if two checked solutions
    differ there.
    """
    rejected, finders = checked(puzzle, runs)
    solutions = tuple(finders)
    varying = _varying(puzzle, solutions).bits
    findings: list[Finding] = []
    believed = []
    for run in runs:
        about = run_findings(run)
        if (bad := next((grid for grid in run.grids if grid in rejected), None)) is not None:
            about.append(Finding(run.backend, "wrong-solution", rejected[bad], bad.text()))
        # Without any checked solution a claim about all of them cannot be refuted.
        if run.status == "complete" and solutions:
            # Only its correct grids count: a wrong one could hide a missing difference.
            own = [grid for grid in run.grids if grid in finders]
            missed = varying & ~_varying(puzzle, own).bits
            if not own:
                about.append(
                    Finding(run.backend, "false-unsolvable", "claims that there is no solution", solutions[0].text())
                )
            elif missed:
                # A witness that differs from the run's first solution in a cell that it claims to be fixed.
                other = next(grid for grid in solutions if differing(grid, own[0]).bits & missed)
                detail = f"claims that {missed.bit_count()} cells are equal in all solutions, and they are not"
                about.append(Finding(run.backend, "false-backbone", detail, other.text()))
        findings += about
        if run.status == "complete" and not any(finding.problem in DISCREDITS for finding in about):
            believed.append(run)
    evidence, by = grade(believed) if believed else (None, ())
    return BackboneResult(puzzle, solutions, bool(believed), evidence, by, tuple(findings), tuple(runs))


def _varying(puzzle: Puzzle, solutions: tuple[Grid, ...] | list[Grid]) -> Grid:
    bits = 0
    # Comparing with the first is enough: if two others differ in a cell, one of them differs from the first.
    for grid in solutions[1:]:
        bits |= differing(grid, solutions[0]).bits
    return Grid.from_bits(puzzle.rows, puzzle.columns, bits)
