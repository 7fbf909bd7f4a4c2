"""Families of puzzles that are enumerated completely, and the relations between puzzles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from crosslit.base.grid import Grid
from crosslit.contract.puzzle import Puzzle

MAX_SIDE = 4  # of shapes whose pictures are all enumerated
MAX_CELLS = 12  # for every shape
Member = tuple[Puzzle, frozenset[Grid]]


@dataclass(frozen=True)
class Sort:
    """The families of a kind, of any shape.

    Args:
        words: a description of their members, with ``{}`` for the shape.
        size: maximum number of members for rows and columns.
        members: yields each puzzle with all its solutions, for rows and columns.
        longest: maximum number of rows and columns.
        most_cells: maximum number of cells of a longer shape.
        most: maximum number of members.
        solvable: whether these are the solvable puzzles only, for shapes with too many puzzles in all.
    """

    words: str
    size: Callable[[int, int], int]
    members: Callable[[int, int], Iterator[Member]]
    longest: int = 0
    most_cells: int = 0
    most: int | None = None
    solvable: bool = False

    def has(self, rows: int, columns: int) -> bool:
        """Return whether there is a family of a shape."""
        small = max(rows, columns) <= self.longest or rows * columns <= self.most_cells
        return small and (self.most is None or self.size(rows, columns) <= self.most)


def to_grids(rows: int, columns: int, bits: Iterable[int]) -> frozenset[Grid]:
    """Return grids by their bits."""
    return frozenset(Grid.from_bits(rows, columns, each) for each in bits)


def count_grids(rows: int, columns: int) -> int:
    """Return the number of grids of a shape."""
    return 1 << rows * columns


@dataclass(frozen=True)
class Relation:
    """A changed puzzle, and the map of its solutions.

    Args:
        name: a description of the change.
        puzzle: the changed puzzle.
        carry: maps a solution of the original puzzle to one of the changed puzzle.
    """

    name: str
    puzzle: Puzzle
    carry: Callable[[Grid], Grid]
