"""Elimination over GF(2) by substitution: each equation expresses its last new unknown by a few parameters."""

from __future__ import annotations

from collections.abc import Collection

from crosslit.gf2.elimination import LinearSystem


class SubstitutedSystem:
    """A linear system over GF(2) most of whose equations contain an unknown that no earlier equation had.

    Such an equation expresses that unknown as the sum of the others. So every unknown soon becomes a sum of some
    parameters; the remaining equations are over these, and are eliminated. On boards in sweep order the parameters are
    a row or two of presses: far fewer than the unknowns of a band.
    """

    def __init__(self, unknowns: int) -> None:
        self._sums = [0] * unknowns  # bit 0 is a constant, bit p + 1 the parameter p; 0 if nothing is known
        self._is_known = bytearray(unknowns)
        self._parameters: list[int] = []  # the unknown of each parameter
        self._equations = LinearSystem(0)

    @property
    def consistent(self) -> bool:
        """Return True if no equation contradicts those before it."""
        return self._equations.consistent

    @consistent.setter
    def consistent(self, value: bool) -> None:
        self._equations.consistent = value

    @property
    def nullity(self) -> int:
        """Dimension of the kernel."""
        return self._equations.nullity + self._is_known.count(0)

    def add(self, unknowns: Collection[int], value: int) -> int | None:
        """Add the equation that the XOR of some unknowns is a value, 0 or 1.

        Returns:
            The unknown that it determines; None if it follows from the others or contradicts them.
        """
        sums, is_known = self._sums, self._is_known
        fresh = -1
        # The last new unknown in the order of the sweep is expressed by the others; earlier new ones become parameters.
        for unknown in unknowns:
            if is_known[unknown]:
                value ^= sums[unknown]
            elif unknown > fresh:
                if fresh >= 0:
                    value ^= self._parameter(fresh)
                fresh = unknown
            else:
                value ^= self._parameter(unknown)
        if fresh < 0:
            # No new unknown: an equation over parameters, whose constant is bit 0.
            settled = self._equations.add(value >> 1, value & 1)
            return None if settled is None else self._parameters[settled]
        sums[fresh] = value
        is_known[fresh] = 1
        return fresh

    def _parameter(self, unknown: int) -> int:
        """Make an unknown a parameter, and return it as a sum."""
        self._parameters.append(unknown)
        self._is_known[unknown] = 1
        self._sums[unknown] = found = 2 << self._equations.grow()
        return found

    def particular(self) -> int | None:
        """Return one solution as bits; None if there is none."""
        found = self._equations.particular()
        return None if found is None else self._values(found << 1 | 1)

    def kernel(self) -> list[int]:
        """Return a basis of the kernel."""
        for unknown, known in enumerate(self._is_known):
            if not known:  # in no equation
                self._parameter(unknown)
        return [self._values(vector << 1) for vector in self._equations.kernel()]

    def _values(self, parameters: int) -> int:
        """Return all unknowns as bits; bit 0 of the parameters is the factor of constants."""
        # An unknown is the parity of its parameters, with bit 0 for its constant; 48 is the digit 0.
        digits = bytes([48 + ((found & parameters).bit_count() & 1) for found in self._sums])
        return int(digits[::-1], 2)
