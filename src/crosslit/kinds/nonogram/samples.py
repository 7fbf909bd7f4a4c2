"""Small nonograms with all their solutions, against which backends are checked."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS
from crosslit.kinds.clue_puzzle import Clue, CluePuzzle
from crosslit.kinds.nonogram.makers import random_nonogram
from crosslit.kinds.nonogram.puzzle import Nonogram

# Clues that do not fit their line, with and without others that do.
_MISFITS: list[tuple[list[list[int]], list[list[int]]]] = [
    ([[5], [1]], [[1], [1]]),
    ([[3], []], [[1], [], [9]]),
    ([[2]], [[1]]),
    ([[10**9 - 1]], [[10**9 - 1]]),
    ([[], [2]], [[2], []]),
    ([[1, 1]], [[1], [1]]),
]


def samples() -> tuple[Nonogram, ...]:
    """Return nonograms of several shapes, from a fixed seed; the last has several solutions."""
    rng = random.Random(5)
    shapes = [(1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)]
    usual = [puzzle for shape in shapes for puzzle in _nonograms(rng, *shape)]
    shapes = [(2, 3), (3, 2), (3, 3), (3, 4)]
    unusual = [puzzle for shape in shapes for puzzle in _mixed_nonograms(rng, *shape)]
    return (*usual, *unusual, *[*itertools.starmap(Nonogram, _MISFITS), Nonogram([[1]] * 3, [[1]] * 3)])


def _nonograms(rng: random.Random, rows: int, columns: int) -> list[Nonogram]:
    pictures = [random_nonogram(rng, rows, columns, density) for density in (0.3, 0.6)]
    return [*pictures, Nonogram(pictures[0].row_clues, pictures[1].column_clues)]


def _mixed_nonograms(rng: random.Random, rows: int, columns: int) -> list[Nonogram]:
    one, other = random_nonogram(rng, rows, columns, 0.5), random_nonogram(rng, rows, columns, 0.5)
    return [one, Nonogram(one.row_clues, other.column_clues)]


def solutions(puzzle: CluePuzzle) -> Iterator[Grid]:
    """Yield the grids without a violation among those whose rows fit: far fewer than all grids."""
    by_clue = lines_by_clue(type(puzzle), puzzle.columns, puzzle.states)
    for rows in itertools.product(*(by_clue.get(clue, ()) for clue in puzzle.row_clues)):
        grid = puzzle.layout.parse("/".join(rows))
        if next(puzzle.violations(grid), None) is None:
            yield grid


@functools.cache
def lines_by_clue(kind: type[CluePuzzle], length: int, states: int) -> dict[Clue, list[str]]:
    """Return every line of a length, as text, by its clue."""
    lines: dict[Clue, list[str]] = {}
    for line in map("".join, itertools.product(DIGITS[:states], repeat=length)):
        lines.setdefault(kind.blocks([line])[0], []).append(line)
    return lines


def satisfied(puzzle: CluePuzzle, picture: Grid) -> int:
    """Return the lines whose clue a picture satisfies, as bits: rows first, then columns."""
    pairs = zip((*puzzle.row_clues, *puzzle.column_clues), itertools.chain(*puzzle.clues_of(picture)), strict=True)
    return sum((clue == blocks) << line for line, (clue, blocks) in enumerate(pairs))
