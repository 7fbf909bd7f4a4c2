"""Small nonograms with all their solutions: against samples backends are checked, and families are complete."""

from __future__ import annotations

import functools
import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from crosslit.base.grid import DIGITS, Grid
from crosslit.base.layout import Layout
from crosslit.contract.family import (
    MAX_LISTED_CELLS,
    MAX_SIDE,
    Chance,
    Maker,
    Member,
    Population,
    Sort,
    count_grids,
    to_grids,
)
from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.nonogram.colours import ColouredNonogram, Palette, usual_palette
from crosslit.kinds.nonogram.making import coloured_makers, random_nonogram, random_picture
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram

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


def solutions(puzzle: Nonogram) -> Iterator[Grid]:
    """Yield the grids without a violation among those whose rows fit: far fewer than all grids."""
    by_clue = lines_by_clue(type(puzzle), puzzle.columns, puzzle.states)
    for rows in itertools.product(*(by_clue.get(clue, ()) for clue in puzzle.row_clues)):
        grid = puzzle.layout.parse("/".join(rows))
        if next(puzzle.violations(grid), None) is None:
            yield grid


@functools.cache
def lines_by_clue(kind: type[Nonogram], length: int, states: int) -> dict[Clue, list[str]]:
    """Return every line of a length, as text, by its clue."""
    lines: dict[Clue, list[str]] = {}
    for line in map("".join, itertools.product(DIGITS[:states], repeat=length)):
        lines.setdefault(kind.blocks([line])[0], []).append(line)
    return lines


def satisfied(puzzle: Nonogram, picture: Grid) -> int:
    """Return the lines whose clue a picture satisfies, as bits: rows first, then columns."""
    pairs = zip((*puzzle.row_clues, *puzzle.column_clues), itertools.chain(*puzzle.clues_of(picture)), strict=True)
    return sum((clue == blocks) << line for line, (clue, blocks) in enumerate(pairs))


# touching and separate blocks, clues that do not fit, sums that differ in one colour only, an unused colour
_SPECIAL = (
    "1a 1b,1b|1a,2b",
    "1a 1a|1a,0,1a",
    "1a 1a|1a,1a",
    "2a 1b|1a,1a",
    "9a|1a,1b",
    "999999999a|999999999a",
    "1a|1b",
    "1b,1a|1a,1b",
    "white=ffffff,ink=000000,none=ff0000;1a|1a",
    "0,0|0,0,0",
    "1a,1a|1a,1a",
    "1a 1b,1a 1b|1a,1a,1b,1b",
)


def coloured_samples() -> tuple[ColouredNonogram, ...]:
    """Return puzzles of several shapes and 1 to 3 colours, from a fixed seed; the last has several solutions."""
    rng, found = random.Random(7), []
    for (rows, columns), colours in itertools.product([(1, 4), (4, 1), (2, 3), (3, 2), (2, 2)], (1, 2, 3)):
        one, other = (random_picture(rng, rows, columns, colours, 0.6) for _ in range(2))
        found += [one, ColouredNonogram(one.row_clues, other.column_clues, one.palette)]
    return (*found, *(ColouredNonogram.parse(f"coloured-nonogram:{text}") for text in _SPECIAL))


MAX_PAIRS = 50_000  # clue pairs of a shape: beyond, only those of pictures


def families() -> tuple[Sort, ...]:
    """Return all pairs of clues that fit a shape, also contradictory ones, and for larger shapes those of pictures."""
    return (
        Sort("pair of fitting clues {}", _clue_pairs, _pairs, MAX_LISTED_CELLS, most=MAX_PAIRS),
        Sort("picture {}", count_grids, _of_pictures, MAX_SIDE, solvable=True),
    )


@functools.cache
def clues_of(length: int) -> tuple[Clue, ...]:
    """Return every clue that fits a line of a length, the shortest first."""
    # From all lines of this length, so a clue that does not fit cannot be among them.
    return tuple(sorted(set(_line_clues(length)), key=lambda clue: (sum(clue), clue)))


@functools.cache
def _line_clues(length: int) -> tuple[Clue, ...]:
    """Return the clue of every line of a length, by the line's bits."""
    return tuple(
        tuple(len(block) for block in f"{bits:0{length}b}"[::-1].split("0") if block) for bits in range(1 << length)
    )


