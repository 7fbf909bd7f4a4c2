"""A formula in conjunctive normal form, with parity constraints or without, and the variables of a puzzle's cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.errors import UnreadableModel
from crosslit.grid import Grid
from crosslit_encoders import dimacs
from crosslit_encoders.cell_comments import cell_comments

Literals = NDArray[np.int32]
Xor = tuple[tuple[int, ...], int]

_CHUNK = 512
"""Clauses that become lists at a time: few enough for the cache, and too few to set Python's collector off."""


@dataclass(frozen=True)
class Formula:
    """Clauses over the variables 1..variables; the first rows * columns of them are the cells of a grid.

    Cell (r, c) is variable ``1 + r * columns + c``, so that a formula needs no other map; the auxiliary variables
    follow, and every one of them is determined by the cells. The grid is the solution itself, or what determines it,
    for example its first row: then ``extend`` makes the solution of it.

    Args:
        rows: of the grid of cells that have a variable.
        columns: of that grid.
        variables: how many there are, auxiliary ones included.
        literals: of all clauses, one after the other: int32, as in DIMACS.
        ends: for each clause, where its literals end: int64, ascending.
        xors: parity constraints beside the clauses: some variables, and what their XOR equals (0 or 1). Only the target
            ``cnf-xor`` has any.
        extend: from the grid to the solution, where it is not the solution itself.

    Examples:
        >>> formula = Formula(1, 2, 2, np.array([1, -2, 2], np.int32), np.array([2, 3]))
        >>> len(formula), list(formula.clauses())
        (2, [[1, -2], [2]])
        >>> formula.grid([1, 2]).text(), formula.blocking([1, 2])
        ('11', [-1, -2])
    """

    rows: int
    columns: int
    variables: int
    literals: Literals
    ends: NDArray[np.int64]
    xors: tuple[Xor, ...] = ()
    extend: Callable[[Grid], Grid] | None = None

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def cells(self) -> int:
        """Number of cell variables."""
        return self.rows * self.columns

    def clauses(self) -> Iterator[list[int]]:
        """Each clause as a list of literals; never all of them at once, which would keep Python's collector busy."""
        first = 0
        for chunk in range(0, len(self.ends), _CHUNK):
            ends = self.ends[chunk : chunk + _CHUNK]
            last, size = int(ends[-1]), int(ends[0]) - first
            if size * len(ends) == last - first and (np.diff(ends) == size).all():
                yield from self.literals[first:last].reshape(len(ends), size).tolist()
            else:
                flat = self.literals[first:last].tolist()
                start = 0
                for end in (ends - first).tolist():
                    yield flat[start:end]
                    start = end
            first = last

    def grid(self, model: list[int]) -> Grid:
        """The solution of a model, a list of literals in the order of their variables.

        A model may be longer than the cells, or shorter: a variable that it leaves out is free, and taken as false.
        """
        bits = "".join("1" if literal > 0 else "0" for literal in model[: self.cells])
        grid = Grid.from_bits(self.rows, self.columns, int(bits[::-1], 2) if bits else 0)
        return grid if self.extend is None else self.extend(grid)

    def blocking(self, model: list[int]) -> list[int]:
        """The clause that excludes a model and its solution: over the cells alone, since the rest follows from them."""
        cells = range(1, self.cells + 1)
        return [-literal for literal in model[: self.cells]] + [*cells[len(model) :]]

    @property
    def sizes(self) -> dict[str, int]:
        """How large it is, in the words of DIMACS."""
        literals = len(self.literals) + sum(len(variables) for variables, _ in self.xors)
        sizes = {"variables": self.variables, "clauses": len(self), "literals": literals}
        return {**sizes, "xors": len(self.xors)} if self.xors else sizes

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """The formula in DIMACS, in pieces, which knows no binary form."""
        if binary:
            raise ValueError("DIMACS has no binary form")
        return dimacs.write(self, [*comments, *cell_comments(self.rows, self.columns, 1, self.extend is not None)])

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """What a solver's output says: see `crosslit.contract.ReadsModels`."""
        try:
            answer = dimacs.read_answer(lines)
            if answer.literals is None:
                return answer.status, None, None
            model = dimacs.model(self, answer.literals)
        except ValueError as error:
            raise UnreadableModel(str(error)) from None
        return answer.status, self.grid(model), dimacs.broken(self, model)
