"""Answers from a kernel basis, by `gauss` and by `polynomial`, which share no code for it."""

from __future__ import annotations

import functools
import random

import pytest
from crosslit_backends.lights_out.first_rows import distinguishing_cells
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, LightsOut, registry
from crosslit.contract import Task
from crosslit.runs.job import drive
from tests.conftest import all_grids, random_rules

BOTH = ["gauss", "polynomial"]
DARK = LightsOut(Grid.from_bits(19, 19, 0))  # 2^16 solutions: more than one batch of either backend


def answered(name: str, board: LightsOut, task: Task) -> list[Grid]:
    return list(drive(registry.all_backends()[name], board, task))


def joined(name: str, skip: int) -> bytes:
    return b"".join(registry.all_backends()[name].batches(DARK, Task(skip=skip)))  # type: ignore[attr-defined]


@functools.cache
def whole() -> bytes:
    return joined("polynomial", 0)


@pytest.mark.parametrize("skip", [0, 1, 4095, 4096, 4097, 3 * 4096, 65_535, 65_536, 70_000])
def test_batches_of_both_continue_anywhere_with_the_same_solutions(skip: int) -> None:
    size = (19 * 19 + 7) // 8
    assert joined("gauss", skip) == whole()[skip * size :]
    assert joined("polynomial", skip) == whole()[skip * size :]


def test_gauss_finds_each_of_many_solutions_once() -> None:
    size = (19 * 19 + 7) // 8
    found = [grid.packed for grid in answered("gauss", DARK, Task())]
    assert len(found) == 65_536
    assert set(found) == {whole()[at : at + size] for at in range(0, len(whole()), size)}


@pytest.mark.parametrize("seed", range(20))
def test_gauss_settles_a_board_of_any_rules_by_as_few_cells_as_can_be(seed: int) -> None:
    rng = random.Random(seed)
    board = random_rules(rng, rng.randint(1, 3), rng.randint(1, 4))
    solutions = [grid.bits for grid in all_grids(board.rows, board.columns) if not any(board.violations(grid))]
    among = rng.getrandbits(board.rows * board.columns)
    task = Task("reveal", candidates=Grid.from_bits(board.rows, board.columns, among))
    found = answered("gauss", board, task)
    if len({bits & among for bits in solutions}) < max(1, len(solutions)) or not solutions:
        assert found == []
        return
    (cells,) = (grid.bits for grid in found)
    assert cells & ~among == 0
    assert len({bits & cells for bits in solutions}) == len(solutions) == 1 << cells.bit_count()
    assert task.bound == cells.bit_count()


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("shape", [(2, 3), (3, 5), (4, 4), (5, 5)])
def test_the_backbone_differs_wherever_solutions_do(name: str, shape: tuple[int, int]) -> None:
    board = LightsOut(Grid.from_bits(*shape, 0))
    every = answered("first-row", board, Task())
    found = answered(name, board, Task("backbone"))
    assert len(found) == len(every).bit_length()
    assert varying(found) == varying(every)


def varying(grids: list[Grid]) -> int:
    return functools.reduce(lambda known, grid: known | grid.bits ^ grids[0].bits, grids, 0)


@given(st.lists(st.integers(1, 255), max_size=6), st.integers(0, 255))
def test_distinguishing_cells_are_chosen_among_those_allowed(vectors: list[int], among: int) -> None:
    basis: list[int] = []
    for vector in vectors:
        if len(combinations([*basis, vector])) == 2 << len(basis):
            basis.append(vector)
    elements = combinations(basis)
    cells = distinguishing_cells(basis, among)
    if cells is None:
        assert len({element & among for element in elements}) < len(elements)
    else:
        assert cells & ~among == 0
        assert cells.bit_count() == len(basis)
        assert len({element & cells for element in elements}) == len(elements)


def combinations(basis: list[int]) -> set[int]:
    found = {0}
    for vector in basis:
        found |= {element ^ vector for element in found}
    return found
