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
from crosslit_backends.lights_out.polynomial import solve_polynomially
from crosslit_generate.generate import nullity
from hypothesis import strategies as st

import crosslit
from crosslit import Grid, LightsOut, formats, load
from crosslit.algebra.boards import BoardSystem, LinearSystem
from crosslit.algebra.chase import chase, fibonacci, remainder, why_no_chase
from crosslit.algebra.howell import HowellForm, howell_form
from crosslit.algebra.nullity import board_nullity, nullity_by_factors
from crosslit.contract import Task
from crosslit.kinds.lights_out.rules import DIAGONAL, KING, NEIGHBOURS, PATTERNS, PLUS, WRAPS, Offset, Wrap
from crosslit.registry import all_backends
from tests.conftest import all_grids, random_grid, random_rules
from tests.driving import solve_inline
from tests.stored import check

# OEIS A159257, n = 1, 2, 3...
PUBLISHED = "0 0 0 4 2 0 0 0 8 0 6 0 0 4 0 8 2 0 16 0 0 0 14 4 0 0 0 0 10 20 0 20 16 4 6 0 0 0 32 0 2 0"
A159257 = list(map(int, PUBLISHED.split()))

polynomials = st.integers(0, 2**40)


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


@pytest.mark.parametrize(("width", "height", "states"), [(1, 2, 2), (3, 3, 512), (4, 4, 4096), (7, 11, 270016253)])
def test_the_number_of_solvable_boards_is_that_of_project_euler_707(width: int, height: int, states: int) -> None:
    assert pow(2, width * height - nullity(height, width), 1_000_000_007) == states


def test_the_nullity_of_another_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="usual patterns"):
        nullity_by_factors(3, 3, ((0, 1),), "none")


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS, KING, DIAGONAL])
@pytest.mark.parametrize("wrap", WRAPS)
def test_nullities_with_joined_edges_are_those_of_elimination(pattern: tuple[Offset, ...], wrap: Wrap) -> None:
    for rows, columns in [*itertools.product(range(1, 6), repeat=2), (6, 9), (12, 10)]:
        board = LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)
        assert nullity(rows, columns, pattern, wrap) == BoardSystem(board).nullity, (rows, columns)


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


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS])
def test_the_congruence_and_the_elimination_have_the_same_first_rows(pattern: tuple[Offset, ...]) -> None:
    rng = random.Random(8)
    for _ in range(200):
        rows, columns = rng.randint(1, 12), rng.randint(1, 8)
        board = LightsOut(random_grid(rng, rows, columns), pattern)
        stay = pattern == PLUS
        residue = chase(board.lit.row_bits(), 0, columns, stay)[1]
        first, kernel = solve_polynomially(rows, columns, residue, stay)
        system = BoardSystem(board)
        expected = system.particular()
        assert (first is None) == (expected is None)
        if first is not None and expected is not None:
            rows_found = set(coset(first, kernel))
            assert rows_found == {found & (1 << columns) - 1 for found in coset(expected, system.kernel())}
            degrees = {row: poly.to_powers(row, columns).bit_length() for row in rows_found}
            assert [row for row in rows_found if degrees[row] <= degrees[first]] == [first]


def lit_by(presses: Grid, pattern: tuple[Offset, ...]) -> LightsOut:
    """A solvable board: a dark one after the presses."""
    lit = [[0] * presses.columns for _ in range(presses.rows)]
    for row, column in presses.cells():
        for down, right in pattern:
            if 0 <= row + down < presses.rows and 0 <= column + right < presses.columns:
                lit[row + down][column + right] ^= 1
    return LightsOut(Grid.from_cells(lit), pattern)


