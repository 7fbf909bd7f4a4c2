"""The fewest cells that determine the vectors of one or two spaces, against brute force."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest
from crosslit_backends.lights_out.howell import Space, fewest_cells

CELLS = 6


def vectors(space: Space) -> Iterator[list[int]]:
    """All vectors of a space but 0, one for each combination of the basis."""
    p, basis = space
    for factors in itertools.islice(itertools.product(range(p), repeat=len(basis)), 1, None):
        yield [sum(f * vector[cell] for f, vector in zip(factors, basis, strict=True)) % p for cell in range(CELLS)]


def random_space(rng: random.Random, p: int, dimension: int, parallel: bool) -> Space:
    """A space of any vectors, or one in which each cell says the same as some others, or nothing.

    With such cells a first choice has to be taken back, as {0} below for {1, 2}: 0 and 1 say the same in one space, and
    0 and 2 in the other.
    """
    while True:
        places = [rng.randrange(dimension) for _ in range(CELLS)]
        found = [[rng.randrange(p) * (place == row or not parallel) for place in places] for row in range(dimension)]
        if all(map(any, vectors((p, found)))):
            return p, found


def test_a_cell_is_exchanged_for_two() -> None:
    assert fewest_cells([(2, [[1, 1, 0], [0, 0, 1]]), (3, [[1, 0, 1], [0, 1, 0]])], range(3)) == {1, 2}


def determine(spaces: Sequence[Space], cells: Sequence[int]) -> bool:
    return all(any(vector[cell] for cell in cells) for space in spaces for vector in vectors(space))


@pytest.mark.parametrize("primes", [(2,), (3,), (2, 3), (2, 5), (2, 7), (3, 5)])
@pytest.mark.parametrize("seed", range(20))
def test_the_fewest_cells_are_those_of_brute_force(primes: tuple[int, ...], seed: int) -> None:
    rng = random.Random(seed)
    spaces = [random_space(rng, p, rng.randint(1, 2 if p > 3 else 3), seed % 2 > 0) for p in primes]
    for allowed in ([*range(CELLS)], sorted(rng.sample(range(CELLS), CELLS - 1))):
        found = fewest_cells(spaces, allowed)
        sets = (some for size in range(CELLS + 1) for some in itertools.combinations(allowed, size))
        least = next((len(some) for some in sets if determine(spaces, some)), None)
        assert (None if found is None else len(found)) == least
        assert found is None or (found <= {*allowed} and determine(spaces, sorted(found)))
