"""The chase on grids: the presses of the first rows determine all others, so only these are unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crosslit.contract import Backend
from crosslit.kinds import Puzzle
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_backends.modular_lights_out.smith import Smith

if TYPE_CHECKING:
    from crosslit_backends.modular_lights_out.smith_form import System

MAX_WORK = 50_000_000


class ModularChase(Smith):
    """The system of the first rows of presses, solved as by `smith`.

    If of all presses around a light only one is in the lowest row, and its amount is prime to k, the others determine
    it. The chase goes down the rows with sums of the unknown presses instead of numbers, and the lights of the last
    rows are the equations.

    Examples:
        >>> from crosslit.contract import Task
        >>> ModularChase().count(ModularLightsOut.parse("modular-lights-out:6/00000/00000"), Task())
        18
    """

    name = "modular-chase"
    summary = "modular Lights Out on grids: elimination modulo each prime power, one unknown per column"
    trusted_base = frozenset({"modular-chase", "smith"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for boards without a chase, and for large ones."""
        if not isinstance(puzzle, ModularLightsOut):
            return None
        if _lowest(puzzle) is None:
            return "the first rows do not force the others: no chase on this board"
        if puzzle.rows * puzzle.columns**2 * _height(puzzle) > MAX_WORK:
            return f"more than {MAX_WORK:.0e} numbers in the chase"
        return None

    def system(self, puzzle: ModularLightsOut) -> System:
        """Return the equations of the last rows of lights."""
        from crosslit_backends.modular_lights_out.first_rows import first_rows

        lowest = _lowest(puzzle)
        assert lowest is not None
        return first_rows(puzzle, -lowest[0], *lowest[1:])


def _height(board: ModularLightsOut) -> int:
    """Return by how many rows the lowest press around a light is below it."""
    return max(-min(down for down, _, _ in board.offsets), 0)


def _lowest(board: ModularLightsOut) -> tuple[int, int, int] | None:
    """Return the offset by which the lowest press around a light reaches it, if the chase works."""
    if not board.is_grid or board.wrap not in ("none", "horizontal") or board.missing is not None:
        return None
    height = _height(board)
    lowest = [offset for offset in board.offsets if offset[0] == -height]
    if not height or len(lowest) > 1 or math.gcd(lowest[0][2], board.states) > 1:
        return None
    return lowest[0] if board.wrap == "horizontal" or lowest[0][1] == 0 else None


BACKENDS: list[Backend] = [ModularChase()]
