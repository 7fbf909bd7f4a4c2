"""Changes to a board with a known effect on its solutions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds.family import Relation
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut


def relations(board: ModularLightsOut) -> Iterator[Relation]:
    """Yield the board after one press of every cell, and with all lights multiplied by a number prime to k."""
    k, present = board.states, [not missing for missing in board.gone]

    def carried(factor: int, more: int) -> Callable[[Grid], Grid]:
        def carry(grid: Grid) -> Grid:
            pairs = zip(grid.values(), present, strict=True)
            return board.layout.pack([(value * factor + more) % k * there for value, there in pairs])

        return carry

    yield Relation("every cell pressed before", board.pressed(board.layout.pack([*map(int, present)])), carried(1, -1))
    factor = next((factor for factor in range(2, k) if math.gcd(factor, k) == 1), None)
    if factor is not None:
        times = str.maketrans(DIGITS[:k], "".join(DIGITS[value * factor % k] for value in range(k)))
        lights = tuple(line.translate(times) for line in board.lights)
        yield Relation(f"lights times {factor}", replace(board, lights=lights), carried(factor, 0))
