"""Changes to a nonogram with a known effect on its solutions."""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.contract.family import Relation
from crosslit.kinds.nonogram.puzzle import Nonogram


def relations(puzzle: Nonogram) -> Iterator[Relation]:
    """Yield the nonogram with two more rows."""
    yield framed(puzzle)


def framed(puzzle: Nonogram) -> Relation:
    """Add an empty and a full row at the bottom, so that every column has one more block of 1."""
    full = (1 << puzzle.columns) - 1
    # The empty row separates the new blocks from those above, so each column's clue just gets one more 1.
    rows, columns = (*puzzle.row_clues, (), (puzzle.columns,)), [(*clue, 1) for clue in puzzle.column_clues]
    return Relation(
        "an empty and a full row added",
        Nonogram(rows, columns, puzzle.name),
        lambda grid: Grid.from_rows([*grid.row_bits(), 0, full], grid.columns),
    )
