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
    """Yield the board after one press of every cell, and with all lights multiplied by a number prime to k.

    Examples:
        >>> board = ModularLightsOut.parse("modular-lights-out:5/12")
        >>> for relation in relations(board):
        ...     print(relation.name, relation.puzzle.text, relation.carry(board.layout.parse("31")).text())
        every cell pressed before modular-lights-out:5/34 20
        lights times 2 modular-lights-out:5/24 12
    """
    k, gone = board.states, [light == "_" for light in "".join(board.lights)]
    once = board.layout.pack([int(not missing) for missing in gone])
    less = _mapped(board, lambda value, missing: 0 if missing else (value - 1) % k)
    yield Relation("every cell pressed before", board.pressed(once), less)
    factor = next((factor for factor in range(2, k) if math.gcd(factor, k) == 1), None)
    if factor is not None:
        times = {DIGITS[value]: DIGITS[value * factor % k] for value in range(k)}
        lights = tuple("".join(times.get(light, light) for light in line) for line in board.lights)
        carry = _mapped(board, lambda value, _: value * factor % k)
        yield Relation(f"lights times {factor}", replace(board, lights=lights), carry)


def _mapped(board: ModularLightsOut, change: Callable[[int, bool], int]) -> Callable[[Grid], Grid]:
    """Return the function that changes the presses of every cell."""
    lights = "".join(board.lights)

    def carry(grid: Grid) -> Grid:
        pairs = zip("".join(grid.lines()), lights, strict=True)
        return board.layout.pack([change(DIGITS.index(digit), light == "_") for digit, light in pairs])

    return carry
