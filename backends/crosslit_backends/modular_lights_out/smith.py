"""Elimination modulo each prime power that divides k, with the pivot of least valuation, as in the Smith form."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from crosslit.contract import Backend, Task
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_backends.native import Native

if TYPE_CHECKING:
    from crosslit_backends.modular_lights_out.smith_form import Solved, System

MAX_CELLS = 1024
MAX_WORK = 50_000_000  # numbers in a chase


class Smith(Native):
    """Elimination modulo the prime powers of k, joined by the Chinese remainder theorem.

    Modulo p^e the pivot is a coefficient that fewest powers of p divide, in any equation and unknown. So it divides all
    others, and the powers found are those of the invariant factors: the number of solutions, if there are any, is the
    product of the greatest common divisors of k and these factors.
    """

    name = "smith"
    summary = "modular Lights Out: elimination modulo each prime power, one unknown per cell"
    kinds = frozenset({"modular-lights-out"})
    trusted_base = frozenset({"smith"})
    preload = ("crosslit_backends.modular_lights_out.smith_form",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        return f"more than {MAX_CELLS} cells" if puzzle.rows * puzzle.columns > MAX_CELLS else None

    def solutions(self, puzzle: ModularLightsOut, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield all solutions."""
        system, (first, kernel) = self._solved(puzzle)
        if first is None:
            return
        for times in itertools.product(*(range(order) for order, _ in kernel)):
            unknowns = first + sum(factor * vector for factor, (_, vector) in zip(times, kernel, strict=True))
            presses = system.presses[:, :-1] @ unknowns + system.presses[:, -1]
            yield puzzle.layout.pack((presses % puzzle.states).tolist())

    def count(self, puzzle: ModularLightsOut, task: Task) -> int:  # noqa: ARG002
        """Return the product of the greatest common divisors of k and the invariant factors, or 0."""
        _, (first, kernel) = self._solved(puzzle)
        return 0 if first is None else math.prod(order for order, _ in kernel)

    def _solved(self, puzzle: ModularLightsOut) -> tuple[System, Solved]:
        from crosslit_backends.modular_lights_out import smith_form  # imports numpy, which loading must not

        lowest = _lowest(puzzle) if isinstance(self, ModularChase) else None
        system = smith_form.whole_system(puzzle) if lowest is None else smith_form.first_rows(puzzle, *lowest)
        return system, smith_form.joined(system.rows, puzzle.states)


class ModularChase(Smith):
    """The system of the first rows of presses, solved as by `smith`.

    If of all presses around a light only one is in the lowest row, and its amount is prime to k, the others determine
    it. The chase goes down the rows with sums of the unknown presses instead of numbers, and the lights of the last
    rows are the equations.
    """

    name = "modular-chase"
    summary = "modular Lights Out on grids: elimination modulo each prime power, one unknown per column"
    trusted_base = frozenset({"modular-chase", "smith"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for boards without a chase, and for large ones."""
        if not isinstance(puzzle, ModularLightsOut):
            return None
        lowest = _lowest(puzzle)
        if lowest is None:
            return "the first rows do not force the others: no chase on this board"
        if puzzle.rows * puzzle.columns**2 * lowest[0] > MAX_WORK:
            return f"more than {MAX_WORK:.0e} numbers in the chase"
        return None


def _lowest(board: ModularLightsOut) -> tuple[int, int, int] | None:
    """Return how far the lowest press around a light is below and left of it, and its amount, if the chase works."""
    if not board.is_grid or board.wrap not in ("none", "horizontal") or board.missing is not None:
        return None
    (down, right, amount), *others = sorted(board.offsets)  # of the lowest press first, as the light is above it
    if down >= 0 or (others and others[0][0] == down) or math.gcd(amount, board.states) > 1:
        return None
    return (-down, right, amount) if board.wrap == "horizontal" or right == 0 else None


BACKENDS: list[Backend] = [Smith(), ModularChase()]
