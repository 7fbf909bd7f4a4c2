"""The number of solutions of a generated puzzle."""

from __future__ import annotations

from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit_generate.exhaustive import Only, is_valid


def count_up_to(puzzle: Puzzle, most: int) -> int:
    """Count up to ``most`` solutions: by the method of the puzzle's kind, or else by trying all grids.

    Examples:
        >>> from crosslit import Nonogram
        >>> count_up_to(Nonogram([[1]] * 3, [[1]] * 3), 100), count_up_to(Nonogram([[1]] * 3, [[1]] * 3), 2)
        (6, 2)
    """
    count = kind_of(puzzle).count_up_to
    return count(puzzle, most) if count else min(most, len(solutions_by_rules(puzzle)))


def few_solutions(puzzle: Puzzle, most: int) -> bool:
    """Return whether there are at most ``most`` solutions."""
    kind = kind_of(puzzle)
    # The bound is arithmetic, while a count is a search, so it is tried first.
    if kind.most_solutions is not None and kind.most_solutions(puzzle) <= most:
        return True
    # Brute force over more grids would take for ever.
    if kind.count_up_to is None and puzzle.rows * puzzle.columns > MAX_CELLS:
        return False
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
