"""Linear algebra modulo k against brute force."""

from __future__ import annotations

import itertools
import math
import operator
import random

import numpy as np
import pytest
from crosslit_backends.lights_out.modular_chase import solve

import crosslit
from crosslit.algebra.howell import HowellForm


def random_rows(rng: random.Random, states: int, equations: int, unknowns: int, solvable: bool) -> list[list[int]]:
    """Equations modulo k with many zero divisors, and their values; with a solution on request."""
    divisors = [value for value in range(states) if value == 0 or math.gcd(value, states) > 1]
    choices = [*range(states), *divisors, 0, 0]
    rows = [[rng.choice(choices) for _ in range(unknowns)] for _ in range(equations)]
    solution = [rng.randrange(states) for _ in range(unknowns)]
    values = [
        sum(a * b for a, b in zip(row, solution, strict=True)) if solvable else rng.choice(choices) for row in rows
    ]
    return [[*row, value % states] for row, value in zip(rows, values, strict=True)]


def by_trying(rows: list[list[int]], states: int, unknowns: int) -> list[tuple[int, ...]]:
    every = itertools.product(range(states), repeat=unknowns)
    return [x for x in every if all((sum(map(operator.mul, row, x)) - row[-1]) % states == 0 for row in rows)]


SYSTEMS = [(states, seed) for states in (2, 3, 4, 6, 8, 9, 12, 16) for seed in range(8)]


@pytest.mark.parametrize(("states", "seed"), SYSTEMS)
def test_both_eliminations_have_the_solutions_of_equations_of_any_shape(states: int, seed: int) -> None:
    rng = random.Random(states * 100 + seed)
    unknowns = rng.randint(1, 4 if states < 7 else 3 if states < 13 else 2)
    rows = random_rows(rng, states, unknowns + seed % 3 - 1 or 1, unknowns, seed % 4 > 0)
    right = by_trying(rows, states, unknowns)

    form = HowellForm(np.array(rows, np.int16), states)
    assert form.count == len(right)
    assert form.consistent == bool(right)
    assert [tuple(row) for block in form.blocks() for row in block.tolist()] == right
    if right:
        first = form.particular()
        assert first is not None
        assert tuple(first.tolist()) == right[0]

    square = [*rows, *[[0] * (unknowns + 1)] * unknowns]  # as for a board, with an equation for each unknown
    start, kernel = solve(np.array(square, np.int64), states)
    assert (start is not None) == bool(right)
    if start is not None:
        factors = itertools.product(*(range(order) for order, _ in kernel))
        sums = (sum((f * vector for f, (_, vector) in zip(some, kernel, strict=True)), start) for some in factors)
        assert sorted(tuple((each % states).tolist()) for each in sums) == right


@pytest.mark.parametrize("batch", [1, 4, 6, 7, 4096])
def test_blocks_of_any_size_have_all_solutions_in_order(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr("crosslit.algebra.howell._BATCH", batch)
    rows = [[2, 3, 0, 1, 3], [0, 0, 4, 2, 2]]
    form, right = HowellForm(np.array(rows, np.int16), 6), by_trying(rows, 6, 4)
    assert len(right) > 30
    assert [tuple(row) for block in form.blocks() for row in block.tolist()] == right


@pytest.mark.parametrize("seed", range(10))
def test_the_equation_that_contradicts_the_earlier_ones_is_told(seed: int) -> None:
    rng = random.Random(seed)
    states, unknowns = rng.choice([4, 6, 9]), 3
    while by_trying(rows := random_rows(rng, states, 4, unknowns, False), states, unknowns):
        pass
    told: list[tuple[int, int | None, bool]] = []
    form = HowellForm(np.array(rows, np.int16), states, lambda *found: told.append(found))
    assert not form.consistent
    assert [number for number, _, _ in told] == [0, 1, 2, 3]
    solvable = [bool(by_trying(rows[: number + 1], states, unknowns)) for number in range(4)]
    assert next(number for number, _, contradicts in told if contradicts) == solvable.index(False)


def test_a_press_may_toggle_a_light_more_often_than_a_short_integer_counts() -> None:
    board = crosslit.load(f"modular-lights-out:4/edges={','.join(['1-2'] * 32_770)}/01")  # 2 modulo 4
    assert [*crosslit.solutions(board, "howell")] == [*crosslit.solutions(board, "glucose4")]
