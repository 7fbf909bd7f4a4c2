"""The constraints of a puzzle that a grid satisfies."""

from __future__ import annotations

import itertools

from crosslit import Grid, LightsOut, Nonogram
from crosslit.kinds import Puzzle


def satisfied(puzzle: Puzzle, grid: Grid) -> int:
    """The lights that are 0 after presses, none if a missing cell is pressed; or the lines with their clue: as bits."""
    if isinstance(puzzle, LightsOut):
        missing = any(gone and times for gone, times in zip(puzzle.gone, grid.values(), strict=True))
        return 0 if missing else sum((not left) << light for light, left in enumerate(puzzle.after(grid).values()))
    assert isinstance(puzzle, Nonogram)
    pairs = zip((*puzzle.row_clues, *puzzle.column_clues), itertools.chain(*puzzle.clues_of(grid)), strict=True)
    return sum((clue == blocks) << line for line, (clue, blocks) in enumerate(pairs))
