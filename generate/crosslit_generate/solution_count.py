"""The number of solutions of a generated puzzle."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from math import comb, prod
from typing import Any

from crosslit.gf2 import solution_space
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.rules import solutions_by_rules
from crosslit_generate.exhaustive import Only, is_valid

_LINE_CELLS = 400  # larger puzzles may take long without a SAT solver


def count_up_to(puzzle: Puzzle, most: int) -> int:
    """Count up to ``most`` solutions: by algebra (boards), by `line` or `hybrid` (nonograms), else by the rules.

    Examples:
        >>> count_up_to(Nonogram([[1]] * 3, [[1]] * 3), 100), count_up_to(Nonogram([[1]] * 3, [[1]] * 3), 2)
        (6, 2)
    """
    return COUNTERS.get(puzzle.kind, _by_rules)(puzzle, most)


def _by_rules(puzzle: Puzzle, most: int) -> int:
    return min(most, len(solutions_by_rules(puzzle)))


def _by_algebra(board: LightsOut, most: int) -> int:
    solution, kernel = solution_space(board)
    # The exponent is capped first: 2^nullity of a large board is a number of thousands of digits.
    return 0 if solution is None else min(most, 1 << min(len(kernel), most.bit_length()))


def _by_search(puzzle: Nonogram, most: int) -> int:
    from crosslit.questions.solve import solutions

    backend = "line" if puzzle.rows * puzzle.columns <= _LINE_CELLS else "hybrid"
    return sum(1 for _ in itertools.islice(solutions(puzzle, backend), most))


def most_possible(puzzle: Nonogram) -> int:
    """Return a bound on the number of solutions: the placements of the blocks in all rows (or columns) but one.

    The column clues give the number of filled cells in each column, and so determine the last row.

    Examples:
        >>> most_possible(Nonogram([[1]] * 3, [[1]] * 3))
        9
    """
    return min(_ways(puzzle.row_clues, puzzle.columns), _ways(puzzle.column_clues, puzzle.rows))


def _ways(clues: Iterable[Clue], length: int) -> int:
    ways = []
    for clue in clues:
        # The blocks go into the gaps before, between and after the other cells, at most one into each.
        room = length - sum(clue) + 1
        if room < len(clue):
            return 0  # it does not fit
        ways.append(comb(room, len(clue)))
    # The line with the most placements is the one that need not be counted, which gives the best bound.
    return prod(ways) // max(ways)


COUNTERS: dict[str, Callable[[Any, int], int]] = {LightsOut.kind: _by_algebra, Nonogram.kind: _by_search}
"""By kind, the function that counts solutions up to a number; for other kinds all grids are tried."""

BOUNDS: dict[str, Callable[[Any], int]] = {Nonogram.kind: most_possible}
"""By kind, a quick upper bound on the number of solutions, if that is faster than counting."""


def few_solutions(puzzle: Puzzle, most: int) -> bool:
    """Return whether there are at most ``most`` solutions."""
    # The bound is arithmetic on clues, while a count is a search, so it is tried first.
    if puzzle.kind in BOUNDS and BOUNDS[puzzle.kind](puzzle) <= most:
        return True
    return count_up_to(puzzle, most + 1) <= most


def admitted(puzzle: Puzzle, solvable: bool | None, only: Only | None, most: int) -> bool:
    """Return whether a puzzle, whose solvability may be known, is as requested and has at most ``most`` solutions."""
    if only == "unique":
        return solvable is not False and count_up_to(puzzle, 2) == 1
    if only == "solvable":
        return solvable is not False and few_solutions(puzzle, most) and (solvable or count_up_to(puzzle, 1) == 1)
    if only == "unsolvable":
        return not solvable and (solvable is False or count_up_to(puzzle, 1) == 0)
    if only == "valid" and not is_valid(puzzle):
        return False
    return solvable is False or few_solutions(puzzle, most)
