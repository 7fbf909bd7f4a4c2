"""The symmetries of a nonogram's clues: turns and reflections of the picture that leave them unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from crosslit.contract.puzzle import SYMMETRIES, Symmetry
from crosslit.kinds import Nonogram

Cell = tuple[int, int]


def symmetries(puzzle: Nonogram) -> Iterator[Callable[[Cell], Cell]]:
    """Yield every turn or reflection that leaves the clues unchanged, except the identity, as a map of cells.

    Empty lines around the picture do not count: the box from the first line with a block to the last is turned. A
    symmetry maps solutions to solutions. So a unique solution is invariant under all symmetries, and any solution that
    is not comes with its images.
    """
    top, height = _extent([bool(clue) for clue in puzzle.row_clues])
    left, width = _extent([bool(clue) for clue in puzzle.column_clues])
    if not height or not width:
        return  # at most one picture, the empty one
    box = Nonogram(puzzle.row_clues[top : top + height], puzzle.column_clues[left : left + width])

    def image(symmetry: Symmetry, cell: Cell) -> Cell:
        # Within the box. A turn leaves it unchanged only if it is square, so its height and width may be exchanged
        # here.
        row, column = symmetry.axes(cell[0] - top, cell[1] - left)
        row = height - 1 - row if symmetry.flip else row
        return top + row, left + (width - 1 - column if symmetry.mirror else column)

    yield from (partial(image, symmetry) for symmetry in SYMMETRIES if box.image(symmetry) == box)


def _extent(present: list[bool]) -> tuple[int, int]:
    """Return the first index that is true, and the distance from there past the last."""
    if True not in present:
        return 0, 0
    first = present.index(True)
    return first, len(present) - present[::-1].index(True) - first
