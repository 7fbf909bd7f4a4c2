"""Lights Out solvers with a planted bug each, and the small right ones that they were made of."""

from __future__ import annotations

import random
from dataclasses import replace

from crosslit_backends.lights_out.enumeration import coset
from crosslit_backends.lights_out.fewest import solution_space

import crosslit
from crosslit import Grid, LightsOut
from crosslit.algebra.chase import chase


def contiguous_first_rows(board: LightsOut) -> Grid | None:
    """Tries only first rows whose presses are contiguous."""
    ends = range(board.columns + 1)
    runs = ((1 << right) - (1 << left) for left in ends for right in ends[left:])
    tries = (chase(board.lit.row_bits(), first, board.columns) for first in runs)
    return next((Grid.from_rows(presses, board.columns) for presses, left in tries if not left), None)


def elimination(board: LightsOut) -> Grid | None:
    """Right: the first solution of a system that may be singular."""
    return next(iter(all_of(board)), None)


def ignores_wrap(board: LightsOut) -> Grid | None:
    """Plays on a torus as on a board with edges."""
    return elimination(replace(board, wrap="none"))


def all_of(board: LightsOut) -> list[Grid]:
    """Right: one solution and the whole kernel."""
    start, kernel = solution_space(board)
    if start is None:
        return []
    return [Grid.from_bits(board.rows, board.columns, bits) for bits in coset(start, kernel)]


def drops_last(board: LightsOut) -> list[Grid]:
    """Loses the last of several solutions."""
    found = all_of(board)
    return found[:-1] if len(found) > 1 else found


def nullity_above_4(board: LightsOut) -> list[Grid]:
    """Its loop over combinations ends after four quiet patterns."""
    return all_of(board)[:16]


def above_8x8(board: LightsOut) -> Grid | None:
    """Keeps cells in 64 bits."""
    found = crosslit.solve(board)
    return found and Grid.from_bits(found.rows, found.columns, found.bits & (1 << 64) - 1)


def any_solution(board: LightsOut) -> Grid | None:
    """Takes the first solution for the one of fewest presses."""
    return elimination(board)


def greedy_presses(board: LightsOut) -> Grid | None:
    """Adds single quiet patterns while that saves presses."""
    best, kernel = solution_space(board)
    if best is None:
        return None
    while lighter := [best ^ quiet for quiet in kernel if (best ^ quiet).bit_count() < best.bit_count()]:
        best = lighter[0]
    return Grid.from_bits(board.rows, board.columns, best)


class Flaky:
    """Says unsolvable one time in twelve."""

    def __init__(self) -> None:
        self._rng = random.Random(1)

    def __call__(self, board: LightsOut) -> Grid | None:
        return None if self._rng.randrange(12) == 0 else crosslit.solve(board)


class StaleKernel:
    """Reuses the elimination of the last board with equally many cells, even for another shape."""

    def __init__(self) -> None:
        self._kept: dict[int, list[int]] = {}

    def __call__(self, board: LightsOut) -> list[Grid]:
        start, kernel = solution_space(board)
        kernel = self._kept.setdefault(board.rows * board.columns, list(kernel))
        if start is None:
            return []
        return [Grid.from_bits(board.rows, board.columns, bits) for bits in coset(start, kernel)]
