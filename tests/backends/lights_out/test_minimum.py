"""Fewest presses against enumeration and against published ones; the transform against the Gray code."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from crosslit_backends.lights_out import minimum
from crosslit_backends.lights_out.first_rows import coset
from crosslit_backends.lights_out.minimum import MAX_DIMENSIONS, descend, lightest
from crosslit_backends.lights_out.polynomial import solve_polynomially
from crosslit_generate.generate import nullity
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, LightsOut
from crosslit.algebra.boards import BoardSystem
from crosslit.algebra.chase import chase
from crosslit.algebra.gf2 import connected
from tests.conftest import shapes

# OEIS A075464: the fewest presses that put out n x n lights, all of them lit
A075464 = [1, 4, 5, 4, 15, 28, 33, 40, 25, 44, 55, 72, 105, 56, 117, 104, 147, 188, 141, 224, 245, 276, 231, 270]
A075464 += [353, 356, 405, 416, 345, 376, 553, 428, 469, 520, 563, 600, 761, 772, 561, 696, 891, 940, 953, 772, 1069]
A075464 += [1188, 971, 1096, 1165, 1220, 1317, 1256, 1487, 1400]


@st.composite
def codes(draw: st.DrawFn, most_cells: int, most_vectors: int) -> tuple[int, list[int]]:
    """A number of cells and vectors of them, often with equal and with empty columns, and dependent."""
    columns = draw(st.lists(st.integers(0, (1 << draw(st.integers(0, most_vectors))) - 1), min_size=1, max_size=4))
    cells = [columns[which % len(columns)] for which in draw(st.lists(st.integers(0, 3), max_size=most_cells))]
    cells += draw(st.lists(st.integers(0, (1 << most_vectors) - 1), max_size=most_cells - len(cells)))
    return len(cells), [
        sum((column >> bit & 1) << cell for cell, column in enumerate(cells)) for bit in range(most_vectors)
    ]


def in_one(rows: list[int], columns: int) -> int:
    return sum(row << number * columns for number, row in enumerate(rows))


def solved(rows: int, columns: int, lit: int) -> tuple[int | None, list[int]]:
    """A solution of a board and a basis of its quiet patterns, by polynomials."""
    inside = (1 << columns) - 1
    lights = [lit >> row * columns & inside for row in range(rows)]
    first, kernel = solve_polynomially(rows, columns, chase(lights, 0, columns)[1])
    quiet = [in_one(chase([0] * rows, row, columns)[0], columns) for row in kernel]
    return None if first is None else in_one(chase(lights, first, columns)[0], columns), quiet


def least_weight(start: int, basis: list[int]) -> int:
    return min(element.bit_count() for element in coset(start, basis))


def random_code(seed: int, cells: int, dimension: int) -> tuple[int, list[int]]:
    """A start and a basis that has full rank and is one connected part."""
    rng = random.Random(seed)
    basis = [rng.getrandbits(cells) | 1 for _ in range(dimension)]
    (part,) = connected(basis)
    assert len(part) == dimension
    return rng.getrandbits(cells) & minimum.union(part), part


def plain_transform(start: int, basis: list[int]) -> int:
    """The minimum weight by the transform of the whole histogram, without any optimization."""
    cells = minimum.union(basis)
    values = np.zeros(1 << len(basis), np.int64)
    for cell in range(cells.bit_length()):
        if cells >> cell & 1:
            values[sum((vector >> cell & 1) << bit for bit, vector in enumerate(basis))] += 1 - 2 * (start >> cell & 1)
    for bit in range(len(basis)):
        low, high = np.moveaxis(values.reshape(-1, 2, 1 << bit), 1, 0)
        values = np.stack([low + high, low - high], axis=1).reshape(-1)
    return int(cells.bit_count() - values.max()) // 2


@given(codes(14, 6), st.integers(0))
def test_the_lightest_is_what_enumeration_finds(code: tuple[int, list[int]], start: int) -> None:
    cells, basis = code
    start &= (1 << cells) - 1
    elements = list(lightest(start, basis))
    weights = [element.bit_count() for element in elements]
    assert elements[0] == start
    assert weights == sorted(set(weights), reverse=True)  # strictly lighter
    assert weights[-1] == least_weight(start, basis)
    assert set(elements) <= set(coset(start, basis))
    assert elements == list(lightest(start, basis))


@given(codes(40, 7), st.integers(0))
def test_the_transform_finds_what_the_gray_code_does(code: tuple[int, list[int]], start: int) -> None:
    for part in connected(code[1]):
        inside = start & minimum.union(part)
        lighter = list(minimum._by_transform(inside, part))
        assert min([inside, *lighter], key=int.bit_count).bit_count() == least_weight(inside, part)
        assert set(lighter) <= set(coset(inside, part))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "dimension"),
    [
        (1, 1),
        (100, 9),  # all in 8 bits
        (128, 9),
        (2000, 4),  # 16 bits at once: rows of the leaf exceed 8 bits
        (2000, 13),  # 8, then 16 bits
        (32_767, 9),
        (32_768, 9),  # 32 bits
        (40_000, 14),  # 8, then 32 bits
    ],
)
@pytest.mark.parametrize("leaf", [2, 6, 19])
def test_every_width_of_integers_is_exact(
    cells: int, dimension: int, leaf: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimum, "_LEAF", max(leaf, dimension - 7))
    start, basis = random_code(cells, cells, dimension)
    best = min([start, *minimum._by_transform(start, basis)], key=int.bit_count)
    assert best.bit_count() == plain_transform(start, basis)
    # and with the largest possible sums: an element of the code itself
    assert [*minimum._by_transform(basis[0], basis)][-1] == 0


@pytest.mark.parametrize("dimension", [18, 19, 20, 21])
def test_many_leaves_are_one_transform(dimension: int) -> None:
    start, basis = random_code(dimension, 300, dimension)
    elements = list(lightest(start, basis))
    assert elements[-1].bit_count() == plain_transform(start, basis)


@pytest.mark.parametrize("shape", shapes(12))
def test_fewest_presses_of_every_small_board(shape: tuple[int, int]) -> None:
    fewest: dict[int, int] = {}
    dark = LightsOut(Grid.from_bits(*shape, 0))
    kernel = list(BoardSystem(dark).kernel())
    for presses in range(1 << shape[0] * shape[1]):
        rule = min(presses ^ quiet for quiet in coset(0, kernel))  # one name for each coset
        fewest[rule] = min(fewest.get(rule, 99), presses.bit_count())
    for presses in list(fewest)[::7]:
        *_, last = lightest(presses, kernel)
        assert last.bit_count() == fewest[presses]


def test_fewest_presses_from_all_lit_are_as_published() -> None:
    for size, published in enumerate(A075464, start=1):
        if nullity(size, size) > 20:
            continue
        lit = (1 << size * size) - 1
        start, kernel = solved(size, size, lit)
        assert start is not None
        *_, best = lightest(start, kernel)
        assert best.bit_count() == published
        assert not any(LightsOut(Grid.from_bits(size, size, lit)).violations(Grid.from_bits(size, size, best)))


@given(codes(30, 6), st.integers(0))
def test_descending_stops_where_no_vector_and_no_pair_helps(code: tuple[int, list[int]], start: int) -> None:
    elements = list(descend(start, code[1]))
    weights = [element.bit_count() for element in elements]
    assert elements[0] == start
    assert weights == sorted(set(weights), reverse=True)
    assert elements == list(descend(start, code[1]))
    for one in [0, *code[1]]:
        assert all((elements[-1] ^ one ^ other).bit_count() >= weights[-1] for other in [0, *code[1]])
    assert all(least_weight(start ^ element, code[1]) == 0 for element in elements)


@given(codes(12, 5))
def test_connected_parts_share_no_cell_and_split_no_further(code: tuple[int, list[int]]) -> None:
    parts = connected(code[1])
    unions = [minimum.union(part) for part in parts]
    assert sum(unions) == minimum.union(code[1])
    everything = set(coset(0, [vector for part in parts for vector in part]))
    assert everything == set(coset(0, code[1]))
    assert len(everything) == 1 << sum(map(len, parts))
    for union in unions:  # no element of a part is a sum of two that share no cell, for all elements at once
        inside = {element & union for element in everything}
        for cells in range(1, union):
            if cells & union == cells:
                assert not {element & cells for element in inside} <= inside


def test_parts_are_searched_apart() -> None:
    """30 parts of dimension 2: 2^60 elements, of which each part allows 4."""
    rng = random.Random(5)
    basis = [vector << 9 * place for place in range(30) for vector in (0b011011011, 0b110110110)]
    start = rng.getrandbits(270)
    rng.shuffle(basis)
    mixed = [one ^ other for one, other in itertools.pairwise(basis)] + basis[-1:]
    *_, best = lightest(start, mixed)
    expected = [least_weight(start >> 9 * place & 511, [0b011011011, 0b110110110]) for place in range(30)]
    assert best.bit_count() == sum(expected)


def test_too_many_dimensions_are_refused_at_once() -> None:
    basis = [1 << vector | 1 << 99 for vector in range(MAX_DIMENSIONS + 1)]
    with pytest.raises(ValueError, match=r"2\^41 elements .* at most 40 connected dimensions"):
        lightest(0, basis)
    assert next(lightest(5, basis[:-1])) == 5
    assert [*lightest(0, [1 << cell for cell in range(500)])] == [0]  # each by itself
    assert [*descend(0b111, basis)] == [0b111, 0b100]
