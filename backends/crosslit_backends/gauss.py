"""Gaussian elimination over GF(2) on all presses of a board."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from itertools import chain
from typing import ClassVar

from crosslit.contract import Backend, Option, Task
from crosslit.gf2 import BoardSystem, coset, elimination_work
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit_backends.native import Native

MOST_WORK = 200_000_000


class Gauss(Native):
    """Elimination in sweep order over one unknown a cell, singular systems included.

    For boards of any press pattern, with joined edges and missing cells. One equation a light, added row by row (along
    the longer side) to an echelon form that stays as narrow as two rows for each row that a press reaches.
    The free unknowns give a basis of the kernel; the solutions are one particular solution plus every combination of
    it, in Gray-code order, so that each costs one XOR.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> task = Task()
        >>> len(list(Gauss().solutions(read("1111/1111/1111/1111"), task))), task.stats["nullity"]
        (16, 4)
    """

    name = "gauss"
    summary = "Lights Out: elimination over GF(2), one unknown a cell"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})
    trusts: ClassVar[frozenset[str]] = frozenset({"elimination"})
    options: ClassVar[Mapping[str, Option]] = {"force": Option("1: eliminate even where it takes minutes", 0, 1)}

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Boards on which elimination takes minutes, unless forced."""
        work = elimination_work(puzzle.rows, puzzle.columns, puzzle) if isinstance(puzzle, LightsOut) else 0
        if work > MOST_WORK and not options.get("force"):
            return f"about {work:.1e} row operations: more than {MOST_WORK:.0e} need the option force=1"
        return None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """All solutions, in Gray-code order over the kernel."""
        system = BoardSystem(puzzle)
        task.stats["nullity"] = system.nullity
        presses = system.particular()
        if presses is not None:
            for element in coset(presses, system.kernel()):
                yield Grid.from_bits(puzzle.rows, puzzle.columns, element)

    def backbone(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """One solution, and what each vector of the kernel makes of it: together they differ where any do."""
        system = BoardSystem(puzzle)
        task.stats["nullity"] = system.nullity
        presses = system.particular()
        if presses is not None:
            for quiet in chain([0], system.kernel()):
                yield Grid.from_bits(puzzle.rows, puzzle.columns, presses ^ quiet)

    def reveal(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """As many cells as the kernel has dimensions, on which its vectors stay independent; fewer never suffice.

        Any such cells tell all solutions apart, whichever of them is the target.
        """
        system = BoardSystem(puzzle)
        task.stats["nullity"] = system.nullity
        if system.particular() is None:
            return
        among = None if task.among is None else task.among.bits
        pivots = 0
        rows: list[tuple[int, int]] = []  # (pivot, vector without the pivots before it)
        for quiet in system.kernel():
            for pivot, vector in rows:
                if quiet & pivot:
                    quiet ^= vector
            usable = quiet if among is None else quiet & among
            if not usable:
                return  # a quiet pattern that none of these cells tells apart
            pivot = usable & -usable
            rows.append((pivot, quiet))
            pivots |= pivot
        task.improve_bound(len(rows))
        yield Grid.from_bits(puzzle.rows, puzzle.columns, pivots)


BACKENDS: list[Backend] = [Gauss()]
