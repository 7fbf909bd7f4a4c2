"""Lights Out with k states as sums modulo k, the basis of all its encodings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from crosslit.grid import Grid
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut

Sum = tuple[tuple[tuple[int, int], ...], int]
"""Amounts, each with the cell (from 0) whose presses it counts, and what the total must be modulo k."""


class System(NamedTuple):
    """Sums over the cells of a grid: the solution itself, or a part of which ``extend`` makes it."""

    rows: int
    columns: int
    sums: list[Sum]
    extend: Callable[[Grid], Grid] | None = None


def full(board: ModularLightsOut) -> System:
    """Return the sums of all lights."""
    return System(board.rows, board.columns, light_sums(board))


def light_sums(board: ModularLightsOut) -> list[Sum]:
    """Return a sum for each cell: the presses that change its light, and what is missing to 0.

    The sum of a missing cell says that it is not pressed. Unlike the rules, this looks for the presses of a light.
    """
    k, values, gone = board.states, board.values, board.gone
    sums: list[Sum] = []
    for light, missing in enumerate(gone):
        amounts: Counter[int] = Counter()
        for press, amount in () if missing else _reaching(board, light):
            amounts[press] += 0 if gone[press] else amount
        terms = ((amount % k, press) for press, amount in sorted(amounts.items()))
        sums.append((((1, light),), 0) if missing else (tuple(term for term in terms if term[0]), -values[light] % k))
    return sums


def _reaching(board: ModularLightsOut, light: int) -> Iterator[tuple[int, int]]:
    """Yield the presses that change a light, with the amounts."""
    if board.rule.startswith("matrix="):
        yield from ((press, row[light]) for press, row in enumerate(board.matrix))
        return
    if not board.is_grid:
        yield light, 1
        yield from ((edge[1 - edge.index(light)], 1) for edge in board.edges if light in edge)
        return
    rows, columns, twisted = board.rows, board.columns, board.wrap in ("moebius", "klein")
    for down, right, amount in board.offsets:
        crossed, column = divmod(light % columns - right, columns)
        if crossed and board.wrap in ("none", "vertical"):
            continue
        row = light // columns
        # Behind an odd number of twisted edges the light is seen upside down.
        row = (rows - 1 - row if twisted and crossed % 2 else row) - down
        if board.wrap in ("vertical", "torus", "klein"):
            row %= rows
        if 0 <= row < rows:
            yield row * columns + column, amount
