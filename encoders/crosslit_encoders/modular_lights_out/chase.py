"""The equations of a board in few presses, which determine all others; the basis of its chased encodings and solver."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslit.answer import DIGITS
from crosslit.contract import GaveUp
from crosslit.grid import Grid
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_encoders.modular_lights_out.system import System, light_sums

CHASED = "few presses, which determine the others"
MAX_NUMBERS = 50_000_000  # coefficients of all presses


class Chase(NamedTuple):
    """Equations (coefficients and value) in some presses, and for each press its coefficients and a constant."""

    equations: NDArray[np.int64]
    presses: NDArray[np.int64]


def chase(board: ModularLightsOut) -> Chase:
    """Return a system of few presses: each light has determined one of the others, wherever it could.

    If only one press around a light is unknown, and its amount is prime to k, the others determine it. If there is no
    such light, the next press becomes a variable: on most grids, those of the first row, or the first column if that is
    shorter. The lights that determined no press are the equations.
    """
    k, sums = board.states, light_sums(board)
    lights: list[list[int]] = [[] for _ in sums]
    for light, (terms, _) in enumerate(sums):
        for _, press in terms:
            lights[press].append(light)
    known: set[int] = set()
    free: list[int] = []
    steps: list[tuple[int, int, int]] = []  # a light, the press that it determines, and its amount
    by_columns = board.rows < board.columns
    for cell in sorted(range(len(sums)), key=lambda cell: divmod(cell, board.columns)[:: -1 if by_columns else 1]):
        if cell in known:
            continue
        queue = [*(lights[cell] if free else range(len(sums)))]  # at first also lights with a single press
        free.append(cell)
        known.add(cell)
        for light in queue:
            unknown = [term for term in sums[light][0] if term[1] not in known]
            if len(unknown) == 1 and math.gcd(unknown[0][0], k) == 1:
                amount, press = unknown[0]
                steps.append((light, press, amount))
                known.add(press)
                queue += lights[press]
    if len(sums) * len(free) > MAX_NUMBERS:
        raise GaveUp(f"more than {MAX_NUMBERS:.0e} numbers in the chase")
    presses = np.zeros((len(sums), len(free) + 1), np.int64)
    presses[free] = np.eye(len(free), len(free) + 1, dtype=np.int64)

    def equation(light: int) -> NDArray[np.int64]:
        terms, total = sums[light]
        row = np.array([amount for amount, _ in terms], np.int64) @ presses[[press for _, press in terms]]
        row[-1] = total - row[-1]
        return row % k

    for light, press, amount in steps:
        row = equation(light)
        row[:-1] *= -1
        presses[press] = row * pow(amount, -1, k) % k
    determining = {light for light, *_ in steps}
    equations = [equation(light) for light in range(len(sums)) if light not in determining]
    return Chase(np.array(equations), presses)


def chased(board: ModularLightsOut) -> System:
    """Return the equations of a chase as sums over one row of cells."""
    equations, presses = chase(board)

    def extend(chosen: Grid) -> Grid:
        values = [*map(DIGITS.index, "".join(chosen.lines())), 1]
        return board.layout.pack((presses @ values % board.states).tolist())

    def nonzero(row: Iterable[int]) -> tuple[tuple[int, int], ...]:
        return tuple((amount, cell) for cell, amount in enumerate(row) if amount)

    sums = [(nonzero(row), total) for *row, total in equations.tolist()]
    return System(1, presses.shape[1] - 1, sums, extend)
