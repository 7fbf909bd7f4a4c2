"""Small puzzles with all their solutions, found by the rules alone: what a backend is checked against."""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from crosslit.generation import random_board, random_nonogram, random_rules
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle

KINDS = (LightsOut.kind, Nonogram.kind)


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


def all_grids(rows: int, columns: int) -> Iterator[Grid]:
    """Every grid of a shape, in the order of their bits."""
    return (Grid.from_bits(rows, columns, bits) for bits in range(1 << rows * columns))


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Brute force: every grid through the rule checker."""
    grids = all_grids(puzzle.rows, puzzle.columns)
    return Specimen(puzzle, frozenset(grid for grid in grids if next(puzzle.violations(grid), None) is None))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Every puzzle of a kind and shape: all boards of the usual rules, or all clues of pictures.

    A board is what pressing its solution makes of the dark one, a nonogram is the clues of its solution: so all grids
    together are the solutions of all of them, and a board that no grid makes has none.

    Examples:
        >>> [len(floor(kind, 2, 2)) for kind in KINDS], [len(floor(kind, 3, 3)) for kind in KINDS]
        ([16, 15], [512, 445])
        >>> sum(not specimen.solutions for specimen in floor("lights-out", 2, 3))
        48
    """
    found: dict[Puzzle, set[Grid]] = defaultdict(set)
    dark = LightsOut(Grid.from_bits(rows, columns, 0))
    for grid in all_grids(rows, columns):
        if kind == LightsOut.kind:
            found[LightsOut(grid)] |= set()
            found[dark.pressed(grid)].add(grid)
        else:
            found[Nonogram.of(grid)].add(grid)
    return tuple(Specimen(puzzle, frozenset(grids)) for puzzle, grids in found.items())


def samples(kind: str) -> tuple[Specimen, ...]:
    """Puzzles of other shapes and rules, from a fixed seed; among them ones without a solution, and with many."""
    return tuple(map(by_rules, sample_puzzles(kind)))


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Those of `samples`, for whoever needs the solutions of some alone: to find them takes a while.

    Examples:
        >>> [len(sample_puzzles(kind)) for kind in KINDS]
        [42, 26]
    """
    rng = random.Random(5)
    puzzles: list[Puzzle] = []
    for rows, columns in [(1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)]:
        if kind == LightsOut.kind:
            some = 1 if rows * columns > 10 else 3  # brute force takes longer than the backends
            puzzles += [random_board(rng, rows, columns) for _ in range(some)]
            puzzles += [random_rules(rng, rows, columns) for _ in range(some + 1)]
        else:
            pictures = [random_nonogram(rng, rows, columns, density) for density in (0.3, 0.6)]
            puzzles += [*pictures, Nonogram(pictures[0].row_clues, pictures[1].column_clues)]
    if kind == LightsOut.kind:
        puzzles.append(LightsOut(Grid.from_bits(2, 3, 0)))
    else:
        puzzles += [Nonogram(rows, columns) for rows, columns in _MISFITS]
        puzzles.append(Nonogram([[1]] * 3, [[1]] * 3))
    return tuple(puzzles)


# Clues that do not fit their line, alone or with the others.
_MISFITS = [([[2]], [[1]]), ([[10**9]], [[10**9]]), ([[], [2]], [[2], []]), ([[1, 1]], [[1], [1]])]