def _pairs(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    # Made once for the whole family: looking up the clues of each pair then replaces a search.
    solutions = _by_clues(rows, columns)
    for across in itertools.product(clues_of(columns), repeat=rows):
        for down in itertools.product(clues_of(rows), repeat=columns):
            yield Nonogram(across, down), to_grids(rows, columns, solutions.get((across, down), ()))


def _of_pictures(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    return ((Nonogram(*clues), to_grids(rows, columns, found)) for clues, found in _by_clues(rows, columns).items())


def _by_clues(rows: int, columns: int) -> dict[tuple[tuple[Clue, ...], tuple[Clue, ...]], list[int]]:
    """Return all pictures of a shape, as bits, by their clues."""
    found = defaultdict(list)
    across, down = _line_clues(columns), _line_clues(rows)
    # For each value of a row, its bits at their places in the transposed picture, so that columns come from one OR per
    # row.
    spread = [sum((row >> column & 1) << column * rows for column in range(columns)) for row in range(1 << columns)]
    every = (1 << rows) - 1
    for lines in itertools.product(range(1 << columns), repeat=rows):
        turned = 0
        for number, row in enumerate(lines):
            turned |= spread[row] << number
        key = (
            tuple([across[row] for row in lines]),
            tuple([down[turned >> first & every] for first in range(0, rows * columns, rows)]),
        )
        found[key].append(sum(row << number * columns for number, row in enumerate(lines)))
    return found


def _clue_pairs(rows: int, columns: int) -> int:
    pairs: int = len(clues_of(columns)) ** rows * len(clues_of(rows)) ** columns
    return pairs


_MAX_CELLS = 8  # 6,561 pictures of two colours
_TWO = usual_palette(2)


def coloured_families(palette: Palette = _TWO) -> tuple[Sort, ...]:
    """Return all pairs of clues of a shape, including contradictory ones, and for larger shapes those of pictures."""
    states = len(palette)
    words = {2: "one colour", 3: "two colours"}.get(states, f"{states - 1} colours")

    def clues(length: int) -> dict[Clue, list[str]]:
        return lines_by_clue(ColouredNonogram, length, states)

    def count_pairs(rows: int, columns: int) -> int:
        return int(len(clues(columns)) ** rows * len(clues(rows)) ** columns)

    def pairs(rows: int, columns: int) -> Iterator[Member]:
        found = dict(pictures(rows, columns))
        for across in itertools.product(clues(columns), repeat=rows):
            for down in itertools.product(clues(rows), repeat=columns):
                puzzle = ColouredNonogram(across, down, palette)
                yield puzzle, found.get(puzzle, frozenset())

    def pictures(rows: int, columns: int) -> Iterator[Member]:
        if rows * columns > _MAX_CELLS:
            return
        found: dict[Puzzle, list[Grid]] = defaultdict(list)
        layout = Layout(rows, columns, states)
        lines = itertools.chain(*clues(columns).values())
        for picture in map(layout.parse, map("/".join, itertools.product(lines, repeat=rows))):
            found[ColouredNonogram.of(picture, palette=palette)].append(picture)
        yield from ((puzzle, frozenset(grids)) for puzzle, grids in found.items())

    def count_pictures(rows: int, columns: int) -> int:
        return int(states ** (rows * columns))

    return (
        Sort(f"pair of fitting clues {{}} in {words}", count_pairs, pairs, 0, _MAX_CELLS, MAX_PAIRS),
        Sort(f"picture {{}} in {words}", count_pictures, pictures, 0, _MAX_CELLS, MAX_PAIRS, solvable=True),
    )


def like(puzzle: ColouredNonogram) -> Population:
    """Return the nonograms with the colours of this one."""

    def coloured(maker: Maker, chance: Chance) -> ColouredNonogram | None:
        made: Any = maker.make(chance)
        has_more = made is None or len(made.palette) > len(puzzle.palette)
        return None if has_more else ColouredNonogram(made.row_clues, made.column_clues, puzzle.palette)

    makers = (replace(maker, make=partial(coloured, maker)) for maker in coloured_makers())
    return Population(
        coloured_families(puzzle.palette), tuple(makers), lambda other: bool(other.palette == puzzle.palette)
    )
