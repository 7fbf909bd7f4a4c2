"""A CP-SAT model and the variables of a puzzle's cells."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.grid import Grid
from crosslit_encoders.cell_comments import cell_comments

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True)
class CpFormula:
    """A CP-SAT model over the cells of a grid: the solution itself, or what determines it.

    Args:
        rows: of the grid of cells that have a variable.
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

    @property
    def sizes(self) -> dict[str, int]:
        """How large it is."""
        return {"variables": len(self.model.proto.variables), "constraints": len(self.model.proto.constraints)}

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """The model as a protobuf of CP-SAT: text, with the comments, or binary, which has no room for them.

        Raises:
            ValueError: if it cannot be written.
        """
        if not binary:
            cells = cell_comments(self.rows, self.columns, 0, self.extend is not None)
            yield from (f"# {comment}\n".encode() for comment in [*comments, *cells])
        with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:  # ortools writes to a file alone
            path = Path(folder) / ("model.pb" if binary else "model.pbtxt")
            if not self.model.export_to_file(str(path)):
                raise ValueError("ortools cannot write the model")
            yield path.read_bytes()


def cell_model(rows: int, columns: int, extend: Callable[[Grid], Grid] | None = None) -> CpFormula:
    """A model without constraints: one Boolean variable a cell."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells = [model.new_bool_var("") for _ in range(rows * columns)]
    return CpFormula(rows, columns, model, cells, extend)
