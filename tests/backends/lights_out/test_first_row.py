"""First-row enumeration by blocks against the plain loop, and against other methods where that would take long."""

from __future__ import annotations

import random

import pytest
from crosslit_backends.lights_out import first_row
from crosslit_backends.lights_out.first_row import MAX_COLUMNS, FirstRow

from crosslit import LightsOut, solutions
from crosslit.contract import Task
from crosslit.contract.family import random_grid
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS


def drawn(rng: random.Random, rows: int, columns: int) -> LightsOut:
    """A board, as often as not with a solution."""
    board = LightsOut(random_grid(rng, rows, columns), rng.choice([PLUS, NEIGHBOURS]))
    return board.pressed(board.lit) if rng.random() < 0.5 else board


@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_blocks_give_the_first_rows_of_the_plain_loop_in_its_order(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    rng = random.Random(block)
    boards = [drawn(rng, rng.randint(1, 9), columns) for columns in range(1, 10) for _ in range(12)]
    expected = [list(FirstRow().solutions(board, Task())) for board in boards]
    monkeypatch.setattr(first_row, "_BLOCK", block)
    assert [list(FirstRow().solutions(board, Task())) for board in boards] == expected
    assert 0 < sum(map(bool, expected)) < len(boards)


@pytest.mark.parametrize("columns", [first_row._BLOCK, first_row._BLOCK + 1, 24, 31, MAX_COLUMNS])
def test_the_widest_rows_are_enumerated_completely(columns: int) -> None:
    rng = random.Random(columns)
    board = drawn(rng, 17 if columns <= 24 else 2, columns)
    found = [grid.text for grid in FirstRow().solutions(board, Task())]
    assert sorted(found) == sorted(grid.text for grid in solutions(board, "gauss"))
