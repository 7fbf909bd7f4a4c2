"""The fewest presses of a Lights Out board, by decoding the code of its quiet patterns."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.gf2 import descend, elimination_work, lightest, solution_space, why_no_chase
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit_backends.gauss import MOST_WORK
from crosslit_backends.native import Native


class Fewest(Native):
    """The lightest solution: one solution and all combinations of the kernel's k vectors, searched exactly.

    The kernel comes from polynomials where the chase from the first row reaches, else from elimination. Small ones are
    searched in Gray-code order, larger ones by a Walsh-Hadamard transform in 2^k steps; see `crosslit.gf2.minimum`.
    Beyond 40 dimensions that hang together it gives the best that local search finds, and gives up.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.count() for grid in Fewest().fewest(read("10000/11110/11111/11110/10000"), Task())][-1]
        6
    """

    name = "fewest"
    summary = "Lights Out: the fewest presses, by Gray code or Walsh-Hadamard transform over the kernel"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})
    trusts: ClassVar[frozenset[str]] = frozenset({"chase", "polynomial", "elimination", "lightest"})
    options: ClassVar[Mapping[str, Option]] = {"force": Option("1: eliminate even where it takes minutes", 0, 1)}

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Boards on which elimination takes minutes, unless forced."""
        if not isinstance(puzzle, LightsOut) or why_no_chase(puzzle) is None or options.get("force"):
            return None
        work = elimination_work(puzzle.rows, puzzle.columns, puzzle)
        if work > MOST_WORK:
            return f"about {work:.1e} row operations: more than {MOST_WORK:.0e} need the option force=1"
        return None

    def fewest(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Solutions of ever fewer presses.

        Raises:
            GaveUp: if the kernel is too large to be searched.
        """
        start, kernel = solution_space(puzzle)
        task.stats["nullity"] = len(kernel)
        if start is None:
            return
        try:
            found, reason = lightest(start, kernel), ""
        except ValueError as error:
            found, reason = descend(start, kernel, _WINDOW), str(error)
        best = start
        for best in found:
            yield Grid.from_bits(puzzle.rows, puzzle.columns, best)
        if reason:
            raise GaveUp(reason)
        task.improve_bound(best.bit_count())


_WINDOW = 16

BACKENDS: list[Backend] = [Fewest()]
