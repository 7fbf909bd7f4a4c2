"""All solutions of a Lights Out board, from the first row of one and a basis of the first rows of quiet patterns."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable

from crosslit.grid import Grid
from crosslit.kinds import LightsOut
from crosslit.kinds.lights_out.chase import chase
from crosslit_backends.lights_out.ascending import packed_batches, reduced
from crosslit_backends.lights_out.coset import coset
from crosslit_backends.lights_out.packed_chase import packed_chase


def from_first_rows(
    puzzle: LightsOut, presses: list[int] | None, first: int, kernel: list[int]
) -> Generator[Grid, None, None]:
    """Yield the solution of the first row ``first``, then every other one in Gray-code order: one XOR of all cells.

    ``presses`` are those of the chase from an empty first row, and are modified (None: the compiled kernel chases
    again); ``kernel`` is a basis of the first rows of quiet patterns.
    """
    columns, stay = puzzle.columns, (0, 0) in puzzle.pattern
    if presses is None:
        solution = Grid(puzzle.rows, columns, packed_chase(puzzle.lit, first, stay)[0])
    else:
        # The chase is linear: adding the presses that follow from `first` on a dark board saves a second chase through
        # the lights.
        _press_also(presses, first, columns, stay)
        solution = Grid.from_rows(presses, columns)
    yield solution
    if not kernel:
        return
    dark = [0] * puzzle.rows
    quiet = (Grid.from_rows(chase(dark, row, columns, stay)[0], columns).bits for row in kernel)
    for element in itertools.islice(coset(solution.bits, quiet), 1, None):
        yield Grid.from_bits(solution.rows, columns, element)


def batches_from_first_rows(
    puzzle: LightsOut, first: int, kernel: list[int], skip: int
) -> Generator[bytes, None, None]:
    """Yield the solutions, ascending and packed; the first row decides the order, and other rows are chased lazily."""
    columns, stay = puzzle.columns, (0, 0) in puzzle.pattern

    def chased(lights: Iterable[int], row: int) -> int:
        return Grid.from_rows(chase(lights, row, columns, stay)[0], columns).bits

    least, rows = reduced(first, kernel)
    dark = [0] * puzzle.rows
    size = (puzzle.rows * columns + 7) // 8
    start = chased(puzzle.lit.each_row(), least)
    yield from packed_batches(start, len(rows), lambda number: chased(dark, rows[number]), size, skip)


def _press_also(presses: list[int], first: int, columns: int, stay: bool = True) -> None:
    """Add, in place, to rows of presses those that chase a dark board from the first row ``first``.

    The chase is linear, so the presses of a board from an empty first row become those from ``first`` without its
    lights. Rows are replaced one by one, because allocating a second set would take as long.
    """
    inside = (1 << columns) - 1
    above, row = 0, first
    if stay:
        for index, pressed in enumerate(presses):
            presses[index] = pressed ^ row
            above, row = row, (above ^ row ^ row << 1 ^ row >> 1) & inside
    else:
        for index, pressed in enumerate(presses):
            presses[index] = pressed ^ row
            above, row = row, (above ^ row << 1 ^ row >> 1) & inside
