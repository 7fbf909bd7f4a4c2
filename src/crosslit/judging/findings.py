"""What can be wrong with a run, whatever was asked, and how well runs support what they claim together."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.grid import Grid
from crosslit.judging.verdict import Evidence, Finding
from crosslit.puzzles import Puzzle
from crosslit.runs.run import _ENDED, Run, unexplained

DISAGREEMENT = "disagreement"
# The words of `Finding.problem`, and what each says of the backend that is named.
PROBLEMS = {
    "wrong-solution": "it gave a grid that breaks the rules",
    "duplicate-solution": "it gave a solution twice",
    "missing-solution": "it claims to have found all, and lacks a solution that was found and checked",
    "false-unique": "it claims that its one solution is the only one, and there is another, found and checked",
    "false-unsolvable": "it claims that there is no solution, and there is one, found and checked",
    "not-fewest": "it claims the fewest presses, and a solution with fewer was found and checked",
    "false-bound": "it claims that every solution has more presses than one that was found and checked",
    "not-improving": "asked for solutions of ever fewer presses, it gave one that has no fewer than the one before",
    "wrong-count": "it claims another number of solutions than was found and checked, or than two lineages agree on",
    "counts-differ": "its number of solutions and that of another backend differ, and one of them is wrong",
    "contradicts-nullity": "it claims a number of solutions other than 2^nullity, and no other lineage does; or, named"
    " `nullity`, the nullity is wrong: more solutions were found and checked",
    DISAGREEMENT: "it and others that are named contradict each other: one of them is wrong, and nothing shows which",
    "false-backbone": "it claims that all solutions agree where two that were found and checked differ",
    "unconfirmed": "another backend, asked about its answer alone, says otherwise",
    "refused-certificate": "the certificate that it gave does not prove its claim",
    "contradicted-certificate": "its certificate was accepted, and yet more solutions were found and checked",
    "error": "it crashed, raised an error, or broke the contract of a backend",
    "stray-output": "it printed on standard output",
    "orphaned-process": "it left processes behind that went on; they were ended",
    "timing": "the time it reports and the time measured from outside differ by over 10% and 20 ms",
}
# These say that a run's claims cannot be believed; the others leave its answer standing.
DISCREDITS = frozenset(PROBLEMS) - {
    "stray-output",
    "orphaned-process",
    "timing",
    "refused-certificate",
    "contradicted-certificate",
}
# These blame the backend that is named.
BLAMES = DISCREDITS - {DISAGREEMENT}

BRUTE = "brute"


def checked(puzzle: Puzzle, runs: Sequence[Run]) -> tuple[dict[Grid, str], dict[Grid, str]]:
    """Every grid that any run gave, by the rules.

    Returns:
        The grids that break the rules, with what is wrong; and the solutions, with the backend that found each first.
    """
    wrong: dict[Grid, str] = {}
    finders: dict[Grid, str] = {}
    for run in runs:
        for grid in run.grids:
            if grid in finders or grid in wrong:
                continue
            violation = next(puzzle.violations(grid), None)
            if violation is None:
                finders[grid] = run.backend
            else:
                wrong[grid] = violation
    return wrong, finders


def run_findings(run: Run) -> list[Finding]:
    """What is wrong with how a run went: errors, stray output, processes left behind, time that nothing explains."""
    found = []
    if run.status == "error":
        found.append(Finding(run.backend, "error", run.error))
    if run.stray:
        found.append(Finding(run.backend, "stray-output", f"printed {run.stray.strip()[:60]!r}"))
    if run.left and run.status in _ENDED:
        many = "a process" if run.left == 1 else f"{run.left} processes"
        found.append(Finding(run.backend, "orphaned-process", f"it left {many} behind"))
    gap, which = unexplained(run)
    if which:
        timing = run.timing
        measured = f"reported {timing.total:.3f} s, wall {timing.wall:.3f} s, CPU {timing.cpu:.3f} s"
        found.append(Finding(run.backend, "timing", f"{gap:.3f} s of {which} time unexplained: {measured}"))
    return found


def grade(complete: list[Run]) -> tuple[Evidence, tuple[str, ...]]:
    """The best evidence that some complete runs, all with the same solutions, give together."""
    if any(run.backend == BRUTE for run in complete):
        return "brute-force", (BRUTE,)
    for index, run in enumerate(complete):
        for other in complete[index + 1 :]:
            if run.trusted_base.isdisjoint(other.trusted_base):
                return "agreed", (run.backend, other.backend)
    return "claimed", (complete[0].backend,)
