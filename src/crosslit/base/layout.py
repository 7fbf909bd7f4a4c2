"""The form of a puzzle's solutions: their shape, the number of states of a cell, and the cells that are missing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crosslit.base.grid import Grid, cell_width, require_packed


class Layout(NamedTuple):
    """The form of a puzzle's solutions, which are grids.

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
        return cell_width(self.states)

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
        cells = self.rows * self.columns
        return [1] * cells if self.states == 2 else [*range(self.states)] * cells

    def admits(self, grid: Grid) -> bool:
        """Return whether a grid has this shape and this number of states."""
        return (grid.rows, grid.columns, grid.states) == self[:3]

    def answers(self, packed: bytes) -> list[Grid]:
        """Return the grids in packed form, concatenated; a ValueError says that these are not whole grids."""
        return [Grid(self.rows, self.columns, part, self.states) for part in self.parts(packed)]

    def parts(self, packed: bytes) -> list[bytes]:
        """Return each of some grids in packed form, concatenated."""
        size = self.size
        return [packed[first : first + size] for first in range(0, len(packed), size)]

    def require(self, packed: bytes) -> None:
        """Raise a ValueError unless these are whole grids in packed form, concatenated."""
        require_packed(packed, self.rows * self.columns, self.states)

    def pack(self, values: Sequence[int]) -> Grid:
        """Return the grid with these values of the cells, in row-major order."""
        # the first cell is in the lowest bits, and `int` reads the highest first
        bits = int("".join(f"{value:0{self.width}b}" for value in reversed(values)), 2)
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
