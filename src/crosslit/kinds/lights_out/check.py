"""The rules for many presses at once, and lights that contradict each other.

Contradictions are explained here, and no solver uses that, since each has its own: a mistake here would be confirmed by
solvers that are called independent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import Shifts, moves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def all_right(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid of presses makes all lights 0."""
    if not board.by_shifts:
        return bool(_is_zero(board, board.layout.unpack(packed)).all())
    left, present, missing, shifts = _repeated(board, len(packed) // board.layout.size)
    presses = int.from_bytes(packed, "little")  # all grids as one integer, whose shifts are quick
    for sources, by in shifts:
        left ^= (presses & sources) << by
    return not left & present and not presses & missing


def all_solutions(board: LightsOut) -> Iterator[Grid]:
    """Yield the presses after which all lights are 0, by trying all."""
    import numpy as np

    presses = np.array([*itertools.product(range(board.states), repeat=board.rows * board.columns)])
    return (board.layout.pack(row.tolist()) for row in presses[_is_zero(board, presses)])


def _is_zero(board: LightsOut, presses: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each row of presses whether it solves a board, from the effects of presses as the rules state them."""
    import numpy as np

    times = np.ascontiguousarray(presses.T)
    left = np.repeat(np.array(board.values)[:, None], len(presses), axis=1)
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            left[light] += amount * times[press]
    if board.missing is not None:
        left[board.gone] = times[board.gone]
    return np.asarray(~(left % board.states).any(axis=0))


@lru_cache(maxsize=4)
def _repeated(board: LightsOut, count: int) -> tuple[int, int, int, Shifts]:
    """Return the lights, the present and the missing cells, and the moves, repeated for consecutive grids.

    Lights and present cells are shifted by the number of cells, as the moves shift the presses.
    """

    def repeated(bits: int) -> int:
        return int.from_bytes(bits.to_bytes(board.layout.size, "little") * count, "little")

    missing = 0 if board.missing is None else board.missing.bits
    cells = board.rows * board.columns
    present = (1 << cells) - 1 & ~missing
    # The sources drop presses whose light lies off the board, so that no grid reaches into the next one.
    found = moves(board.pattern, board.wrap, board.rows, board.columns)
    shifts = [(repeated(sources), by) for sources, by in found]
    return repeated(board.lit.bits) << cells, repeated(present) << cells, repeated(missing), shifts


def needed(board: LightsOut, constraints: Grid) -> Grid | None:
    """Return those of some lights that suffice for a contradiction; None if they do not contradict each other."""
    found = contradicting(board, constraints)
    return None if found is None else Grid.from_bits(*board.constraints_shape, sum(1 << cell for cell in found))


@lru_cache(maxsize=8)  # one explanation asks three times
def contradicting(board: LightsOut, lights: Grid) -> dict[int, int] | None:
    """Return the cells of some lights with multiples whose sum no press changes, and that is not 0; None if none.

    With two states, each press toggles an even number of these lights, and an odd number of them is lit. If not all of
    the given lights are needed for a contradiction, not all of them are returned.
    """
    cells = [row * lights.columns + column for row, column in lights.cells()]
    if not board.by_shifts:
        return multiples(equations(board, cells), board.rows * board.columns, board.states)
    # The presses that toggle a light are those that it would toggle itself if the pattern were reversed.
    reverse = replace(board.dark, pattern=tuple((-down, -right) for down, right in board.pattern))
    missing = 0 if board.missing is None else board.missing.bits
    toggling = (reverse.after(Grid.from_bits(board.rows, board.columns, 1 << cell & ~missing)).bits for cell in cells)
    return odd_lights(zip(cells, toggling, strict=True), board.lit.bits)


def equations(board: LightsOut, lights: Iterable[int]) -> dict[int, list[int]]:
    """Return equations modulo k of some lights: a coefficient for each press, and the sum that is needed."""
    values, gone, size = board.values, board.gone, board.rows * board.columns
    rows = {light: [0] * size + [-values[light] % board.states] for light in lights}
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            if light in rows:
                rows[light][press] = (rows[light][press] + amount) % board.states
    for light in rows if board.missing is not None else ():
        rows[light][light] += gone[light]  # a missing cell is not pressed
    return rows


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


def eliminated(rows: list[list[int]], columns: int, k: int) -> None:
    """Eliminate the first columns of equations modulo k in place.

    The remaining equations imply all that the given ones say of the other columns.

    Examples:
        >>> rows = [[2, 1, 0], [2, 0, 1]]
        >>> eliminated(rows, 1, 4)
        >>> rows
        [[0, 2, 0], [0, 3, 1]]
    """
    for column in range(columns):
        # Euclid's algorithm on rows
        while len(live := [row for row in rows if row[column]]) > 1:
            pivot = min(live, key=lambda row: row[column])
            for row in live:
                if row is not pivot:
                    times = row[column] // pivot[column]
                    row[:] = [(a - times * b) % k for a, b in zip(row, pivot, strict=True)]
        for pivot in live:
            # A zero divisor times this row says something about the later columns.
            factor = k // math.gcd(pivot[column], k)
            pivot[:] = [value * factor % k for value in pivot]
