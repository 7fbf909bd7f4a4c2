"""Linear systems over GF(2), with Python integers as bit vectors; and those of Lights Out boards of two states."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Protocol

from crosslit.base.grid import Grid

Offset = tuple[int, ...]
Cell = tuple[int, int]
Tell = Callable[[Cell, Cell | None, bool], None]
ROWS, COLUMNS = ("vertical", "torus"), ("horizontal", "torus")
"""The wraps that join top and bottom, and those that join left and right."""


class LinearSystem:
    """A linear system over GF(2), eliminated while equations are added.

    An equation expresses its last new unknown as the sum of the others; earlier new ones become parameters. So every
    unknown is soon a sum of parameters. The remaining equations are over these, and are kept in echelon form. On boards
    in row-major order the parameters are a row or two of presses, which makes the integers short.

    Args:
        unknowns: the number of unknowns, which are numbered from 0.

    Examples:
        >>> system = LinearSystem(4)
        >>> [system.add(unknowns, value) for unknowns, value in [([0, 1], 1), ([1, 2], 0), ([0, 2], 1)]]
        [1, 2, None]
        >>> system.nullity, system.contradictions
        (2, 0)
        >>> f"{system.particular():04b}", [f"{vector:04b}" for vector in system.kernel()]
        ('0110', ['0111', '1000'])
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
        fresh: int | None = None
        for unknown in unknowns:
            if is_known[unknown]:
                value ^= sums[unknown]
            elif fresh is None:
                fresh = unknown
            else:
                value ^= self._parameter(min(fresh, unknown))
                fresh = max(fresh, unknown)
        if fresh is not None:
            sums[fresh] = value
            is_known[fresh] = True
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
        self._is_known[unknown] = True
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


class Board(Protocol):
    """The rules of a board and its lights, as a `crosslit.LightsOut` has them."""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def columns(self) -> int:
        """Number of columns."""

    @property
    def pattern(self) -> tuple[Offset, ...]:
        """The lights that a press toggles, as sorted offsets of rows and columns."""

    @property
    def wrap(self) -> str:
        """The joined edges: none, horizontal, vertical or torus."""

    @property
    def lit(self) -> Grid:
        """The lights."""

    @property
    def missing(self) -> Grid | None:
        """The cells that are not part of the board; None for none."""

    @property
    def effects(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each press the lights that it changes, each with the amount."""


class BoardSystem(LinearSystem):
    """The linear system of a board: one unknown for each press, one equation for each light.

    Unknowns and lights are in row-major order, or in column-major order if that keeps fewer presses open at a time.
    Almost every light determines the last press around it, so the presses of a row or two determine all others. The
    bits of solutions are in row-major order: cell (r, c) is bit ``r * columns + c``.

    Args:
        board: a board of two states; the equation of a missing cell says that it is not pressed.
        tell: called for each light in the order of the sweep, with its cell (row, column), the cell whose press its
            equation determines (None if none), and whether it contradicts the earlier equations.
    """

    def __init__(self, board: Board, tell: Tell | None = None) -> None:
        super().__init__(board.rows * board.columns)
        self._board = board
        by_rows, by_columns = _open_presses(board.rows, board.columns, board.wrap)
        self._by_columns = by_columns < by_rows
        lit = board.lit.transposed() if self._by_columns else board.lit
        gone = set() if tell is None or board.missing is None else set(board.missing.cells())
        lights = (int(cell) for line in lit.lines() for cell in line)
        for light, (presses, value) in enumerate(zip(self._presses(), lights, strict=True)):
            before = self.contradictions
            pivot = self.add(presses, value)
            if tell is not None and self._cell(light) not in gone:
                settled = None if pivot is None else self._cell(pivot)
                tell(self._cell(light), settled, self.contradictions > before)

    def _presses(self) -> Iterator[list[int]]:
        """Yield the unknowns in the equation of each light."""
        board = self._board
        rows, columns, pattern = board.rows, board.columns, board.pattern
        wraps_rows, wraps_columns, missing = board.wrap in ROWS, board.wrap in COLUMNS, board.missing
        if self._by_columns:
            rows, columns, wraps_rows, wraps_columns = columns, rows, wraps_columns, wraps_rows
            pattern = tuple((right, down) for down, right in pattern)
            missing = missing and missing.transposed()
        gone = set() if missing is None else {row * columns + column for row, column in missing.cells()}
        reaches = [max(map(abs, steps)) for steps in zip(*pattern, strict=True)]
        reach = reaches[-1]
        # A press can toggle a light twice around joined edges, which leaves it unchanged: only on a small board.
        repeats = any(size <= 2 * far for size, far in zip((rows, columns), reaches, strict=True))
        for row in range(rows):
            # The presses that toggle a light lie at the reversed offsets.
            lines = [((row - down) % rows if wraps_rows else row - down, right) for down, right in pattern]
            lines = [(line * columns, right) for line, right in lines if 0 <= line < rows]
            inside = [line - right for line, right in lines]
            for column in range(columns):
                if reach <= column < columns - reach:  # most cells
                    presses = [column + step for step in inside]
                else:
                    places = [(line, column - right) for line, right in lines]
                    if wraps_columns:
                        places = [(line, place % columns) for line, place in places]
                    presses = [line + place for line, place in places if 0 <= place < columns]
                if repeats:
                    presses = [press for press in sorted({*presses}) if presses.count(press) % 2]
                if gone:
                    light = row * columns + column
                    presses = [light] if light in gone else [press for press in presses if press not in gone]
                yield presses

    def _cell(self, unknown: int) -> Cell:
        if self._by_columns:
            column, row = divmod(unknown, self._board.rows)
            return row, column
        return divmod(unknown, self._board.columns)

    def _completed(self, values: int) -> int:
        found = super()._completed(values)
        if not self._by_columns:
            return found
        return Grid.from_bits(self._board.columns, self._board.rows, found).transposed().bits


def _open_presses(rows: int, columns: int, wrap: str) -> tuple[int, int]:
    """Return the number of presses that a sweep over rows, or columns, keeps open, per line that a press reaches."""
    return columns * (1 + (wrap in ROWS)), rows * (1 + (wrap in COLUMNS))


def elimination_work(rows: int, columns: int, rules: Board) -> int:
    """Return the row operations of an elimination by a board's rules: unknowns times the presses kept open.

    Examples:
        >>> from crosslit import load
        >>> rules = "1", "wrap=vertical/1", "wrap=horizontal/1", "press=1000000,0001000,0000000/1", "press=king/1"
        >>> [elimination_work(70, 60, load(text)) for text in rules]
        [252000, 294000, 252000, 756000, 378000]
    """
    reach = min(max(max(abs(down), abs(right)) for down, right in rules.pattern), rows, columns)
    return rows * columns * max(min(_open_presses(rows, columns, rules.wrap)) * reach, 10 * len(rules.pattern))


def connected(basis: Sequence[int]) -> list[list[int]]:
    """Split a code into the smallest codes that share no cells, and return a reduced echelon basis of each.

    Two vectors of *any* reduced echelon basis that share a cell belong together, and no finer split exists: these are
    the connected components of a binary matroid (J. G. Oxley, Matroid Theory, 1992, chapter 4).

    Returns:
        The bases of the parts, by lowest cell; each vector has a bit that no other vector of its part has.

    Examples:
        >>> [[f"{vector:04b}" for vector in part] for part in connected([0b1101, 0b1010, 0b0100])]
        [['1001', '1010'], ['0100']]
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
