"""Nonograms and their rules: fill cells so that every line has the blocks of its clue."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Self

from crosslit.base.errors import wrong_type
from crosslit.base.grid import DIGITS, Cells, Grid, Layout
from crosslit.base.text import format_count
from crosslit.contract.puzzle import Puzzle, Symmetry, function_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

Clue = tuple[Any, ...]
"""The blocks of a line: their lengths, or in a `ColouredNonogram` pairs of a length and a colour."""
Clues = tuple[Clue, ...]
Pairs = Sequence[tuple[int, int]]
LENGTHS = range(1, 10**9)
"""The lengths of blocks: in every format they have at most nine digits."""

_HOME = "crosslit.kinds.nonogram"
_MAX_TABLE = 1 << 14  # lines of a length; where there are more, a table of them takes too long


@dataclass(frozen=True, slots=True, repr=False)
class Nonogram(Puzzle):
    """A nonogram: the lengths of the blocks of filled cells in every row (left to right) and column (top to bottom).

    A solution is the grid of filled cells, shape (number of row clues, number of column clues). Clues that contradict
    each other or do not fit their line are valid; such a puzzle has no solution.

    Args:
        row_clues: for each row its block lengths in order; an empty clue or ``(0,)`` means an empty line.
        column_clues: for each column its block lengths in order.
        name: title of the puzzle; not part of its identity.

    Raises:
        TypeError: if the clues of an axis, or one clue, are not a sequence of numbers.
        ValueError: if there are no rows or no columns, or a block is not a positive integer below 10**9.

    Attributes:
        palette: the background and the colours of a `ColouredNonogram`, whose cells have more states; otherwise empty.

    Examples:
        >>> puzzle = Nonogram([[1], [2]], [[2], [1]])
        >>> puzzle.text
        '1,2|2,1'
        >>> list(puzzle.violations(Grid.from_text("10/11")))
        []
        >>> list(puzzle.violations(Grid.from_text("01/11")))
        ['column 1 has blocks 1, its clue is 2', 'column 2 has blocks 2, its clue is 1']
    """

    row_clues: Clues
    column_clues: Clues
    name: str = field(default="", compare=False)
    palette: tuple[tuple[str, str], ...] = field(default=(), init=False)
    rows: int = field(init=False, repr=False, compare=False)
    columns: int = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "nonogram"
    label: ClassVar[str] = "nonogram"
    member: ClassVar[str] = "nonogram"
    plural: ClassVar[str] = "nonograms"
    constraints: ClassVar[str] = "clues"
    file_format: ClassVar[str] = "non"
    data_keys: ClassVar[tuple[str, ...]] = ("rows", "columns")
    _example: ClassVar[str] = "[2, 1]"  # of a clue, for messages
    _block_words: ClassVar[str] = "a positive whole number of at most nine digits"
    certificates: ClassVar[Mapping[str, Any]] = {"nonogram-sums": function_at(f"{_HOME}.certificates:check_sums")}
    samples = staticmethod(function_at(f"{_HOME}.samples:samples"))
    population = staticmethod(function_at(f"{_HOME}.samples:population"))
    smaller = function_at(f"{_HOME}.reduction:smaller")
    exchanged = function_at(f"{_HOME}.reduction:exchanged")
    parse = staticmethod(function_at(f"{_HOME}.text:parse"))
    read_data: ClassVar[Any] = classmethod(function_at(f"{_HOME}.text:read_data"))
    all_solutions = function_at(f"{_HOME}.samples:all_solutions")
    most_solutions = property(function_at(f"{_HOME}.text:most_possible"))
    frame = function_at(f"{_HOME}.picture:frame")
    scene = function_at(f"{_HOME}.picture:scene")

    def __init__(
        self,
        row_clues: Iterable[Iterable[int]],
        column_clues: Iterable[Iterable[int]] = (),
        name: str = "",
    ) -> None:
        self._set(self._clues("row", row_clues), self._clues("column", column_clues), name)

    @classmethod
    def _clues(cls, axis: str, clues: Iterable[Iterable[Any]]) -> Clues:
        """Return the clues of an axis, checked; as tuples, so that a puzzle is hashable."""
        if isinstance(clues, str) or not isinstance(clues, Iterable):
            raise wrong_type(f"a clue for each {axis}, such as [{cls._example}]; crosslit.load reads text", clues)
        return tuple([cls._clue(axis, number, clue) for number, clue in enumerate(clues, 1)])

    @classmethod
    def _clue(cls, axis: str, number: int, clue: Iterable[Any]) -> Clue:
        if type(clue) in (tuple, list):  # as most clues come
            if cls._block is Nonogram._block and all(type(block) is int and block in LENGTHS for block in clue):
                return tuple(clue)
        elif isinstance(clue, str | bytes | dict) or not isinstance(clue, Iterable):
            raise wrong_type(f"the clue of {axis} {number} as a list of blocks, such as {cls._example}", clue)
        given = tuple(clue)
        blocks = tuple(map(cls._block, given))
        if all(blocks):
            return blocks
        if blocks == (0,):
            return ()
        wrong = given[next(place for place, block in enumerate(blocks) if not block)]
        raise ValueError(f"{axis} {number}: a block is {cls._block_words}, not {wrong!r:.40}")

    @staticmethod
    def _block(given: Any) -> Any:
        """Return a block, or 0 for an empty clue; None if it is neither."""
        length = whole_number(given)
        return length if length == 0 or length in LENGTHS else None

    def _set(self, row_clues: Clues, column_clues: Clues, name: str, palette: tuple[tuple[str, str], ...] = ()) -> None:
        """Set the fields of this frozen object, and its numbers of rows and columns."""
        if not row_clues or not column_clues:
            raise ValueError(f"a {self.label} has at least one row and one column")
        if not isinstance(name, str):
            raise wrong_type("a title as text", name)
        names = ("row_clues", "column_clues", "name", "palette", "rows", "columns")
        values = (row_clues, column_clues, name, palette, len(row_clues), len(column_clues))
        for field_name, value in zip(names, values, strict=True):
            object.__setattr__(self, field_name, value)

    @property
    def states(self) -> int:
        """The number of states of a cell: one for each colour, and 0 for an empty cell."""
        return len(self.palette) or 2

    @property
    def colours(self) -> int:
        """Number of colours, without the background."""
        return self.states - 1

    @property
    def layout(self) -> Layout:
        """The form of its solutions."""
        return Layout(self.rows, self.columns, self.states)

    @property
    def text(self) -> str:
        """The canonical one-line form: rows, ``|``, columns; lines separated by commas, blocks by blanks."""
        return "|".join(",".join(map(words, clues)) for clues in (self.row_clues, self.column_clues))

    @property
    def data(self) -> Mapping[str, Any]:
        """The clues, in several colours as pairs and with the palette."""
        palette = {"palette": self.palette} if self.palette else {}
        return {**palette, "rows": self.row_clues, "columns": self.column_clues}

    @property
    def measure(self) -> tuple[int, ...]:
        """Numbers of cells, of colours, of cells to fill, and of blocks; see `Puzzle.measure`."""
        clues = (*self.row_clues, *self.column_clues)
        filled = sum(length for clue in clues for length, _ in self.pairs(clue))
        return self.rows * self.columns, self.colours, filled, sum(map(len, clues))

    @property
    def sums(self) -> tuple[int, int]:
        """Numbers of filled cells by the row clues and by the column clues."""
        return sum(map(sum, self.row_clues)), sum(map(sum, self.column_clues))

    @property
    def is_refuted(self) -> bool:
        """True if rows and columns need different numbers of cells of a colour."""
        return any(rows != columns for rows, columns in self.sums_by_colour().values())

    @staticmethod
    def pairs(clue: Clue) -> Pairs:
        """Return the length and the colour, from 1, of each block."""
        return [(length, 1) for length in clue]

    @staticmethod
    def blocks(lines: list[str]) -> Clues:
        """Return the blocks of each line of a picture, given as digits."""
        return tuple(map(_line_blocks, lines))

    @staticmethod
    def resized(block: Any, length: int) -> Any:  # noqa: ARG004
        """Return a block of the same colour and another length."""
        return length

    def with_clues(self, row_clues: Iterable[Clue], column_clues: Iterable[Clue]) -> Self:
        """Return a nonogram with other clues, and the same palette and name."""
        return type(self)(row_clues, column_clues, self.name)

    @classmethod
    def of(cls, grid: Grid | Cells, name: str = "") -> Self:
        """Return the nonogram that a picture solves (it may have other solutions too), also given as rows or an array.

        Examples:
            >>> Nonogram.of(Grid.from_text("101/010")).text
            '1 1,1|1,1,1'
        """
        return cls(*cls.clues_of(grid if isinstance(grid, Grid) and grid.states == 2 else Grid.from_cells(grid)), name)

    @classmethod
    def space(cls, clue: Clue) -> int:
        """Return the smallest number of cells of a line with this clue: a gap only between blocks of one colour."""
        blocks = cls.pairs(clue)
        return sum(length for length, _ in blocks) + sum(one[1] == other[1] for one, other in pairwise(blocks))

    @classmethod
    def total(cls, clue: Clue) -> dict[int, int]:
        """Return the number of cells that a clue fills, by colour."""
        found: dict[int, int] = {}
        for length, colour in cls.pairs(clue):
            found[colour] = found.get(colour, 0) + length
        return found

    def lines(self) -> list[tuple[Clue, range]]:
        """Return the clue and the cells of every line, rows before columns; cells count from 0 in row-major order."""
        cells, columns = range(self.rows * self.columns), self.columns
        lines = [cells[row * columns : (row + 1) * columns] for row in range(self.rows)]
        lines += [cells[column::columns] for column in range(columns)]
        return list(zip((*self.row_clues, *self.column_clues), lines, strict=True))

    def contradictions(self) -> Iterator[str]:
        """Yield the lines that are too short for their clue, then the sums of rows and columns if they differ.

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
                yield f"the rows need {format_count(rows, 'cell')}{self.colour_words(colour)}, the columns {columns}"

    def colour_words(self, colour: int) -> str:  # noqa: ARG002
        """Return a phrase for a colour, if there are several."""
        return ""

    def sums_by_colour(self) -> dict[int, tuple[int, int]]:
        """Return the numbers of cells that the rows and the columns need, by colour."""
        rows, columns = (self.total((*chain(*clues),)) for clues in (self.row_clues, self.column_clues))
        return {colour: (rows.get(colour, 0), columns.get(colour, 0)) for colour in sorted(rows | columns)}

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
        """Return a description of a line, by its index from 0, rows first, and of its clue.

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
    def clues_of(cls, grid: Grid) -> tuple[Clues, Clues]:
        """Return the row clues and the column clues of a picture."""
        lines = grid.lines()
        # A slice with a step cuts a column from the text of all rows, without a loop over cells.
        cells, columns = "".join(lines), len(lines[0])
        return cls.blocks(lines), cls.blocks([cells[column::columns] for column in range(columns)])

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each row and column whose blocks differ after filling ``grid``."""
        self.layout.require_grid(grid, self.member)
        rows, columns = self.clues_of(grid)
        for axis, drawn, clues in (("row", rows, self.row_clues), ("column", columns, self.column_clues)):
            # One comparison of whole tuples settles the usual case, a solution.
            if drawn == clues:
                continue
            for number, (blocks, clue) in enumerate(zip(drawn, clues, strict=True), 1):
                if blocks != clue:
                    yield f"{axis} {number} has blocks {words(blocks)}, its clue is {words(clue)}"

    def all_right(self, packed: bytes) -> bool:
        """Return whether every grid of a batch in packed form has the blocks of all clues."""
        if self.states != 2 and self.states ** max(self.shape) > _MAX_TABLE:
            return Puzzle.all_right(self, packed)
        cells = self.layout.unpack(packed)
        cells = cells.reshape(len(cells), self.rows, self.columns)
        columns = cells.transpose(0, 2, 1)
        return _fit(self, cells, self.row_clues) and _fit(self, columns, self.column_clues)


