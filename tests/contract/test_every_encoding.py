"""The contract of every registered encoding; its models are checked with every backend that uses it."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from crosslit_encoders.cp_model import cp_sat
from crosslit_encoders.finite_domain import Model
from crosslit_encoders.formula import Formula
from crosslit_verify.contract_checks import by_rules, sample_puzzles

from crosslit import LightsOut, load
from crosslit.contract import Encoding
from crosslit.kinds import OWN, Puzzle
from crosslit.kinds.lights_out.rules import NEIGHBOURS
from crosslit.registry import all_encodings
from tests.conftest import random_board, random_grid, random_nonogram, random_rules
from tests.contract.satisfied import satisfied

_MAX_CONSTRAINTS = 6  # of puzzles whose sets of constraints are all tried
_MAX_BITS = 12  # of puzzles and models whose values are all tried

# the second colour of a row and of a column in one cell, and a gap between blocks that could close
MORE = [load(f"coloured-nonogram:{text}") for text in ("1a,1b,1a 1b|1b,1a,1a 1b", "1a 1a,1a|1a,1a,1a,0")]
TOO_LONG = load("3,1|1,1")  # by one cell, and the other lines would have a solution

every = pytest.mark.parametrize(
    "encoding", all_encodings().values(), ids=lambda encoding: "-".join((encoding.kind, encoding.target, encoding.name))
)


formulas = pytest.mark.parametrize(
    "encoding",
    [e for e in all_encodings().values() if e.target.startswith("cnf")],
    ids=lambda e: f"{e.kind}-{e.name}",
)


def samples(encoding: Encoding) -> list[Puzzle]:
    puzzles = [*sample_puzzles(encoding.kind)]
    if encoding.kind not in OWN:
        return [*puzzles, *(MORE if (encoding.kind, encoding.target) == ("coloured-nonogram", "cnf") else [])]
    rng = random.Random(6)
    make = random_board if encoding.kind == "lights-out" else random_nonogram
    sizes = [(1, 1), (1, 6), (6, 1), (2, 4), (3, 3), (3, 2), (1, 9), (2, 6)]
    puzzles += [make(rng, rows, columns) for rows, columns in sizes * 3]
    if encoding.kind == "nonogram":
        puzzles.append(TOO_LONG)
    else:
        puzzles += [random_rules(rng, rows, columns) for rows, columns in [*sizes, (2, 3), (3, 4)] * 3]
        puzzles += [LightsOut(random_grid(rng, rows, columns), NEIGHBOURS) for rows, columns in sizes * 2]
    return puzzles


def models_by_cells(formula: object) -> dict[int, int]:
    """Number of models for each assignment of the cells, by trying all assignments."""
    from pysat.solvers import Minisat22

    counts: dict[int, int] = {}
    with Minisat22(bootstrap_with=formula.clauses()) as solver:  # type: ignore[attr-defined]
        while solver.solve():
            model = {literal for literal in solver.get_model() if literal > 0}
            values = [v if v in model else -v for v in range(1, formula.variables + 1)]  # type: ignore[attr-defined]
            bits = formula.grid(values).bits  # type: ignore[attr-defined]
            counts[bits] = counts.get(bits, 0) + 1
            # all variables, so that this counts auxiliary ones too, and those that no clause holds
            solver.add_clause([-value for value in values])
    return counts


def parity_models_by_cells(formula: Formula) -> dict[int, int]:
    """The same for a formula with parity constraints, each of them as the clauses that exclude its wrong values."""
    excluded = (
        [-variable if true else variable for variable, true in zip(variables, values, strict=True)]
        for variables, parity in formula.xors
        for values in product((0, 1), repeat=len(variables))
        if sum(values) % 2 != parity
    )
    clauses = Formula.of(1, 1, [*formula.clauses(), *excluded])
    return models_by_cells(replace(formula, literals=clauses.literals, ends=clauses.ends, xors=()))


def cp_models_by_cells(formula: object) -> dict[int, int]:
    """The same for a CP-SAT model: all its solutions, counting those that differ only in other variables."""
    from ortools.sat.python import cp_model

    counts: dict[int, int] = {}

    class Count(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            bits = formula.grid([int(self.boolean_value(cell)) for cell in formula.cells]).bits  # type: ignore[attr-defined]
            counts[bits] = counts.get(bits, 0) + 1

    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # its handler stays, and would end the tests at an interrupt
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(formula.model, Count())  # type: ignore[attr-defined]
    return counts


def finite_domain_models_by_cells(model: Model) -> dict[int, int]:
    """The same for a finite-domain model: all values of the cells, and the others' by CP-SAT, checked by the model."""
    counts = cp_models_by_cells(cp_sat(model))
    if len(model.domains) == model.cells <= _MAX_BITS:
        found = [model.grid(values).bits for values in product((0, 1), repeat=model.cells) if not model.broken(values)]
        assert sorted(found) == sorted(counts)
    return counts


_COUNTS = {
    "cnf": models_by_cells,
    "cnf-xor": parity_models_by_cells,
    "cp-sat": cp_models_by_cells,
    "fd": finite_domain_models_by_cells,
    "linear-xor": finite_domain_models_by_cells,
    "linear": finite_domain_models_by_cells,
}


@every
def test_models_and_solutions_correspond_one_to_one(encoding: Encoding) -> None:
    for puzzle in samples(encoding):
        models = _COUNTS[encoding.target](encoding.encode(puzzle))
        assert models == {grid.bits: 1 for grid in by_rules(puzzle).solutions}, puzzle.text


@formulas
def test_a_formula_is_well_formed(encoding: Encoding) -> None:
    for puzzle in samples(encoding):
        formula = encoding.encode(puzzle)
        clauses = list(formula.clauses())
        assert formula.literals.dtype == "int32"
        assert len(clauses) == len(formula)
        assert sum(map(len, clauses)) == len(formula.literals)
        assert all(clause and 0 not in clause and len(set(map(abs, clause))) == len(clause) for clause in clauses)
        assert encoding.target == "cnf-xor" or not formula.xors
        assert all(variables and len(set(variables)) == len(variables) for variables, _ in formula.xors)
        assert all(type(number) is int for variables, value in formula.xors for number in (*variables, value))
        used = {abs(literal) for clause in clauses for literal in clause}
        used |= {variable for variables, _ in formula.xors for variable in variables}
        # a press that toggles nothing is in no clause; an auxiliary variable that follows from the cells is in one
        assert used | set(range(1, formula.cells + 1)) == set(range(1, formula.variables + 1))


@formulas
def test_the_clauses_of_some_constraints_forbid_what_these_forbid(encoding: Encoding) -> None:
    """Explanations leave constraints out, so no clause of one may follow from another."""
    from pysat.solvers import Minisat22

    for puzzle in sample_puzzles(encoding.kind):
        rows, columns = puzzle.constraints_shape
        small = rows * columns <= _MAX_CONSTRAINTS and puzzle.layout.states ** (puzzle.rows * puzzle.columns) <= 1000
        if not small:
            continue
        formula = encoding.encode(puzzle)
        if formula.owners is None or formula.xors:
            continue
        kept, parts = [satisfied(puzzle, grid) for grid in puzzle.layout.every()], formula.owners().tolist()
        for chosen in range(1 << rows * columns):
            pairs = zip(formula.clauses(), parts, strict=True)
            with Minisat22(bootstrap_with=[c for c, part in pairs if part < 0 or chosen >> part & 1]) as solver:
                assert solver.solve() == any(bits & chosen == chosen for bits in kept), (puzzle.text, chosen)
