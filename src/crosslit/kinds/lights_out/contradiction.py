"""Lights of a board that contradict each other: some multiples of them add up to one that no press changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid

if TYPE_CHECKING:
    from crosslit.kinds.lights_out.board import LightsOut


@lru_cache(maxsize=8)  # one explanation asks three times
def multiples(board: LightsOut, lights: Grid) -> dict[int, int] | None:
    """Return the cells of some lights with multiples whose sum no press changes, and that is not 0; None if none.

    Multiples of 0 are left out. With two states, each press toggles an even number of these lights, and an odd number
    of them is lit. If not all of the given lights are needed for a contradiction, not all of them are returned.
    """
    cells = [row * board.columns + column for row, column in lights.cells()]
    return (_odd_lights if board.by_shifts else _multiples)(board, cells)


def _multiples(board: LightsOut, cells: Sequence[int]) -> dict[int, int] | None:
    """Return `multiples` for any number of states, by elimination of the equations of lights."""
    own = [[int(other == cell) for other in cells] for cell in cells]
    rows = [equation + tags for equation, tags in zip(equations(board, cells), own, strict=True)]
    presses = board.rows * board.columns
    eliminated(rows, presses, board.states)
    found = [dict(zip(cells, row[presses + 1 :], strict=True)) for row in rows if row[presses]]
    used = [{cell: times for cell, times in each.items() if times} for each in found]
    return min(used, key=len, default=None)


def _odd_lights(board: LightsOut, cells: Sequence[int]) -> dict[int, int] | None:
    """Return `multiples` for two states, by elimination on the presses that toggle each light, as bits.

    The presses that toggle a light are those that it would toggle itself if the pattern were reversed.
    """
    reverse = replace(board.dark, pattern=tuple((-down, -right) for down, right in board.pattern))
    missing = 0 if board.missing is None else board.missing.bits
    pivots: dict[int, tuple[int, int]] = {}
    for cell in cells:
        added = 1 << cell & ~missing
        presses = reverse.broken(Grid.from_bits(board.rows, board.columns, added)).bits
        while presses and (lowest := presses & -presses) in pivots:
            presses, added = presses ^ pivots[lowest][0], added ^ pivots[lowest][1]
        if presses:
            pivots[presses & -presses] = presses, added
        elif (added & board.lit.bits).bit_count() % 2:
            return {light: 1 for light in range(added.bit_length()) if added >> light & 1}
    return None


def equations(board: LightsOut, lights: Iterable[int]) -> list[list[int]]:
    """Return equations modulo k of some lights: a coefficient for each press, and the sum that is needed.

    The equation of a missing cell says that it is not pressed. They explain contradictions; no solver uses them, since
    each has its own: a mistake here would be confirmed by solvers that are called independent.
    """
    values, gone, size = board.values, board.gone, board.rows * board.columns
    rows = {light: [0] * size + [-values[light] % board.states] for light in lights}
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            if light in rows:
                rows[light][press] = (rows[light][press] + amount) % board.states
    for light in rows:
        rows[light][light] += gone[light]
    return [*rows.values()]


def eliminated(rows: list[list[int]], columns: int, k: int) -> list[int]:
    """Eliminate the first columns of equations modulo k in place, and return the pivot of each column, 0 for none.

    The remaining equations imply all that the given ones say of the other columns.

    Examples:
        >>> rows = [[2, 1, 0], [2, 0, 1]]
        >>> eliminated(rows, 1, 4), rows
        ([2], [[0, 2, 0], [0, 3, 1]])
    """
    pivots = []
    for column in range(columns):
        # Euclid's algorithm on rows
        while len(live := [row for row in rows if row[column]]) > 1:
            pivot = min(live, key=lambda row: row[column])
            for row in live:
                if row is not pivot:
                    times = row[column] // pivot[column]
                    row[:] = [(a - times * b) % k for a, b in zip(row, pivot, strict=True)]
        pivots.append(live[0][column] if live else 0)
        for pivot in live:
            # A zero divisor times this row says something about the later columns.
            factor = k // math.gcd(pivot[column], k)
            pivot[:] = [value * factor % k for value in pivot]
    return pivots
