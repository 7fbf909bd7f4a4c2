"""Small puzzles with all their solutions by the rules, against which backends are checked."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit_generate import random_board, random_grid, random_nonogram, random_rules
from crosslit_generate.exhaustive import FAMILIES, PICTURES, each_press

from crosslit.formats import from_line
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle, all_kinds
from crosslit.kinds.lights_out.puzzle import NEIGHBOURS
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.rules import all_grids, solutions_by_rules

KINDS = (LightsOut.kind, Nonogram.kind)
"""The kinds that are part of Crosslit."""


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    solve = SAMPLERS[puzzle.kind].solve if puzzle.kind in SAMPLERS else solutions_by_rules
    return Specimen(puzzle, frozenset(solve(puzzle)))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Return every puzzle of a kind and shape: all boards of the usual rules, or all clues of pictures; else samples.

    Examples:
        >>> [len(floor(kind, 2, 2)) for kind in KINDS], [len(floor(kind, 3, 3)) for kind in KINDS]
        ([16, 15], [512, 445])
        >>> sum(not specimen.solutions for specimen in floor("lights-out", 2, 3))
        48
    """
    sort = PICTURES.get(kind) or FAMILIES.get(kind)
    if sort is None:
        return tuple(one for one in samples(kind) if (one.puzzle.rows, one.puzzle.columns) == (rows, columns))
    return tuple(itertools.starmap(Specimen, sort.members(rows, columns)))


def samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles of other shapes and rules, from a fixed seed, including some with no or many solutions."""
    return tuple(map(by_rules, sample_puzzles(kind)))


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of `samples` without their solutions, which take a while to find.

    Examples:
        >>> [len(sample_puzzles(kind)) for kind in KINDS]
        [58, 36]
    """
    if kind not in SAMPLERS:
        return tuple(all_kinds()[kind].samples())
    sampler, rng = SAMPLERS[kind], random.Random(5)
    shapes = [(1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)]
    usual = [puzzle for shape in shapes for puzzle in sampler.usual(rng, *shape)]
    shapes = [(2, 3), (3, 2), (3, 3), (3, 4)]
    unusual = [puzzle for shape in shapes for puzzle in sampler.unusual(rng, *shape)]
    return (*usual, *unusual, *sampler.further)


@functools.cache
def larger_samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles whose smallest solution is not found by luck: some with several solutions, some with none.

    Examples:
        >>> [len(specimen.solutions) for specimen in larger_samples("lights-out")]
        [16, 8, 16, 0]
    """
    return tuple(map(by_rules, SAMPLERS[kind].larger())) if kind in SAMPLERS else ()


def _dark(board: LightsOut) -> Iterator[Grid]:
    """Yield the presses that leave no light."""
    return (Grid.from_bits(board.rows, board.columns, presses) for presses, lit in each_press(board) if not lit)


def _pictures(nonogram: Nonogram) -> Iterator[Grid]:
    """Yield the grids without a violation among those whose rows fit: far fewer than all grids."""
    rows = [_lines_of(nonogram.columns).get(clue, ()) for clue in nonogram.row_clues]
    for lines in itertools.product(*rows):
        grid = Grid.from_rows(lines, nonogram.columns)
        if next(nonogram.violations(grid), None) is None:
            yield grid


@functools.cache
def _lines_of(length: int) -> dict[Clue, list[int]]:
    """Return every line of a length, as bits, by its clue."""
    lines: dict[Clue, list[int]] = {}
    for line in all_grids(1, length):
        lines.setdefault(Nonogram.of(line).row_clues[0], []).append(line.bits)
    return lines


def _boards(rng: random.Random, rows: int, columns: int) -> list[LightsOut]:
    some = 1 if rows * columns > 10 else 3  # brute force takes longer than the backends
    usual = [random_board(rng, rows, columns) for _ in range(some)]
    return usual + [random_rules(rng, rows, columns) for _ in range(some + 1)]


def _unusual_boards(rng: random.Random, rows: int, columns: int) -> list[LightsOut]:
    neighbours = LightsOut(random_grid(rng, rows, columns), NEIGHBOURS)
    return [neighbours, *(random_rules(rng, rows, columns) for _ in range(2))]


def _larger_boards() -> list[LightsOut]:
    rng = random.Random(11)
    shapes = [(4, 4), (5, 3), (4, 4)]
    boards = [LightsOut(Grid.from_bits(*shape, 0)).pressed(random_grid(rng, *shape)) for shape in shapes]
    return [*boards, random_board(rng, 4, 4)]


def _nonograms(rng: random.Random, rows: int, columns: int) -> list[Nonogram]:
    pictures = [random_nonogram(rng, rows, columns, density) for density in (0.3, 0.6)]
    return [*pictures, Nonogram(pictures[0].row_clues, pictures[1].column_clues)]


def _mixed_nonograms(rng: random.Random, rows: int, columns: int) -> list[Nonogram]:
    one, other = random_nonogram(rng, rows, columns, 0.5), random_nonogram(rng, rows, columns, 0.5)
    return [one, Nonogram(one.row_clues, other.column_clues)]


# An unsolvable board with an asymmetric pattern; one whose solutions differ only in the last cell; and one that a
# single press makes from the dark board.
_BOARDS = ("press=100,011,010/110/001/010", "press=000,000,001/00/01", "100/000", "press=king/wrap=torus/110/0_1/100")


# Clues that do not fit their line, with and without others that do.
_MISFITS: list[tuple[list[list[int]], list[list[int]]]] = [
    ([[5], [1]], [[1], [1]]),
    ([[3], []], [[1], [], [9]]),
    ([[2]], [[1]]),
    ([[10**9]], [[10**9]]),
    ([[], [2]], [[2], []]),
    ([[1, 1]], [[1], [1]]),
]


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """The small puzzles of a kind.

    Args:
        usual: makes puzzles from a source of random numbers, rows and columns.
        unusual: makes puzzles of other rules or with fewer solutions from the same.
        further: more puzzles; the last has several solutions.
        larger: makes puzzles for `larger_samples`.
        solve: returns all solutions of a puzzle, by trying all grids.
    """

    usual: Callable[[random.Random, int, int], Sequence[Puzzle]]
    unusual: Callable[[random.Random, int, int], Sequence[Puzzle]]
    further: Sequence[Puzzle]
    larger: Callable[[], Sequence[Puzzle]] = tuple
    solve: Callable[[Any], Iterable[Grid]] = solutions_by_rules


SAMPLERS: dict[str, Sampler] = {
    LightsOut.kind: Sampler(
        usual=_boards,
        unusual=_unusual_boards,
        further=[*map(from_line, _BOARDS), LightsOut(Grid.from_bits(2, 3, 0))],
        larger=_larger_boards,
        solve=_dark,
    ),
    Nonogram.kind: Sampler(
        usual=_nonograms,
        unusual=_mixed_nonograms,
        further=[*itertools.starmap(Nonogram, _MISFITS), Nonogram([[1]] * 3, [[1]] * 3)],
        solve=_pictures,
    ),
}
"""By kind; backends are checked on `Puzzle.samples` of other kinds."""
