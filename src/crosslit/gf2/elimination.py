"""Gaussian elimination over GF(2), one equation at a time, with Python integers as bit rows."""

from __future__ import annotations


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
