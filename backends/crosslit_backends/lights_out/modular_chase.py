"""Elimination of the equations that a chase leaves, modulo each prime power that divides k."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.int64]
    Solved = tuple[Matrix | None, list[tuple[int, Matrix]]]
    """Solutions: one, or None, and vectors with their orders, whose multiples give all others."""
    Extend = Callable[[Matrix, int], NDArray[Any]]
    """Returns the presses of all cells, from 0 to k - 1, for unknowns and lights times 1 or 0."""

MAX_CELLS = 40_000
MAX_WORK = 1 << 29
"""Cells times presses of the first row: 700 x 700 cells take 3 s."""


class ModularChase(Native):
    """The equations that a chase leaves, solved modulo each prime power of k.

    If a press pattern changes one light of the row above, light by light this determines the next row of presses; so
    whole rows are chased (`RowChase`). For other rules the chase is `crosslit_encoders.lights_out.equations.chase`.
    It shares no code with `gauss` and `howell`, so it checks them on boards of any rules.
    """

    name = "modular-chase"
    summary = "Lights Out, also modular: elimination modulo each prime power, one unknown per column of usual boards"
    kinds = frozenset({"modular-lights-out", "lights-out"})
    trusted_base = frozenset({"modular-sums", "chase"})
    seldom = ("numpy",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        assert isinstance(puzzle, LightsOut)
        cells, rows = puzzle.rows * puzzle.columns, RowChase.of(puzzle)
        if cells <= MAX_CELLS or (rows is not None and cells * rows.columns * rows.height <= MAX_WORK):
            return None
        return f"more than {MAX_CELLS} cells"

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield all solutions."""
        equations, extend = _system(puzzle)
        first, kernel = solve(equations, puzzle.states)
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
        """Return the product of the orders of the kernel's vectors, or 0 if there is no solution."""
        first, kernel = solve(_system(puzzle)[0], puzzle.states)
        return 0 if first is None else math.prod(order for order, _ in kernel)


def _system(puzzle: LightsOut) -> tuple[Matrix, Extend]:
    """Return the equations of a chase, and the function from their solutions to presses."""
    import numpy as np  # which loading a backend must not

    if (rows := RowChase.of(puzzle)) is not None:
        return rows.equations(), rows.extend
    from crosslit_encoders.lights_out.equations import chase

    equations, presses = chase(puzzle)[:2]
    return equations, lambda unknowns, lights: presses @ np.append(unknowns, lights) % puzzle.states


