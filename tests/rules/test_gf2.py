"""Linear algebra over GF(2), against enumeration and published numbers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from crosslit_backends.lights_out import polynomial as poly
from crosslit_backends.lights_out.enumeration import coset
from crosslit_generate.generate import nullity

import crosslit
from crosslit import Grid, LightsOut, load
from crosslit.algebra.boards import BoardSystem, LinearSystem
from crosslit.algebra.chase import fibonacci, remainder
from crosslit.algebra.howell import HowellForm, howell_form
from crosslit.algebra.nullity import board_nullity, nullity_by_factors
from crosslit.contract import Task
from crosslit.kinds.lights_out.rules import DIAGONAL, KING, NEIGHBOURS, PLUS, WRAPS, Offset, Wrap
from crosslit.registry import all_backends
from tests.conftest import all_grids, random_grid, random_rules
from tests.driving import solve_inline
from tests.stored import check

# OEIS A159257, n = 1, 2, 3...
PUBLISHED = "0 0 0 4 2 0 0 0 8 0 6 0 0 4 0 8 2 0 16 0 0 0 14 4 0 0 0 0 10 20 0 20 16 4 6 0 0 0 32 0 2 0"
A159257 = list(map(int, PUBLISHED.split()))


def dark(rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS) -> LightsOut:
    return LightsOut(Grid.from_bits(rows, columns, 0), pattern)


def test_nullity_of_square_boards_is_as_published() -> None:
    assert [nullity(size, size) for size in range(1, len(A159257) + 1)] == A159257


@pytest.mark.parametrize("rows", range(1, 41))
def test_nullity_by_polynomials_is_that_of_elimination(rows: int) -> None:
    for columns, pattern in itertools.product(range(1, rows + 1), (PLUS, NEIGHBOURS)):
        assert nullity(rows, columns, pattern) == nullity(columns, rows, pattern)
        if rows % 3 == 0:  # a sample: elimination takes longer
            assert nullity(rows, columns, pattern) == BoardSystem(dark(rows, columns, pattern)).nullity


@pytest.mark.parametrize("rows", range(1, 41))
def test_without_the_pressed_cell_the_nullity_is_known_in_closed_form(rows: int) -> None:
    # Fibonacci polynomials: the greatest common divisor of f(m) and f(n) is f(gcd(m + 1, n + 1) - 1)
    for columns in range(1, 41):
        assert nullity(rows, columns, NEIGHBOURS) == math.gcd(rows + 1, columns + 1) - 1


def test_the_nullity_of_another_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="usual patterns"):
        nullity_by_factors(3, 3, ((0, 1),), "none")


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS, KING, DIAGONAL])
@pytest.mark.parametrize("wrap", WRAPS)
def test_nullities_with_joined_edges_are_those_of_elimination(pattern: tuple[Offset, ...], wrap: Wrap) -> None:
    for rows, columns in [*itertools.product(range(1, 6), repeat=2), (6, 9), (12, 10)]:
        board = LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)
        assert nullity(rows, columns, pattern, wrap) == BoardSystem(board).nullity, (rows, columns)


def test_random_systems_have_the_solutions_that_enumeration_finds() -> None:
    rng = random.Random(2)
    for _ in range(300):
        unknowns, count = rng.randint(1, 7), rng.randint(0, 9)
        equations = [(rng.getrandbits(unknowns), rng.getrandbits(1)) for _ in range(count)]
        system = LinearSystem(unknowns)
        for equation, value in equations:
            system.add([unknown for unknown in range(unknowns) if equation >> unknown & 1], value)
        expected = {
            x for x in range(1 << unknowns) if all((x & row).bit_count() % 2 == value for row, value in equations)
        }
        first = system.particular()
        found = [] if first is None else list(coset(first, system.kernel()))
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert (system.contradictions == 0) == bool(expected)
        assert not expected or len(expected) == 1 << system.nullity


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        poly.divide(1, 0)


@pytest.mark.parametrize("bits", [1, 64, 200, 8000, 8001, 17_000])
def test_a_product_is_a_sum_of_shifts(bits: int) -> None:
    rng = random.Random(bits)
    one, other, product = rng.getrandbits(bits) | 1 << bits - 1, rng.getrandbits(bits + bits // 3), 0
    for place in range(bits):
        product ^= (one >> place & 1) * other << place
    assert poly.multiply(one, other) == poly.multiply(other, one) == product


@pytest.mark.parametrize("terms", [*range(1, 35), 63, 64, 65, 127, 128, 129, 300])
def test_the_change_of_basis_is_the_sum_of_fibonacci_polynomials(terms: int) -> None:
    rng = random.Random(terms)
    for _ in range(3):
        coefficients, expected = rng.getrandbits(terms), 0
        for index in range(terms):
            if coefficients >> index & 1:
                expected ^= fibonacci(index)
        assert poly.to_powers(coefficients, terms) == expected
        assert poly.from_powers(expected, terms) == coefficients
        product = rng.getrandbits(2 * terms - 1)
        reduced = remainder(product, fibonacci(terms))
        assert poly.from_product(product, terms) == poly.from_powers(reduced, terms)


def drawn_boards(part: int) -> Iterator[tuple[LightsOut, bool]]:
    """Fifty boards up to 60 x 60 of both rules; whether they are known to be solvable."""
    rng = random.Random(part)
    for number in range(50):
        rows, columns = (60, 60) if number < 2 else (rng.randint(1, 60), rng.randint(1, rng.choice([12, 60])))
        grid, pattern, solvable = random_grid(rng, rows, columns), (PLUS, NEIGHBOURS)[number % 2], number % 4 < 2
        yield dark(rows, columns, pattern).pressed(grid) if solvable else LightsOut(grid, pattern), solvable


@pytest.mark.parametrize("part", range(8))
def test_all_methods_agree_on_random_boards_up_to_60_by_60(part: int) -> None:
    for board, solvable in drawn_boards(part):
        methods = ["gauss", "polynomial"] + ["first-row"] * (board.columns <= 10)
        solutions = 1 << nullity(board.rows, board.columns, board.pattern)
        if solutions <= 64:
            found = [solve_inline(method, board) for method in methods]
            assert len({frozenset(grids) for grids in found}) == 1
        else:  # too many to compare all
            solutions = 8
            found = [list(itertools.islice(all_backends()[method].solutions(board, Task()), 8)) for method in methods]
        counts = {len(grids) for grids in found}
        assert counts == {solutions} or (not solvable and counts == {0})
        for grid in set(itertools.chain(*found)):
            assert not any(board.violations(grid))


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS])
@pytest.mark.parametrize("size", [639, 1279])
def test_the_first_of_very_many_solutions_comes_at_once(size: int, pattern: tuple[Offset, ...]) -> None:
    board = dark(size, size, pattern)
    assert nullity(size, size, pattern) >= 80
    found = list(itertools.islice(crosslit.solutions(board, "polynomial"), 20))
    assert len(set(found)) == 20
    assert not any(any(board.violations(grid)) for grid in found)


def test_nullity_of_small_boards_of_random_rules() -> None:
    rng = random.Random(1)
    for _ in range(150):
        board = random_rules(rng, rng.randint(1, 3), rng.randint(1, 4))
        quiet = sum(1 for grid in all_grids(board.rows, board.columns) if not any(board.dark.violations(grid)))
        value = board_nullity(board)
        assert value is not None
        assert quiet == 1 << value, board.text


def test_a_large_board_of_another_pattern_has_no_nullity_at_once() -> None:
    assert board_nullity(LightsOut(Grid.from_bits(500, 500, 0), ((0, 0), (1, 1)))) is None
    assert board_nullity(LightsOut(Grid.from_bits(200, 100, 0), ((0, 0), (1, 1)))) == 0
    assert board_nullity(LightsOut(Grid.from_bits(500, 500, 0))) == 0


def test_many_solutions_come_in_ascending_order_in_blocks() -> None:
    for states, row, full in ((2, [0] * 15, 4), (4, [1] * 9, 4), (8, [4, 4, 0, 0, 0, 0, 0], 32), (9, [3, 3, 0], 0)):
        blocks = [*HowellForm(np.array([row], np.int16), states).blocks()]
        assert [len(block) for block in blocks] == ([4096] * full or [27])
        every = np.array([*itertools.product(range(states), repeat=len(row) - 1)])
        assert np.array_equal(np.concatenate(blocks), every[every @ row[:-1] % states == row[-1]])


RING = "press=1100001/wrap=horizontal/110100/001011/000000"  # a press meets itself around the edge


@pytest.mark.parametrize("text", ["press=king/wrap=torus/110/0_1/100", "100/000", "1_1/_10", RING])
def test_what_an_elimination_tells_of_each_light_is_stored(text: str) -> None:
    board, told, by_numbers = load(text), list[object](), list[object]()
    assert isinstance(board, LightsOut)
    system = BoardSystem(board, lambda *step: told.append(step))
    form = howell_form(board, lambda *step: by_numbers.append(step))
    assert form.count == (0 if system.contradictions else 1 << system.nullity)
    check(Path(__file__).with_name("steps.txt"), text, "\n".join(map(str, [*told, *by_numbers])))
