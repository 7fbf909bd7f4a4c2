"""The native solvers of boards: fewest presses, elimination modulo k, and the chase."""

from __future__ import annotations

import itertools
import math
import operator
import random

import numpy as np
import pytest
from crosslit_backends.lights_out import decoding, first_row, modular_chase
from crosslit_backends.lights_out.decoding import MAX_DIMENSIONS, descend, lightest
from crosslit_backends.lights_out.enumeration import coset
from crosslit_backends.lights_out.fewest import Fewest
from crosslit_backends.lights_out.first_row import MAX_COLUMNS, FirstRow
from crosslit_backends.lights_out.gauss import Gauss
from crosslit_backends.lights_out.modular_chase import BACKENDS, RowChase, solve
from crosslit_backends.lights_out.polynomial import Polynomial
from hypothesis import given
from hypothesis import strategies as st

import crosslit
from crosslit import Grid, LightsOut, solutions
from crosslit.algebra.boards import connected
from crosslit.algebra.howell import HowellForm
from crosslit.contract import GaveUp, Task
from crosslit.contract.family import random_grid
from crosslit.kinds.lights_out.board import ModularLightsOut
from crosslit.kinds.lights_out.check import all_right
from crosslit.kinds.lights_out.families import random_lights
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS

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


def lightest_by_trying(start: int, basis: list[int], found: list[int]) -> int:
    """Require elements of a coset that become lighter, and return the least weight of any."""
    weights = [element.bit_count() for element in found]
    assert found[0] == start
    assert weights == sorted({*weights}, reverse=True)
    assert {*found} <= {*coset(start, basis)}
    return min(element.bit_count() for element in coset(start, basis))


def random_code(seed: int, cells: int, dimension: int) -> tuple[int, list[int]]:
    """A start and a basis that has full rank and is one connected part."""
    rng = random.Random(seed)
    basis = [rng.getrandbits(cells) | 1 for _ in range(dimension)]
    (part,) = connected(basis)
    assert len(part) == dimension
    return rng.getrandbits(cells) & decoding.union(part), part


@given(codes(14, 6), st.integers(0))
def test_the_lightest_is_what_enumeration_finds(code: tuple[int, list[int]], start: int) -> None:
    cells, basis = code
    start &= (1 << cells) - 1
    elements = list(lightest(start, basis))
    assert elements[-1].bit_count() == lightest_by_trying(start, basis, elements)


@given(codes(40, 7), st.integers(0))
def test_the_transform_finds_what_the_gray_code_does(code: tuple[int, list[int]], start: int) -> None:
    for part in connected(code[1]):
        inside = start & decoding.union(part)
        elements = [inside, *decoding.by_transform(inside, part)]
        assert elements[-1].bit_count() == lightest_by_trying(inside, part, elements)


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
    monkeypatch.setattr(decoding, "_LEAF", max(leaf, dimension - 7))
    start, basis = random_code(cells, cells, dimension)
    best = min([start, *decoding.by_transform(start, basis)], key=int.bit_count)
    assert best.bit_count() == min(map(int.bit_count, coset(start, basis)))
    # and with the largest possible sums: an element of the code itself
    assert [*decoding.by_transform(basis[0], basis)][-1] == 0


def test_fewest_presses_from_all_lit_are_as_published() -> None:
    for size, published in enumerate(A075464, start=1):
        board = LightsOut(Grid.from_bits(size, size, (1 << size * size) - 1))
        if board.nullity() <= 20:
            *_, best = Fewest().fewest(board, Task("fewest"))
            assert best.count() == published
            assert all_right(board, best.packed)


@given(codes(30, 6), st.integers(0))
def test_descending_stops_where_no_vector_and_no_pair_helps(code: tuple[int, list[int]], start: int) -> None:
    elements = list(descend(start, code[1]))
    lightest_by_trying(start, code[1], elements)
    for one in [0, *code[1]]:
        assert all((elements[-1] ^ one ^ other).bit_count() >= elements[-1].bit_count() for other in [0, *code[1]])


@given(codes(12, 5))
def test_connected_parts_share_no_cell_and_split_no_further(code: tuple[int, list[int]]) -> None:
    parts = connected(code[1])
    unions = [decoding.union(part) for part in parts]
    assert sum(unions) == decoding.union(code[1])
    everything = set(coset(0, [vector for part in parts for vector in part]))
    assert everything == set(coset(0, code[1]))
    assert len(everything) == 1 << sum(map(len, parts))
    for union in unions:  # no element of a part is a sum of two that share no cell, for all elements at once
        inside = {element & union for element in everything}
        for cells in range(1, union):
            if cells & union == cells:
                assert not {element & cells for element in inside} <= inside