def words(clue: Clue) -> str:
    """Return a clue as text: ``2 1``, or ``0``."""
    return " ".join(map(str, clue)) or "0"


def whole_number(given: object) -> int:
    """Return a whole number, also of numpy; -1 for anything else, and for True, which is a mistake in a clue."""
    try:
        return -1 if isinstance(given, bool) else index(given)  # type: ignore[arg-type]  # or else a TypeError
    except TypeError:
        return -1


# The same few lines of small grids come again and again in verification: looking them up, and cutting columns from one
# text, nearly doubled the number of cases a second.
@functools.lru_cache(1 << 13)
def _line_blocks(line: str) -> Clue:
    return tuple([len(block) for block in line.split("0") if block])


@functools.cache
def lines_by_clue(kind: type[Nonogram], length: int, states: int = 2) -> dict[Clue, list[str]]:
    """Return every line of a length, as text, by its clue."""
    lines: dict[Clue, list[str]] = {}
    for line in map("".join, product(DIGITS[:states], repeat=length)):
        lines.setdefault(kind.blocks([line])[0], []).append(line)
    return lines


def _fit(puzzle: Nonogram, cells: NDArray[Any], clues: Clues) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues."""
    import numpy as np

    length, states = cells.shape[2], puzzle.states
    if states**length > _MAX_TABLE:
        return _have_blocks(cells, [length for clue in clues for length, _ in puzzle.pairs(clue)], clues)
    numbers = np.einsum("ijk,k->ij", cells, (states ** np.arange(length)).astype(np.uint16))
    tables = (_table(type(puzzle), clue, length, states) for clue in clues)
    return all(table[numbers[:, line]].all() for line, table in enumerate(tables))


@functools.lru_cache(256)
def _table(kind: type[Nonogram], clue: Clue, length: int, states: int) -> Any:
    """Return whether each line, as a number whose lowest digit is the first cell, has the blocks of a clue."""
    import numpy as np

    table = np.zeros(states**length, bool)
    table[[int(line[::-1], states) for line in lines_by_clue(kind, length, states).get(clue, ())]] = True
    return table


def _have_blocks(cells: NDArray[Any], lengths: list[int], clues: Clues) -> bool:
    """Return whether the lines of grids of one colour have the blocks of the clues, of these lengths.

    A change of value starts a block, and the next one ends it: if every line has two changes per block, the changes of
    all lines in sequence are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    # An empty cell at both ends, so that blocks at the edges begin and end with a change too.
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    # Every line has an even number of changes here, so they pair up across the ends of lines.
    places = np.flatnonzero(changes)
    return bool(((places[1::2] - places[::2]).reshape(grids, len(lengths)) == np.array(lengths, np.int64)).all())
