"""Equations that contradict each other: a sum of multiples of them has 0 on one side only.

They explain contradictions; no solver uses them, since each has its own: a mistake here would be confirmed by solvers
that are called independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping


def multiples(equations: Mapping[int, list[int]], unknowns: int, k: int) -> dict[int, int] | None:
    """Return equations modulo k with multiples, not 0, that add up to "0 = something else"; None if there are none.

    An equation has the coefficients of the unknowns and the sum that is needed.

    Examples:
        >>> multiples({4: [1, 1, 0], 5: [1, 1, 1]}, 2, 3)
        {4: 2, 5: 1}
    """
    own = [[int(other == name) for other in equations] for name in equations]
    rows = [equation + tags for equation, tags in zip(equations.values(), own, strict=True)]
    eliminated(rows, unknowns, k)
    found = [dict(zip(equations, row[unknowns + 1 :], strict=True)) for row in rows if row[unknowns]]
    used = [{name: times for name, times in each.items() if times} for each in found]
    return min(used, key=len, default=None)


def odd_lights(lights: Iterable[tuple[int, int]], lit: int) -> dict[int, int] | None:
    """Return lights that each press toggles an even number of, and of which an odd number is lit, as `multiples` does.

    A light comes with the presses that toggle it, as bits.
    """
    pivots: dict[int, tuple[int, int]] = {}
    for light, presses in lights:
        added = 1 << light
        while presses and (lowest := presses & -presses) in pivots:
            presses, added = presses ^ pivots[lowest][0], added ^ pivots[lowest][1]
        if presses:
            pivots[presses & -presses] = presses, added
        elif (added & lit).bit_count() % 2:
            return {light: 1 for light in range(added.bit_length()) if added >> light & 1}
    return None


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
