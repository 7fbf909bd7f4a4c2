"""The symmetries of a puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.puzzles.lights_out import WRAPS


def images(puzzle: Puzzle) -> Iterator[Puzzle]:
    """The puzzle rotated and mirrored: eight, which may be equal; its solutions are those of the puzzle, likewise.

    Examples:
        >>> from crosslit import load
        >>> sorted({image.text for image in images(load("1 2,0|1,0,1,1"))})
        ['0,1 2|1,0,1,1', '0,2 1|1,1,0,1', '1 2,0|1,0,1,1', '1,0,1,1|0,1 2', '1,0,1,1|1 2,0', '1,1,0,1|0,2 1', \
'1,1,0,1|2 1,0', '2 1,0|1,1,0,1']
    """
    for _ in range(2):
        for _ in range(2):
            yield puzzle
            puzzle = _mirrored(puzzle)
            yield _flipped(puzzle)
        puzzle = _transposed(puzzle)


def _mirrored(puzzle: Puzzle) -> Puzzle:
    """Left and right exchanged."""
    if isinstance(puzzle, Nonogram):
        return Nonogram((clue[::-1] for clue in puzzle.row_clues), reversed(puzzle.column_clues))
    pattern = ((down, -right) for down, right in puzzle.pattern)
    missing = _grid(puzzle.missing, lambda lines: [line[::-1] for line in lines])
    lit = _grid(puzzle.lit, lambda lines: [line[::-1] for line in lines])
    assert lit is not None
    return LightsOut(lit, tuple(pattern), puzzle.wrap, missing)


def _transposed(puzzle: Puzzle) -> Puzzle:
    """Rows and columns exchanged."""
    if isinstance(puzzle, Nonogram):
        return Nonogram(puzzle.column_clues, puzzle.row_clues)
    turned = {"horizontal": "vertical", "vertical": "horizontal"}.get(puzzle.wrap, puzzle.wrap)
    wrap = next(word for word in WRAPS if word == turned)
    pattern = tuple((right, down) for down, right in puzzle.pattern)
    missing = puzzle.missing.transposed() if puzzle.missing is not None else None
    return LightsOut(puzzle.lit.transposed(), pattern, wrap, missing)


def _flipped(puzzle: Puzzle) -> Puzzle:
    """Top and bottom exchanged."""
    return _transposed(_mirrored(_transposed(puzzle)))


def _grid(grid: Grid | None, change: Callable[[list[str]], list[str]]) -> Grid | None:
    return None if grid is None else Grid.from_text("/".join(change(grid.lines())))
