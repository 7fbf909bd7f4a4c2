"""Grids of cells with two states or more, packed into bytes; their layout, and lists of them.

Cells are stored in row-major order, the first in the lowest bits: with two states one bit each, like
``numpy.packbits(..., bitorder="little")``, with more ceil(log2 states) bits each.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from crosslit.base.errors import wrong_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The states of a cell in text."""

_VALUE = {digit: value for value, digit in enumerate(DIGITS)}
_DIGIT = dict(enumerate(DIGITS))  # True and 1.0 are the key 1 too
_NOT_ZERO = str.maketrans(DIGITS, "0".ljust(len(DIGITS), "1"))
_MAX_SHOWN = 64  # maximum cells that a representation shows
_BLOCK = 1 << 10  # grids that are made, or cut, at a time
_MAX_SET = 1 << 16  # grids of a set of bytes: loading numpy takes as long as sorting these


class ArrayLike(Protocol):
    """An array of NumPy, a data frame of pandas, or a `Grid`."""

    def __array__(self) -> NDArray[Any]: ...


Cells = Sequence[Iterable[Any]] | ArrayLike
"""Numbers or truth values, row by row, or rows of text."""


class Drawable:
    """A grid or a puzzle: `print` draws it as text, and a notebook shows it as SVG."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_picture(self))

    def _repr_svg_(self) -> str:
        svg: str = _picture(self)._repr_svg_()
        return svg


def _picture(subject: Drawable) -> Any:
    return resolve_name("crosslit.formats.drawing:Picture")(subject)  # of a layer above


@dataclass(frozen=True, slots=True, repr=False)
class Grid(Drawable):
    """A grid of cells with the values 0 to ``states`` - 1, immutable and hashable by content.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        packed: the cells, as this module describes; bits after the last cell are 0.
        states: the number of states of a cell, from 2 to 36. A true cell is one that is not 0.

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
        bits = self.rows * self.columns * _width(self.states)
        if len(self.packed) != (bits + 7) // 8:
            raise ValueError(f"{self.rows} x {self.columns} cells take {(bits + 7) // 8} bytes, not {len(self.packed)}")
        if self.states != 2 or self.packed[-1] >> (bits - 1) % 8 + 1:
            self.layout.require(self.packed)

    def __hash__(self) -> int:
        # Python keeps the hash of bytes, and a judged solution is looked up ten times.
        return hash(self.packed)

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
        return cls(rows, columns, bits.to_bytes((rows * columns * _width(states) + 7) // 8, "little"), states)

    @classmethod
    def from_rows(cls, rows: Sequence[int], columns: int) -> Grid:
        """Return the grid of two states whose cell (r, c) is bit ``c`` of ``rows[r]``; a ValueError refuses others."""
        if rows and (min(rows) < 0 or max(rows).bit_length() > columns):
            raise ValueError(f"a row has cells outside its {columns} columns")
        digits = "".join([f"{row:0{columns}b}" for row in reversed(rows)])  # linear, unlike shifts of a long integer
        return cls.from_bits(len(rows), columns, int(digits or "0", 2))

    @classmethod
    def from_cells(cls, cells: Cells) -> Grid:
        """Return the grid of two states of cells given row by row, as 0 and 1, or False and True; see `text_of`.

        Examples:
            >>> Grid.from_cells([[1, 0], [False, True]]).text
            '10/01'
        """
        text = text_of(cells)
        if strange := set(text) - {"0", "1", "/"}:
            more = "crosslit.load('modular-lights-out:4/12/30') reads more states, ColouredNonogram.of takes colours"
            raise ValueError(f"a cell is 0 or 1, not {min(strange)}; {more}")
        return cls.from_text(text)

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
        if states != 2:
            width = _width(states)
            digits = digits.translate({ord(digit): f"{value:0{width}b}" for digit, value in _VALUE.items()})
        return cls.from_bits(len(lines), len(lines[0]), int(digits, 2), states)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.rows, self.columns

    @property
    def layout(self) -> Layout:
        """The form of such grids."""
        return Layout(self.rows, self.columns, self.states)

    @property
    def bits(self) -> int:
        """All cells as one integer; see `from_bits`."""
        return int.from_bytes(self.packed, "little")

    def row_bits(self) -> list[int]:
        """Return every row, top to bottom, as an integer whose bit c says whether cell c is not 0."""
        return [int(line[::-1].translate(_NOT_ZERO), 2) for line in self.lines()]

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.tolist())

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, place: int | tuple[int, int]) -> Any:
        is_cell = isinstance(place, tuple) and len(place) == 2
        try:
            row, column = map(operator.index, place if is_cell else (place, 0))  # type: ignore[arg-type]  # or else a TypeError
        except TypeError:
            raise wrong_type("a row, or a cell (row, column); array() has slices", place) from None
        # negative numbers count from the end, as in lists and arrays
        if not (-self.rows <= row < self.rows and -self.columns <= column < self.columns):
            raise IndexError(f"{'cell' if is_cell else 'row'} {place} of a {self.rows} x {self.columns} grid")
        if not is_cell:
            return self.tolist()[row]
        cell = row % self.rows * self.columns + column % self.columns
        return bool(self.packed[cell // 8] >> cell % 8 & 1) if self.states == 2 else self.values()[cell]

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
        width, size, columns = _width(self.states), self.rows * self.columns, self.columns
        cells = f"{self.bits:0{size * width}b}"[::-1]
        if self.states != 2:  # the lowest bit of a cell comes first
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
        """Return the grid with rows and columns exchanged."""
        return Grid.from_text("/".join(map("".join, zip(*self.lines(), strict=True))), self.states)

    def array(self) -> NDArray[Any]:
        """Return a new array of shape (rows, columns): of bool for two states, of uint8 for more."""
        cells = self.layout.unpack(self.packed).reshape(self.shape)
        return cells.astype(bool) if self.states == 2 else cells


def _width(states: int) -> int:
    return (states - 1).bit_length()


def as_lists(cells: Any) -> Any:
    """Return an array as nested lists, and anything else unchanged."""
    return cells.__array__().tolist() if hasattr(cells, "__array__") else cells


def text_of(cells: Any) -> str:
    """Return the text of cells: a `Grid`, text, rows of text, or an array or rows of numbers; else raise a TypeError.

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
        raise wrong_type("cells such as [[1, 0], [0, 1]] or '10/01'", cells)
    return text


class Layout(NamedTuple):
    """The form of a puzzle's solutions: their shape, the number of states of a cell, and the cells that are missing.

    Examples:
        >>> Layout(1, 3).parse("101"), Layout(1, 3, states=3).parse("120")
        (Grid.from_text('101'), Grid.from_text('120', 3))
        >>> Layout(1, 3, states=3).bits, len(list(Layout(1, 3, states=3).every()))
        (6, 27)
    """

    rows: int
    columns: int
    states: int = 2
    missing: Grid | None = None

    @property
    def width(self) -> int:
        """Bits of a cell."""
        return _width(self.states)

    @property
    def bits(self) -> int:
        """Bits of a grid."""
        return self.rows * self.columns * self.width

    @property
    def size(self) -> int:
        """Bytes of a grid."""
        return (self.bits + 7) // 8

    @property
    def variables(self) -> int:
        """Number of the cell variables of a formula; see `decode`."""
        return self.rows * self.columns * (1 if self.states == 2 else self.states)

    @property
    def weights(self) -> list[int]:
        """The value that each cell variable of a formula stands for; see `decode`."""
        return [1] * self.bits if self.states == 2 else [*range(self.states)] * (self.rows * self.columns)

    def admits(self, grid: Grid) -> bool:
        """Return whether a grid has this shape and this number of states."""
        return (grid.rows, grid.columns, grid.states) == self[:3]

    def require_grid(self, grid: Grid, puzzle: str) -> None:
        """Raise a TypeError or a ValueError, which names the kind of puzzle, unless this layout admits a grid."""
        if not isinstance(grid, Grid):
            raise wrong_type("a Grid, such as Grid.from_text('10/01')", grid)
        if not self.admits(grid):
            states = f" with {self.states} states" if max(grid.states, self.states) > 2 else ""
            raise ValueError(f"a {grid.rows} x {grid.columns} grid for a {self.rows} x {self.columns} {puzzle}{states}")

    def grids(self, packed: bytes) -> list[Grid]:
        """Return the grids in packed form, concatenated; a ValueError says that these are not whole grids."""
        return [Grid(self.rows, self.columns, part, self.states) for part in self.parts(packed)]

    def parts(self, packed: bytes) -> list[bytes]:
        """Return each of some grids in packed form, concatenated."""
        size = self.size
        return [packed[first : first + size] for first in range(0, len(packed), size)]

    def require(self, packed: bytes) -> None:
        """Raise a ValueError unless these are whole grids in packed form, concatenated."""
        width, size = self.width, self.size
        count, rest = divmod(len(packed), size)
        if rest:
            raise ValueError(f"{len(packed)} bytes are not a whole number of answers of {size} bytes")
        if max(b"\0" + packed[size - 1 :: size]) >> (self.bits - 1) % 8 + 1:
            raise ValueError("the bits past the last cell must be 0")
        if self.states.bit_length() > width:  # every value of the bits is a state
            return
        lowest = int(("0" * (width - 1) + "1") * (self.rows * self.columns), 2).to_bytes(size, "little")
        # the cells, by their lowest bit, that equal the largest value in all bits so far
        equal, bits = int.from_bytes(lowest * count, "little"), int.from_bytes(packed, "little")
        for place in reversed(range(width)):
            ones = bits >> place & equal
            if self.states - 1 >> place & 1:
                equal = ones
            elif ones:
                raise ValueError(f"a cell has a value from 0 to {self.states - 1}")

    def unpack(self, packed: bytes) -> NDArray[Any]:
        """Return the values of the cells of grids in packed form, a row for each grid."""
        import numpy as np

        bits = np.unpackbits(np.frombuffer(packed, (np.uint8, self.size)), 1, self.bits, "little")
        weights = 1 << np.arange(self.width, dtype=np.uint8)
        return bits if self.states == 2 else bits.reshape(len(bits), self.rows * self.columns, self.width) @ weights

    def pack(self, values: Sequence[int]) -> Grid:
        """Return the grid with these values of the cells, in row-major order."""
        # the first cell is in the lowest bits, and `int` reads the highest first
        bits = int("".join([f"{value:0{self.width}b}" for value in reversed(values)]), 2)
        return Grid.from_bits(self.rows, self.columns, bits, self.states)

    def decode(self, chosen: str) -> Grid:
        """Return the grid of the cell variables of a formula: ``1`` for each that is true; missing ones are false.

        With two states a cell has one variable. With more it has one for each value, and the true one says its value.

        Examples:
            >>> Layout(1, 2).decode("01").text, Layout(1, 2, states=3).decode("010001").text
            ('01', '12')
        """
        if self.states == 2:
            return Grid.from_bits(self.rows, self.columns, int(chosen[::-1], 2) if chosen else 0)
        firsts = range(0, self.variables, self.states)
        return self.pack([max(0, chosen[first : first + self.states].find("1")) for first in firsts])

    def parse(self, text: str) -> Grid:
        """Return the grid of a text: rows of digits, separated by ``/``; a ValueError says what is wrong."""
        grid = Grid.from_text(text, self.states)
        if not self.admits(grid):
            raise ValueError(f"expected {self.rows} rows of {self.columns} cells")
        return grid

    def every(self) -> Iterator[Grid]:
        """Yield every grid of this layout, in the order of their bits."""
        cells = self.rows * self.columns
        if self.states == 2:
            return (Grid.from_bits(self.rows, self.columns, bits) for bits in range(1 << cells))
        return (self.pack(values[::-1]) for values in itertools.product(range(self.states), repeat=cells))


class Grids(Sequence[Grid]):
    """A sequence of packed grids, each made when it is asked for; it equals a list of the same grids.

    A million grids of 10 x 10 cells take 13 MB.

    Examples:
        >>> grids = Grids(Layout(1, 3), bytes([0b101, 0b010]))
        >>> len(grids), grids[-1], grids == [Grid.from_text("101"), Grid.from_text("010")]
        (2, Grid.from_text('010'), True)
    """

    __slots__ = ("layout", "packed")
    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __init__(self, layout: Layout, packed: bytes | bytearray = b"") -> None:
        self.layout, self.packed = layout, bytearray(packed)

    def extend(self, packed: bytes) -> None:
        """Add packed grids, which the layout admits; see `Layout.require`."""
        self.packed.extend(packed)

    def __len__(self) -> int:
        return len(self.packed) // self.layout.size

    def __getitem__(self, index: Any) -> Any:
        size, places = self.layout.size, range(len(self))[index]
        if isinstance(places, int):
            start = places * size
            return self.layout.grids(bytes(self.packed[start : start + size]))[0]
        return Grids(self.layout, b"".join([self.packed[place * size : (place + 1) * size] for place in places]))

    def __iter__(self) -> Iterator[Grid]:
        step = _BLOCK * self.layout.size
        for first in range(0, len(self.packed), step):
            yield from self.layout.grids(bytes(self.packed[first : first + step]))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Grids):
            return self.layout[:3] == other.layout[:3] and self.packed == other.packed
        return list(self) == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return f"<{len(self)} grids of {self.layout.rows} x {self.layout.columns}>"


def pack(grids: Sequence[Grid]) -> bytes:
    """Return grids in packed form, concatenated."""
    return bytes(grids.packed) if isinstance(grids, Grids) else b"".join([grid.packed for grid in grids])


def distinct(packed: bytes, size: int, *, by_bits: bool = False) -> bytes:
    """Return the different ones among packed grids of some size, in the order of their bytes or of their bits."""
    if len(packed) <= _MAX_SET * size:
        different = {packed[first : first + size] for first in range(0, len(packed), size)}
        return b"".join(sorted(different, key=(lambda grid: grid[::-1]) if by_bits else None))
    import numpy as np

    step = -1 if by_bits else 1
    cells = np.ascontiguousarray(np.frombuffer(packed, (np.uint8, size))[:, ::step])
    words = np.sort(cells.view(f"S{size}").ravel())  # three times as fast as bytes (V), in the same order
    new = np.append(True, words[1:] != words[:-1])
    return bytes(words[new].view((np.uint8, size))[:, ::step].tobytes())
