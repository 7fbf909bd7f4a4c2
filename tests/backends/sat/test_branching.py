"""Enumeration by a SAT solver without blocking clauses: against brute force, and where it gives up."""

from __future__ import annotations

import random
from math import factorial

import pytest
from crosslit_backends.nonogram import hybrid
from crosslit_backends.sat import pysat
from crosslit_verify.contract_checks.specimens import by_rules

from crosslit import Grid, Nonogram, load
from crosslit.kinds import Puzzle
from tests.conftest import random_rules
from tests.driving import solve_inline

BRANCHING = [solver.name for solver in pysat.SOLVERS if solver.branches]
SPECS = [*BRANCHING, "hybrid:kernel=no", "hybrid:engine=minisat22:kernel=no"]


def listed(spec: str, puzzle: Puzzle) -> list[str]:
    return [grid.text for grid in solve_inline(spec, puzzle)]


def thin(seed: int) -> Nonogram:
    """A random picture with few cells."""
    rng = random.Random(seed)
    return Nonogram.of(Grid.from_cells([[rng.random() < 0.3 for _ in range(4)] for _ in range(4)]))


PUZZLES: list[Puzzle] = [
    load("0000/0000/0000/0000"),  # 16 solutions
    load("1,1,1,1|1,1,1,1"),  # 24
    load("1 1,1,1,1|1,1,1,1,1"),  # 36
    *(random_rules(random.Random(seed), 3, 4) for seed in range(3)),
    *map(thin, range(3, 6)),
]


def truth(puzzle: Puzzle) -> list[str]:
    """All solutions by the rules, sorted."""
    return sorted(grid.text for grid in by_rules(puzzle).solutions)


@pytest.mark.parametrize("patience", [0, 5, 12, 10_000])
@pytest.mark.parametrize("spec", SPECS)
def test_branching_finds_all_none_twice(spec: str, patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pysat, hybrid):
        monkeypatch.setattr(module, "BLOCKED", 1)
    monkeypatch.setattr(pysat, "A_SOLUTION", 0)
    monkeypatch.setattr(pysat, "MIN_WORK", patience)
    for puzzle in PUZZLES[:: 3 if spec == "ergo" else 1]:  # it takes seconds where others take milliseconds
        if spec.startswith("hybrid") and not isinstance(puzzle, Nonogram):
            continue
        assert sorted(listed(spec, puzzle)) == truth(puzzle)


@pytest.mark.parametrize("spec", ["glucose4", "minisat22", "hybrid", "hybrid:kernel=no"])
def test_after_many_solutions_it_branches_and_the_order_is_the_same(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pysat, hybrid):
        monkeypatch.setattr(module, "BLOCKED", 100)
    puzzle = load("1,1,1,1,1,1|1,1,1,1,1,1")
    found = listed(spec, puzzle)
    assert len(found) == len(set(found)) == factorial(6)
    assert found == listed(spec, puzzle)
