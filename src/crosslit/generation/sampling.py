"""What the families of puzzles by chance share: where their numbers come from, and how large they may be."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from crosslit.generation.random_puzzles import between, pick
from crosslit.puzzles import Puzzle

_TRIES = 8  # small shapes are drawn more often; where few are allowed, each of these is as likely


@dataclass(frozen=True)
class Chance:
    """A source of random numbers, and the sizes allowed.

    Args:
        rng: the source.
        longest: the most rows and columns.
        square: as many rows as columns.
        shapes: the rows and columns allowed; empty for any.
    """

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
        family: its name.
        make: a member, or None where the sizes allowed have none.
        solvable: whether every member has a solution (True), or none (False); None where that is by chance.
    """

    family: str
    make: Callable[[Chance], Puzzle | None]
    solvable: bool | None = None
