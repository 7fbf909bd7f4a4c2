"""A CP-SAT model and the variables of a puzzle's cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from crosslit.puzzles import Puzzle


@dataclass(frozen=True)
class CpFormula:
    """A CP-SAT model over the cells of a puzzle.

    Args:
        rows: of the puzzle.
        columns: of the puzzle.
        model: the constraints.
        cells: one Boolean variable a cell, in row-major order; every other variable is determined by them.
    """

    rows: int
    columns: int
    model: cp_model.CpModel
    cells: list[Any]


def cell_model(puzzle: Puzzle) -> CpFormula:
    """A model without constraints: one Boolean variable a cell."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells = [model.new_bool_var("") for _ in range(puzzle.rows * puzzle.columns)]
    return CpFormula(puzzle.rows, puzzle.columns, model, cells)
