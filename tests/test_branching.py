"""Enumeration by a SAT solver without blocking clauses: against brute force, and where it gives up."""

from __future__ import annotations

import random
from math import factorial

import pytest
from crosslit_backends import hybrid, pysat

from crosslit import Grid, Nonogram, load
from crosslit.puzzles import Puzzle
from tests.conftest import all_grids, random_nonogram, random_rules
from tests.driving import solve_inline

BRANCHING = [solver.name for solver in pysat.SOLVERS if solver.branches]
SPECS = [*BRANCHING, "hybrid", "hybrid:engine=minisat22"]


def listed(spec: str, puzzle: Puzzle) -> list[str]:
    return [grid.text() for grid in solve_inline(spec, puzzle)]


def small(seed: int) -> Puzzle:
    """Boards and nonograms with several solutions or none."""
    rng = random.Random(seed)
    if seed % 3 == 0:
        return random_rules(rng, 3, 4)
    rows, columns = rng.randint(2, 4), rng.randint(2, 4)
    if seed % 3 == 1:
        return random_nonogram(rng, rows, columns)
    return Nonogram.of(Grid.from_cells([[rng.random() < 0.3 for _ in range(columns)] for _ in range(rows)]))


@pytest.mark.parametrize("patience", [0, -1000, 1000], ids=["little-patience", "none", "much"])
@pytest.mark.parametrize("spec", SPECS)
def test_branching_finds_all_none_twice(spec: str, patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pysat, hybrid):
        monkeypatch.setattr(module, "BLOCKED", 1)
    monkeypatch.setattr(pysat, "PATIENCE", patience)
    for seed in range(12):
        puzzle = small(seed)
        if spec.startswith("hybrid") and not isinstance(puzzle, Nonogram):
            continue
        truth = [grid.text() for grid in all_grids(puzzle.rows, puzzle.columns) if not any(puzzle.violations(grid))]
        assert sorted(listed(spec, puzzle)) == sorted(truth)


@pytest.mark.parametrize("spec", ["glucose4", "minisat22", "hybrid"])
def test_after_many_solutions_it_branches_and_the_order_is_the_same(spec: str) -> None:
    puzzle = load("1,1,1,1,1,1,1|1,1,1,1,1,1,1")
    found = listed(spec, puzzle)
    assert len(found) == len(set(found)) == factorial(7)
    assert found == listed(spec, puzzle)
