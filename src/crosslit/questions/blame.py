"""The part of an accused run that is wrong: its engine, or the encoding that made the formula.

A formula is asked about the one grid in question, by an engine that is not accused. This package's runs are not needed:
with every cell fixed, a formula is decided at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from crosslit.base.errors import CrosslitError
from crosslit.base.grid import Grid
from crosslit.contract import TARGETS
from crosslit.contract.registered import all_backends, all_encodings
from crosslit.contract.run import Run, full_spec
from crosslit.judging.certificates import CHECKER, without_jumps
from crosslit.judging.verdict import Finding
from crosslit.kinds import Puzzle

_OTHER = "glucose4"  # asked if the checker itself is accused
_MAX_CONFLICTS = 100_000  # of a formula all of whose cells are known
# The witnesses of these are solutions that the run lacks. What other findings blame cannot be asked about one grid.
_LACKING = {"false-unsolvable", "missing-solution", "not-fewest", "false-bound"}
_ANSWERS = _LACKING | {"wrong-solution", "contradicts-nullity", "wrong-count"}


def attributed(puzzle: Puzzle, findings: Iterable[Finding], runs: Iterable[Run]) -> list[Finding]:
    """Return findings about answers with the encoding if it is wrong, the engine if not, and both if that is open.

    The formula must forbid a wrong grid, and allow a solution that the run lacks.
    """
    names = {run.backend: run.encoding for run in runs if run.encoding}
    return [
        _attributed(puzzle, finding, names[finding.backend])
        if finding.backend in names and finding.problem in _ANSWERS
        else finding
        for finding in findings
    ]


def _attributed(puzzle: Puzzle, finding: Finding, name: str) -> Finding:
    backend = all_backends().get(re.split("[/:]", finding.backend)[0])
    # Of encodings with one name, a run has that for the first target.
    keys = ((puzzle.kind, target, name) for target in TARGETS if backend is not None and target in backend.targets)
    encoding = next((all_encodings()[key] for key in keys if key in all_encodings()), None)
    is_lacking = finding.problem in _LACKING
    engine = _OTHER if finding.backend.startswith(CHECKER) else CHECKER
    allowed = None
    is_about_a_grid = finding.witness is not None and (is_lacking or finding.problem == "wrong-solution")
    if is_about_a_grid and encoding is not None and encoding.target == "cnf":
        try:
            allowed = _allows(encoding.encode(puzzle), puzzle.layout.parse(finding.witness or ""), engine)
        except (CrosslitError, ValueError, ImportError):
            allowed = None  # the formula is too large now, or cannot be made here
    if allowed is None:
        return replace(finding, blame=full_spec(finding.backend, name))
    if allowed != is_lacking:
        why = f"{engine} finds that the formula of {name} {'allows' if allowed else 'forbids'} this grid"
        return replace(finding, blame=f"encoding {name}", detail=f"{finding.detail}; {why}")
    return replace(finding, blame=finding.backend)


def _allows(formula: Any, grid: Grid, engine: str) -> bool | None:
    """Return whether a formula has a model with the cells of a grid; None if that is not found soon."""
    if (grid.rows, grid.columns, grid.states) != (formula.rows, formula.columns, formula.states) and not formula.extend:
        return None
    if formula.extend is not None and formula.extend(formula.chosen(grid)) != grid:
        return False
    from pysat.solvers import Solver

    with without_jumps(), Solver(name=engine, bootstrap_with=formula.clauses()) as solver:
        solver.conf_budget(_MAX_CONFLICTS)
        has_model: bool | None = solver.solve_limited(assumptions=[*formula.values(grid)])
        return has_model
