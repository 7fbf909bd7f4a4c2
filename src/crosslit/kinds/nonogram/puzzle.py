"""Nonograms and their rules: fill cells so that every line has the blocks of its clue."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import index
from typing import Any, ClassVar

from crosslit.base.errors import wrong_type
from crosslit.base.grid import Grid
from crosslit.kinds.clue_puzzle import LENGTHS, CluePuzzle, Pairs

Clue = tuple[int, ...]

_SHORT, _MAX_SHORT_LINES = 12, 1 << 13  # cells of a line, and how many such lines there are: their blocks are kept


@dataclass(frozen=True, slots=True, repr=False)
class Nonogram(CluePuzzle):
    """A nonogram: the lengths of the blocks of filled cells in every row (left to right) and column (top to bottom).

    A solution is the grid of filled cells, shape (number of row clues, number of column clues). Clues that contradict
    each other or do not fit their line are valid; such a puzzle has no solution.

    Args:
        row_clues: for each row its block lengths in order; an empty clue or ``(0,)`` means an empty line.
        column_clues: for each column its block lengths in order.
        name: title of the puzzle; not part of its identity.
        credits: facts about its origin from a file, such as ``("by", "a name")``; not part of its identity.

    Raises:
        TypeError: if the clues of an axis, or one clue, are not a sequence of numbers.
        ValueError: if there are no rows or no columns, or a block is not a positive integer below 10**9.

    See Also:
        load: nonograms from files and one-line forms.
        Nonogram.of: the nonogram that a picture solves.

    Examples:
        >>> puzzle = Nonogram([[1], [2]], [[2], [1]])
        >>> puzzle.text
        '1,2|2,1'
        >>> list(puzzle.violations(Grid.from_text("10/11")))
        []
        >>> list(puzzle.violations(Grid.from_text("01/11")))
        ['column 1 has blocks 1, its clue is 2', 'column 2 has blocks 2, its clue is 1']
    """

    row_clues: tuple[Clue, ...]
    column_clues: tuple[Clue, ...]
    name: str = field(default="", compare=False)
    credits: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    rows: int = field(init=False, repr=False, compare=False)
    columns: int = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "nonogram"
    label: ClassVar[str] = "nonogram"
    member: ClassVar[str] = "nonogram"
    plural: ClassVar[str] = "nonograms"

    def __init__(
        self,
        row_clues: Iterable[Iterable[int]],
        column_clues: Iterable[Iterable[int]],
        name: str = "",
        credits: Iterable[tuple[str, str]] = (),  # noqa: A002  (the field's word)
    ) -> None:
        # lists are accepted but stored as tuples, so that a puzzle is hashable
        clues = {"row_clues": _clues("row", row_clues), "column_clues": _clues("column", column_clues)}
        self._set(**clues, name=name, credits=tuple(credits))

    @property
    def text(self) -> str:
        """The canonical one-line form: rows, ``|``, columns; lines separated by commas, blocks by blanks."""
        return self.clues_text()

    @property
    def data(self) -> Mapping[str, Any]:
        """The clues."""
        return {"rows": self.row_clues, "columns": self.column_clues}

    @property
    def sums(self) -> tuple[int, int]:
        """Numbers of filled cells by the row clues and by the column clues."""
        return sum(map(sum, self.row_clues)), sum(map(sum, self.column_clues))

    @property
    def is_refuted(self) -> bool:
        """True if rows and columns need different numbers of filled cells."""
        rows, columns = self.sums
        return rows != columns

    @property
    def measure(self) -> tuple[int, ...]:
        """Numbers of cells, of cells to fill, and of blocks; see `Puzzle.measure`."""
        return self.rows * self.columns, sum(self.sums), sum(map(len, (*self.row_clues, *self.column_clues)))

    @staticmethod
    def pairs(clue: Clue) -> Pairs:
        """Return the length of each block, and 1 for the only colour."""
        return [(length, 1) for length in clue]

    @staticmethod
    def blocks(lines: list[str]) -> tuple[Clue, ...]:
        """Return the blocks of each line of a picture."""
        return tuple(map(_short_blocks if len(lines[0]) <= _SHORT else _line_blocks, lines))

    @staticmethod
    def resized(block: int, length: int) -> int:  # noqa: ARG004
        """Return a block of another length."""
        return length

    def with_clues(self, row_clues: Iterable[Clue], column_clues: Iterable[Clue]) -> Nonogram:
        """Return a nonogram with other clues and the same name."""
        return Nonogram(row_clues, column_clues, self.name)

    @classmethod
    def of(cls, grid: Grid, name: str = "") -> Nonogram:
        """Return the nonogram that ``grid`` solves (it may have other solutions too).

        Args:
            grid: the picture; true cells are filled.
            name: title of the puzzle.

        Returns:
            The nonogram, of which the picture is one solution.

        Examples:
            >>> Nonogram.of(Grid.from_text("101/010")).text
            '1 1,1|1,1,1'
        """
        return cls(*cls.clues_of(grid), name)


def _clues(axis: str, clues: Iterable[Iterable[int]]) -> tuple[Clue, ...]:
    if type(clues) not in (tuple, list) and (isinstance(clues, str) or not isinstance(clues, Iterable)):
        raise wrong_type(f"a clue for each {axis}, such as [[2, 1], [3]]", clues)
    return tuple([_clue(axis, number, clue) for number, clue in enumerate(clues, 1)])


def _clue(axis: str, number: int, clue: Iterable[int]) -> Clue:
    if type(clue) is tuple:  # as it is kept, and as most clues come
        for block in clue:
            if type(block) is not int or block not in LENGTHS:
                break
        else:
            return clue
    if isinstance(clue, str) or not isinstance(clue, Iterable):
        raise wrong_type(f"the clue of {axis} {number} as block lengths, such as [2, 1]", clue)
    blocks = []
    for block in (given := tuple(clue)):
        try:
            # True would pass as the number 1, and is a mistake here.
            blocks.append(0 if isinstance(block, bool) else index(block))  # numpy's integers are accepted
        except TypeError:
            blocks.append(0)
        if blocks[-1] not in LENGTHS and given != (0,):
            what = "a positive whole number of at most nine digits"
            raise ValueError(f"{axis} {number}: a block is {what}, not {block!r:.40}")
    return () if blocks == [0] else tuple(blocks)


def _line_blocks(line: str) -> Clue:
    return tuple([len(block) for block in line.split("0") if block])


# The same few lines of small grids come again and again in verification: looking them up, and cutting columns from one
# text, nearly doubled the number of cases a second.
_short_blocks = functools.lru_cache(_MAX_SHORT_LINES)(_line_blocks)
