"""What generation must know of a puzzle that it made by chance: how many solutions it has."""

from __future__ import annotations

import itertools
from contextlib import closing

from crosslit.generation.case import Only
from crosslit.gf2 import nullity, solution_space, why_no_chase
from crosslit.puzzles import LightsOut, Puzzle


def count_up_to(puzzle: Puzzle, most: int) -> int:
    """The number of solutions, but at most ``most``: by algebra of a board, by `line` or `hybrid` of a nonogram."""
    if isinstance(puzzle, LightsOut):
        solution, kernel = solution_space(puzzle)
        return 0 if solution is None else min(most, 1 << min(len(kernel), most.bit_length()))
    from crosslit.api import solutions

    with closing(solutions(puzzle, "line" if puzzle.rows * puzzle.columns <= 150 else "hybrid")) as found:  # type: ignore[type-var]
        return sum(1 for _ in itertools.islice(found, most))


def suits(puzzle: Puzzle, only: Only | None, most_solutions: int) -> bool:
    """Whether it is as asked for, and has no more solutions than allowed."""
    if isinstance(puzzle, LightsOut) and only is None and why_no_chase(puzzle) is None:
        if 1 << nullity(puzzle.rows, puzzle.columns, puzzle.pattern) <= most_solutions:
            return True
    elif only is None and puzzle.rows * puzzle.columns <= 36:
        return True
    found = count_up_to(puzzle, 2 if only == "unique" else most_solutions + 1)
    if found > most_solutions:
        return False
    return {None: True, "solvable": found > 0, "unique": found == 1, "unsolvable": found == 0}[only]
