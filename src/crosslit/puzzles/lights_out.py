"""Lights Out: which cells to press so that every light goes out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from crosslit.grid import Grid

Offset = tuple[int, int]

PLUS: tuple[Offset, ...] = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))


@dataclass(frozen=True, slots=True)
class LightsOut:
    """A Lights Out board: pressing a cell toggles it and its neighbours; put all lights out.

    A solution is the grid of cells to press, of the board's shape: order does not matter, and pressing twice undoes.

    Args:
        lit: the cells that are lit, shape (rows, columns).
        name: what to call the puzzle; not part of its identity.

    Raises:
        TypeError: if ``lit`` is no `Grid`.

    Examples:
        >>> board = LightsOut(Grid.from_text("11/11"))
        >>> board.rows, board.columns, board.text
        (2, 2, '11/11')
        >>> list(board.violations(Grid.from_text("11/11")))
        []
        >>> next(board.violations(Grid.from_text("10/00")))
        'row 2, column 2 stays lit'
    """

    lit: Grid
    name: str = field(default="", compare=False)

    kind: ClassVar[str] = "lights-out"
    # The cells that a press at (0, 0) toggles, as (row, column) offsets: the plus, the one pattern there is today.
    # The checker and whoever builds a system from a board read it here; a method that is bound to the plus says so.
    pattern: ClassVar[tuple[Offset, ...]] = PLUS

    def __post_init__(self) -> None:
        if not isinstance(self.lit, Grid):
            raise TypeError(f"the lit cells are a Grid, for example Grid.from_text('10/01'), not {self.lit!r:.40}")

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.lit.rows

    @property
    def columns(self) -> int:
        """Number of columns."""
        return self.lit.columns

    @property
    def text(self) -> str:
        """The canonical one-line form: rows of 0 and 1 separated by ``/``."""
        return self.lit.text()

    @property
    def id(self) -> str:
        """The sha256 of the canonical one-line form, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def violations(self, grid: Grid) -> Iterator[str]:
        """What is wrong with pressing ``grid``: one line for each cell that stays lit; nothing for a solution.

        Raises:
            ValueError: if the grid has another shape than the board.
        """
        if (grid.rows, grid.columns) != (self.rows, self.columns):
            raise ValueError(f"a {grid.rows} x {grid.columns} grid for a {self.rows} x {self.columns} board")
        left = self.lit.bits
        presses = grid.bits
        for down, right in self.pattern:
            staying = presses & _columns_from_which(right, self.rows, self.columns)
            shift = down * self.columns + right
            left ^= staying << shift if shift >= 0 else staying >> -shift
        left &= (1 << self.rows * self.columns) - 1  # presses of the last row reach below it
        if not left:
            return
        for row, column in Grid.from_bits(self.rows, self.columns, left).cells():
            yield f"row {row + 1}, column {column + 1} stays lit"


@lru_cache(maxsize=64)
def _columns_from_which(right: int, rows: int, columns: int) -> int:
    """The cells whose column stays on the board when moved ``right``: without it, rows would run into each other."""
    row = ((1 << columns) - 1 >> right) if right >= 0 else ((1 << columns) - 1 >> -right) << -right
    return Grid.from_rows([row] * rows, columns).bits
