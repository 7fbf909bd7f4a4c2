"""Brute force through the rule checker: slow, and the only backend that shares no idea with any other."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Native

# 2^20 grids take the rule checker about 7 s of processor time, and each further cell doubles that
MAX_CELLS = 20


class Brute(Native):
    """Brute force over all grids of the puzzle's layout, at most 2^20; its complete runs are evidence ``brute-force``.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.text for grid in Brute().solutions(read("1,1|1,1"), Task())]
        ['01/10', '10/01']
    """

    name = "brute"
    summary = f"every grid through the rule checker, up to {MAX_CELLS} cells"
    kinds = frozenset()
    groups = frozenset({"brute"})
    trusted_base = frozenset({"brute"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Return a reason for puzzles of more than 20 cells."""
        cells, states = puzzle.rows * puzzle.columns, puzzle.layout.states
        if cells * math.log2(states) > MAX_CELLS:
            kind, limit = ("", MAX_CELLS) if states == 2 else (f" of {states} states", f"2^{MAX_CELLS} grids")
            return f"{cells} cells{kind}: brute force stops at {limit}"
        return None

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield all solutions, in the order of their bits."""
        for grid in puzzle.layout.every():
            if next(puzzle.violations(grid), None) is None:
                yield grid

    def fewest(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield the solution with the fewest cells after all have been seen."""
        best = min(self.solutions(puzzle, task), key=lambda grid: grid.count(), default=None)
        if best is not None:
            task.improve_bound(best.count())
            yield best

    def count(self, puzzle: Puzzle, task: Task) -> int:
        """Count the grids that the rule checker accepts."""
        return sum(1 for _ in self.solutions(puzzle, task))


BACKENDS: list[Backend] = [Brute()]
