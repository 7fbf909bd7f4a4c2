"""Lights Out boards of any rules as linear systems over GF(2), eliminated with one unknown for each press."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from typing import NamedTuple, Protocol

from crosslit.algebra.gf2 import LinearSystem, SubstitutedSystem
from crosslit.base.grid import Grid

Offset = tuple[int, ...]
ROWS, COLUMNS = ("vertical", "torus"), ("horizontal", "torus")
"""The wraps that join the ends of rows' order, top and bottom, and those that join left and right."""

# per press of a sweep's row: with more missing cells, a band is narrower than the number of parameters
_MAX_MISSING = 16

# cells whose neighbours are cached: computing them takes half the time for a sequence of small boards
_MAX_TOGGLED = 1 << 12

Tell = Callable[[tuple[int, int], tuple[int, int] | None, bool], None]


class Board(Protocol):
    """The rules of a board of two states, and its lights, as a `crosslit.LightsOut` has them."""

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
        """The lights that are on."""

    @property
    def missing(self) -> Grid | None:
        """The cells that are not part of the board; None for none."""


class Rules(NamedTuple):
    """A `Board` as plain data."""

    rows: int
    columns: int
    pattern: tuple[Offset, ...]
    wrap: str
    lit: Grid
    missing: Grid | None = None

    @classmethod
    def of(cls, board: Board, turned: bool = False) -> Rules:
        """Return the rules of a board, or those of the board with rows and columns exchanged."""
        if not turned:
            return cls(board.rows, board.columns, board.pattern, board.wrap, board.lit, board.missing)
        wrap = {"horizontal": "vertical", "vertical": "horizontal"}.get(board.wrap, board.wrap)
        pattern = tuple(sorted((right, down) for down, right in board.pattern))
        missing = None if board.missing is None else board.missing.transposed()
        return cls(board.columns, board.rows, pattern, wrap, board.lit.transposed(), missing)


class BoardSystem:
    """The linear system of a board after elimination: one unknown for each press, one equation for each light.

    The elimination sweeps over the board row by row, along the side on which fewer presses are open at a time. Almost
    every light determines the last press around it, so the presses of a row or two determine all others.

    Each missing cell leaves a press below it open. If there are many, the equations are kept in a band instead. If the
    edges across the sweep are joined, rows are taken from both ends in turn (first, last, second, last but one), as if
    the board were folded, so that neighbours stay near each other.

    Args:
        board: a board of any rules; the equation of a missing cell says that it is not pressed.
        tell: called for each light in the order of the sweep, with its cell (row, column), the cell whose press its
            equation determines (None if none), and whether it contradicts the earlier equations.
    """

    def __init__(self, board: Board, tell: Tell | None = None) -> None:
        # The width of the band decides the cost, so the sweep goes along the longer side.
        self._turned = _band(board.rows, board.wrap in COLUMNS) < _band(board.columns, board.wrap in ROWS)
        self._board = board = Rules.of(board, self._turned)
        band, wraps_rows = _band(board.columns, board.wrap in ROWS), board.wrap in ROWS
        rows, columns = board.rows, board.columns
        missing = set() if board.missing is None else set(board.missing.cells())
        substitutes = len(missing) <= _MAX_MISSING * band
        self._order = _folded(rows) if wraps_rows and not substitutes else list(range(rows))
        at = sorted(range(rows), key=self._order.__getitem__)  # position of each row in the sweep
        banded = LinearSystem(rows * columns)
        self._system = SubstitutedSystem(rows * columns) if substitutes else banded
        add = self._system.add if isinstance(self._system, SubstitutedSystem) else partial(_add_banded, banded)
        # The presses that toggle a light lie at the reversed offsets.
        around = partial(toggled, board, sign=-1)
        down, right = (max(abs(offset[axis]) for offset in board.pattern) for axis in (0, 1))
        steps = [-(below * columns + beside) for below, beside in board.pattern]
        for row in self._order:
            lit = board.lit.row(row)
            # Away from the edges the presses are at constant distances, which saves computing each light's neighbours.
            is_inside = not missing and substitutes and down <= row < rows - down
            for column in range(columns):
                here = at[row] * columns + column
                # A missing cell has no light; its equation says that it is not pressed, so that no unknown is left
                # free.
                if (row, column) in missing:
                    add([here], 0)
                    continue
                if is_inside and right <= column < columns - right:
                    presses = [here + step for step in steps]
                else:
                    presses = [at[above] * columns + left for above, left in around(row, column) - missing]
                # Reset for each light, so that `tell` hears of a contradiction at the light that causes it.
                consistent, self._system.consistent = self._system.consistent, True
                pivot = add(presses, lit >> column & 1)
                if tell is not None:
                    settled = None if pivot is None else self._cell(pivot)
                    tell(self._cell(here), settled, not self._system.consistent)
                self._system.consistent &= consistent

    @property
    def nullity(self) -> int:
        """Dimension of the kernel."""
        return self._system.nullity

    def particular(self) -> int | None:
        """Return one solution as bits, cell (r, c) at ``r * columns + c``; None if there is none."""
        found = self._system.particular()
        return None if found is None else self._cells(found)

    def kernel(self) -> Iterator[int]:
        """Return a basis of the kernel, as bits like those of `particular`."""
        return map(self._cells, self._system.kernel())

    def _cell(self, unknown: int) -> tuple[int, int]:
        """Return the cell of an unknown."""
        swept, column = divmod(unknown, self._board.columns)
        row = self._order[swept]
        return (column, row) if self._turned else (row, column)

    def _cells(self, unknowns: int) -> int:
        """Convert bits from the order of the sweep to that of the board."""
        board = self._board
        if self._order != list(range(board.rows)):
            swept = Grid.from_bits(board.rows, board.columns, unknowns).row_bits()
            by_row = dict(zip(self._order, swept, strict=True))
            unknowns = Grid.from_rows([by_row[row] for row in range(board.rows)], board.columns).bits
        return Grid.from_bits(board.rows, board.columns, unknowns).transposed().bits if self._turned else unknowns


