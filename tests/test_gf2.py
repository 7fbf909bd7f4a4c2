"""Elimination against enumeration, polynomials against elimination, and nullities against published ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, LightsOut
from crosslit.gf2 import BoardSystem, LinearSystem, coset, first_row_system, nullity, solve_polynomially
from crosslit.gf2 import polynomials as poly
from tests.conftest import random_board, shapes
from tests.driving import solve_inline

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
A159257 += [0, 0, 0, 32, 0, 2, 0]

polynomials = st.integers(0, 2**40)


def dark(rows: int, columns: int) -> LightsOut:
    return LightsOut(Grid.from_bits(rows, columns, 0))


def test_nullity_of_square_boards_is_as_published() -> None:
    assert [nullity(size, size) for size in range(1, len(A159257) + 1)] == A159257


@pytest.mark.parametrize("shape", shapes(12))
def test_nullity_counts_the_quiet_patterns(shape: tuple[int, int]) -> None:
    board = dark(*shape)
    cells = shape[0] * shape[1]
    quiet = sum(not any(board.violations(Grid.from_bits(*shape, bits))) for bits in range(1 << cells))
    assert quiet == 1 << nullity(*shape)


@pytest.mark.parametrize("rows", range(1, 41))
def test_nullity_by_polynomials_is_that_of_elimination(rows: int) -> None:
    for columns in range(1, rows + 1):
        expected = first_row_system(rows, columns, 0).nullity
        assert nullity(rows, columns) == nullity(columns, rows) == expected
        if rows % 7 == 0:  # the full system too, on a sample: it takes longer
            assert BoardSystem(dark(rows, columns)).nullity == expected


@pytest.mark.parametrize(("rows", "columns"), [(0, 1), (1, 0), (-1, 3)])
def test_a_board_without_cells_has_no_nullity(rows: int, columns: int) -> None:
    with pytest.raises(ValueError, match="at least one row and one column"):
        nullity(rows, columns)


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
        first = system.particular()
        found = [] if first is None else list(coset(first, system.kernel()))
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert system.consistent == bool(expected)


def test_an_equation_may_begin_at_any_unknown() -> None:
    one, other = LinearSystem(5), LinearSystem(5)
    for equation, first in [(0b11, 3), (0b101, 1), (0b1, 4)]:
        one.add(equation, 1, first)
        other.add(equation << first, 1)
    assert one.particular() == other.particular()
    assert one.kernel() == other.kernel()


@given(polynomials, polynomials, polynomials)
def test_polynomials_are_a_ring(a: int, b: int, c: int) -> None:
    assert poly.multiply(a, b) == poly.multiply(b, a)
    assert poly.multiply(a, b ^ c) == poly.multiply(a, b) ^ poly.multiply(a, c)
    assert poly.square(a) == poly.multiply(a, a)


@given(polynomials, st.integers(1, 2**20))
def test_division_has_a_remainder_below_the_divisor(dividend: int, divisor: int) -> None:
    quotient, rest = poly.divide(dividend, divisor)
    assert poly.multiply(quotient, divisor) ^ rest == dividend
    assert poly.degree(rest) < poly.degree(divisor)
    assert poly.remainder(dividend, divisor) == rest


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        poly.divide(1, 0)


@given(polynomials, st.integers(1, 2**40))
def test_euclid_finds_a_common_divisor_and_how_to_reach_it(polynomial: int, modulus: int) -> None:
    common, factor = poly.euclid(polynomial, modulus)
    assert poly.divide(polynomial, common)[1] == poly.divide(modulus, common)[1] == 0
    assert poly.remainder(poly.multiply(factor, polynomial) ^ common, modulus) == 0


@pytest.mark.parametrize("variable", [0b10, 0b11])
def test_fibonacci_polynomials_follow_their_recurrence(variable: int) -> None:
    before, current = 1, variable
    modulus = 0b1000101011
    for index in range(2, 130):
        before, current = current, poly.multiply(variable, current) ^ before
        assert poly.fibonacci(index, variable) == current
        assert poly.fibonacci(index, variable, modulus) == poly.remainder(current, modulus)


@pytest.mark.parametrize("terms", [*range(1, 35), 63, 64, 65, 127, 128, 129, 300])
def test_the_change_of_basis_is_the_sum_of_fibonacci_polynomials(terms: int) -> None:
    rng = random.Random(terms)
    for _ in range(3):
        coefficients, expected = rng.getrandbits(terms), 0
        for index in range(terms):
            if coefficients >> index & 1:
                expected ^= poly.fibonacci(index)
        assert poly.to_powers(coefficients, terms) == expected
        assert poly.from_powers(expected, terms) == coefficients


def test_the_congruence_and_the_elimination_have_the_same_first_rows() -> None:
    rng = random.Random(8)
    for _ in range(200):
        rows, columns = rng.randint(1, 12), rng.randint(1, 8)
        residue = rng.getrandbits(columns)
        system = first_row_system(rows, columns, residue)
        first, kernel = solve_polynomially(rows, columns, residue)
        expected = system.particular()
        assert (first is None) == (expected is None)
        if first is not None and expected is not None:
            assert set(coset(first, kernel)) == set(coset(expected, system.kernel()))


def test_all_methods_agree_on_random_boards_up_to_60_by_60() -> None:
    rng = random.Random(9)
    for number in range(60):
        rows, columns = rng.randint(1, 60), rng.randint(1, 60)
        board = random_board(rng, rows, columns)
        if number % 2:  # a solvable one: what some presses light
            lit, presses = [[0] * columns for _ in range(rows)], random_board(rng, rows, columns).lit
            for r, c in presses.cells():
                for y, x in ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    if 0 <= y < rows and 0 <= x < columns:
                        lit[y][x] ^= 1
            board = LightsOut(Grid.from_cells(lit))
        if nullity(rows, columns) > 10:
            continue
        found = [set(solve_inline(method, board)) for method in ("polynomial", "chase", "gauss")]
        assert found[0] == found[1] == found[2]
        assert len(found[0]) in ((1 << nullity(rows, columns),) if number % 2 else (0, 1 << nullity(rows, columns)))
        for grid in list(found[0])[:3]:
            assert not any(board.violations(grid))


def test_the_first_of_very_many_solutions_comes_at_once() -> None:
    board = dark(639, 639)
    assert nullity(639, 639) == 512
    import crosslit

    solutions = crosslit.solutions(board, "polynomial")
    assert len({next(solutions) for _ in range(20)}) == 20
