"""A frontier of millions of states, in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]

_LIMB = 32  # bits of a number per word of 64, so that many words can be added without overflow


class WideFrontier:
    """States of at most 63 bits, ascending, and the number of ways to reach each, in limbs."""

    def __init__(self, frontier: Mapping[int, int]) -> None:
        states = sorted(frontier)
        self._states: Words = np.array(states, np.int64)
        self._limbs: list[Words] = []
        ways = [frontier[state] for state in states]
        while not self._limbs or any(ways):
            self._limbs.append(np.array([number & (1 << _LIMB) - 1 for number in ways], np.int64))
            ways = [number >> _LIMB for number in ways]

    def __len__(self) -> int:
        return len(self._states)

    def step(self, deltas: Sequence[Sequence[Sequence[int]]], inside: int, shift: int, mask: int) -> None:
        """Advance by one cell.

        ``deltas`` are, for each state of the row and of the column, the numbers to add to the whole state: none, one or
        two. ``inside`` are the bits of the row's state; the column's is at ``shift``, under ``mask`` after shifting.
        """
        # A cell leads to at most two states, one if it is empty and one if it is filled: two tables.
        flat: Words = np.full((2, len(deltas), mask + 1), _NEVER, np.int64)
        for row, columns in enumerate(deltas):
            for column, sums in enumerate(columns):
                flat[: len(sums), row, column] = sums
        places = (self._states & inside) * (mask + 1) + (self._states >> shift & mask)
        chosen: list[NDArray[np.intp]] = []
        reached: list[Words] = []
        for table in flat.reshape(2, -1):
            added = table[places]
            taken = np.flatnonzero(added != _NEVER)
            chosen.append(taken)
            reached.append(self._states[taken] + added[taken])
        # Freed at once: such arrays are part of the 130 bytes that are reckoned for a state.
        del places, added, taken
        states, sources = np.concatenate(reached), np.concatenate(chosen)
        del reached, chosen
        if not len(states):
            self._states, self._limbs = states, [states]
            return
        # Sorting brings equal states together; their ways are then sums over runs.
        order = np.argsort(states)
        states, sources = states[order], sources[order]
        del order
        starts = np.flatnonzero(np.concatenate([[True], states[1:] != states[:-1]]))
        self._states = states[starts]
        del states
        carry: Words = np.zeros(len(starts), np.int64)
        for number, limb in enumerate(self._limbs):
            # Sums of up to 2^31 limbs of 32 bits fit in 63, so carries can wait until the limb is complete.
            total: Words = np.add.reduceat(limb[sources], starts) + carry
            self._limbs[number] = total & (1 << _LIMB) - 1
            carry = total >> _LIMB
        if np.any(carry):
            self._limbs.append(carry)

    def total(self) -> int:
        """Return the number of ways to reach state 0, the end of all lines."""
        # States ascend, so state 0 can only be the first.
        if not len(self._states) or self._states[0] != 0:
            return 0
        return sum(int(limb[0]) << _LIMB * number for number, limb in enumerate(self._limbs))


_NEVER = (1 << 63) - 1
