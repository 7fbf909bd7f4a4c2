"""The stored form of a run's solutions: packed, compressed, and identified by a hash."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from crosslit.answer import Layout
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.runs.run import Run

MAX_BYTES = 1 << 27  # packed size of the solutions of one run
MAX_GRIDS = 1 << 22  # solutions of one run: the objects of small grids take much more memory than their bytes


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """One or more grids of the same shape, as a row of the table ``answers``."""

    id: str  # a sha256 of their shape, their number and their cells
    rows: int
    columns: int
    count: int
    packed: bytes  # the packed cells of all grids in order, compressed by zlib

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> StoredAnswer:
        """Return the stored form of some grids, at least one."""
        packed = b"".join(grid.packed for grid in grids)
        layout, count = Layout(grids[0].rows, grids[0].columns, grids[0].states), len(grids)
        key = _digest(layout, count, packed)
        # The fastest level, because this happens between two runs.
        return cls(id=key, rows=layout.rows, columns=layout.columns, count=count, packed=zlib.compress(packed, 1))

    def grids(self, puzzle: Puzzle) -> list[Grid]:
        """Return the grids of a puzzle, whose layout determines the number of states of a cell."""
        layout = Layout(self.rows, self.columns, puzzle.layout.states)
        # Before anything is decompressed: these numbers come from the file.
        if _is_too_large(self.count, layout.size):
            raise ValueError("a run has more solutions than are ever stored")
        inflater = zlib.decompressobj()
        # with a limit: damaged data can decompress to a thousand times its size
        packed = inflater.decompress(self.packed, layout.size * self.count + 1)
        if not inflater.eof or _digest(layout, self.count, packed) != self.id:
            raise ValueError("its solutions are not the ones that were stored")
        return layout.answers(packed)


def storable(run: Run) -> tuple[Run, StoredAnswer | None]:
    """Return a run with its solutions in stored form; without solutions, and with an error, if they are too many."""
    if not run.grids:
        return run, None
    if _is_too_large(len(run.grids), len(run.grids[0].packed)):
        why = f"its {len(run.grids)} solutions exceed the {MAX_BYTES >> 20} MB or {MAX_GRIDS} that are stored for a run"
        return replace(run, status="memory", error=why, grids=[]), None
    return run, StoredAnswer.of(run.grids)


def _is_too_large(count: int, size: int) -> bool:
    return count > MAX_GRIDS or count * size > MAX_BYTES


def check_shapes(puzzle: Puzzle, grids: Iterable[Grid]) -> None:
    """Reject grids whose shape or number of states is not their puzzle's."""
    for grid in grids:
        if not puzzle.layout.admits(grid):
            found, states = f"{grid.rows} x {grid.columns}", f" with {grid.states} states" if grid.states > 2 else ""
            raise ValueError(f"solutions: expected grids of {puzzle.rows} x {puzzle.columns}, found {found}{states}")


def check_solutions(puzzle: Puzzle, grids: Sequence[Grid], count: int) -> None:
    """Reject stored solutions whose number or shape is not their run's."""
    if len(grids) != count:
        raise ValueError(f"a run has {count} solutions, and {len(grids)} of them are stored")
    # One is enough: stored grids share one shape.
    check_shapes(puzzle, grids[:1])


def _digest(layout: Layout, count: int, packed: bytes) -> str:
    """Return the sha256 of some grids, including their layout, because grids of several layouts have the same bytes."""
    states = b" x %d" % layout.states if layout.states > 2 else b""  # earlier versions stored only Boolean cells
    return hashlib.sha256(b"%d x %d%s, %d: " % (layout.rows, layout.columns, states, count) + packed).hexdigest()
