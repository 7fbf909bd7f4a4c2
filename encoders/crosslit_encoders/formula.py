"""A formula in conjunctive normal form, in flat integer arrays, and the variables of a puzzle's cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.grid import Grid

Literals = NDArray[np.int32]


@dataclass(frozen=True)
class Formula:
    """Clauses over the variables 1..variables; the cells of the puzzle are the first rows * columns of them.

    Cell (r, c) is variable ``1 + r * columns + c``, so that a formula needs no other map; the auxiliary variables
    follow, and every one of them is determined by the cells.

    Args:
        rows: of the puzzle.
        columns: of the puzzle.
        variables: how many there are, auxiliary ones included.
        literals: of all clauses, one after the other: int32, as in DIMACS.
        ends: for each clause, where its literals end: int64, ascending.

    Examples:
        >>> formula = Formula(1, 2, 2, np.array([1, -2, 2], np.int32), np.array([2, 3]))
        >>> len(formula), list(formula.clauses())
        (2, [[1, -2], [2]])
        >>> formula.grid([1, 2]).text()
        '11'
    """

    rows: int
    columns: int
    variables: int
    literals: Literals
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def cells(self) -> int:
        """Number of cell variables."""
        return self.rows * self.columns

    def clauses(self) -> Iterator[list[int]]:
        """Each clause as a list of literals; never all of them at once, which would keep Python's collector busy."""
        flat = self.literals.tolist()
        start = 0
        for end in self.ends.tolist():
            yield flat[start:end]
            start = end

    def grid(self, model: list[int]) -> Grid:
        """The grid of a model, a list of literals in the order of their variables.

        A model may be longer than the cells, or shorter: a variable that it leaves out is free, and taken as false.
        """
        bits = "".join("1" if literal > 0 else "0" for literal in model[: self.cells])
        return Grid.from_bits(self.rows, self.columns, int(bits[::-1], 2) if bits else 0)

    def blocking(self, grid: Grid) -> list[int]:
        """The clause that excludes ``grid``: projected on the cells, since the rest follows from them."""
        bits = f"{grid.bits:0{self.cells}b}"[::-1]
        return [-variable if bit == "1" else variable for variable, bit in enumerate(bits, 1)]
