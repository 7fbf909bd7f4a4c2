"""Linear systems over Z/k, eliminated to Howell form, which is right for composite k too; and those of boards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosslit.base.grid import Layout

if TYPE_CHECKING:
    from crosslit.algebra.boards import Board

Vector = NDArray[np.int16]
_BATCH = 4096  # solutions in an array
Tell = Callable[[int, int | None, bool], None]


class HowellForm:
    """Equations over Z/k as rows, each with the last unknown that it determines, up to a divisor of k.

    What two rows with the same last unknown say about earlier ones becomes a row too; the first row with it is combined
    with 0 = 0, whose coefficient is k. Then unknowns chosen in ascending order never lead to a contradiction, and each
    has d values for the coefficient d of its row, or k without a row; the product is the number of solutions. J. A.
    Howell, "Spans in the module (Z_m)^s", Linear and Multilinear Algebra 19 (1986).
    The rows given are coefficients and a value. ``tell`` is called for each equation with its number, the unknown that
    it determines, if any, and whether it contradicts the earlier ones.
    """

    def __init__(self, rows: Vector, states: int, tell: Tell | None = None) -> None:
        self.states, self.size = states, rows.shape[1] - 1
        self._pivots: dict[int, Vector] = {}
        self.consistent = True
        for number, row in enumerate(rows):
            unknown, contradicts = self._insert(row)
            self.consistent = self.consistent and not contradicts
            if tell is not None:
                tell(number, unknown, contradicts)

    def _insert(self, row: Vector) -> tuple[int | None, bool]:
        """Reduce and keep a row; return the unknown that it determines first, and whether it contradicts others."""
        k, first = self.states, None
        while len(places := row[: self.size].nonzero()[0]):
            last = int(places[-1])
            value, pivot = int(row[last]), self._pivots.get(last, 0 * row)
            known = int(pivot[last]) or k
            divisor = math.gcd(known, value)
            if divisor < known:
                # times * known + factor * value = divisor: one row gets the divisor, the other 0.
                factor = pow(value // divisor, -1, known // divisor)
                times = (divisor - factor * value) // known
                self._pivots[last] = (times % k * pivot + factor * row) % k
                first = last if first is None else first
            row = (known // divisor * row - value // divisor * pivot) % k
        return first, bool(row[self.size])

    @property
    def count(self) -> int:
        """The number of solutions."""
        return math.prod(self.options) if self.consistent else 0

    @property
    def options(self) -> list[int]:
        """For each unknown the number of values that the earlier ones leave, if there is a solution."""
        return [int(self._pivots[place][place]) if place in self._pivots else self.states for place in range(self.size)]

    def particular(self) -> Vector | None:
        """Return the first solution in the order of texts; None if there is none."""
        return self._completed(np.zeros(self.size, np.int16), 0, 1) if self.consistent else None

    def kernel(self) -> list[tuple[int, Vector]]:
        """Return solutions for the values 0, one for each unknown of d > 1 values, which is its first that is not 0.

        A solution plus 0 to d - 1 times each of them are all solutions, each once.
        """
        found = []
        for place, count in enumerate(self.options):
            if count != 1:
                vector = np.zeros(self.size, np.int16)
                vector[place] = self.states // count
                found.append((place, self._completed(vector, place + 1, 0)))
        return found

    def blocks(self) -> Iterator[Vector]:
        """Yield all solutions in ascending order, as arrays with a row for each."""
        first = self.particular()
        if first is None:
            return
        k, levels = self.states, [(place, vector, self.options[place]) for place, vector in self.kernel()]
        inner = len(levels)
        # The last cells vary first, so one multiplication of a block by them serves all values of the others.
        while inner and math.prod(count for *_, count in levels[inner - 1 :]) <= _BATCH:
            inner -= 1
        for outer in range(math.prod(count for *_, count in levels[:inner])):
            start = first
            for level in range(inner):
                place, vector, count = levels[level]
                value = outer // math.prod(count for *_, count in levels[level + 1 : inner]) % count
                start = (start + (value - start[place] // (k // count)) * vector) % k
            block = start[None, :]
            for place, vector, count in levels[inner:]:
                # From the smallest value of this cell upwards.
                least = block - block[:, place, None] // (k // count) * vector
                block = (least[:, None, :] + np.arange(count, dtype=np.int16)[:, None] * vector) % k
                block = block.reshape(len(least) * count, self.size)
            yield block

    def _completed(self, vector: Vector, first: int, values: int) -> Vector:
        """Fill in the smallest unknowns from ``first`` on, for the values of the equations times 1 or 0."""
        for place in range(first, self.size):
            if (row := self._pivots.get(place)) is not None:
                # int16 is enough for short rows only
                left = values * int(row[self.size]) - int(row[:place].astype(np.int64) @ vector[:place])
                vector[place] = left % self.states // int(row[place])
        return vector


def packed(block: Vector, layout: Layout) -> bytes:
    """Return solutions, a row for each, in packed form."""
    bits = block.astype(np.uint8)[:, :, None] >> np.arange(layout.width, dtype=np.uint8) & 1
    return np.packbits(bits.reshape(len(block), layout.bits), axis=1, bitorder="little").tobytes()


def howell_form(board: Board, tell: Tell | None = None) -> HowellForm:
    """Return the form of a board's equations; see `HowellForm`."""
    return HowellForm(equations(board), board.lit.states, tell)


def equations(board: Board) -> Vector:
    """Return the equation of each light: a coefficient for each press, and the sum that makes the light 0.

    The equation of a missing cell says that it is not pressed.
    """
    size = len(board.effects)
    rows = [[0] * size + [-value] for value in board.lit.values()]
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            rows[light][press] = (rows[light][press] + amount) % board.lit.states  # before int16, which it may exceed
    for row, column in () if board.missing is None else board.missing.cells():
        cell = row * board.columns + column
        rows[cell][cell] += 1
    return np.array(rows, np.int16) % board.lit.states


def count_up_to(board: Board, limit: int) -> int:
    """Count up to ``limit`` solutions."""
    return min(limit, howell_form(board).count)
