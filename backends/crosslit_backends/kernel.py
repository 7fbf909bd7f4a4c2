"""What follows from a board's kernel alone, whoever finds that."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import chain

from crosslit.contract import Task
from crosslit.gf2 import telling_apart
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut
from crosslit_backends.native import Native


class Kernel(Native):
    """A native solver that finds one solution of a board and a basis of its kernel."""

    def space(self, puzzle: LightsOut, task: Task) -> tuple[int | None, Iterable[int]]:
        """One solution, None if there is none, and a basis of the kernel, as `crosslit.gf2.solution_space`."""
        raise NotImplementedError

    def backbone(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """One solution, and what each vector of the kernel makes of it: together they differ where any do."""
        presses, kernel = self.space(puzzle, task)
        if presses is not None:
            for quiet in chain([0], kernel):
                yield Grid.from_bits(puzzle.rows, puzzle.columns, presses ^ quiet)

    def reveal(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """As many cells as the kernel has dimensions, on which its vectors stay independent; fewer never suffice.

        They tell all solutions apart, whichever of them is the target.
        """
        presses, kernel = self.space(puzzle, task)
        cells = None if presses is None else telling_apart(kernel, -1 if task.among is None else task.among.bits)
        if cells is not None:
            task.improve_bound(cells.bit_count())
            yield Grid.from_bits(puzzle.rows, puzzle.columns, cells)
