"""Elimination modulo each prime power that divides k, with the pivot of least valuation, as in the Smith form."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.native import Native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.int64]
    Solved = tuple[Matrix | None, list[tuple[int, Matrix]]]
    """Solutions: one, or None, and vectors with their orders, whose multiples give all others."""
    Extend = Callable[[Matrix, int], NDArray[Any]]
    """Returns the presses of all cells, from 0 to k - 1, for unknowns and lights times 1 or 0."""


class Smith(Native):
    """Elimination modulo the prime powers of k, joined by the Chinese remainder theorem.

    Modulo p^e the pivot is a coefficient that fewest powers of p divide, in any equation and unknown. So it divides all
    others, and the powers found are those of the invariant factors: the number of solutions, if there are any, is the
    product of the greatest common divisors of k and these factors.
    """

    name = "smith"
    summary = "modular Lights Out: elimination modulo each prime power, one unknown per cell"
    kinds = frozenset({"modular-lights-out"})
    trusted_base = frozenset({"smith"})
    max_cells = 400  # more take seconds
    preload = ("numpy",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        return f"more than {self.max_cells} cells" if puzzle.rows * puzzle.columns > self.max_cells else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield all solutions."""
        (first, kernel), extend = self._solve(puzzle)
        if first is None:
            return
        presses = extend(first, 1)
        yield puzzle.layout.pack(presses.tolist())
        vectors = [extend(vector, 0) for _, vector in kernel]
        for times in itertools.islice(itertools.product(*(range(order) for order, _ in kernel)), 1, None):
            total = presses
            for factor, vector in zip(times, vectors, strict=True):
                total = (total + factor * vector) % puzzle.states if factor else total
            yield puzzle.layout.pack(total.tolist())

    def count(self, puzzle: LightsOut, task: Task) -> int:  # noqa: ARG002
        """Return the product of the greatest common divisors of k and the invariant factors, or 0."""
        first, kernel = self._solve(puzzle)[0]
        return 0 if first is None else math.prod(order for order, _ in kernel)

    def _solve(self, puzzle: LightsOut) -> tuple[Solved, Extend]:
        """Return the solutions of the system, and what makes presses of them."""
        equations, extend = self._system(puzzle)
        return joined(equations, puzzle.states), extend

    def _system(self, puzzle: LightsOut) -> tuple[Matrix, Extend]:
        import numpy as np  # which loading a backend must not

        changes = [(light, press, amount) for press, effect in enumerate(puzzle.effects) for light, amount in effect]
        lights, presses, amounts = np.array(changes, np.int64).reshape(-1, 3).T
        matrix = np.diag(np.array(puzzle.gone, np.int64))  # a missing cell is not pressed
        np.add.at(matrix, (lights, presses), amounts)
        return np.column_stack([matrix, np.negative(puzzle.values)]), lambda unknowns, _: unknowns


def joined(rows: Matrix, states: int) -> Solved:
    """Return the solutions modulo k."""
    import numpy as np

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
    import numpy as np

    power, size = prime**exponent, rows.shape[1] - 1
    left = (rows % power).astype(np.uint8)  # enough for 15 + 15 * 15, and division of bytes is fast
    unknowns = [*range(size)]
    pivots: list[tuple[int, int]] = []  # for each of the first rows its unknown, and the power of p of its coefficient
    for valuation in range(exponent):
        divisor, free = prime**valuation, []
        for unknown in unknowns:
            done = len(pivots)
            found = np.flatnonzero(left[done:, unknown] % (divisor * prime))
            if not len(found):
                free.append(unknown)
                continue
            left[[done, done + found[0]]] = left[[done + found[0], done]]
            pivot, others = left[done], left[done + 1 :]
            pivot[:] = pivot * pow(int(pivot[unknown]) // divisor, -1, power) % power
            factors = (power - others[:, unknown] // divisor) % power
            others += factors[:, None] * pivot
            others -= others // power * power
            pivots.append((unknown, divisor))
        unknowns = free
    solved = left.astype(np.int64)

    def completed(vector: Matrix, count: int, values: int) -> Matrix:
        for row, (unknown, divisor) in reversed([*zip(solved, pivots[:count], strict=False)]):
            rest = values * row[size] - row[:size] @ vector + divisor * vector[unknown]
            vector[unknown] = rest % power // divisor
        return vector

    unit = np.eye(size, dtype=np.int64)
    kernel = [(power, completed(unit[unknown], len(pivots), 0)) for unknown in unknowns]
    for number, (unknown, divisor) in enumerate(pivots):
        if divisor > 1:
            kernel.append((divisor, completed(power // divisor * unit[unknown], number, 0)))
    values = solved[:, size]
    solvable = not values[len(pivots) :].any() and all(
        value % divisor == 0 for value, (_, divisor) in zip(values, pivots, strict=False)
    )
    return completed(np.zeros(size, np.int64), len(pivots), 1) if solvable else None, kernel


BACKENDS: list[Backend] = [Smith()]
