"""The linear system of the first row of presses, solved by elimination."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from crosslit.algebra.boards import first_row_system
from crosslit.algebra.chase import chase, why_no_chase
from crosslit.base.grid import Grid
from crosslit.contract import Backend, Option, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.lights_out.first_rows import batches_from_first_rows, from_first_rows
from crosslit_backends.native import Native

MAX_CELLS = 20_000_000


class Chase(Native):
    """The first-row system: as many unknowns as columns, solved by elimination over GF(2).

    The chase from an unknown first row gives one equation for each light of the last row; the lights that the chase
    from an empty first row leaves there are its right-hand side. Solutions come in Gray-code order over the kernel.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> len(list(Chase().solutions(read("1111/1111/1111/1111"), Task())))
        16
    """

    name = "chase"
    summary = "Lights Out: elimination over GF(2), one unknown per column"
    kinds = frozenset({"lights-out"})
    trusted_base = frozenset({"chase", "elimination"})
    options: ClassVar[Mapping[str, Option]] = {"force": Option("1: run even if it takes minutes", 0, 1)}

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Return a reason for boards without a chase, and if elimination takes minutes unless ``force`` is set."""
        if isinstance(puzzle, LightsOut) and (refusal := why_no_chase(puzzle)):
            return refusal
        # Operations on rows of bits: rows * columns to make the system, columns^2 to eliminate it.
        cells = max(puzzle.rows, puzzle.columns) * puzzle.columns
        if cells > MAX_CELLS and not options.get("force"):
            return f"more than {MAX_CELLS:.0e} cells need the option force=1"
        return None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in Gray-code order over the kernel."""
        presses, first, kernel = _first_rows(puzzle, task)
        if first is not None:
            yield from from_first_rows(puzzle, presses, first, kernel)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, ascending and packed."""
        _, first, kernel = _first_rows(puzzle, task)
        if first is not None:
            yield from batches_from_first_rows(puzzle, first, kernel, task.skip)


def _first_rows(puzzle: LightsOut, task: Task) -> tuple[list[int], int | None, list[int]]:
    """Return the presses from an empty first row, a first row that clears the board, and a basis of the quiet ones."""
    stay = (0, 0) in puzzle.pattern
    presses, residue = chase(puzzle.lit.each_row(), 0, puzzle.columns, stay)
    system = first_row_system(puzzle.rows, puzzle.columns, residue, stay)
    task.stats["nullity"] = system.nullity
    first = system.particular()
    return presses, first, [] if first is None else system.kernel()


BACKENDS: list[Backend] = [Chase()]
