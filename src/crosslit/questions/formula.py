"""Formulas of puzzles: for external solvers; and asked whether the engine of an accused run is wrong, or the encoding.

A formula is asked about the one grid in question, by an engine that is not accused. No run is needed: with every cell
fixed, a formula is decided at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from crosslit.base.errors import CrosslitError
from crosslit.base.grid import Grid
from crosslit.contract import Encoded, Encoding
from crosslit.contract.registered import all_backends, find_encoding, forms
from crosslit.contract.run import Run, full_spec
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.certificates import CHECKER, without_jumps
from crosslit.judging.verdict import Finding
from crosslit.kinds import Puzzle
from crosslit.registry.defaults import choose_encoding


def encode(puzzle: PuzzleLike, name: str | None = None, target: str | None = None) -> Encoded:
    """Return the formula of a puzzle, for an external solver or program.

    It has ``sizes``, and ``written(comments, binary)`` yields the pieces of a file. With the target ``cnf`` it also has
    ``clauses()`` and ``grid(model)``; variable ``1 + row * columns + column`` is a cell.

    Args:
        puzzle: the puzzle, or its one-line form.
        name: name of the encoding, one of `crosslit encode --list`; by default the target's default.
        target: ``cnf`` (the default), ``cnf-xor``, ``cp-sat``, ``fd``, ``linear-xor`` or ``linear``; or a file form of
            a finite-domain model: ``mzn``, ``xcsp3``, ``asp``, ``smt2``, ``opb`` or ``lp``.

    Raises:
        GaveUp: if the formula would be too large.
        SpecError: if there is no such encoding of such puzzles; the message lists the existing ones.

    Examples:
        >>> formula = encode("10", "full-direct")
        >>> list(formula.clauses()), formula.grid([1, 2]).text
        ([[1, -2], [-1, 2], [1, 2], [-1, -2]], '11')
        >>> b"".join(formula.written(["a board"], binary=False)).splitlines()[:2]
        [b'c a board', b'c cells of row 1, left to right: variables 1 to 2']
    """
    puzzle = as_puzzle(puzzle)
    encoded: Encoded = formula_of(puzzle, choose_encoding(puzzle, name, target), target)
    return encoded


def formula_of(puzzle: Puzzle, encoding: Encoding, target: str | None = None) -> Any:
    """Return the formula of a puzzle, in the file form that ``target`` names if it names one."""
    encoded = encoding.encode(puzzle)
    return encoded.as_form(target) if target in forms() else encoded


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
    return [_attributed(puzzle, finding, names.get(finding.backend)) for finding in findings]


def _attributed(puzzle: Puzzle, finding: Finding, name: str | None) -> Finding:
    if name is None or finding.problem not in _ANSWERS:
        return finding
    backend = all_backends().get(re.split("[/:]", finding.backend)[0])
    is_clauses = backend is not None and "cnf" in backend.targets
    encoding = find_encoding(puzzle.kind, name) if is_clauses else None
    is_lacking = finding.problem in _LACKING
    engine = _OTHER if finding.backend.startswith(CHECKER) else CHECKER
    allowed = None
    if encoding is not None and finding.witness is not None and (is_lacking or finding.problem == "wrong-solution"):
        try:
            allowed = _allows(encoding.encode(puzzle), puzzle.layout.parse(finding.witness), engine)
        except (CrosslitError, ValueError, ImportError):
            allowed = None  # the formula is too large now, or cannot be made here
    if allowed is None:
        return replace(finding, blame=full_spec(finding.backend, name))
    if allowed == is_lacking:
        return replace(finding, blame=finding.backend)
    why = f"its formula {'allows' if allowed else 'forbids'} this grid, as {engine} finds; {finding.backend}"
    gave = "gave it: " if allowed else ""  # a violation of the rules; the others are what the run claims
    return replace(finding, blame=f"encoding {name}", detail=f"{why} {gave}{finding.detail}")


def _allows(formula: Any, grid: Grid, engine: str) -> bool | None:
    """Return whether a formula has a model with the cells of a grid; None if that is not found soon."""
    if formula.extend is not None and formula.extend(formula.chosen(grid)) != grid:
        return False
    from pysat.solvers import Solver

    with without_jumps(), Solver(name=engine, bootstrap_with=formula.clauses()) as solver:
        solver.conf_budget(_MAX_CONFLICTS)
        has_model: bool | None = solver.solve_limited(assumptions=[*formula.values(grid)])
        return has_model
