"""Nonograms and their rules: fill cells so that every line has the blocks of its clue."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import index
from typing import Any, ClassVar

from crosslit.errors import wrong_type
from crosslit.grid import Grid
from crosslit.kinds.puzzle import Puzzle
from crosslit.kinds.symmetry import Symmetry

Clue = tuple[int, ...]

_SHORT, _MAX_SHORT_LINES = 12, 1 << 13  # cells of a line, and how many such lines there are: their blocks are kept


@dataclass(frozen=True, slots=True)
class Nonogram(Puzzle):
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
        ValueError: if there are no rows or no columns, or a block is not a positive integer.

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
    constraints: ClassVar[str] = "clues"
    plural: ClassVar[str] = "nonograms"

    def __init__(
        self,
        row_clues: Iterable[Iterable[int]],
        column_clues: Iterable[Iterable[int]],
        name: str = "",
        credits: Iterable[tuple[str, str]] = (),  # noqa: A002  (the field's word)
    ) -> None:
        # lists are accepted but stored as tuples, so that a puzzle is hashable
        object.__setattr__(self, "row_clues", _clues("row", row_clues))
        object.__setattr__(self, "column_clues", _clues("column", column_clues))
        object.__setattr__(self, "rows", len(self.row_clues))
        object.__setattr__(self, "columns", len(self.column_clues))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "credits", tuple(credits))
        if not self.row_clues or not self.column_clues:
            raise ValueError("a nonogram has at least one row and one column")

    @property
    def text(self) -> str:
        """The canonical one-line form: rows, ``|``, columns; lines separated by commas, blocks by blanks."""
        return "|".join(
            ",".join(" ".join(map(str, clue)) or "0" for clue in clues) for clues in (self.row_clues, self.column_clues)
        )

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

    def contradictions(self) -> Iterator[str]:
        """Yield the lines that are too short for their clue, then the sums of rows and columns if they differ.

        Yields:
            One line for each.

        Examples:
            >>> list(Nonogram([[9], [1]], [[1], [1]]).contradictions())
            ['row 1: 9 (needs 9 cells, the line has 2)', 'the rows need 10 cells, the columns 2']
        """
        for number, clue in enumerate((*self.row_clues, *self.column_clues)):
            if sum(clue) + len(clue) - 1 > (self.columns if number < self.rows else self.rows):
                yield self.constraint_words(number)
        if self.is_refuted:
            rows, columns = self.sums
            yield f"the rows need {rows} cells, the columns {columns}"

    @property
    def measure(self) -> tuple[int, ...]:
        """Numbers of cells, of cells to fill, and of blocks; see `Puzzle.measure`."""
        return self.rows * self.columns, sum(self.sums), sum(map(len, (*self.row_clues, *self.column_clues)))

    @property
    def density(self) -> float | None:
        """The fraction of cells that the clues fill; None if rows and columns differ in it."""
        rows, columns = self.sums
        return rows / (self.rows * self.columns) if rows == columns else None

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
            >>> Nonogram([[1]], [[], [2]]).constraint_words(2)
            'column 2: 2 (needs 2 cells, the line has 1)'
        """
        if number < self.rows:
            name, clue, length = f"row {number + 1}", self.row_clues[number], self.columns
        else:
            number -= self.rows
            name, clue, length = f"column {number + 1}", self.column_clues[number], self.rows
        words = f"{name}: {_words(clue)}"
        needed = sum(clue) + len(clue) - 1
        return f"{words} (needs {needed} cells, the line has {length})" if needed > length else words

    def image(self, symmetry: Symmetry) -> Nonogram:
        """Return the nonogram turned and mirrored."""
        rows, columns = symmetry.axes(self.row_clues, self.column_clues)
        if symmetry.flip:
            rows, columns = rows[::-1], tuple(clue[::-1] for clue in columns)
        if symmetry.mirror:
            rows, columns = tuple(clue[::-1] for clue in rows), columns[::-1]
        return Nonogram(rows, columns, self.name)

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
        lines = grid.lines()
        return cls(_blocks(lines), _blocks(_columns(lines)), name)

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each row and column whose blocks differ after filling ``grid``."""
        if (grid.rows, grid.columns) != (self.rows, self.columns):
            raise ValueError(f"a {grid.rows} x {grid.columns} grid for a {self.rows} x {self.columns} nonogram")
        lines = grid.lines()
        for axis, drawn, clues in (
            ("row", _blocks(lines), self.row_clues),
            ("column", _blocks(_columns(lines)), self.column_clues),
        ):
            # One comparison of whole tuples settles the usual case, a solution.
            if drawn == clues:
                continue
            for number, (blocks, clue) in enumerate(zip(drawn, clues, strict=True), 1):
                if blocks != clue:
                    yield f"{axis} {number} has blocks {_words(blocks)}, its clue is {_words(clue)}"


def _clues(axis: str, clues: Iterable[Iterable[int]]) -> tuple[Clue, ...]:
    if type(clues) not in (tuple, list) and (isinstance(clues, str) or not isinstance(clues, Iterable)):
        raise wrong_type(f"a clue for each {axis}, such as [[2, 1], [3]]", clues)
    return tuple([_clue(axis, number, clue) for number, clue in enumerate(clues, 1)])


def _clue(axis: str, number: int, clue: Iterable[int]) -> Clue:
    if type(clue) is tuple:  # as it is kept, and as most clues come
        for block in clue:
            if type(block) is not int or block < 1:
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
        if blocks[-1] < 1 and given != (0,):
            raise ValueError(f"{axis} {number}: a block is a positive whole number, not {block!r}")
    return () if blocks == [0] else tuple(blocks)


def _columns(lines: list[str]) -> list[str]:
    # A slice with a step cuts a column from the text of all rows, without a loop over cells.
    cells, columns = "".join(lines), len(lines[0])
    return [cells[column::columns] for column in range(columns)]


def _blocks(lines: list[str]) -> tuple[Clue, ...]:
    return tuple(map(_short_blocks if len(lines[0]) <= _SHORT else _line_blocks, lines))


def _line_blocks(line: str) -> Clue:
    return tuple([len(block) for block in line.split("0") if block])


# The same few lines of small grids come again and again in verification: looking them up, and cutting columns from one
# text, nearly doubled the number of cases a second.
_short_blocks = functools.lru_cache(_MAX_SHORT_LINES)(_line_blocks)


def _words(clue: Clue) -> str:
    return " ".join(map(str, clue)) or "0"
