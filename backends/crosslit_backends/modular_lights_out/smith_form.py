"""Linear systems over Z/k, eliminated modulo each prime power with the pivot of least valuation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int64]
Solved = tuple[Matrix | None, list[tuple[int, Matrix]]]
"""Solutions: one, or None, and vectors with their orders, whose multiples give all others."""


def joined(rows: Matrix, states: int) -> Solved:
    """Return the solutions modulo k."""
    total: Matrix | None = np.zeros(rows.shape[1] - 1, np.int64)
    kernel = []
    for prime in (prime for prime in (2, 3, 5, 7, 11, 13) if states % prime == 0):
        exponent = max(exponent for exponent in range(1, 5) if states % prime**exponent == 0)
        power = prime**exponent
        first, vectors = _solved(rows, prime, exponent)
        unit = states // power * pow(states // power, -1, power)  # 1 modulo this power, 0 modulo the others
        total = None if first is None or total is None else (total + unit * first) % states
        kernel += [(order, unit * vector % states) for order, vector in vectors]
    return total, kernel


def _solved(rows: Matrix, prime: int, exponent: int) -> Solved:
    """Return the solutions modulo a prime power."""
    power, left, size = prime**exponent, rows % prime**exponent, rows.shape[1] - 1
    waiting, unknowns = np.ones(len(left), np.bool_), np.ones(size, np.bool_)
    pivots: list[tuple[int, int, int]] = []  # equation, unknown, and the power of p of its coefficient
    for valuation in range(exponent):
        divisor = prime**valuation
        for unknown in range(size):
            if not unknowns[unknown]:
                continue
            found = np.flatnonzero(waiting & (left[:, unknown] % (divisor * prime) != 0))
            if not len(found):
                continue
            equation = int(found[0])
            waiting[equation] = unknowns[unknown] = False
            left[equation] = left[equation] * pow(int(left[equation, unknown]) // divisor, -1, power) % power
            factors = np.where(waiting, left[:, unknown] // divisor, 0)
            left = (left - factors[:, None] * left[equation]) % power
            pivots.append((equation, unknown, divisor))

    def completed(vector: Matrix, count: int, values: int) -> Matrix:
        for equation, unknown, divisor in reversed(pivots[:count]):
            rest = values * left[equation, size] - left[equation, :size] @ vector + divisor * vector[unknown]
            vector[unknown] = rest % power // divisor
        return vector

    free = np.flatnonzero(unknowns).tolist()
    unit = np.eye(size, dtype=np.int64)
    kernel = [(power, completed(unit[unknown], len(pivots), 0)) for unknown in free]
    for number, (_, unknown, divisor) in enumerate(pivots):
        if divisor > 1:
            kernel.append((divisor, completed(power // divisor * unit[unknown], number, 0)))
    solvable = not left[waiting, size].any() and all(left[row, size] % divisor == 0 for row, _, divisor in pivots)
    return completed(np.zeros(size, np.int64), len(pivots), 1) if solvable else None, kernel
