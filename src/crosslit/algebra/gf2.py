"""Linear algebra over GF(2), with Python integers as bit vectors: elimination, and the parts of linear codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_


class LinearSystem:
    """A linear system over GF(2), kept in echelon form while equations are added.

    Every row starts at its pivot and is stored shifted, so that the pivot is bit 0: if equations in sweep order reach
    only a narrow band of unknowns, the integers stay as short as that band, however many unknowns there are.

    Examples:
        >>> system = LinearSystem(3)
        >>> [system.add(equation, value) for equation, value in [(0b011, 1), (0b110, 0), (0b101, 1)]]
        [0, 1, None]
        >>> system.rank, system.nullity, system.consistent
        (2, 1, True)
        >>> f"{system.particular():03b}", [f"{vector:03b}" for vector in system.kernel()]
        ('001', ['111'])
    """

    def __init__(self, unknowns: int) -> None:
        self.unknowns = unknowns
        self.consistent = True
        self.rank = 0
        self._rows = [0] * unknowns  # by pivot; 0 for a free unknown
        self._values = [0] * unknowns

    @property
    def nullity(self) -> int:
        """Dimension of the kernel: the number of free unknowns."""
        return self.unknowns - self.rank

    def add(self, equation: int, value: int, first: int = 0) -> int | None:
        """Add an equation: the XOR of the unknowns whose bits are set equals ``value`` (0 or 1).

        Bit 0 of ``equation`` is the unknown ``first``, so the equations of a narrow band are short integers.

        Returns:
            The unknown that it determines, its pivot; None if it follows from the others or contradicts them.
        """
        if not equation:
            self.consistent = self.consistent and not value
            return None
        rows, values = self._rows, self._values
        pivot = (equation & -equation).bit_length() - 1
        row = equation >> pivot
        pivot += first
        # Adding the kept row cancels the pivot, so the next one is further right: at most one step for each unknown.
        while kept := rows[pivot]:
            value ^= values[pivot]
            row ^= kept
            if not row:
                self.consistent = self.consistent and not value
                return None
            step = (row & -row).bit_length() - 1
            pivot += step
            row >>= step
        rows[pivot] = row
        values[pivot] = value
        self.rank += 1
        return pivot

    def grow(self) -> int:
        """Add an unknown, and return its number."""
        self._rows.append(0)
        self._values.append(0)
        self.unknowns += 1
        return self.unknowns - 1

    def particular(self) -> int | None:
        """Return the solution whose free unknowns are all 0, as bits; None if there is none."""
        return self._back_substitute(self._values, None) if self.consistent else None

    def kernel(self) -> list[int]:
        """Return a basis of the kernel, one vector for each free unknown, in their order."""
        nothing = [0] * self.unknowns
        return [self._back_substitute(nothing, free) for free, row in enumerate(self._rows) if not row]

    def _back_substitute(self, values: list[int], free: int | None) -> int:
        # `window` holds the unknowns from the current one to the reach of the widest row
        window = 0
        # No row reaches further than the widest one, so older unknowns can be forgotten.
        reach = (1 << max((row.bit_length() for row in self._rows), default=1)) - 1
        # One byte for each unknown: setting bits of a long integer would copy it every time.
        digits = bytearray(self.unknowns)
        for unknown in range(self.unknowns - 1, -1, -1):
            window = window << 1 & reach
            row = self._rows[unknown]
            bit = values[unknown] ^ (row & window).bit_count() & 1 if row else unknown == free
            if bit:
                window |= 1
                digits[unknown] = 1
        return int(digits.translate(_DIGITS)[::-1] or b"0", 2)


_DIGITS = bytes([ord("0"), ord("1")]) + bytes(254)


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