def drawn_boards(part: int) -> Iterator[tuple[LightsOut, bool]]:
    """Fifty boards up to 60 x 60 of both rules; whether they are known to be solvable."""
    rng = random.Random(part)
    for number in range(50):
        rows, columns = (60, 60) if number < 2 else (rng.randint(1, 60), rng.randint(1, rng.choice([12, 60])))
        grid, pattern, solvable = random_grid(rng, rows, columns), (PLUS, NEIGHBOURS)[number % 2], number % 4 < 2
        yield lit_by(grid, pattern) if solvable else LightsOut(grid, pattern), solvable


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


@pytest.mark.parametrize("method", ["first-row", "polynomial"])
@pytest.mark.parametrize("text", ["press=king/11/11", "wrap=torus/111/111/111", "wrap=vertical/111/111/111", "1_/11"])
def test_other_rules_than_the_chase_is_for_are_refused(method: str, text: str) -> None:
    board = formats.read(text)
    assert isinstance(board, LightsOut)
    refusal = all_backends()[method].unsupported_reason(board, {})
    assert refusal is not None
    assert refusal == why_no_chase(board)


A165738 = [0, 0, 4, 0, 8, 8, 0, 0, 4, 16, 0, 16, 0, 0, 12, 0, 16, 8, 0, 32, 4, 0, 0, 32]


def test_nullities_on_the_torus() -> None:
    assert [crosslit.nullity(size, size, wrap="torus") for size in range(1, 25)] == A165738


def test_nullity_of_small_boards_of_random_rules() -> None:
    rng = random.Random(1)
    for _ in range(150):
        board = random_rules(rng, rng.randint(1, 3), rng.randint(1, 4))
        dark = LightsOut(Grid.from_bits(board.rows, board.columns, 0), board.pattern, board.wrap, board.missing)
        quiet = sum(1 for grid in all_grids(board.rows, board.columns) if not any(dark.violations(grid)))
        value = board_nullity(board)
        assert value is not None
        assert quiet == 1 << value, board.text


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("name", PATTERNS)
def test_particular_solutions_and_kernels_of_larger_boards(name: str, wrap: Wrap) -> None:
    rng = random.Random(2)
    for rows, columns in [(1, 40), (40, 1), (17, 30), (30, 17), (23, 23)]:
        missing = random_grid(rng, rows, columns, 0.05)
        dark = LightsOut(Grid.from_bits(rows, columns, 0), PATTERNS[name], wrap, missing)
        pressed = Grid.from_bits(rows, columns, rng.getrandbits(rows * columns) & ~missing.bits)
        lit = Grid.from_bits(rows, columns, sum(1 << r * columns + c for r, c in left_lit(dark, pressed)))
        board = LightsOut(lit, dark.pattern, wrap, missing)
        system = BoardSystem(board)
        presses, kernel = system.particular(), system.kernel()
        assert presses is not None
        assert not list(board.violations(Grid.from_bits(rows, columns, presses)))
        assert len(kernel) == system.nullity == len(set(kernel))
        for quiet in kernel:
            assert not list(dark.violations(Grid.from_bits(rows, columns, quiet)))


def left_lit(board: LightsOut, presses: Grid) -> list[tuple[int, int]]:
    """The cells that the rule checker says stay lit."""
    words = [violation.replace(",", "").split() for violation in board.violations(presses)]
    return [(int(word[1]) - 1, int(word[3]) - 1) for word in words]


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


@pytest.mark.parametrize(
    "text", ["101/011", "11/01/10/11", "press=king/wrap=torus/110/0_1/100", "100/000", "1_1/_10", RING]
)
def test_what_an_elimination_tells_of_each_light_is_stored(text: str) -> None:
    board, told, by_numbers = load(text), list[object](), list[object]()
    assert isinstance(board, LightsOut)
    system = BoardSystem(board, lambda *step: told.append(step))
    form = howell_form(board, lambda *step: by_numbers.append(step))
    assert form.count == (0 if system.contradictions else 1 << system.nullity)
    check(Path(__file__).with_name("steps.txt"), text, "\n".join(map(str, [*told, *by_numbers])))
