"""Families of puzzles, random and complete.

Only ``random()`` of a random number generator is called: only that gives the same results in every version of Python.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from crosslit.base.grid import Grid

T = TypeVar("T")

MAX_SIDE = 4  # of shapes whose pictures are all enumerated
MAX_LISTED_CELLS = 12  # for every shape
_TRIES = 8  # small shapes are drawn more often; if few are allowed, each is equally likely


def seeded(kind: str, seed: int, number: int) -> random.Random:
    """Return the random number generator for puzzle ``number``; equal arguments give equal puzzles on every machine."""
    # A text as the seed is hashed by SHA-512, so neighbouring numbers give unrelated sequences, on every platform.
    return random.Random(f"generate {kind} {seed} {number}")


def between(rng: random.Random, first: int, last: int) -> int:
    """Return a random integer from ``first`` to ``last``, inclusive, each equally likely."""
    return first + int(rng.random() * (last - first + 1))


def happens(rng: random.Random, probability: float) -> bool:
    """Return True with a probability."""
    return rng.random() < probability


def pick(rng: random.Random, choices: Sequence[T]) -> T:
    """Return a random choice, each equally likely."""
    return choices[int(rng.random() * len(choices))]


def shuffled(rng: random.Random, items: Sequence[T]) -> list[T]:
    """Return the items in random order, each order equally likely."""
    left = list(items)
    return [left.pop(int(rng.random() * len(left))) for _ in items]


def random_grid(rng: random.Random, rows: int, columns: int, density: float = 0.5) -> Grid:
    """Return a grid whose cells are independently true with a probability."""
    chance = rng.random
    # One conversion of a text, instead of a shift of a growing integer for each cell, which is quadratic.
    cells = "".join(["1" if chance() < density else "0" for _ in range(rows * columns)])
    return Grid.from_bits(rows, columns, int(cells[::-1], 2))  # the first one is the lowest bit


@dataclass(frozen=True)
class Chance:
    """A source of random numbers, and the allowed sizes."""

    rng: random.Random
    max_side: int
    square: bool = False
    shapes: tuple[tuple[int, int], ...] = ()  # empty for all up to the maximum

    def side(self, shortest: int = 1, longest: int | None = None) -> int:
        """Return a number of rows or columns, small ones more often."""
        longest = self.max_side if longest is None else min(longest, self.max_side)
        # The exponent favours small sides, whose puzzles are quicker to judge and easier to read.
        return shortest + int((longest - shortest + 1) * self.rng.random() ** 1.5)

    def shape(self, shortest: int = 1, longest: int | None = None) -> tuple[int, int]:
        """Return rows and columns, drawn until they are allowed; after many draws, one of the allowed shapes."""
        for _ in range(_TRIES):
            rows = self.side(shortest, longest)
            shape = rows, rows if self.square else self.side(shortest, longest)
            if self.allows(*shape):
                return shape
        return pick(self.rng, self.shapes)

    def allows(self, rows: int, columns: int) -> bool:
        """Return whether the shape is allowed."""
        fits = max(rows, columns) <= self.max_side and (rows == columns or not self.square)
        return fits and (not self.shapes or (rows, columns) in self.shapes)

    def strip(self, width: int = 1) -> tuple[int, int]:
        """Return a shape of ``width`` rows and some columns, or the other way round."""
        width, length = min(width, self.max_side), between(self.rng, 1, self.max_side)
        return pick(self.rng, [(width, length), (length, width)])


@dataclass(frozen=True)
class RandomFamily:
    """A family of random puzzles."""

    name: str  # a description of its members
    make: Callable[[Chance], Any]  # returns a puzzle of it, or None if there is none of the allowed sizes
    solvable: bool | None = None  # whether every member has a solution (True), or none (False); None if that is random


Member = tuple[Any, frozenset[Grid]]  # a puzzle, whose class needs this file, and its solutions


@dataclass(frozen=True)
class CompleteFamily:
    """The families of a kind that are enumerated completely, of any shape."""

    words: str  # a description of their members, with ``{}`` for the shape
    size: Callable[[int, int], int]  # maximum number of members for rows and columns, 0 if it has none
    members: Callable[[int, int], Iterator[Member]]  # yields each puzzle with all its solutions, for rows and columns
    max_side: int = 0  # maximum number of rows and columns
    max_cells: int = 0  # maximum number of cells of a longer shape
    max_members: int | None = None
    solvable: bool = False  # whether these are the solvable puzzles only, for shapes with too many puzzles in all

    def has(self, rows: int, columns: int) -> bool:
        """Return whether there is a family of a shape."""
        is_small = max(rows, columns) <= self.max_side or rows * columns <= self.max_cells
        return is_small and (self.max_members is None or 0 < self.size(rows, columns) <= self.max_members)


@dataclass(frozen=True)
class Population:
    """Puzzles of a kind: families that are enumerated completely, random ones, and whether a puzzle belongs to them."""

    complete: Sequence[CompleteFamily]
    random: Sequence[RandomFamily]
    has: Callable[[Any], bool] = lambda _: True
