"""A CP-SAT model and the variables of a puzzle's cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crosslit.grid import Grid

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True)
class CpFormula:
    """A CP-SAT model over the cells of a grid: the solution itself, or what determines it.

    Args:
        rows: of the grid of cells that have a variable.
        columns: of that grid.
        model: the constraints.
        cells: one Boolean variable a cell, in row-major order; every other variable is determined by them.
        extend: from the grid to the solution, where it is not the solution itself.
    """

    rows: int
    columns: int
    model: cp_model.CpModel
    cells: list[Any]
    extend: Callable[[Grid], Grid] | None = None

    def grid(self, values: Sequence[int]) -> Grid:
        """The solution of the values (0 or 1) of the cells."""
        bits = int("".join("01"[value] for value in reversed(values)), 2)
        grid = Grid.from_bits(self.rows, self.columns, bits)
        return grid if self.extend is None else self.extend(grid)


def cell_model(rows: int, columns: int, extend: Callable[[Grid], Grid] | None = None) -> CpFormula:
    """A model without constraints: one Boolean variable a cell."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells = [model.new_bool_var("") for _ in range(rows * columns)]
    return CpFormula(rows, columns, model, cells, extend)
