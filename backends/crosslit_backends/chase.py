"""The linear system for the first row of presses, by elimination."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Mapping
from typing import ClassVar

from crosslit.contract import Backend, Option, Task
from crosslit.gf2 import chase, coset, first_row_system, packed_batches, reduced, why_no_chase
from crosslit.gf2.first_row import press_also
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit_backends.native import Native

MOST_CELLS = 20_000_000


class Chase(Native):
    """The first-row system: as many unknowns as columns, solved by elimination over GF(2).

    The chase from an unknown first row gives one equation for each light of the last row; what the chase from an empty
    first row leaves there is its right side. Solutions come in Gray-code order over the kernel.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> len(list(Chase().solutions(read("1111/1111/1111/1111"), Task())))
        16
    """

    name = "chase"
    summary = "Lights Out: elimination over GF(2), one unknown a column"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})
    trusts: ClassVar[frozenset[str]] = frozenset({"chase", "elimination"})
    options: ClassVar[Mapping[str, Option]] = {"force": Option("1: even where it takes minutes", 0, 1)}

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Boards of other rules than the chase is for; boards on which the elimination takes minutes, unless forced."""
        if isinstance(puzzle, LightsOut) and (refusal := why_no_chase(puzzle)):
            return refusal
        cells = max(puzzle.rows, puzzle.columns) * puzzle.columns
        if cells > MOST_CELLS and not options.get("force"):
            return f"more than {MOST_CELLS:.0e} cells need the option force=1"
        return None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """All solutions, in Gray-code order over the kernel."""
        rows, columns, stay = puzzle.rows, puzzle.columns, (0, 0) in puzzle.pattern
        presses, residue = chase(puzzle.lit.each_row(), 0, columns, stay)
        system = first_row_system(rows, columns, residue, stay)
        task.stats["nullity"] = system.nullity
        first = system.particular()
        if first is not None:
            yield from from_first_rows(presses, columns, first, system.kernel(), stay)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """All solutions, ascending and packed."""
        rows, columns, stay = puzzle.rows, puzzle.columns, (0, 0) in puzzle.pattern
        _, residue = chase(puzzle.lit.each_row(), 0, columns, stay)
        system = first_row_system(rows, columns, residue, stay)
        task.stats["nullity"] = system.nullity
        first = system.particular()
        if first is not None:
            yield from batches_from_first_rows(puzzle, first, system.kernel(), task.skip)


def from_first_rows(
    presses: list[int], columns: int, first: int, kernel: list[int], stay: bool
) -> Generator[Grid, None, None]:
    """The solutions of a board, in Gray-code order.

    Args:
        presses: of the chase from an empty first row; changed.
        columns: of the board.
        first: the first row of one solution.
        kernel: a basis of the first rows that change nothing.
        stay: whether a press toggles its own cell.

    Yields:
        First the solution of ``first``; then every other one, for one XOR of all cells and its packing.
    """
    press_also(presses, first, columns, stay)
    solution = Grid.from_rows(presses, columns)
    yield solution
    if not kernel:
        return
    dark = [0] * len(presses)
    quiet = (Grid.from_rows(chase(dark, row, columns, stay)[0], columns).bits for row in kernel)
    for element in itertools.islice(coset(solution.bits, quiet), 1, None):
        yield Grid.from_bits(solution.rows, columns, element)


def batches_from_first_rows(
    puzzle: LightsOut, first: int, kernel: list[int], skip: int
) -> Generator[bytes, None, None]:
    """The solutions of a board, ascending and packed: the first row decides, so that the others are chased when needed.

    Args:
        puzzle: the board.
        first: the first row of one solution.
        kernel: a basis of the first rows that change nothing.
        skip: how many solutions to leave out at the head.
    """
    columns, stay = puzzle.columns, (0, 0) in puzzle.pattern

    def chased(lights: Iterable[int], row: int) -> int:
        return Grid.from_rows(chase(lights, row, columns, stay)[0], columns).bits

    least, rows = reduced(first, kernel)
    dark = [0] * puzzle.rows
    size = (puzzle.rows * columns + 7) // 8
    start = chased(puzzle.lit.each_row(), least)
    yield from packed_batches(start, len(rows), lambda number: chased(dark, rows[number]), size, skip)


BACKENDS: list[Backend] = [Chase()]
