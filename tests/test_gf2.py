"""Elimination against enumeration, and nullities against published ones."""

from __future__ import annotations

import random

import pytest

from crosslit import Grid, LightsOut
from crosslit.gf2 import LinearSystem, nullity
from tests.conftest import shapes

# OEIS A159257, n = 1, 2, 3...
A159257 = [
    0,
    0,
    0,
    4,
    2,
    0,
    0,
    0,
    8,
    0,
    6,
    0,
    0,
    4,
    0,
    8,
    2,
    0,
    16,
    0,
    0,
    0,
    14,
    4,
    0,
    0,
    0,
    0,
    10,
    20,
    0,
    20,
    16,
    4,
    6,
]


@pytest.mark.parametrize("size", range(1, len(A159257) + 1))
def test_nullity_of_square_boards_is_as_published(size: int) -> None:
    assert nullity(LightsOut(Grid.from_bits(size, size, 0))) == A159257[size - 1]


@pytest.mark.parametrize("shape", shapes(12))
def test_nullity_counts_the_quiet_patterns(shape: tuple[int, int]) -> None:
    board = LightsOut(Grid.from_bits(*shape, 0))
    cells = shape[0] * shape[1]
    quiet = sum(not any(board.violations(Grid.from_bits(*shape, bits))) for bits in range(1 << cells))
    assert quiet == 1 << nullity(board)


def test_random_systems_have_the_solutions_that_enumeration_finds() -> None:
    rng = random.Random(2)
    for _ in range(300):
        unknowns, count = rng.randint(1, 7), rng.randint(0, 9)
        equations = [(rng.getrandbits(unknowns), rng.getrandbits(1)) for _ in range(count)]
        system = LinearSystem(unknowns)
        for equation, value in equations:
            system.add(equation, value)
        expected = {
            x for x in range(1 << unknowns) if all((x & row).bit_count() % 2 == value for row, value in equations)
        }
        found = set()
        first = system.particular()
        if first is not None:
            found = {first}
            for vector in system.kernel():
                found |= {x ^ vector for x in found}
        assert found == expected
        assert system.consistent == bool(expected)
