"""The eight rotations and reflections of a grid: the only implementation of symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from crosslit.base.grid import Grid
from crosslit.base.layout import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Symmetry:
    """A rotation or reflection: exchange rows and columns, then turn upside down, then mirror, each if set."""

    name: str
    turn: bool = False
    flip: bool = False
    mirror: bool = False

    def __call__(self, grid: Grid) -> Grid:
        """Return the grid turned and mirrored."""
        if isinstance(grid, Answer):
            return grid.with_lines(self.lines(grid.lines()))
        grid = grid.transposed() if self.turn else grid
        if not self.flip and not self.mirror:
            return grid
        # Upside down reverses whole rows; only mirroring has to reverse the bits of each.
        rows = grid.row_bits()[:: -1 if self.flip else 1]
        if self.mirror:
            rows = [int(f"{row:0{grid.columns}b}"[::-1], 2) for row in rows]
        return Grid.from_rows(rows, grid.columns)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Return lines of text turned and mirrored, like a grid."""
        turned = ["".join(column) for column in zip(*lines, strict=True)] if self.turn else lines
        return [line[:: -1 if self.mirror else 1] for line in turned[:: -1 if self.flip else 1]]

    def axes(self, rows: T, columns: T) -> tuple[T, T]:
        """Return the values for rows and for columns, exchanged if the symmetry exchanges rows and columns."""
        return (columns, rows) if self.turn else (rows, columns)


TRANSPOSED = Symmetry("transposed", turn=True)
SYMMETRIES = (
    Symmetry("upside down", flip=True),
    Symmetry("mirrored", mirror=True),
    Symmetry("turned by 180 degrees", flip=True, mirror=True),
    TRANSPOSED,
    Symmetry("turned left", turn=True, flip=True),
    Symmetry("turned right", turn=True, mirror=True),
    Symmetry("transposed the other way", turn=True, flip=True, mirror=True),
)
"""All symmetries except the identity."""
