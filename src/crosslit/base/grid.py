"""Grids of cells with two states or more, packed into bytes: boards, and solutions of puzzles."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crosslit.base import display
from crosslit.base.errors import wrong_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The states of a cell in text."""

_DIGIT = dict(enumerate(DIGITS))  # True and 1.0 are the key 1 too
_VALUE = {digit: value for value, digit in enumerate(DIGITS)}
_MAX_SHOWN = 64  # maximum cells that a representation shows


class ArrayLike(Protocol):
    """An array of NumPy, a data frame of pandas, or a `Grid`."""

    def __array__(self) -> NDArray[Any]: ...


Cells = Iterable[Iterable[Any]] | ArrayLike
"""Numbers or truth values, row by row."""


class Drawable:
    """A grid or a puzzle: `print` draws it as text, and a notebook shows it as SVG."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(display.picture(self))

    def _repr_svg_(self) -> str | None:
        svg: str | None = display.picture(self)._repr_svg_()
        return svg


@dataclass(frozen=True, slots=True, repr=False)
class Grid(Drawable):
    """A grid of cells with the values 0 to ``states`` - 1, immutable and hashable by content.

    Cells are stored in row-major order, the first in the lowest bits: with two states one bit each, like
    ``numpy.packbits(..., bitorder="little")``, with more ceil(log2 states) bits each. A true cell is one that is not 0.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        packed: the cells; bits after the last cell are 0.
        states: the number of states of a cell, from 2 to 36.

    Raises:
        ValueError: if a number is out of range, or ``packed`` does not match.

    Examples:
        >>> grid = Grid.from_text("010/111")
        >>> grid.rows, grid.columns, grid[1, 0], grid.count()
        (2, 3, True, 4)
        >>> grid.array().tolist()
        [[False, True, False], [True, True, True]]
        >>> grid
        Grid.from_text('010/111')
        >>> print(grid)
        . ##.
        ######
        >>> Grid.from_text("02/10", states=3).array().tolist()
        [[0, 2], [1, 0]]
    """

    rows: int
    columns: int
    packed: bytes
    states: int = 2

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"a grid has at least one row and one column, not {self.rows} x {self.columns}")
        if not 2 <= self.states <= len(DIGITS):
            raise ValueError(f"the cells of a grid have 2 to {len(DIGITS)} states, not {self.states}")
        bits = self.rows * self.columns * cell_width(self.states)
        if len(self.packed) != (bits + 7) // 8:
            raise ValueError(f"{self.rows} x {self.columns} cells take {(bits + 7) // 8} bytes, not {len(self.packed)}")
        if bits % 8 and self.packed[-1] >> bits % 8:
            raise ValueError("the bits past the last cell must be 0")
        if self.states > 2:
            require_packed(self.packed, self.rows * self.columns, self.states)

    def __hash__(self) -> int:
        # Python keeps the hash of bytes, and a judged solution is looked up ten times.
        return hash(self.packed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.rows, self.columns, self.packed, self.states)

    def __repr__(self) -> str:
        if self.rows * self.columns > _MAX_SHOWN:
            return f"<Grid of {self.rows} x {self.columns} cells, {len([*self.cells()])} true>"
        return f"Grid.from_text({self.text!r}{'' if self.states == 2 else f', {self.states}'})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the cells of a Grid are packed: an array of them is a copy")
        return self.array() if dtype is None else self.array().astype(dtype)

    @classmethod
    def from_bits(cls, rows: int, columns: int, bits: int, states: int = 2) -> Grid:
        """Return the grid whose cell (r, c) is bit ``r * columns + c`` of ``bits``, or as many as a cell takes."""
        return cls(rows, columns, bits.to_bytes((rows * columns * cell_width(states) + 7) // 8, "little"), states)

    @classmethod
    def from_rows(cls, rows: Sequence[int], columns: int) -> Grid:
        """Return the grid of two states whose cell (r, c) is bit ``c`` of ``rows[r]``.

        Raises:
            ValueError: if there are no rows, or a row has a bit outside its ``columns`` cells.
        """
        if rows and (min(rows) < 0 or max(rows).bit_length() > columns):
            raise ValueError(f"a row has cells outside its {columns} columns")
        chunks = []
        for first in range(0, len(rows), 8):  # eight rows fill whole bytes, whatever their length
            chunk, eight = 0, rows[first : first + 8]
            for row in reversed(eight):
                chunk = chunk << columns | row
            chunks.append(chunk.to_bytes((len(eight) * columns + 7) // 8, "little"))
        return cls(len(rows), columns, b"".join(chunks))

    @classmethod
    def from_cells(cls, cells: Cells) -> Grid:
        """Return the grid of cells given row by row.

        Args:
            cells: a nested sequence, array or data frame of 0 and 1, or False and True, shape (rows, columns).

        Raises:
            TypeError: if the argument is not a sequence of rows of single values; `from_text` reads strings.
            ValueError: if there are no cells, the rows differ in length, or a cell is something else.

        Examples:
            >>> Grid.from_cells([[1, 0], [False, True]]).text
            '10/01'
        """
        rows, lines = as_lists(cells), []
        for row in rows if isinstance(rows, Iterable) else [rows]:
            line = list(row) if isinstance(row, Iterable) else [""]
            if any(issubclass(kind, Iterable) for kind in set(map(type, line))):
                raise wrong_type("rows of cells such as [[1, 0], [0, 1]]", cells)
            if strange := set(line) - {0, 1}:  # True and 1.0 are equal to 1
                text = "crosslit.load('modular-lights-out:4/12/30')"
                raise ValueError(
                    f"a cell is 0 or 1, not {min(strange, key=repr)!r:.40}; {text} reads boards of more states"
                )
            lines.append("".join("1" if cell else "0" for cell in line))
        return cls.from_text("/".join(lines))

    @classmethod
    def from_text(cls, text: str, states: int = 2) -> Grid:
        """Return the grid of rows of digits (`DIGITS`), separated by ``/``, such as ``10/01``.

        Raises:
            TypeError: if ``text`` is not a str.
            ValueError: if there is another character, or the rows differ in length.
        """
        if not isinstance(text, str):
            raise wrong_type("rows as text such as '10/01' (Grid.from_cells takes arrays)", text)
        lines = text.split("/")
        if not lines[0] or {*map(len, lines)} != {len(lines[0])}:
            raise ValueError("the rows of a grid have the same number of cells, at least one")
        if text.strip(f"{DIGITS[:states]}/"):  # faster than a set of its characters
            last = DIGITS[states - 1]
            raise ValueError(f"the cells of a grid are written 0 {'or' if states == 2 else 'to'} {last}")
        digits = "".join(lines)[::-1]
        if states > 2:
            width = cell_width(states)
            digits = digits.translate({ord(digit): f"{value:0{width}b}" for digit, value in _VALUE.items()})
        return cls.from_bits(len(lines), len(lines[0]), int(digits, 2), states)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.rows, self.columns

    @property
    def bits(self) -> int:
        """All cells as one integer; see `from_bits`."""
        return int.from_bytes(self.packed, "little")

    def row_bits(self) -> list[int]:
        """Return every row, top to bottom, as an integer whose bit c says whether cell c is not 0."""
        if self.states > 2:
            return [sum(1 << column for column, digit in enumerate(line) if digit != "0") for line in self.lines()]
        rows, inside = list[int](), (1 << self.columns) - 1
        for first in range(0, len(self.packed), self.columns):  # eight rows, as in `from_rows`
            chunk = int.from_bytes(self.packed[first : first + self.columns], "little")
            for _ in range(min(8, self.rows - len(rows))):
                rows.append(chunk & inside)
                chunk >>= self.columns
        return rows

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.tolist())

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, cell: int | tuple[int, int]) -> Any:
        if isinstance(cell, int):
            return self.tolist()[cell]
        if not isinstance(cell, tuple):
            raise wrong_type("a row, or a cell (row, column); array() has slices", cell)
        row, column = cell
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise IndexError(f"cell {cell} of a {self.rows} x {self.columns} grid")
        index = row * self.columns + column
        return bool(self.packed[index // 8] >> index % 8 & 1) if self.states == 2 else self.values()[index]

    def count(self) -> int:
        """Return the sum of the values: with two states, the number of true cells."""
        return self.bits.bit_count() if self.states == 2 else sum(self.values())

    def cells(self) -> Iterator[tuple[int, int]]:
        """Yield the true cells (row, column) in row-major order."""
        for index, row in enumerate(self.row_bits()):
            while row:
                low = row & -row
                yield index, low.bit_length() - 1
                row ^= low

    def lines(self) -> list[str]:
        """Return the rows as strings of digits."""
        width, size, columns = cell_width(self.states), self.rows * self.columns, self.columns
        cells = f"{self.bits:0{size * width}b}"[::-1]
        if width > 1:  # the lowest bit of a cell comes first
            digits = {f"{value:0{width}b}"[::-1]: DIGITS[value] for value in range(self.states)}
            cells = "".join([digits[cells[first : first + width]] for first in range(0, size * width, width)])
        return [cells[first : first + columns] for first in range(0, size, columns)]

    def values(self) -> list[int]:
        """Return the values of all cells, in row-major order."""
        return [_VALUE[digit] for digit in "".join(self.lines())]

    def tolist(self) -> list[list[int]]:
        """Return the rows as lists of numbers."""
        return [[_VALUE[digit] for digit in line] for line in self.lines()]

    @property
    def text(self) -> str:
        """The rows as digits, separated by ``/``."""
        return "/".join(self.lines())

    def transposed(self) -> Grid:
        """Return the grid with rows and columns exchanged.

        Examples:
            >>> Grid.from_text("110/010").transposed().text
            '10/11/00'
        """
        return Grid.from_text("/".join(map("".join, zip(*self.lines(), strict=True))), self.states)

    def array(self) -> NDArray[Any]:
        """Return a new array of shape (rows, columns): of bool for two states, of uint8 for more."""
        import numpy as np

        if self.states > 2:
            return np.array(self.values(), np.uint8).reshape(self.rows, self.columns)
        flat = np.unpackbits(np.frombuffer(self.packed, np.uint8), count=self.rows * self.columns, bitorder="little")
        return flat.view(np.bool_).reshape(self.rows, self.columns)


def cell_width(states: int) -> int:
    """Return the bits that a cell takes."""
    return (states - 1).bit_length()


def require_packed(packed: bytes, cells: int, states: int) -> None:
    """Raise a ValueError unless these are whole grids of this number of cells in packed form, concatenated."""
    width = cell_width(states)
    size, spare = divmod(cells * width + 7, 8)
    if len(packed) % size:
        raise ValueError(f"{len(packed)} bytes are not a whole number of answers of {size} bytes")
    if max(packed[size - 1 :: size], default=0) >> spare + 1:
        raise ValueError("the bits past the last cell must be 0")
    if states == 1 << width:
        return
    lowest = int(("0" * (width - 1) + "1") * cells, 2).to_bytes(size, "little")
    # the cells, by their lowest bit, that equal the largest value in all bits so far
    equal, bits = int.from_bytes(lowest * (len(packed) // size), "little"), int.from_bytes(packed, "little")
    for place in reversed(range(width)):
        ones = bits >> place & equal
        if states - 1 >> place & 1:
            equal = ones
        elif ones:
            raise ValueError(f"a cell has a value from 0 to {states - 1}")


def as_lists(cells: Any) -> Any:
    """Return an array as nested lists, and anything else unchanged."""
    return cells.__array__().tolist() if hasattr(cells, "__array__") else cells


def text_of(cells: Any) -> str:
    """Return the text of a solution that is a `Grid`, text, rows of text, or an array or rows of numbers.

    Raises:
        TypeError: if it is something else.

    Examples:
        >>> text_of([[1, 0], [False, 2.0]]), text_of(["10", "01"])
        ('10/02', '10/01')
    """
    if isinstance(cells, Grid | str):
        return cells if isinstance(cells, str) else cells.text
    rows, text = as_lists(cells), ""
    if isinstance(rows, list | tuple):
        with contextlib.suppress(KeyError, TypeError):
            text = "/".join(row if isinstance(row, str) else "".join(_DIGIT[cell] for cell in row) for row in rows)
    if not text:
        raise wrong_type("a solution, such as [[1, 0], [0, 1]] or '10/01'", cells)
    return text
