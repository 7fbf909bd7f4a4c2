"""The equations of Lights Out with k states: of all lights, or of few presses that determine the others."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import GaveUp
from crosslit.grid import Grid
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_encoders.cells import Extension

MAX_NUMBERS = 50_000_000  # coefficients of all presses in a chase

Sum = tuple[tuple[tuple[int, int], ...], int]
"""Amounts, each with the cell (from 0) whose presses it counts, and what the total must be modulo k."""


class System(NamedTuple):
    """Sums over the cells of a grid: the solution itself, or a part of which ``extend`` makes it."""

    rows: int
    columns: int
    sums: list[Sum]
    extend: Extension | None = None


def full(board: ModularLightsOut) -> System:
    """Return a sum for each cell: the presses that change its light, and the rest to 0; or itself if it is missing."""
    amounts: list[Counter[int]] = [Counter({cell: int(gone)}) for cell, gone in enumerate(board.gone)]
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            amounts[light][press] += amount
    terms = ([(amount % board.states, press) for press, amount in sorted(each.items())] for each in amounts)
    kept = (tuple(term for term in light if term[0]) for light in terms)
    totals = [-value % board.states for value in board.values]
    return System(board.rows, board.columns, [*zip(kept, totals, strict=True)])


def chase(board: ModularLightsOut) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return equations of few presses, which determine the others, each press in terms of these, and their cells.

    If only one press around a light is unknown, and its amount is prime to k, the others determine it. If there is no
    such light, the next press becomes a variable: on most grids, those of the first row, or the first column if that is
    shorter. The lights that determined no press are the equations.
    """
    k, sums = board.states, full(board).sums
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
    return np.array(equations), presses, free


def chased(board: ModularLightsOut) -> System:
    """Return the equations of a chase as sums over one row of cells."""
    equations, presses, free = chase(board)
    cells = tuple(divmod(cell, board.columns) for cell in free)

    def extend(chosen: Grid) -> Grid:
        return board.layout.pack((presses @ [*chosen.values(), 1] % board.states).tolist())

    terms = [tuple((amount, cell) for cell, amount in enumerate(row) if amount) for *row, _ in equations.tolist()]
    return System(1, len(free), [*zip(terms, equations[:, -1].tolist(), strict=True)], Extension(cells, extend))