def first_row_system(rows: int, columns: int, residue: int, stay: bool = True) -> LinearSystem:
    """Return the linear system of the first row: unknown c is the press in column c.

    Each light of the last row gives an equation. They come from the chase from an unknown first row, with rows kept as
    matrices over the unknowns: rows * columns operations on integers of ``columns`` bits.
    """
    # Row c is a bit mask of the unknowns: first each press itself, at the end each light of the last row.
    above, row = [0] * columns, [1 << column for column in range(columns)]
    for _ in range(rows):
        left, right = [0, *row[:-1]], [*row[1:], 0]
        own = row if stay else [0] * columns
        above, row = row, [a ^ b ^ c ^ d for a, b, c, d in zip(above, own, left, right, strict=True)]
    system = LinearSystem(columns)
    for column, equation in enumerate(row):
        system.add(equation, residue >> column & 1)
    return system


def _add_banded(system: LinearSystem, presses: Collection[int], value: int) -> int | None:
    """Add an equation to a system whose equations are short integers if their unknowns are near each other."""
    first = min(presses, default=0)
    return system.add(sum(1 << press - first for press in presses), value, first)


def _folded(rows: int) -> list[int]:
    """Return first, last, second, last but one, and so on."""
    # a torus then becomes a band of twice the width; unfolded, it would fill the whole system
    return [row for pair in zip(range(rows), reversed(range(rows)), strict=True) for row in pair][:rows]


def _band(columns: int, wraps_rows: bool) -> int:
    """Return the number of unknowns that a sweep over the rows keeps at a time, per row that a press reaches."""
    return columns * (2 if wraps_rows else 1)


def toggled(board: Board, row: int, column: int, sign: int = 1) -> frozenset[tuple[int, int]]:
    """Return the lights that a press toggles (with sign -1, the presses of a light), except those hit twice."""
    return _toggled(board.pattern, board.rows, board.columns, board.wrap, row, column, sign)


@lru_cache(_MAX_TOGGLED)
def _toggled(
    pattern: tuple[Offset, ...], rows: int, columns: int, wrap: str, row: int, column: int, sign: int
) -> frozenset[tuple[int, int]]:
    wraps_rows, wraps_columns = wrap in ROWS, wrap in COLUMNS
    found: set[tuple[int, int]] = set()
    for down, right in pattern:
        other, beside = row + sign * down, column + sign * right
        if wraps_rows:
            other %= rows
        if wraps_columns:
            beside %= columns
        if 0 <= other < rows and 0 <= beside < columns:
            found ^= {(other, beside)}
    return frozenset(found)


def elimination_work(rows: int, columns: int, rules: Board) -> int:
    """Return the row operations of an elimination by a board's rules: unknowns times the width of the band."""
    reach = min(max(max(abs(down), abs(right)) for down, right in rules.pattern), rows, columns)
    band = min(_band(columns, rules.wrap in ROWS), _band(rows, rules.wrap in COLUMNS))
    return rows * columns * max(band * reach, 10 * len(rules.pattern))
