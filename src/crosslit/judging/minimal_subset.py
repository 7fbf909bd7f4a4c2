"""The judgement of a smallest set of constraints that contradict each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crosslit.base.grid import Grid
from crosslit.base.records import Result
from crosslit.base.text import exact
from crosslit.contract.run import Run
from crosslit.judging.verdict import DISCREDITS, Evidence, Finding, grade, run_findings, support_json


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
        """Return the JSON form."""
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
