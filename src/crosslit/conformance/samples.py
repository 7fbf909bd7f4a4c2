"""Small puzzles with all their solutions, found by the rules alone: what a backend is checked against."""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from crosslit.generation import random_board, random_nonogram, random_rules
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle, all_kinds
from crosslit.puzzles.rules import all_grids, solutions_by_rules

KINDS = (LightsOut.kind, Nonogram.kind)
"""The kinds that Crosslit brings."""


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    return Specimen(puzzle, solutions_by_rules(puzzle))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """List every puzzle of a kind and shape: all boards of the usual rules, or all clues of pictures; else samples.

    A board is what pressing its solution makes of the dark one, a nonogram is the clues of its solution: so all grids
    together are the solutions of all of them, and a board that no grid makes has none.

    Examples:
        >>> [len(floor(kind, 2, 2)) for kind in KINDS], [len(floor(kind, 3, 3)) for kind in KINDS]
        ([16, 15], [512, 445])
        >>> sum(not specimen.solutions for specimen in floor("lights-out", 2, 3))
        48
    """
    if kind not in SAMPLERS:
        return tuple(one for one in samples(kind) if (one.puzzle.rows, one.puzzle.columns) == (rows, columns))
    found: dict[Puzzle, set[Grid]] = defaultdict(set)
    for puzzle, grids in SAMPLERS[kind].floor(rows, columns):
        found[puzzle] |= grids
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
    if kind not in SAMPLERS:
        return tuple(all_kinds()[kind].samples())
    sampler, rng = SAMPLERS[kind], random.Random(5)
    shapes = [(1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)]
    by_chance = [puzzle for shape in shapes for puzzle in sampler.by_chance(rng, *shape)]
    return (*by_chance, *sampler.further)


def _floor_of_boards(rows: int, columns: int) -> Iterator[tuple[Puzzle, set[Grid]]]:
    dark = LightsOut(Grid.from_bits(rows, columns, 0))
    for grid in all_grids(rows, columns):
        yield LightsOut(grid), set()
        yield dark.pressed(grid), {grid}


def _floor_of_nonograms(rows: int, columns: int) -> Iterator[tuple[Puzzle, set[Grid]]]:
    return ((Nonogram.of(grid), {grid}) for grid in all_grids(rows, columns))


def _boards(rng: random.Random, rows: int, columns: int) -> list[LightsOut]:
    some = 1 if rows * columns > 10 else 3  # brute force takes longer than the backends
    usual = [random_board(rng, rows, columns) for _ in range(some)]
    return usual + [random_rules(rng, rows, columns) for _ in range(some + 1)]


def _nonograms(rng: random.Random, rows: int, columns: int) -> list[Nonogram]:
    pictures = [random_nonogram(rng, rows, columns, density) for density in (0.3, 0.6)]
    return [*pictures, Nonogram(pictures[0].row_clues, pictures[1].column_clues)]


# Clues that do not fit their line, alone or with the others.
_MISFITS = [([[2]], [[1]]), ([[10**9]], [[10**9]]), ([[], [2]], [[2], []]), ([[1, 1]], [[1], [1]])]


@dataclass(frozen=True)
class Sampler:
    """The small puzzles of a kind.

    Args:
        floor: of rows and columns: every puzzle, perhaps repeatedly, each time with some of its solutions.
        by_chance: of a source of random numbers, rows and columns: some puzzles.
        further: puzzles.
    """

    floor: Callable[[int, int], Iterator[tuple[Puzzle, set[Grid]]]]
    by_chance: Callable[[random.Random, int, int], Sequence[Puzzle]]
    further: Sequence[Puzzle]


SAMPLERS: dict[str, Sampler] = {
    LightsOut.kind: Sampler(_floor_of_boards, _boards, [LightsOut(Grid.from_bits(2, 3, 0))]),
    Nonogram.kind: Sampler(
        _floor_of_nonograms, _nonograms, [*(Nonogram(*clues) for clues in _MISFITS), Nonogram([[1]] * 3, [[1]] * 3)]
    ),
}
"""By kind; of other kinds, backends are checked on `Puzzle.samples`."""
