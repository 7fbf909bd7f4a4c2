"""The elimination of boards of any rules: nullities in print, and every part of the sweep against the rule checker."""

from __future__ import annotations

import random

import pytest
from crosslit_backends.lights_out.first_rows import coset

from crosslit import Grid, LightsOut, nullity
from crosslit.algebra.boards import BoardSystem
from crosslit.algebra.nullity import board_nullity
from crosslit.kinds.lights_out.rules import DIAGONAL, KING, PATTERNS, WRAPS, Wrap
from tests.conftest import all_grids, random_grid, random_rules

A165738 = [0, 0, 4, 0, 8, 8, 0, 0, 4, 16, 0, 16, 0, 0, 12, 0, 16, 8, 0, 32, 4, 0, 0, 32]


def test_nullities_on_the_torus() -> None:
    assert [nullity(size, size, wrap="torus") for size in range(1, 25)] == A165738


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


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 5), (4, 2)])
def test_all_solutions_of_all_boards_on_a_torus(rows: int, columns: int) -> None:
    for pattern in (KING, DIAGONAL):
        found: list[tuple[Grid, int]] = []  # every grid of presses solves just one board
        for lit in all_grids(rows, columns):
            board = LightsOut(lit, pattern, "torus")
            system = BoardSystem(board)
            presses = system.particular()
            solutions = [] if presses is None else list(coset(presses, system.kernel()))
            assert not any(list(board.violations(Grid.from_bits(rows, columns, bits))) for bits in solutions)
            found += [(lit, bits) for bits in solutions]
        assert len({bits for _, bits in found}) == len(found) == 1 << rows * columns


def test_a_large_board_of_another_pattern_has_no_nullity_at_once() -> None:
    assert board_nullity(LightsOut(Grid.from_bits(500, 500, 0), ((0, 0), (1, 1)))) is None
    assert board_nullity(LightsOut(Grid.from_bits(500, 500, 0))) == 0
