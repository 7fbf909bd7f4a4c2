"""The features of each solver of PySAT, tried; and the traps of PySAT, each pinned by a test.

A test that begins with ``trap`` in its name holds for python-sat 1.9.dev17. It fails when the trap is mended: then the
table, or what works around the trap, can be made simpler.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from crosslit_backends.sat.pysat import ABILITIES, SOLVERS, PySat
from pysat.solvers import Minisat22, Solver

from crosslit import load
from crosslit.registry import all_encodings
from tests.driving import solve_inline

every = pytest.mark.parametrize("backend", SOLVERS, ids=lambda backend: backend.name)


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon more than there are holes: unsatisfiable, and hard for resolution."""
    sits = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    pairs = itertools.combinations(sits, 2)
    return sits + [[-one, -other] for pair in pairs for one, other in zip(*pair, strict=True)]


def in_a_child(script: str) -> subprocess.CompletedProcess[str]:
    """Run code that could end this process in another one."""
    command = [sys.executable, "-c", f"from pysat.solvers import Solver\n{script}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def takes_clauses_later(name: str) -> bool:
    """Kissat does, on some formulas; on this one it does not."""
    rng = random.Random(0)
    formula = [[rng.choice([-1, 1]) * v for v in rng.sample(range(1, 21), 3)] for _ in range(60)]
    script = f"s = Solver({name!r}, {formula})\nfor _ in range(30):\n    assert s.solve()\n"
    script += "    s.add_clause([-literal for literal in s.get_model()])"
    return in_a_child(script).returncode == 0


def heeds_assumptions(name: str) -> bool:
    with Solver(name=name, bootstrap_with=[[1, 2], [-1, 3]]) as solver:
        contradicted = solver.solve(assumptions=[-1, 3, -2]) is False
        return contradicted and set(solver.get_core()) == {-1, -2} and solver.solve(assumptions=[-1])


def tells_statistics(name: str) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(4)) as solver:
        return solver.solve() is False and solver.accum_stats()["conflicts"] > 0


def propagates(name: str) -> bool:
    with Solver(name=name, bootstrap_with=[[-1, 2], [-2, 3], [3, 4]]) as solver:
        return solver.propagate([1]) == (True, [1, 2, 3])


def keeps_budget(name: str, kind: str, budget: int, counter: str, holes: int) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(holes)) as solver:
        getattr(solver, kind)(budget)
        return solver.solve_limited() is None and budget <= solver.accum_stats()[counter] < 2000


def hears_an_interrupt(name: str) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(11)) as solver:
        solver.interrupt()  # refused at once where it is not known: without that, the timer would wait for a day
        solver.clear_interrupt()
        timer = threading.Timer(0.1, solver.interrupt)
        timer.start()
        return solver.solve_limited(expect_interrupt=True) is None


def lemmas(name: str, clauses: list[list[int]]) -> list[list[int]]:
    """The proof that a fresh solver gives, without deletions."""
    with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        assert solver.solve() is False
        return [[int(word) for word in line.split()[:-1]] for line in solver.get_proof() if not line.startswith("d")]


def is_refutation(clauses: list[list[int]], proof: list[list[int]]) -> bool:
    """Whether every lemma follows by unit propagation, and all together contradict each other."""
    with Minisat22(bootstrap_with=clauses) as checker:
        for lemma in proof:
            if checker.propagate([-literal for literal in lemma])[0]:
                return False
            if lemma:
                checker.add_clause(lemma)
        return not checker.propagate([])[0]


def proves(name: str) -> bool:
    return all(is_refutation(formula, lemmas(name, formula)) for formula in (pigeons(4), pigeons(5)))


TRIALS: dict[str, Callable[[str], bool]] = {
    "clauses-later": takes_clauses_later,
    "assumptions": heeds_assumptions,
    "statistics": tells_statistics,
    "propagation": propagates,
    "conflict-budget": lambda name: keeps_budget(name, "conf_budget", 100, "conflicts", 8),
    "propagation-budget": lambda name: keeps_budget(name, "prop_budget", 1000, "propagations", 6),
    "decision-budget": lambda name: keeps_budget(name, "dec_budget", 100, "decisions", 7),
    "interrupt": hears_an_interrupt,
    "proof": proves,
}


@pytest.mark.slow
@every
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.filterwarnings("ignore:Kissat does not support")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_table_says_what_works_and_nothing_else(backend: PySat, ability: str) -> None:
    try:
        works = TRIALS[ability](backend.name)
    except (NotImplementedError, AttributeError):  # an argument that PySAT does not know leaves half a solver behind
        works = False
    assert works == (ability in backend.abilities)


def test_trap_kissat_ignores_assumptions() -> None:
    with pytest.warns(RuntimeWarning, match="does not support assumptions"), Solver("kissat404", [[1]]) as solver:
        assert solver.solve(assumptions=[-1])


def test_trap_kissat_aborts_at_a_clause_after_solving() -> None:
    assert not takes_clauses_later("kissat404")


def test_trap_maplesat_crashes_on_a_formula_without_clauses() -> None:
    assert in_a_child("Solver('maplesat').solve()").returncode < 0
    assert in_a_child("Solver('maplechrono').solve()").returncode == 0


def test_every_solver_takes_a_formula_without_clauses() -> None:
    dark = load("press=010,000,000/0")  # a press that toggles nothing on this board: a cell that no clause holds
    assert len(all_encodings()["lights-out", "cnf", "full-direct"].encode(dark)) == 0
    for backend in SOLVERS:
        assert sorted(grid.text() for grid in solve_inline(backend.name, dark)) == ["0", "1"]


@pytest.mark.parametrize("name", ["maplesat", "maplecm"])
def test_trap_a_budget_of_propagations_is_ignored(name: str) -> None:
    with Solver(name, pigeons(6)) as solver:
        solver.prop_budget(1)
        assert solver.solve_limited() is False


def test_trap_the_proof_of_maplesat_numbers_variables_one_too_high() -> None:
    formula = pigeons(4)
    proof = lemmas("maplesat", formula)
    assert not is_refutation(formula, proof)
    lowered = [[literal - 1 if literal > 0 else literal + 1 for literal in lemma] for lemma in proof]
    assert is_refutation(formula, lowered)


def test_trap_a_model_may_be_shorter_than_the_highest_variable() -> None:
    with Solver("glucose4", [[1, 2]]) as solver:  # the formula has, say, five variables
        assert solver.solve()
        assert len(solver.get_model()) == 2


def test_trap_a_temporary_solver_enumerates_nothing() -> None:
    # in a child: pytest keeps the temporary objects of an assertion alive
    assert in_a_child("print(list(Solver('glucose4', [[1, 2]]).enum_models()))").stdout == "[]\n"
    with Solver("glucose4", [[1, 2]]) as kept:
        assert len(list(kept.enum_models())) == 3


def test_trap_enum_models_blocks_auxiliary_variables_too() -> None:
    with Solver("glucose4", [[1, 2], [1, 2, 3]]) as solver:  # where 3 is auxiliary: three solutions
        assert len(list(solver.enum_models())) == 6


def test_trap_a_parity_constraint_drops_the_sign_of_a_literal() -> None:
    from pysat.engines import ParityConstraint

    plain, negated = ParityConstraint([1, 2], 0), ParityConstraint([-1, 2], 0)
    assert (plain.lits, plain.rval) == (negated.lits, negated.rval)  # though the one is the other's opposite
