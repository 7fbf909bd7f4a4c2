"""Families of random Lights Out boards."""

from __future__ import annotations

import random
from collections.abc import Callable

from crosslit.base.grid import Grid
from crosslit.contract.family import Chance, Maker, between, pick, random_grid, shuffled
from crosslit.kinds.lights_out.invariant_factors import nullity_by_factors
from crosslit.kinds.lights_out.nullity import solution_space
from crosslit.kinds.lights_out.puzzle import PATTERNS, PLUS, WRAPS, LightsOut, Offset

_TRIES = 100  # attempts to draw a shape with positive nullity: about every third has one
_MAX_QUIET = 10  # dimensions of the kernel of a solvable board: 1024 solutions
_REACH = [(down, right) for down in range(-2, 3) for right in range(-3, 4)]
_LARGE = 9  # sizes at which solvers may reach a first limit: rows in a byte, or 8 x 8 cells in a word


def random_board(
    rng: random.Random, rows: int, columns: int, density: float = 0.5, *, solvable: bool = False
) -> LightsOut:
    """Return a board whose cells are lit with a probability, or pressed if it must be solvable."""
    grid = random_grid(rng, rows, columns, density)
    return LightsOut(Grid.from_bits(rows, columns, 0)).pressed(grid) if solvable else LightsOut(grid)


def random_rules(rng: random.Random, rows: int, columns: int) -> LightsOut:
    """Return a board with a random press pattern, random edges and random missing cells."""
    patterns: list[tuple[Offset, ...]] = [*PATTERNS.values(), tuple(shuffled(rng, _REACH)[: between(rng, 1, 6)])]
    pattern = pick(rng, patterns)
    missing = random_grid(rng, rows, columns, pick(rng, [0.0, 0.1, 0.3]))
    lit = Grid.from_bits(rows, columns, random_grid(rng, rows, columns).bits & ~missing.bits)
    return LightsOut(lit, pattern, pick(rng, WRAPS), missing)


def _random(chance: Chance, densities: tuple[float, ...], solvable: bool) -> LightsOut:
    return random_board(chance.rng, *chance.shape(), pick(chance.rng, densities), solvable=solvable)


def _few_presses(chance: Chance) -> LightsOut:
    rows, columns = chance.shape()
    presses = 0
    for _ in range(between(chance.rng, 1, 4)):
        presses |= 1 << between(chance.rng, 0, rows * columns - 1)
    return _dark(rows, columns).pressed(Grid.from_bits(rows, columns, presses))


def _quiet_shape(chance: Chance) -> tuple[int, int] | None:
    """Return a shape with positive nullity, avoiding the smallest if possible."""
    for _ in range(_TRIES):
        rows, columns = chance.shape()
        if nullity_by_factors(rows, columns, PLUS, "none"):
            return rows, columns
    return None


def _quiet(chance: Chance, solvable: bool) -> LightsOut | None:
    shape = _quiet_shape(chance)
    return shape and (random_board(chance.rng, *shape, solvable=True) if solvable else _spoiled(chance, *shape))


def _spoiled(chance: Chance, rows: int, columns: int) -> LightsOut:
    """Return a solvable board with one light changed, which is unsolvable.

    A board is solvable if and only if it has an even number of lights in each quiet pattern (the system is symmetric).
    Changing one light of a quiet pattern makes that number odd.
    """
    # The kernel depends on the size only, so that of the dark board serves for every board.
    _, kernel = solution_space(_dark(rows, columns))
    cell = pick(chance.rng, list(Grid.from_bits(rows, columns, pick(chance.rng, kernel)).cells()))
    lit = random_board(chance.rng, rows, columns, solvable=True).lit.bits
    return LightsOut(Grid.from_bits(rows, columns, lit ^ 1 << cell[0] * columns + cell[1]))


def _strip(chance: Chance) -> LightsOut | None:
    if chance.square:
        return None
    rows, columns = chance.strip(pick(chance.rng, (1, 1, 2, 3)))
    return random_board(chance.rng, rows, columns, solvable=chance.rng.random() < 0.5)


# Whether a cell is lit, by row, column and shape.
_PATTERNS: tuple[Callable[[int, int, int, int], bool], ...] = (
    lambda _row, _column, _rows, _columns: True,
    lambda _row, _column, _rows, _columns: False,
    lambda row, column, _rows, _columns: (row + column) % 2 == 0,
    lambda row, _column, _rows, _columns: row % 2 == 0,
    lambda _row, column, _rows, _columns: column % 2 == 0,
    lambda row, column, rows, columns: row in (0, rows - 1) or column in (0, columns - 1),
    lambda row, column, rows, columns: row == rows // 2 or column == columns // 2,
    lambda row, column, _rows, _columns: row == column,
    lambda row, column, _rows, _columns: row == column == 0,
    lambda row, column, rows, columns: (row, column) == (rows // 2, columns // 2),
    lambda row, column, rows, columns: row in (0, rows - 1) and column in (0, columns - 1),
)


def _pattern(chance: Chance) -> LightsOut:
    rows, columns = chance.shape()
    lit = pick(chance.rng, _PATTERNS)
    cells = ((row, column) for row in range(rows) for column in range(columns) if lit(row, column, rows, columns))
    return LightsOut(Grid.from_bits(rows, columns, sum(1 << row * columns + column for row, column in cells)))


def _large(chance: Chance) -> LightsOut | None:
    """Return a board of at least 9 x 9, often square; half of them solvable, unless that gives too many solutions."""
    if chance.longest < _LARGE:
        return None
    rng = chance.rng
    rows = between(rng, _LARGE, chance.longest)
    columns = rows if chance.square or rng.random() < 0.6 else between(rng, _LARGE, chance.longest)
    quiet = nullity_by_factors(rows, columns, PLUS, "none")
    # Large solvable boards of high nullity have too many solutions to know all, so one is made unsolvable instead.
    if quiet > _MAX_QUIET or (quiet and rng.random() < 0.4):
        return _spoiled(chance, rows, columns)
    return random_board(rng, rows, columns, solvable=rng.random() < 0.7)


def _dark(rows: int, columns: int) -> LightsOut:
    return LightsOut(Grid.from_bits(rows, columns, 0))


MAKERS = (
    Maker("planted presses", lambda chance: _random(chance, (0.3, 0.5, 0.7), True), True),
    Maker("random lights", lambda chance: _random(chance, (0.1, 0.5, 0.5, 0.9), False)),
    Maker("nullity above 0, solvable", lambda chance: _quiet(chance, True), True),
    Maker("nullity above 0, one light off", lambda chance: _quiet(chance, False), False),
    Maker("9 x 9 and larger", _large),
    Maker("strip", _strip),
    Maker("few presses", _few_presses, True),
    Maker("pattern of lights", _pattern),
)


def makers() -> tuple[Maker, ...]:
    """Return the families of random boards."""
    return MAKERS
