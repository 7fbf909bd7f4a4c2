"""Lights Out boards of two states and any rules as linear systems, with one unknown for each press."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from crosslit.algebra.gf2 import LinearSystem
from crosslit.base.grid import Grid

Offset = tuple[int, ...]
Cell = tuple[int, int]
Tell = Callable[[Cell, Cell | None, bool], None]
ROWS, COLUMNS = ("vertical", "torus"), ("horizontal", "torus")
"""The wraps that join top and bottom, and those that join left and right."""


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
        self._by_columns = _open_presses(board.rows, board.wrap in COLUMNS) < _open_presses(
            board.columns, board.wrap in ROWS
        )
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
        reach_down, reach = (max(abs(offset[axis]) for offset in pattern) for axis in (0, 1))
        # Only around joined edges can a press toggle a light twice, which leaves it unchanged.
        repeats = (wraps_rows and rows <= 2 * reach_down) or (wraps_columns and columns <= 2 * reach)
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


def _open_presses(columns: int, wraps_rows: bool) -> int:
    """Return the number of presses that a sweep over the rows keeps open, per row that a press reaches."""
    return columns * (2 if wraps_rows else 1)


def elimination_work(rows: int, columns: int, rules: Board) -> int:
    """Return the row operations of an elimination by a board's rules: unknowns times the presses kept open."""
    reach = min(max(max(abs(down), abs(right)) for down, right in rules.pattern), rows, columns)
    width = min(_open_presses(columns, rules.wrap in ROWS), _open_presses(rows, rules.wrap in COLUMNS))
    return rows * columns * max(width * reach, 10 * len(rules.pattern))
