"""Cross-checks of the fewest presses: the conclusion from the runs on one board, the errors, and who is to blame."""

from __future__ import annotations

from crosslit.grid import Grid
from crosslit.judging.verdict import DISCREDITS, Comparison, Finding, Verdict, checked, grade, run_findings
from crosslit.kinds import Puzzle, kind_of
from crosslit.runs.run import Limits, Presses, Run


def judge_fewest(puzzle: Puzzle, runs: list[Run], limits: Limits) -> Comparison:
    """Check every solution by the rules, every claimed optimum and bound against all of them, and grade the evidence.

    A checked solution refutes every run that claims an optimum with more presses, and every bound above it. A bound
    that nothing contradicts is a claim like any other: if it equals the best solution of another run, the two decide
    the question together.
    """
    rejected, finders = checked(puzzle, runs)
    # By number of presses, then by bits, so that reports do not depend on the order of runs.
    solutions = sorted(finders, key=lambda grid: (grid.count(), grid.bits))
    best = solutions[0] if solutions else None
    findings: list[Finding] = []
    for run in runs:
        findings += [*_about_presses(run, rejected, finders, best, puzzle), *run_findings(run)]
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    sound = [run for run in runs if run.backend not in discredited]  # in all repetitions, complete or not
    believed = [run for run in sound if run.status == "complete"]
    bounding = max(sound, key=lambda run: run.bound, default=None)  # the first of those with the best bound
    nullity = kind_of(puzzle).nullity(puzzle)
    fewest = best.count() if best else None
    # A press toggles a limited number of lights, which bounds every solution without any backend.
    least = max(puzzle.min_true_cells, bounding.bound if bounding else 0)
    if believed:
        presses = Presses(fewest, fewest, True)
        evidence, by = grade(believed)
        verdict = Verdict("optimal" if best else "unsolvable", None, len(solutions), True, evidence, by)
    elif best is not None and least == fewest:
        presses = Presses(fewest, least, True)
        # Credited to a run without errors, if one of these has found it too.
        finder = next((run.backend for run in sound if best in run.grids), finders[best])
        # otherwise the number of lights decides
        decides = [bounding.backend] if bounding and bounding.bound == least else []
        by = tuple(dict.fromkeys([finder, *decides]))
        verdict = Verdict("optimal", None, len(solutions), True, "claimed", by)
    else:
        presses = Presses(fewest, least, False)
        verdict = Verdict("undecided", None, len(solutions), False, None, ())
    return Comparison(puzzle, nullity, limits, runs, list(dict.fromkeys(findings)), verdict, solutions, presses)


def _about_presses(
    run: Run, rejected: dict[Grid, str], finders: dict[Grid, str], best: Grid | None, puzzle: Puzzle
) -> list[Finding]:
    """Return the errors in a run's grids and claims, with one witness for each problem."""
    found = []
    bad = next((grid for grid in run.grids if grid in rejected), None)
    if bad is not None:
        found.append(Finding(run.backend, "wrong-solution", rejected[bad], bad.text()))
    counts = [grid.count() for grid in run.grids]
    for before, after, grid in zip(counts, counts[1:], run.grids[1:], strict=False):
        # The contract of this question: each solution is better than the one before.
        if after >= before:
            detail = f"gave {after} presses after {before}"
            found.append(Finding(run.backend, "not-improving", detail, grid.text()))
            break
    cells = puzzle.rows * puzzle.columns
    if best is None:
        # No solution presses a cell as often as it has states, so such a bound is a wrong way to say "unsolvable".
        if run.bound > cells * (puzzle.layout.states - 1) and run.status != "complete":
            detail = f"claims at least {run.bound} presses on {cells} cells, and not that there is no solution"
            found.append(Finding(run.backend, "false-bound", detail))
        return found
    fewest = best.count()
    own = min((grid.count() for grid in run.grids if grid in finders), default=None)
    better = f"{finders[best]} found {fewest}"
    if run.status == "complete" and own is None and bad is None:
        found.append(
            Finding(run.backend, "false-unsolvable", f"claims that there is no solution; {better}", best.text())
        )
    elif run.status == "complete" and own is not None and own > fewest:
        found.append(Finding(run.backend, "not-fewest", f"claims {own} presses as the fewest; {better}", best.text()))
    elif run.bound > fewest:
        found.append(Finding(run.backend, "false-bound", f"claims at least {run.bound} presses; {better}", best.text()))
    return found
