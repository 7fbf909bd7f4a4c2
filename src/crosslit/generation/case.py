"""One generated puzzle, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from crosslit.grid import Grid
from crosslit.puzzles import Nonogram, Puzzle

Only = Literal["solvable", "unique", "valid", "unsolvable"]
ONLY: tuple[Only, ...] = get_args(Only)


@dataclass(frozen=True)
class Case:
    """A puzzle of a family.

    Args:
        puzzle: the puzzle.
        family: what it is a member of, in words: coverage is summed up by it.
        exhaustive: whether the family is gone through entirely.
        last: whether it is the last member of an exhaustive family.
        solutions: all of them, by the rules alone, where the family was made that way (exhaustive ones).
    """

    puzzle: Puzzle
    family: str
    exhaustive: bool
    last: bool = False
    solutions: frozenset[Grid] | None = None

    def suits(self, only: Only | None) -> bool:
        """Whether its known solutions are as many as asked for."""
        if only == "valid":
            return is_valid(self.puzzle)
        if only is None or self.solutions is None:
            return only is None
        found = len(self.solutions)
        return {"solvable": found > 0, "unique": found == 1, "unsolvable": found == 0}[only]


def is_valid(puzzle: Puzzle) -> bool:
    """Return whether every clue fits its line and the clues of rows and columns need as many cells.

    Examples:
        >>> from crosslit.puzzles import Nonogram
        >>> is_valid(Nonogram([[1, 1]], [[1], [1]])), is_valid(Nonogram([[1], []], [[], [1]]))
        (False, True)
    """
    if not isinstance(puzzle, Nonogram):
        return not puzzle.is_refuted
    sides = ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows))
    fits = all(sum(clue) + len(clue) - 1 <= length for clues, length in sides for clue in clues)
    return fits and not puzzle.is_refuted
