"""The features of each solver of PySAT, tried."""

from __future__ import annotations

import pytest
from crosslit_backends.sat.pysat import SOLVERS

from crosslit import load
from crosslit.registry import all_encodings
from tests.backends.sat.abilities import works
from tests.driving import solve_inline


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solver", "ability"), [(solver.name, ability) for solver in SOLVERS for ability in sorted(solver.abilities)]
)
def test_every_ability_of_the_table_works(solver: str, ability: str) -> None:
    assert works(solver, ability)


def test_every_solver_takes_a_formula_without_clauses() -> None:
    dark = load("press=010,000,000/0")  # a press that toggles nothing on this board: a cell that no clause holds
    assert len(all_encodings()["lights-out", "cnf", "full-direct"].encode(dark)) == 0
    for backend in SOLVERS:
        assert sorted(grid.text for grid in solve_inline(backend.name, dark)) == ["0", "1"]
