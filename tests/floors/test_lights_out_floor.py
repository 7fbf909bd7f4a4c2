"""All boards of all shapes up to nine cells, through the contract, against enumeration by the rule."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import islice

import pytest

from crosslit import Grid, LightsOut
from crosslit.gf2 import nullity
from tests.conftest import all_grids, shapes
from tests.driving import solve_inline

ENGINES = ["first-row", "chase", "polynomial", "gauss", "brute", "glucose4"]
SLOW = {"brute": 7, "glucose4": 8}  # the number of cells up to which each has every board


@cache
def boards_by_presses(rows: int, columns: int) -> dict[Grid, set[Grid]]:
    """The solutions of every board of a shape: each grid of presses solves just the board that it lights."""
    solutions: dict[Grid, set[Grid]] = defaultdict(set)
    toggled = [
        sum(
            1 << r * columns + c
            for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
            if 0 <= r < rows and 0 <= c < columns
        )
        for row in range(rows)
        for column in range(columns)
    ]
    for presses in all_grids(rows, columns):
        lights = 0
        for cell, toggles in enumerate(toggled):
            if presses.bits >> cell & 1:
                lights ^= toggles
        solutions[Grid.from_bits(rows, columns, lights)].add(presses)
    return {lit: solutions[lit] for lit in all_grids(rows, columns)}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", shapes(9))
def test_all_solutions_of_all_boards(engine: str, shape: tuple[int, int]) -> None:
    rows, columns = shape
    truth = boards_by_presses(rows, columns)
    # the slow have every seventh of the larger boards
    step = 7 if rows * columns > SLOW.get(engine, 9) else 1
    for lit in islice(all_grids(*shape), 0, None, step):
        board = LightsOut(lit)
        found = solve_inline(engine, board)
        assert len(found) == len(set(found))
        assert set(found) == truth[lit]
        assert len(found) in (0, 1 << nullity(*shape))
