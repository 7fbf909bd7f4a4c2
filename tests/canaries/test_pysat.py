"""Faults of PySAT and of its solvers."""

from __future__ import annotations

import pytest
from crosslit_backends.sat.pysat import ABILITIES, SOLVERS
from pysat.solvers import Solver

from crosslit.contract.clauses import NoRefutation, check_refutation, lemmas
from tests.backends.sat.abilities import in_a_child, works
from tests.canaries import canary

PYSAT = "backends/crosslit_backends/sat/pysat.py"
MISSING = [(solver.name, ability) for solver in SOLVERS for ability in ABILITIES if ability not in solver.abilities]


@canary(PYSAT, "the gap in the table of solvers")
@pytest.mark.parametrize(("solver", "ability"), MISSING)
@pytest.mark.filterwarnings("ignore:Kissat does not support")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_solver_has_an_ability_that_the_table_denies_it(solver: str, ability: str) -> None:
    assert works(solver, ability)


@canary(PYSAT, "the unrelated variable of an empty formula")
def test_maplesat_takes_a_formula_without_clauses() -> None:
    assert in_a_child("Solver('maplechrono').solve()").returncode == 0, "the child does not work"
    assert in_a_child("Solver('maplesat').solve()").returncode == 0


@canary(PYSAT, "the completion of models")
def test_a_model_has_all_variables() -> None:
    with Solver("glucose4", [[1, 2], [1, 2, -5]]) as solver:
        assert solver.solve()
        assert len(solver.get_model()) == 5
    with Solver("glucose4", [[1, 2]]) as solver:  # the formula has, say, five variables
        assert solver.solve()
        assert len(solver.get_model()) == 5


@canary("backends/crosslit_backends/sat/pysat.py", "the fresh solver of a proof")
def test_the_proof_of_a_solver_that_was_asked_under_assumptions_claims_no_refutation() -> None:
    clauses = [[1, 2], [1, -2], [-1, 2], [3, -1, -2]]
    with Solver(name="glucose4", bootstrap_with=clauses, with_proof=True) as solver:
        assert solver.solve(assumptions=[-3]) is False
        proof = solver.get_proof() or []
    with pytest.raises(NoRefutation):  # right in any case: the formula has a solution
        check_refutation(clauses, lemmas(proof), 3)
    assert proof[-1] != "0"
