"""Answers to puzzles: grids whose cells have two states or more."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from crosslit.base.errors import wrong_type
from crosslit.base.grid import Grid, as_lists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The states of a cell in text."""

_DIGIT = dict(enumerate(DIGITS))  # True and 1.0 are the key 1 too


class Layout(NamedTuple):
    """The form of a puzzle's answers: their shape, the number of states of a cell, and the cells that are missing.

    Answers with two states are `Grid`; those with more, at most 36, are `Answer`.

    Examples:
        >>> Layout(1, 3).parse("101"), Layout(1, 3, states=3).parse("120")
        (Grid.from_text('101'), Layout(1, 3, 3).parse('120'))
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
        return (self.states - 1).bit_length()

    @property
    def bits(self) -> int:
        """Bits of an answer."""
        return self.rows * self.columns * self.width

    @property
    def size(self) -> int:
        """Bytes of an answer."""
        return (self.bits + 7) // 8

    @property
    def variables(self) -> int:
        """Number of the cell variables of a formula; see `decode`."""
        return self.rows * self.columns * (1 if self.states == 2 else self.states)

    @property
    def weights(self) -> list[int]:
        """The value that each cell variable of a formula stands for; see `decode`."""
        cells = self.rows * self.columns
        return [1] * cells if self.states == 2 else [*range(self.states)] * cells

    def admits(self, grid: Grid) -> bool:
        """Return whether a grid has this shape and this number of states."""
        return (grid.rows, grid.columns, grid.states) == self[:3]

    def answers(self, packed: bytes) -> list[Grid]:
        """Return the answers in packed form, concatenated; a ValueError says that these are not whole answers."""
        if self.states == 2:
            return [Grid(self.rows, self.columns, part) for part in self.parts(packed)]
        return [Answer(self.rows, self.columns, part, self.states) for part in self.parts(packed)]

    def parts(self, packed: bytes) -> list[bytes]:
        """Return each of some answers in packed form, concatenated."""
        size = self.size
        return [packed[first : first + size] for first in range(0, len(packed), size)]

    def require(self, packed: bytes) -> None:
        """Raise a ValueError unless these are whole answers in packed form, concatenated."""
        width, cells = self.width, self.rows * self.columns
        size, spare = divmod(cells * width + 7, 8)
        if len(packed) % size:
            raise ValueError(f"{len(packed)} bytes are not a whole number of answers of {size} bytes")
        if max(packed[size - 1 :: size], default=0) >> spare + 1:
            raise ValueError("the bits past the last cell must be 0")
        if self.states == 1 << width:
            return
        lowest = int(("0" * (width - 1) + "1") * cells, 2).to_bytes(size, "little")
        # the cells, by their lowest bit, that equal the largest value in all bits so far
        equal, bits = int.from_bytes(lowest * (len(packed) // size), "little"), int.from_bytes(packed, "little")
        for place in reversed(range(width)):
            ones = bits >> place & equal
            if self.states - 1 >> place & 1:
                equal = ones
            elif ones:
                raise ValueError(f"a cell has a value from 0 to {self.states - 1}")

    def pack(self, values: Sequence[int]) -> Grid:
        """Return the answer with these values of the cells, in row-major order."""
        # the first cell is in the lowest bits, and `int` reads the highest first
        bits = int("".join(f"{value:0{self.width}b}" for value in reversed(values)), 2)
        return self.answers(bits.to_bytes(self.size, "little"))[0]

    def decode(self, chosen: str) -> Grid:
        """Return the answer of the cell variables of a formula: ``1`` for each that is true; missing ones are false.

        With two states a cell has one variable. With more it has one for each value, and the true one says its value.

        Examples:
            >>> Layout(1, 2).decode("01").text, Layout(1, 2, states=3).decode("010001").text
            ('01', '12')
        """
        if self.states == 2:
            return Grid.from_bits(self.rows, self.columns, int(chosen[::-1], 2) if chosen else 0)
        firsts = range(0, self.variables, self.states)
        return self.pack([max(0, chosen[first : first + self.states].find("1")) for first in firsts])

    def literals(self, grid: Grid) -> list[int]:
        """Return the literals of cell variables that say the values of a grid's cells, one for each cell.

        Examples:
            >>> Layout(1, 2).literals(Grid.from_text("01")), Layout(1, 2, 3).literals(Layout(1, 2, 3).parse("12"))
            ([-1, 2], [2, 6])
        """
        digits = enumerate("".join(itertools.islice(grid.each_line(), self.rows)))
        if self.states == 2:
            return [cell + 1 if digit == "1" else -cell - 1 for cell, digit in digits]
        return [1 + cell * self.states + DIGITS.index(digit) for cell, digit in digits]

    def parse(self, text: str) -> Grid:
        """Return the answer of a text: rows of digits, separated by ``/``; a ValueError says what is wrong."""
        if self.states == 2:
            return Grid.from_text(text)
        lines = text.split("/")
        if (len(lines), *map(len, lines)) != (self.rows, *[self.columns] * self.rows):
            raise ValueError(f"expected {self.rows} rows of {self.columns} cells")
        if set("".join(lines)) - set(DIGITS[: self.states]):
            raise ValueError(f"the cells of an answer are written {DIGITS[0]} to {DIGITS[self.states - 1]}")
        return self.pack([DIGITS.index(digit) for digit in "".join(lines)])

    def every(self) -> Iterator[Grid]:
        """Yield every grid of this layout, in the order of their bits."""
        cells = self.rows * self.columns
        if self.states == 2:
            return (Grid.from_bits(self.rows, self.columns, bits) for bits in range(1 << cells))
        return (self.pack(values[::-1]) for values in itertools.product(range(self.states), repeat=cells))


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Grid):
    """A grid whose cells have more than two states, 0 to ``states`` - 1; a `Grid` is the form with two.

    Cells are packed as those of a `Grid`, with ceil(log2 states) bits each. The true cells of a grid are those with
    another value than 0 here.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        packed: the cells; bits after the last cell are 0.
        states: the number of states of a cell, from 3 to 36.

    Raises:
        ValueError: if a number is out of range, or ``packed`` does not match.

    Examples:
        >>> answer = Layout(2, 2, states=3).parse("02/10")
        >>> answer[0, 1], answer.count(), answer.array().tolist(), answer.transposed().text
        (2, 3, [[0, 2], [1, 0]], '01/20')
    """

    states: int = field()  # without a default: that would be the property of Grid

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or not 2 < self.states <= len(DIGITS):
            raise ValueError(f"expected rows, columns, and 3 to {len(DIGITS)} states, not {self.layout[:3]}")
        if len(self.packed) != self.layout.size:
            raise ValueError(f"an answer of {self.layout[:3]} takes {self.layout.size} bytes, not {len(self.packed)}")
        self.layout.require(self.packed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Answer, (self.rows, self.columns, self.packed, self.states)

    def _short_repr(self) -> str:
        return f"Layout({self.rows}, {self.columns}, {self.states}).parse({self.text!r})"

    @property
    def layout(self) -> Layout:
        """The layout."""
        return Layout(self.rows, self.columns, self.states)

    def values(self) -> list[int]:
        """Return the values of all cells, in row-major order."""
        width, text = self.layout.width, f"{self.bits:0{self.layout.bits}b}"
        return [int(text[end - width : end], 2) for end in range(len(text), 0, -width)]

    def _at(self, row: int, column: int) -> int:
        self._require_inside(row, column)
        return self.values()[row * self.columns + column]

    def lines(self) -> list[str]:
        """Return the rows as strings of digits."""
        text = "".join(DIGITS[value] for value in self.values())
        return [text[first : first + self.columns] for first in range(0, len(text), self.columns)]

    def each_line(self) -> Iterator[str]:
        """Yield the rows as strings of digits."""
        return iter(self.lines())

    def each_row(self) -> Iterator[int]:
        """Yield every row as an integer whose bit c says whether cell c is not 0."""
        return (sum(1 << column for column, digit in enumerate(line) if digit != "0") for line in self.lines())

    def row(self, row: int) -> int:
        """Return row ``row`` as an integer; see `each_row`."""
        return self.row_bits()[row]

    def count(self) -> int:
        """Return the sum of the values, as the number of true cells is for a grid with two states."""
        return sum(self.values())

    def transposed(self) -> Answer:
        """Return the answer with rows and columns exchanged."""
        return self.with_lines("".join(column) for column in zip(*self.lines(), strict=True))

    def with_lines(self, lines: Iterable[str]) -> Answer:
        """Return the answer with other lines of digits."""
        lines = list(lines)
        answer = Layout(len(lines), len(lines[0]), self.states).parse("/".join(lines))
        assert isinstance(answer, Answer)
        return answer

    def array(self) -> NDArray[np.uint8]:  # type: ignore[override]
        """Return a new uint8 array of the values, shape (rows, columns)."""
        import numpy as np

        return np.array(self.values(), np.uint8).reshape(self.rows, self.columns)


def text_of(cells: Any) -> str:
    """Return the text of an answer that is a `Grid`, text, rows of text, or an array or rows of numbers.

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


def parse_any(text: str, states: int) -> Grid:
    """Return the answer of a text of any shape, with this number of states.

    Raises:
        ValueError: if there is another character, or the rows differ in length.
    """
    lines = text.split("/")
    return Layout(len(lines), len(lines[0]), states).parse(text)


def differing(one: Grid, other: Grid) -> Grid:
    """Return the cells in which two answers of one layout differ."""
    if isinstance(one, Answer) and isinstance(other, Answer):
        pairs = zip(one.values(), other.values(), strict=True)
        bits = sum(1 << cell for cell, (value, another) in enumerate(pairs) if value != another)
    else:
        bits = one.bits ^ other.bits
    return Grid.from_bits(one.rows, one.columns, bits)
