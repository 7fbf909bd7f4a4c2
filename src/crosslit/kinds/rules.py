"""All solutions of a small puzzle, from its rules and nothing else."""

from __future__ import annotations

import functools

from crosslit.base.grid import Grid
from crosslit.contract.puzzle import Puzzle

MAX_CELLS = 12
"""Maximum number of Boolean cells, or bits of a solution: trying all grids of that many takes a moment."""


@functools.lru_cache(maxsize=1024)
def solutions_by_rules(puzzle: Puzzle) -> frozenset[Grid]:
    """Return all solutions by brute force: every grid goes through the rule checker."""
    return frozenset(Puzzle.all_solutions(puzzle))
