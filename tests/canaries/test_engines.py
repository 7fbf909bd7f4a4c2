"""Faults of engines and SAT solvers that a release may mend."""

from __future__ import annotations

import signal

import pytest
from crosslit_backends.sat.pysat import ABILITIES, SOLVERS
from crosslit_encoders.finite_domain import without_integers
from pysat.solvers import Solver

from crosslit import Grid, load
from crosslit.contract import Task
from crosslit.judging.certificates import CertificateRejected, check_refutation, lemmas
from crosslit.registry import select_one
from crosslit.runs.drive import drive
from tests.canaries import canary
from tests.solvers.sat.abilities import in_a_child, works


@canary("backends/crosslit_backends/engines/cpsat.py", "enumeration with one worker")
def test_two_workers_of_cp_sat_lose_no_solution() -> None:
    from ortools.sat.python import cp_model

    class Collect(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.add(tuple(self.boolean_value(cell) for cell in formula.cells))

    board = load("1111/1111/1111/1111")
    encoding = select_one("cpsat/xor", board).encoding
    assert encoding is not None
    formula = encoding.encode(board)
    for seed in range(10):  # with OR-Tools 9.15, every one of them found eight of the 16 solutions
        found: set[tuple[bool, ...]] = set()
        solver = cp_model.CpSolver()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 2
        solver.parameters.random_seed = seed
        claims_all = solver.solve(formula.model, Collect()) == cp_model.OPTIMAL
        assert not claims_all or len(found) == 16


@canary("backends/crosslit_backends/engines/scip.py", "the option presolpairwise, off by default,")
def test_the_pairwise_presolve_of_scip_is_right() -> None:
    pytest.importorskip("pyscipopt", reason="pyscipopt is not installed")
    choice = select_one("scip/xor:presolpairwise=1", board := load("00/11"))
    first = next(drive(choice.backend, board, Task(encoding=choice.encoding, options=choice.options)), None)
    assert first == Grid.from_text("11/00")


@canary("backends/crosslit_backends/engines/mip.py", "the group FAULTY")
def test_the_scip_of_or_tools_is_right() -> None:
    choice = select_one("ortools-scip/sum", board := load("100/101/000"))
    assert choice.encoding is not None
    model = without_integers(choice.encoding.encode(board))
    assert next(choice.backend.search(model, Task(), False), None) is not None  # type: ignore[attr-defined]


@canary("docs/reports/engines/cbc-objective.md", "the report")
def test_the_objective_of_cbc_is_that_of_its_point() -> None:
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("CBC")
    x, y = solver.IntVar(0, 1, "x"), solver.NumVar(-7.25, -5.25, "y")
    solver.Add(x - 0.5 * y == 3.625)
    solver.Minimize(5 * y)
    solver.Solve()
    assert solver.Objective().Value() == pytest.approx(5 * y.solution_value())


@canary("backends/crosslit_backends/engines/exact.py", "the function _restore_signal_handlers")
def test_exact_leaves_the_handlers_of_signals() -> None:
    exact = pytest.importorskip("exact", reason="exact is not installed")
    received: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        exact.Exact([("verbosity", "0")])
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert received


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
    with pytest.raises(CertificateRejected):  # right in any case: the formula has a solution
        check_refutation(clauses, lemmas(proof), 3)
    assert proof[-1] != "0"
