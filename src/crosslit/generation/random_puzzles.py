"""Grids and puzzles by chance, from a source of random numbers that the caller seeds.

Only ``random()`` of the source is used, which alone is promised to give the same numbers in every version of Python.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.puzzles.lights_out import PATTERNS, WRAPS, Offset

T = TypeVar("T")

_TRIES = 8  # small shapes are drawn more often; where few are allowed, each of these is as likely
_REACH = [(down, right) for down in range(-2, 3) for right in range(-3, 4)]


def seeded(kind: str, seed: int, number: int) -> random.Random:
    """Where the numbers of a puzzle made to order come from, so that equal seeds give equal puzzles everywhere.

    Examples:
        >>> random_grid(seeded("nonogram", 7, 1), 2, 4).text()
        '1100/1100'
    """
    return random.Random(f"generate {kind} {seed} {number}")


def between(rng: random.Random, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``, both included, each equally likely."""
    return least + int(rng.random() * (most - least + 1))


def pick(rng: random.Random, choices: Sequence[T]) -> T:
    """One of the choices, each equally likely."""
    return choices[int(rng.random() * len(choices))]


def shuffled(rng: random.Random, items: Sequence[T]) -> list[T]:
    """The items in an order by chance, each order equally likely."""
    left = list(items)
    return [left.pop(int(rng.random() * len(left))) for _ in items]


def random_grid(rng: random.Random, rows: int, columns: int, density: float = 0.5) -> Grid:
    """A grid whose cells are true with a probability, each on its own.

    Examples:
        >>> random_grid(random.Random(1), 2, 8).text()
        '10011100/11010110'
    """
    chance = rng.random
    cells = ["1" if chance() < density else "0" for _ in range(rows * columns)]
    cells.reverse()  # the first one is the lowest bit
    return Grid.from_bits(rows, columns, int("".join(cells), 2))


def random_board(
    rng: random.Random, rows: int, columns: int, density: float = 0.5, *, solvable: bool = False
) -> LightsOut:
    """A Lights Out board whose cells are lit with a probability; or pressed, if it is to be solvable for certain.

    Examples:
        >>> random_board(random.Random(1), 2, 4).text
        '1001/1100'
        >>> random_board(random.Random(1), 2, 4, solvable=True).text
        '0011/1011'
    """
    grid = random_grid(rng, rows, columns, density)
    return LightsOut(Grid.from_bits(rows, columns, 0)).pressed(grid) if solvable else LightsOut(grid)


def random_nonogram(rng: random.Random, rows: int, columns: int, density: float = 0.5) -> Nonogram:
    """The nonogram of a picture by chance: it has that solution, and maybe others.

    Examples:
        >>> random_nonogram(random.Random(1), 2, 4).text
        '1 1,2|2,1,0,1'
    """
    return Nonogram.of(random_grid(rng, rows, columns, density))


def pigeonhole(columns: int, *, empty: bool = False) -> Nonogram:
    """A nonogram whose clues are all 1, with one row too many for its columns: it has no solution.

    Who adds up the clues sees that at once. Resolution needs exponentially many steps for it (Haken 1985), and so does
    a solver that learns clauses. With ``empty``, a further column without a block makes the picture square.

    Raises:
        ValueError: if there is no column.

    Examples:
        >>> pigeonhole(2).text
        '1,1,1|1,1'
    """
    return Nonogram([(1,)] * (columns + 1), [(1,)] * columns + [()] * empty)


def random_rules(rng: random.Random, rows: int, columns: int) -> LightsOut:
    """A board whose press pattern, edges and missing cells are by chance too."""
    patterns: list[tuple[Offset, ...]] = [*PATTERNS.values(), tuple(shuffled(rng, _REACH)[: between(rng, 1, 6)])]
    pattern = pick(rng, patterns)
    missing = random_grid(rng, rows, columns, pick(rng, [0.0, 0.1, 0.3]))
    lit = Grid.from_bits(rows, columns, random_grid(rng, rows, columns).bits & ~missing.bits)
    return LightsOut(lit, pattern, pick(rng, WRAPS), missing)


@dataclass(frozen=True)
class Chance:
    """A source of random numbers, and the sizes allowed; of no ``shapes``, all up to the longest are."""

    rng: random.Random
    longest: int
    square: bool = False
    shapes: tuple[tuple[int, int], ...] = ()

    def side(self, least: int = 1, most: int | None = None) -> int:
        """A number of rows or columns, small ones more often."""
        most = self.longest if most is None else min(most, self.longest)
        return least + int((most - least + 1) * self.rng.random() ** 1.5)

    def shape(self, least: int = 1, most: int | None = None) -> tuple[int, int]:
        """Rows and columns, of the shapes allowed if one of them is drawn soon, else any of these."""
        for _ in range(_TRIES):
            rows = self.side(least, most)
            shape = rows, rows if self.square else self.side(least, most)
            if self.allows(*shape):
                return shape
        return pick(self.rng, self.shapes)

    def allows(self, rows: int, columns: int) -> bool:
        """Return whether the shape is allowed."""
        return not self.shapes or (rows, columns) in self.shapes

    def strip(self, width: int = 1) -> tuple[int, int]:
        """So many rows and some columns, or the other way round."""
        width, length = min(width, self.longest), between(self.rng, 1, self.longest)
        return pick(self.rng, [(width, length), (length, width)])


@dataclass(frozen=True)
class Maker:
    """A family of puzzles by chance.

    Args:
        make: a member, or None where the sizes allowed have none.
        solvable: whether every member has a solution (True), or none (False); None where that is by chance.
    """

    family: str
    make: Callable[[Chance], Puzzle | None]
    solvable: bool | None = None
