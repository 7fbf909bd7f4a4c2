"""Linear systems and codes over GF(2), with Python integers as bit vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_


class LinearSystem:
    """A linear system over GF(2), eliminated while equations are added.

    An equation expresses its last new unknown as the sum of the others; earlier new ones become parameters. So every
    unknown is soon a sum of parameters. The remaining equations are over these, and are kept in echelon form. On boards
    in row-major order the parameters are a row or two of presses, which makes the integers short.

    Args:
        unknowns: the number of unknowns, which are numbered from 0.

    Examples:
        >>> system = LinearSystem(3)
        >>> [system.add(unknowns, value) for unknowns, value in [([0, 1], 1), ([1, 2], 0), ([0, 2], 1)]]
        [1, 2, None]
        >>> system.nullity, system.contradictions
        (1, 0)
        >>> f"{system.particular():03b}", [f"{vector:03b}" for vector in system.kernel()]
        ('110', ['111'])
    """

    def __init__(self, unknowns: int) -> None:
        self.contradictions = 0  # the number of equations that contradict earlier ones
        # Bit 0 of a sum is a constant, and bit p + 1 the parameter p.
        self._sums = [0] * unknowns
        self._is_known = bytearray(unknowns)
        self._parameters: list[int] = []  # the unknown of each parameter
        self._rows: dict[int, int] = {}  # sums that are 0, by their number of bits: the highest is the pivot

    def add(self, unknowns: Collection[int], value: int) -> int | None:
        """Add the equation that the XOR of some distinct unknowns is a value, 0 or 1.

        Returns:
            The unknown that it determines; None if it follows from the earlier equations or contradicts them.
        """
        sums, is_known = self._sums, self._is_known
        fresh = -1
        for unknown in unknowns:
            if is_known[unknown]:
                value ^= sums[unknown]
            elif unknown > fresh:
                if fresh >= 0:
                    value ^= self._parameter(fresh)
                fresh = unknown
            else:
                value ^= self._parameter(unknown)
        if fresh >= 0:
            sums[fresh] = value
            is_known[fresh] = 1
            return fresh
        # A sum over parameters. Adding the kept row cancels the pivot, so the sum gets shorter at each step.
        while value > 1:
            size = value.bit_length()
            row = self._rows.get(size)
            if row is None:
                self._rows[size] = value
                return self._parameters[size - 2]
            value ^= row
        self.contradictions += value  # 1 = 0
        return None

    def _parameter(self, unknown: int) -> int:
        """Make an unknown a parameter, and return it as a sum."""
        self._parameters.append(unknown)
        self._is_known[unknown] = 1
        self._sums[unknown] = found = 1 << len(self._parameters)
        return found

    @property
    def nullity(self) -> int:
        """Dimension of the kernel: the number of free unknowns."""
        return len(self._parameters) - len(self._rows) + self._is_known.count(0)

    def particular(self) -> int | None:
        """Return the solution whose free unknowns are all 0, as bits; None if there is none."""
        return None if self.contradictions else self._completed(1)

    def kernel(self) -> list[int]:
        """Return a basis of the kernel, one vector for each free unknown."""
        for unknown, known in enumerate(self._is_known):
            if not known:  # in no equation
                self._parameter(unknown)
        free = (place for place in range(1, len(self._parameters) + 1) if place + 1 not in self._rows)
        return [self._completed(1 << place) for place in free]

    def _completed(self, values: int) -> int:
        """Return all unknowns for some values of the free ones; bit 0 is the factor of constants."""
        for size, row in sorted(self._rows.items()):
            values |= ((row & values).bit_count() & 1) << size - 1
        # Digits and not bits: to set a bit of a long integer copies it. 48 is the digit 0.
        digits = bytes([48 + ((found & values).bit_count() & 1) for found in self._sums])
        return int(digits[::-1] or b"0", 2)


def connected(basis: Sequence[int]) -> list[list[int]]:
    """Split a code into the smallest codes that share no cells, and return a reduced echelon basis of each.

    Two vectors of *any* reduced echelon basis that share a cell belong together, and no finer split exists: these are
    the connected components of a binary matroid (J. G. Oxley, Matroid Theory, 1992, chapter 4).

    Returns:
        The bases of the parts, by lowest cell; each vector has a bit that no other vector of its part has.

    Examples:
        >>> [[f"{vector:04b}" for vector in part] for part in connected([0b1111, 0b0011])]
        [['0011'], ['1100']]
    """
    echelon: dict[int, int] = {}  # by the lowest bit
    for vector in basis:
        rest = vector
        for pivot, row in echelon.items():
            if rest & pivot:
                rest ^= row
        if rest:
            pivot = rest & -rest
            echelon = {other: row ^ rest if row & pivot else row for other, row in echelon.items()}
            echelon[pivot] = rest
    parts: list[tuple[int, list[int]]] = []
    for _, row in sorted(echelon.items()):
        touching = [part for part in parts if part[0] & row]
        parts = [part for part in parts if not part[0] & row]
        rows = [row for _, rows in touching for row in rows] + [row]
        parts.append((union(rows), rows))
    return [sorted(rows, key=lambda row: row & -row) for _, rows in sorted(parts, key=lambda part: part[0] & -part[0])]


def union(vectors: Iterable[int]) -> int:
    """Return the cells that any of the vectors has."""
    return reduce(or_, vectors, 0)
