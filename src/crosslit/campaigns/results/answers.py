"""The solutions of a run as a file of results keeps them: packed, compressed, and known by a hash of all that."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.campaigns.results.validation import whole
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle

MAX_BYTES = 1 << 27  # bytes of the solutions of one run
MAX_GRIDS = 1 << 22  # of one run: small grids take much more memory than their bytes


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """One or more grids of one shape.

    Args:
        id: a sha256 of their shape, their number and their cells.
        rows, columns: of each.
        count: how many.
        compressed: their packed cells, one grid after the other, by zlib.
    """

    id: str
    rows: int
    columns: int
    count: int
    compressed: bytes

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> StoredAnswer:
        """Return the answer that holds these grids, at least one."""
        packed = b"".join(grid.packed for grid in grids)
        rows, columns, count = grids[0].rows, grids[0].columns, len(grids)
        key = _digest(rows, columns, count, packed)
        return cls(id=key, rows=rows, columns=columns, count=count, compressed=zlib.compress(packed, 1))

    @classmethod
    def from_row(cls, row: Sequence[Any] | None) -> StoredAnswer:
        """Return the answer of a row of the file.

        Raises:
            ValueError: if there is no row, or its numbers are none.
        """
        if row is None:
            raise ValueError("the solutions of a run are not there")
        id_, rows, columns, count, compressed = row
        return cls(id=id_, rows=whole(rows, 1), columns=whole(columns, 1), count=whole(count, 1), compressed=compressed)

    def row(self) -> tuple[str, int, int, int, bytes]:
        """Return the values of its columns."""
        return self.id, self.rows, self.columns, self.count, self.compressed

    def grids(self) -> list[Grid]:
        """Return the grids.

        Raises:
            ValueError: if these are not the cells that were kept.
        """
        size = (self.rows * self.columns + 7) // 8
        if is_too_large(self.count, size):
            raise ValueError("the solutions of a run are more than are ever kept")
        inflater = zlib.decompressobj()
        # no more than that: a thousand times as many bytes can be in what is compressed
        packed = inflater.decompress(self.compressed, size * self.count + 1)
        if not inflater.eof or _digest(self.rows, self.columns, self.count, packed) != self.id:
            raise ValueError("its solutions are not those that were kept")
        return [Grid(self.rows, self.columns, packed[at : at + size]) for at in range(0, len(packed), size)]


def is_too_large(count: int, size: int) -> bool:
    """Return whether so many grids of so many bytes each are more than is kept of a run."""
    return count > MAX_GRIDS or count * size > MAX_BYTES


def check_shapes(puzzle: Puzzle, grids: Iterable[Grid]) -> None:
    """Refuse grids of another shape than their puzzle."""
    for grid in grids:
        if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
            found = f"{grid.rows} x {grid.columns}"
            raise ValueError(f"solutions: expected grids of {puzzle.rows} x {puzzle.columns}, found {found}")


def check_solutions(puzzle: Puzzle, grids: Sequence[Grid], count: int) -> None:
    """Refuse kept solutions of another number or shape than their run has."""
    if len(grids) != count:
        raise ValueError(f"a run has {count} solutions, and {len(grids)} are kept of it")
    check_shapes(puzzle, grids[:1])


def _digest(rows: int, columns: int, count: int, packed: bytes) -> str:
    """Grids of several shapes have the same bytes."""
    return hashlib.sha256(b"%d x %d, %d: " % (rows, columns, count) + packed).hexdigest()
