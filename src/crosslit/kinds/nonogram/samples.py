"""Samples of nonograms, against which backends are checked, and families that are enumerated completely."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from crosslit.base.grid import Grid, Layout
from crosslit.contract.family import (
    MAX_LISTED_CELLS,
    MAX_SIDE,
    Chance,
    CompleteFamily,
    Member,
    Population,
    RandomFamily,
)
from crosslit.kinds.nonogram.colours import ColouredNonogram, Palette, usual_palette
from crosslit.kinds.nonogram.families import COLOURED_FAMILIES, FAMILIES, random_nonogram, random_picture
from crosslit.kinds.nonogram.puzzle import Clue, Clues, Nonogram, lines_by_clue

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
    rng, found = random.Random(5), list[Nonogram]()
    for shape in ((1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)):
        thin, thick = (random_nonogram(rng, *shape, density) for density in (0.3, 0.6))
        found += [thin, thick, Nonogram(thin.row_clues, thick.column_clues)]
    for shape in ((2, 3), (3, 2), (3, 3), (3, 4)):
        one, other = (random_nonogram(rng, *shape) for _ in range(2))
        found += [one, Nonogram(one.row_clues, other.column_clues)]
    return (*found, *itertools.starmap(Nonogram, _MISFITS), Nonogram([[1]] * 3, [[1]] * 3))


def all_solutions(puzzle: Nonogram) -> Iterator[Grid]:
    """Yield the grids without a violation among those whose rows fit: far fewer than all grids."""
    by_clue = lines_by_clue(type(puzzle), puzzle.columns, puzzle.states)
    for rows in itertools.product(*(by_clue.get(clue, ()) for clue in puzzle.row_clues)):
        grid = puzzle.layout.parse("/".join(rows))
        if next(puzzle.violations(grid), None) is None:
            yield grid


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
_COLOURS = {2: "one colour", 3: "two colours"}
_MAX_CELLS = 8  # in several colours: 6,561 pictures of two colours


def population() -> Population:
    """Return random nonograms; all pairs of clues that fit a shape, and for larger shapes those of pictures."""

    def clues(length: int) -> list[Clue]:
        return sorted(lines_by_clue(Nonogram, length), key=lambda clue: (sum(clue), clue))

    def lines(length: int) -> list[str]:
        return ["".join(line)[::-1] for line in itertools.product("01", repeat=length)]

    bounds = {"max_side": MAX_LISTED_CELLS, "max_members": MAX_PAIRS}, {"max_side": MAX_SIDE}
    return Population(_families(Nonogram, 2, "", clues, lines, *bounds), FAMILIES)


def coloured_population() -> Population:
    """Return random coloured nonograms, and the families in two colours."""
    return Population(_coloured_families(usual_palette(2)), COLOURED_FAMILIES)


def _coloured_families(palette: Palette) -> tuple[CompleteFamily, ...]:
    states = len(palette)
    words = _COLOURS.get(states, f"{states - 1} colours")
    clues = partial(lines_by_clue, ColouredNonogram, states=states)
    bounds = {"max_cells": _MAX_CELLS, "max_members": MAX_PAIRS}
    make = partial(ColouredNonogram, palette=palette)

    def lines(length: int) -> Iterable[str]:
        return itertools.chain(*clues(length).values())

    return _families(make, states, f" in {words}", clues, lines, bounds, bounds)


def _families(
    make: Callable[[Clues, Clues], Nonogram],
    states: int,
    words: str,
    clues: Callable[[int], Iterable[Clue]],
    lines: Callable[[int], Iterable[str]],
    pairs_bounds: Mapping[str, Any],
    pictures_bounds: Mapping[str, Any],
) -> tuple[CompleteFamily, ...]:
    """Return all pairs of clues of a shape, including contradictory ones, and for larger shapes those of pictures.

    ``clues`` and ``lines`` give those of a length in order; the bounds are those of each `CompleteFamily`.
    """

    def count_pairs(rows: int, columns: int) -> int:
        return int(len([*clues(columns)]) ** rows * len([*clues(rows)]) ** columns)

    def pairs(rows: int, columns: int) -> Iterator[Member]:
        # Looking up the clues of every line replaces a search for the solutions of each pair.
        found = dict(pictures(rows, columns))
        for each in itertools.product(*[[*clues(columns)]] * rows, *[[*clues(rows)]] * columns):
            puzzle = make(each[:rows], each[rows:])
            yield puzzle, found.get(puzzle, frozenset())

    def pictures(rows: int, columns: int) -> Iterator[Member]:
        layout, found = Layout(rows, columns, states), defaultdict(list)
        of = make(((),), ((),)).blocks
        across, down = ({line: of([line])[0] for line in lines(length)} for length in (columns, rows))
        for picture in itertools.product(across, repeat=rows):
            turned = tuple([down["".join(column)] for column in zip(*picture, strict=True)])
            found[tuple([across[line] for line in picture]), turned].append("/".join(picture))
        yield from ((make(*pair), frozenset(map(layout.parse, texts))) for pair, texts in found.items())

    def count_pictures(rows: int, columns: int) -> int:
        return int(states ** (rows * columns))

    return (
        CompleteFamily(f"pair of fitting clues {{}}{words}", count_pairs, pairs, **pairs_bounds),
        CompleteFamily(f"picture {{}}{words}", count_pictures, pictures, **pictures_bounds, solvable=True),
    )


def like(puzzle: ColouredNonogram) -> Population:
    """Return the nonograms with the colours of this one."""

    def coloured(family: RandomFamily, chance: Chance) -> ColouredNonogram | None:
        drawn = family.make(chance)
        has_more = drawn is None or len(drawn.palette) > len(puzzle.palette)
        return None if has_more else ColouredNonogram(drawn.row_clues, drawn.column_clues, puzzle.palette)

    families = (replace(family, make=partial(coloured, family)) for family in COLOURED_FAMILIES)
    return Population(
        _coloured_families(puzzle.palette), tuple(families), lambda other: bool(other.palette == puzzle.palette)
    )
