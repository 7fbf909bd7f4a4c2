"""Puzzles with a clue for every row and every column: nonograms of one colour and of several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, ClassVar, Self

from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract.puzzle import Puzzle, Symmetry

Clue = tuple[Any, ...]
"""The blocks of a line, in the form of the kind."""
Pairs = Sequence[tuple[int, int]]
LENGTHS = range(1, 10**9)
"""The lengths of blocks: in every format they have at most nine digits."""


class CluePuzzle(Puzzle):
    """A puzzle whose constraints are clues, the blocks of every row and every column."""

    __slots__ = ()

    row_clues: tuple[Clue, ...]
    column_clues: tuple[Clue, ...]

    constraints: ClassVar[str] = "clues"
    states = 2  # of a cell

    @staticmethod
    @abstractmethod
    def pairs(clue: Clue) -> Pairs:
        """Return the length and the colour, from 1, of each block."""

    @staticmethod
    @abstractmethod
    def blocks(lines: list[str]) -> tuple[Clue, ...]:
        """Return the blocks of each line of a picture."""

    @staticmethod
    @abstractmethod
    def resized(block: Any, length: int) -> Any:
        """Return a block of the same colour and another length."""

    @abstractmethod
    def with_clues(self, row_clues: Iterable[Clue], column_clues: Iterable[Clue]) -> Self:
        """Return a puzzle with other clues."""

    @classmethod
    def space(cls, clue: Clue) -> int:
        """Return the smallest number of cells of a line with this clue: a gap only between blocks of one colour.

        Examples:
            >>> from crosslit.kinds import Nonogram
            >>> Nonogram.space((2, 1))
            4
        """
        pairs = cls.pairs(clue)
        return sum(length for length, _ in pairs) + sum(one[1] == other[1] for one, other in pairwise(pairs))

    @classmethod
    def total(cls, clue: Clue) -> dict[int, int]:
        """Return the number of cells that a clue fills, by colour."""
        found: dict[int, int] = {}
        for length, colour in cls.pairs(clue):
            found[colour] = found.get(colour, 0) + length
        return found

    def _set(self, **values: object) -> None:
        """Set the fields of this frozen object, and its numbers of rows and columns."""
        for key, value in values.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "rows", len(self.row_clues))
        object.__setattr__(self, "columns", len(self.column_clues))
        if not self.row_clues or not self.column_clues:
            raise ValueError(f"a {self.label} has at least one row and one column")

    @property
    def layout(self) -> Layout:
        """The form of its solutions."""
        return Layout(self.rows, self.columns, self.states)

    def lines(self) -> list[tuple[Clue, range]]:
        """Return the clue and the cells of every line, rows before columns; cells count from 0 in row-major order."""
        cells, columns = range(self.rows * self.columns), self.columns
        lines = [cells[row * columns : (row + 1) * columns] for row in range(self.rows)]
        lines += [cells[column::columns] for column in range(columns)]
        return list(zip((*self.row_clues, *self.column_clues), lines, strict=True))

    def clues_text(self) -> str:
        """Return the clues: rows, ``|``, columns; lines separated by commas, blocks by blanks."""
        return "|".join(",".join(map(words, clues)) for clues in (self.row_clues, self.column_clues))

    def contradictions(self) -> Iterator[str]:
        """Yield the lines that are too short for their clue, then the sums of rows and columns if they differ.

        Yields:
            One line for each.

        Examples:
            >>> from crosslit import load
            >>> list(load("9,1|1,1").contradictions())
            ['row 1: 9 (needs 9 cells, the line has 2)', 'the rows need 10 cells, the columns 2']
        """
        for number, (clue, cells) in enumerate(self.lines()):
            if self.space(clue) > len(cells):
                yield self.constraint_words(number)
        for colour, (rows, columns) in self.sums_by_colour().items():
            if rows != columns:
                yield f"the rows need {rows} cells{self.colour_words(colour)}, the columns {columns}"

    def colour_words(self, colour: int) -> str:  # noqa: ARG002
        """Return a phrase for a colour, if there are several."""
        return ""

    def sums_by_colour(self) -> dict[int, tuple[int, int]]:
        """Return the numbers of cells that the rows and the columns need, by colour."""
        rows, columns = (self.total((*chain(*clues),)) for clues in (self.row_clues, self.column_clues))
        return {colour: (rows.get(colour, 0), columns.get(colour, 0)) for colour in sorted(rows | columns)}

    @property
    def is_refuted(self) -> bool:
        """True if rows and columns need different numbers of cells of a colour."""
        return any(rows != columns for rows, columns in self.sums_by_colour().values())

    @property
    def density(self) -> float | None:
        """The fraction of cells that the clues fill; None if rows and columns differ in it."""
        if self.is_refuted:
            return None
        return sum(rows for rows, _ in self.sums_by_colour().values()) / (self.rows * self.columns)

    @property
    def constraints_shape(self) -> tuple[int, int]:
        """One row, with a cell for each row of the puzzle and then each column."""
        return 1, self.rows + self.columns

    def constraint_words(self, number: int) -> str:
        """Return a description of a line and its clue.

        Args:
            number: index of the line, from 0; rows come first, then columns.

        Returns:
            A phrase such as "row 1: 2 1".

        Examples:
            >>> from crosslit import load
            >>> load("1|0,2").constraint_words(2)
            'column 2: 2 (needs 2 cells, the line has 1)'
        """
        clue, cells = self.lines()[number]
        name = f"row {number + 1}" if number < self.rows else f"column {number - self.rows + 1}"
        needed = self.space(clue)
        needs = f" (needs {needed} cells, the line has {len(cells)})" if needed > len(cells) else ""
        return f"{name}: {words(clue)}{needs}"

    def image(self, symmetry: Symmetry) -> Self:
        """Return the puzzle turned and mirrored."""
        rows, columns = symmetry.axes(self.row_clues, self.column_clues)
        if symmetry.flip:
            rows, columns = rows[::-1], tuple(clue[::-1] for clue in columns)
        if symmetry.mirror:
            rows, columns = tuple(clue[::-1] for clue in rows), columns[::-1]
        return self.with_clues(rows, columns)

    @classmethod
    def clues_of(cls, grid: Grid) -> tuple[tuple[Clue, ...], tuple[Clue, ...]]:
        """Return the row clues and the column clues of a picture."""
        lines = grid.lines()
        # A slice with a step cuts a column from the text of all rows, without a loop over cells.
        cells, columns = "".join(lines), len(lines[0])
        return cls.blocks(lines), cls.blocks([cells[column::columns] for column in range(columns)])

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each row and column whose blocks differ after filling ``grid``."""
        if (grid.rows, grid.columns, grid.states) != (self.rows, self.columns, self.states):
            states = f" with {self.states} states" if self.states > 2 else ""
            form = f"{self.rows} x {self.columns} {self.label}{states}"
            raise ValueError(f"a {grid.rows} x {grid.columns} grid for a {form}")
        rows, columns = self.clues_of(grid)
        for axis, drawn, clues in (("row", rows, self.row_clues), ("column", columns, self.column_clues)):
            # One comparison of whole tuples settles the usual case, a solution.
            if drawn == clues:
                continue
            for number, (blocks, clue) in enumerate(zip(drawn, clues, strict=True), 1):
                if blocks != clue:
                    yield f"{axis} {number} has blocks {words(blocks)}, its clue is {words(clue)}"


def words(clue: Clue) -> str:
    """Return a clue as text: ``2 1``, or ``0``."""
    return " ".join(map(str, clue)) or "0"
