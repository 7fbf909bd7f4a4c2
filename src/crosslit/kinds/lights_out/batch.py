"""The check of many packed grids of presses at once: as bits by shifts, or as arrays of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import moves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONG = 1 << 15  # bytes of an integer: the cache holds several of them


def all_right(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid of presses makes all lights 0."""
    if not board.by_shifts:
        return bool(_is_zero(board, board.layout.unpack(packed)).all())
    step = board.layout.size * max(1, _LONG // board.layout.size)
    return all(_are_dark(board, packed[first : first + step]) for first in range(0, len(packed), step))


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


def _are_dark(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid clears a board of two states, by shifts of all of them as one integer."""
    lit, present, missing, shifts = _repeated(board, len(packed) // board.layout.size)
    presses, left = int.from_bytes(packed, "little"), lit
    for sources, shift in shifts:
        moved = presses & sources
        left ^= moved << shift if shift >= 0 else moved >> -shift
    return not left & present and not presses & missing


@lru_cache(maxsize=4)
def _repeated(board: LightsOut, count: int) -> tuple[int, int, int, list[tuple[int, int]]]:
    """Return the lights, the present and the missing cells, and the moves, repeated for consecutive grids."""

    def repeated(bits: int) -> int:
        return int.from_bytes(bits.to_bytes(board.layout.size, "little") * count, "little")

    missing = 0 if board.missing is None else board.missing.bits
    present = (1 << board.rows * board.columns) - 1 & ~missing
    # The sources drop presses whose light lies off the board, so that no grid reaches into the next one.
    found = moves(board.pattern, board.wrap, board.rows, board.columns)
    shifts = [(repeated(sources), shift) for sources, shift in found]
    return repeated(board.lit.bits), repeated(present), repeated(missing), shifts