class RowChase(NamedTuple):
    """A board whose rows of presses determine each other from above, or such columns if they are shorter.

    Light (r, c) is changed by press (r + 1, c), by no other press below row r, and by presses up to ``reach`` rows
    above. So presses of the first row determine all others, and the lights of the last row are left as equations.
    Where top and bottom are joined, the rows above the first are unknown too, and have to come out again at the end.
    """

    board: LightsOut
    turned: bool
    columns: int
    terms: list[tuple[int, int, int]]
    """Rows above the light, columns to the left, and what such a press counts in the next row of presses."""
    inverse: int  # of what a press counts in the light above it
    is_ring: bool  # top and bottom are joined
    is_joined: bool  # left and right are

    @classmethod
    def of(cls, board: LightsOut) -> Self | None:
        """Return the chase of a board, or None if its rules do not determine rows."""
        if board.graph or board.missing is not None or board.wrap in ("moebius", "klein"):
            return None
        turned = board.columns > board.rows
        offsets, columns = board.offsets, board.columns
        is_ring, is_joined = board.wraps_rows, board.wraps_columns
        if turned:
            offsets = [(right, down, amount) for down, right, amount in offsets]
            columns, is_ring, is_joined = board.rows, is_joined, is_ring
        match [offset for offset in offsets if offset[0] < 0]:
            case [(-1, 0, below)] if math.gcd(below, board.states) == 1:
                inverse = pow(below, -1, board.states)
            case _:
                return None
        terms = [
            (down, right, amount * inverse % board.states)
            for down, right, amount in offsets
            if down >= 0 and (is_joined or right in range(1 - columns, columns))
        ]
        return cls(board, turned, columns, terms, inverse, is_ring, is_joined)

    @property
    def height(self) -> int:
        """The rows of unknown presses."""
        return 1 + self.is_ring * self.reach

    @property
    def reach(self) -> int:
        """The rows above a light in which a press changes it."""
        return max((down for down, _, _ in self.terms), default=0)

    def equations(self) -> Matrix:
        """Return the equations of the unknown presses."""
        import numpy as np

        size = self.height * self.columns
        start = np.eye(size + 1, size, -1, dtype=np.uint8)  # no press, then each of them
        end = np.concatenate(deque(self._rows(start), self.height), axis=1).astype(np.int64)
        if self.is_ring:
            end -= start
        return np.column_stack([end[1:].T, -end[0]])

    def extend(self, unknowns: Matrix, lights: int) -> NDArray[Any]:
        """Return the presses of all cells for unknown ones, and for the lights times 1 or 0."""
        import numpy as np

        rows = [*self._rows(unknowns[None].astype(np.uint8), lights)][self.height - 1 : -1]
        presses = np.concatenate(rows)
        return (presses.T if self.turned else presses).ravel()

    def _rows(self, start: NDArray[np.uint8], lights: int = 1) -> Iterator[NDArray[Any]]:
        """Yield the unknown rows of presses, and those that they determine, up to one below the board.

        Each is a row for each start; to the first of these belong the lights, times 1 or 0. Whole numbers are as short
        as possible, because numpy divides bytes ten times faster than int16.
        """
        import numpy as np

        k, (count, _), columns = self.board.states, start.shape, self.columns
        # the sums are subtracted from it, so that no number is negative
        multiple = k * (1 + sum(amount for *_, amount in self.terms))
        dtype = np.uint8 if multiple < 256 else np.uint16
        values = np.array(self.board.values, np.uint16).reshape(self.board.rows, self.board.columns)
        left = ((values.T if self.turned else values) * (self.inverse * lights) % k).astype(dtype)
        unknown = start.astype(dtype).reshape(count, self.height, columns).swapaxes(0, 1)
        yield from unknown
        kept = 1 + self.reach
        rows = deque([np.zeros((count, columns), dtype)] * kept, kept)
        rows.extend(unknown)
        for line in left:
            found = np.full((count, columns), multiple, dtype)
            found[0] -= line
            for down, right, amount in self.terms:
                row = rows[-1 - down] if amount == 1 else amount * rows[-1 - down]
                if self.is_joined:
                    found -= np.roll(row, right, axis=1)
                else:
                    found[:, max(0, right) : columns + right] -= row[:, max(0, -right) : columns - right]
            found -= found // k * k
            rows.append(found)
            yield found


def solve(rows: Matrix, states: int) -> Solved:
    """Return the solutions modulo k."""
    import numpy as np

    total: Matrix | None = np.zeros(rows.shape[1] - 1, np.int64)
    kernel = []
    for prime in (prime for prime in (2, 3, 5, 7, 11, 13) if states % prime == 0):
        power = math.gcd(states, prime**states)  # the highest power of the prime that divides k
        first, vectors = _solved(rows, prime, power)
        unit = states // power * pow(states // power, -1, power)  # 1 modulo this power, 0 modulo the others
        total = None if first is None or total is None else (total + unit * first) % states
        kernel += [(order, unit * vector % states) for order, vector in vectors]
    return total, kernel


def _solved(rows: Matrix, prime: int, power: int) -> Solved:
    """Return the solutions modulo a prime power.

    The pivot is a coefficient that fewest powers of p divide, in any equation and unknown. So it divides all others,
    and the powers found are those of the invariant factors of the Smith form.
    """
    import numpy as np

    size = rows.shape[1] - 1
    left = (rows % power).astype(np.uint8)  # enough for 15 + 15 * 15, and division of bytes is fast
    unknowns = [*range(size)]
    pivots: list[tuple[int, int]] = []  # for each of the first rows its unknown, and the power of p of its coefficient
    divisor = 1
    while divisor < power:
        free = []
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
        divisor *= prime
    solved = left.astype(np.int64)

    def completed(vector: Matrix, count: int, values: int) -> Matrix:
        for row, (unknown, divisor) in reversed([*zip(solved, pivots[:count], strict=False)]):
            rest = values * row[size] - row[:size] @ vector  # the vector has 0 there, where the row has the divisor
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


BACKENDS: list[Backend] = [ModularChase()]
