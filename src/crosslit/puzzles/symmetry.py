"""The eight ways to turn and mirror a grid: the only implementation of symmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from crosslit.grid import Grid

if TYPE_CHECKING:
    from crosslit.puzzles.puzzle import Puzzle

    AnyPuzzle = TypeVar("AnyPuzzle", bound=Puzzle)
T = TypeVar("T")


@dataclass(frozen=True)
class Symmetry:
    """A way to turn and mirror: rows and columns exchanged first, if at all; then upside down, then mirrored."""

    name: str
    turn: bool = False
    flip: bool = False
    mirror: bool = False

    def __call__(self, grid: Grid) -> Grid:
        """Return the grid turned and mirrored.

        Examples:
            >>> [symmetry(Grid.from_text("100/000")).text() for symmetry in SYMMETRIES[:3]]
            ['000/100', '001/000', '000/001']
        """
        grid = grid.transposed() if self.turn else grid
        if not self.flip and not self.mirror:
            return grid
        rows = grid.row_bits()[:: -1 if self.flip else 1]
        if self.mirror:
            rows = [int(f"{row:0{grid.columns}b}"[::-1], 2) for row in rows]
        return Grid.from_rows(rows, grid.columns)

    def axes(self, rows: T, columns: T) -> tuple[T, T]:
        """Return what belongs to the rows and to the columns, exchanged if these are."""
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
"""All but the one that leaves everything as it is."""


def images(puzzle: AnyPuzzle) -> Iterator[AnyPuzzle]:
    """List the puzzle rotated and mirrored: eight, which may be equal; its solutions are those of the puzzle, likewise.

    Examples:
        >>> from crosslit import load
        >>> sorted({image.text for image in images(load("1 2,0|1,0,1,1"))})
        ['0,1 2|1,0,1,1', '0,2 1|1,1,0,1', '1 2,0|1,0,1,1', '1,0,1,1|0,1 2', '1,0,1,1|1 2,0', '1,1,0,1|0,2 1', \
'1,1,0,1|2 1,0', '2 1,0|1,1,0,1']
    """
    yield puzzle
    yield from filter(None, map(puzzle.image, SYMMETRIES))