def test_too_many_dimensions_are_refused_at_once() -> None:
    basis = [1 << vector | 1 << 99 for vector in range(MAX_DIMENSIONS + 1)]
    with pytest.raises(ValueError, match=r"2\^41 elements .* at most 40 connected dimensions"):
        lightest(0, basis)
    assert next(lightest(5, basis[:-1])) == 5
    assert [*lightest(0, [1 << cell for cell in range(500)])] == [0]  # each by itself
    assert [*descend(0b111, basis)] == [0b111, 0b100]
    assert [*descend(0b11, [0b1, 0b10])] == [0b11, 0b10, 0]


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


SYSTEMS = [(states, seed) for states in (2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16) for seed in range(8)]


@pytest.mark.parametrize(("states", "seed"), SYSTEMS)
def test_both_eliminations_have_the_solutions_of_equations_of_any_shape(states: int, seed: int) -> None:
    rng = random.Random(states * 100 + seed)
    unknowns = rng.randint(1, 4 if states < 7 else 3 if states < 13 else 2)
    rows = random_rows(rng, states, unknowns + seed % 3 - 1 or 1, unknowns, seed % 4 > 0)
    if seed % 2:  # no coefficient has an inverse
        divisor = next(divisor for divisor in range(2, states + 1) if states % divisor == 0)
        rows = [[divisor * number % states for number in row] for row in rows]
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


@pytest.mark.parametrize(
    ("board", "spec"),
    [
        (f"modular-lights-out:4/edges={','.join(['1-2'] * 32_770)}/01", "glucose4"),  # 2 modulo 4
        ("modular-lights-out:16/press=010,0e0,010/123/456/789/abc", "modular-chase"),  # sums up to 256
        ("modular-lights-out:5/press=030,121,020/wrap=torus/123/412/301/441", "modular-chase"),
    ],
)
def test_a_press_may_toggle_a_light_more_often_than_a_short_integer_counts(board: str, spec: str) -> None:
    assert [*crosslit.solutions(board, "howell")] == sorted(crosslit.solutions(board, spec))


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
    task = Task()
    found = [grid.text for grid in FirstRow().solutions(board, task)]
    assert task.stats["first_rows"] == 2**columns
    assert sorted(found) == sorted(grid.text for grid in solutions(board, "gauss"))


(CHASE,) = BACKENDS


@pytest.mark.parametrize(
    ("rules", "chased"),
    [
        ("000/000", True),
        ("press=king/000/000", False),
        ("press=010,111,000/000/000", True),
        ("press=020,010,000/000/000", False),  # 2 has no inverse modulo 4
        ("wrap=torus/000/000", True),
        ("wrap=moebius/000/000", False),
        ("00_/000", False),
        ("edges=1-2/00", False),
    ],
)
def test_rows_are_chased_if_each_light_determines_one_press_below(rules: str, chased: bool) -> None:
    assert (RowChase.of(ModularLightsOut.parse(f"modular-lights-out:4/{rules}")) is not None) is chased


def test_a_chase_of_rows_is_bounded_by_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    torus = random_lights(random.Random(5), 3, 4, 6, "wrap=torus")  # two rows of three are unknown
    monkeypatch.setattr(modular_chase, "MAX_CELLS", 11)
    for work, reason in ((72, None), (71, "more than 11 cells")):
        monkeypatch.setattr(modular_chase, "MAX_WORK", work)
        assert CHASE.unsupported_reason(torus, {}) == reason


@pytest.mark.parametrize(("backend", "board"), [(Gauss(), "press=king/00/00"), (Polynomial(), "000/000")])
def test_no_certificate_is_made_of_a_list_that_lacks_solutions(backend: Gauss | Polynomial, board: str) -> None:
    with pytest.raises(GaveUp, match="does not agree that there is no solution"):
        backend.certify(crosslit.load(board), Task(), [])


def test_contradicting_lights_beyond_the_search_are_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    board, found = crosslit.load("1000/0000/0000/0000"), list[Grid]()
    smallest = [grid.count() for grid in Fewest().mus(board, Task("mus"))]
    monkeypatch.setattr(decoding, "MAX_DIMENSIONS", 0)
    with pytest.raises(GaveUp, match="out of reach"):
        found += Fewest().mus(board, Task("mus"))
    assert [grid.count() for grid in found] == smallest
    assert not any(sum(found[0].bits >> light & 1 for light, _ in effect) % 2 for effect in board.effects)
