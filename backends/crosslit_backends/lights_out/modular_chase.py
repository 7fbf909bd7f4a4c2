"""Elimination of the equations that a chase leaves, modulo each prime power that divides k."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from crosslit.contract import Backend
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.lights_out.smith import Smith

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crosslit_backends.lights_out.smith import Extend, Matrix

MAX_WORK = 1 << 29
"""Cells times presses of the first row: 700 x 700 cells take 3 s."""


class ModularChase(Smith):
    """The equations that a chase leaves, solved as by `smith`.

    If a press pattern changes one light of the row above, light by light this determines the next row of presses; so
    whole rows are chased (`RowChase`). For other rules the chase is `crosslit_encoders.lights_out.sums.chase`.
    It shares no code with `gauss`, so the two check each other on boards of two states and any rules.
    """

    name = "modular-chase"
    summary = "Lights Out, also modular: elimination modulo each prime power, one unknown per column of usual boards"
    kinds = frozenset({"modular-lights-out", "lights-out"})
    trusted_base = frozenset({"modular-sums", "chase", "smith"})
    max_cells = 40_000

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:
        """Return a reason for large boards."""
        assert isinstance(puzzle, LightsOut)
        rows = RowChase.of(puzzle)
        if rows is not None and puzzle.rows * puzzle.columns * rows.columns * rows.height <= MAX_WORK:
            return None
        return super().unsupported_reason(puzzle, options)

    def _system(self, puzzle: LightsOut) -> tuple[Matrix, Extend]:
        import numpy as np  # which loading a backend must not

        if (rows := RowChase.of(puzzle)) is not None:
            return rows.equations(), rows.extend
        from crosslit_encoders.lights_out.sums import chase

        equations, presses = chase(puzzle)[:2]
        return equations, lambda unknowns, lights: presses @ np.append(unknowns, lights) % puzzle.states


class RowChase(NamedTuple):
    """A board whose rows of presses determine each other from above, or such columns if they are shorter.

    Light (r, c) is changed by press (r + 1, c), by no other press below row r, and by presses up to ``reach`` rows
    above. So presses of the first row determine all others, and the lights of the last row are left as equations.
    Where top and bottom are joined, the rows above the first are unknown too, and have to come out again at the end.
    """

    board: LightsOut
    turned: bool
    columns: int
    terms: list[tuple[int, int, int]]
    """Rows above the light, columns to the left, and what such a press counts in the next row of presses."""
    inverse: int  # of what a press counts in the light above it
    is_ring: bool  # top and bottom are joined
    is_joined: bool  # left and right are

    @classmethod
    def of(cls, board: LightsOut) -> Self | None:
        """Return the chase of a board, or None if its rules do not determine rows."""
        if board.graph or board.missing is not None or board.wrap in ("moebius", "klein"):
            return None
        turned = board.columns > board.rows
        offsets, columns = board.offsets, board.columns
        is_ring, is_joined = board.wraps_rows, board.wraps_columns
        if turned:
            offsets = [(right, down, amount) for down, right, amount in offsets]
            columns, is_ring, is_joined = board.rows, is_joined, is_ring
        lowest = min(offsets)
        unique = sum(down == -1 for down, _, _ in offsets) == 1
        if lowest[:2] != (-1, 0) or not unique or math.gcd(lowest[2], board.states) > 1:
            return None
        inverse = pow(lowest[2], -1, board.states)
        terms = [(down, right, amount * inverse % board.states) for down, right, amount in offsets if down >= 0]
        if not is_joined:
            terms = [term for term in terms if abs(term[1]) < columns]
        return cls(board, turned, columns, terms, inverse, is_ring, is_joined)

    @property
    def height(self) -> int:
        """The rows of unknown presses."""
        return 1 + self.is_ring * self.reach

    @property
    def reach(self) -> int:
        """The rows above a light in which a press changes it."""
        return max((down for down, _, _ in self.terms), default=0)

    def equations(self) -> Matrix:
        """Return the equations of the unknown presses."""
        import numpy as np

        size = self.height * self.columns
        start = np.eye(size + 1, size, -1, dtype=np.uint8)  # no press, then each of them
        end = np.concatenate(deque(self._rows(start), self.height), axis=1).astype(np.int64)
        if self.is_ring:
            end -= start
        return np.column_stack([end[1:].T, -end[0]])

    def extend(self, unknowns: Matrix, lights: int) -> NDArray[Any]:
        """Return the presses of all cells for unknown ones, and for the lights times 1 or 0."""
        import numpy as np

        rows = [*self._rows(unknowns[None].astype(np.uint8), lights)][self.height - 1 : -1]
        presses = np.concatenate(rows)
        return (presses.T if self.turned else presses).ravel()

    def _rows(self, start: NDArray[np.uint8], lights: int = 1) -> Iterator[NDArray[Any]]:
        """Yield the unknown rows of presses, and those that they determine, up to one below the board.

        Each is a row for each start; to the first of these belong the lights, times 1 or 0. Whole numbers are as short
        as possible, because numpy divides bytes ten times faster than int16.
        """
        import numpy as np

        k, (count, _), columns = self.board.states, start.shape, self.columns
        most = (k - 1) * (1 + sum(amount for *_, amount in self.terms))
        multiple = -(-most // k) * k  # the sums are subtracted from it, so that no number is negative
        dtype = np.uint8 if multiple < 256 else np.uint16
        values = np.array(self.board.values, np.uint16).reshape(self.board.rows, self.board.columns)
        left = ((values.T if self.turned else values) * (self.inverse * lights) % k).astype(dtype)
        rows = deque(start.astype(dtype).reshape(count, self.height, columns).swapaxes(0, 1))
        yield from rows
        rows.extendleft([np.zeros((count, columns), dtype)] * (1 + self.reach - self.height))
        for line in left:
            found = np.full((count, columns), multiple, dtype)
            found[0] -= line
            for down, right, amount in self.terms:
                row = rows[-1 - down] if amount == 1 else amount * rows[-1 - down]
                if self.is_joined:
                    found -= np.roll(row, right, axis=1)
                else:
                    found[:, max(0, right) : columns + right] -= row[:, max(0, -right) : columns - right]
            found -= found // k * k
            rows.append(found)
            rows.popleft()
            yield found


BACKENDS: list[Backend] = [ModularChase()]
