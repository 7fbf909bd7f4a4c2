"""The check of many packed grids of presses at once: as bits by linearity, or as arrays of numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from crosslit.kinds.batch import power, record_bytes
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import moves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONG = 1 << 15  # bytes of an integer: the cache holds several of them


def all_zero(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid of presses makes all lights 0."""
    if board.by_shifts:
        return _all_dark(board, packed)
    import numpy as np

    layout, powers = board.layout, 1 << np.arange(board.layout.width)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, layout.size), axis=1, bitorder="little")
    presses = bits[:, : layout.bits].reshape(-1, board.rows * board.columns, layout.width) @ powers
    return bool((presses < board.states).all() and is_zero(board, presses).all() and not bits[:, layout.bits :].any())


def is_zero(board: LightsOut, presses: NDArray[np.int64]) -> NDArray[np.bool_]:
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


def _all_dark(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid clears the board of two states.

    A press changes the same lights whatever else is pressed. So if two grids clear the board, pressing the cells in
    which they differ changes no light; and if all grids of a block clear it, so do the grids that differ from them, one
    by one, in these same cells. Only the first block and the first grid of each further one go through the rules.
    """
    size = record_bytes(board)
    block = size * power(_LONG // size)
    begin = 0
    while begin < len(packed):
        # Known grids double with every test: makers of batches list solutions so that each half is the other with the
        # same cells changed.
        known = block
        looked_at = [packed[begin : begin + known]]
        while begin + known < len(packed) and _differ_alike(packed, begin, known, size):
            looked_at.append(packed[begin + known : begin + known + size])
            known *= 2
        if not _are_dark(board, b"".join(looked_at)):
            return False
        begin += known
    return True


def _differ_alike(packed: bytes, begin: int, known: int, size: int) -> bool:
    """Return whether the grids of a block and up to as many after it differ in the same cells one by one."""
    import numpy as np

    cells = np.frombuffer(packed, np.uint8)
    behind = cells[begin + known : begin + 2 * known]
    # Compared with itself one grid further on: equal if every grid differs from its counterpart in the same cells.
    change = behind ^ cells[begin : begin + len(behind)]
    return np.array_equal(change[size:], change[:-size])


def _are_dark(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid clears a board, by shifts of all of them as one integer."""
    size = record_bytes(board)
    constants = _repeated(board, len(packed) // size)
    presses = int.from_bytes(packed, "little")
    # Missing cells, and the bits behind the last cell of each grid.
    if presses & constants.forbidden:
        return False
    left = constants.lit
    for sources, shift in constants.moves:
        moved = presses & sources
        left ^= moved << shift if shift >= 0 else moved >> -shift
    return not left & constants.present


class _Repeated:
    """The data for checking a board, repeated for a number of consecutive grids."""

    def __init__(self, board: LightsOut, count: int) -> None:
        size = record_bytes(board)

        def repeated(bits: int) -> int:
            return int.from_bytes(bits.to_bytes(size, "little") * count, "little")

        present = (1 << board.rows * board.columns) - 1
        if board.missing is not None:
            present &= ~board.missing.bits
        self.lit = repeated(board.lit.bits)
        self.present = repeated(present)
        self.forbidden = repeated((1 << 8 * size) - 1 ^ present)
        # omit presses whose light lies off the board, so that no grid reaches into the next one
        found = moves(board.pattern, board.wrap, board.rows, board.columns)
        self.moves = [(repeated(sources), shift) for sources, shift in found]


@lru_cache(maxsize=4)
def _repeated(board: LightsOut, count: int) -> _Repeated:
    return _Repeated(board, count)
