"""The clues of all 65,536 grids of 4 x 4, through the contract, against grouping the grids by their clues."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from crosslit import Grid, Nonogram
from tests.conftest import all_grids
from tests.driving import solve_inline

PAIRS = 58_196
UNIQUE = 52_362
PARTS = 8  # so that two processes can share the work
SPREAD = 7  # of the uniquely solvable pairs, an engine that is given a formula gets every seventh


@cache
def truth() -> dict[Nonogram, set[Grid]]:
    solutions: dict[Nonogram, set[Grid]] = defaultdict(set)
    for grid in all_grids(4, 4):
        solutions[Nonogram.of(grid)].add(grid)
    return solutions


def test_the_published_counts() -> None:
    assert len(truth()) == PAIRS
    assert sum(len(grids) == 1 for grids in truth().values()) == UNIQUE


@cache
def spread() -> dict[Nonogram, set[Grid]]:
    """Every pair with several solutions, and some of the others: the formula of each line alone has its own test."""
    everything = enumerate(truth().items())
    return {puzzle: grids for number, (puzzle, grids) in everything if len(grids) > 1 or number % SPREAD == 0}


def test_the_spread_has_every_clue_in_every_line() -> None:
    for lines in zip(*((*puzzle.row_clues, *puzzle.column_clues) for puzzle in spread()), strict=True):
        assert len(set(lines)) == 8


@pytest.mark.parametrize("engine", ["alignment", "glucose4", "hybrid", "line"])
@pytest.mark.parametrize("part", range(PARTS))
def test_all_solutions_of_all_clue_pairs(engine: str, part: int) -> None:
    for puzzle, grids in list((spread() if engine == "glucose4" else truth()).items())[part::PARTS]:
        found = solve_inline(engine, puzzle)
        assert len(found) == len(grids), puzzle.text
        assert set(found) == grids, puzzle.text
