"""Elimination modulo each prime power that divides k, with the pivot of least valuation, as in the Smith form."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import Puzzle
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_backends.native import Native

if TYPE_CHECKING:
    from crosslit_backends.modular_lights_out.smith_form import Matrix, Solved


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
    max_cells = 400  # more take seconds
    preload = ("crosslit_backends.modular_lights_out.smith_form",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        return f"more than {self.max_cells} cells" if puzzle.rows * puzzle.columns > self.max_cells else None

    def solutions(self, puzzle: ModularLightsOut, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield all solutions."""
        (first, kernel), presses = self._solve(puzzle)
        if first is None:
            return
        for times in itertools.product(*(range(order) for order, _ in kernel)):
            unknowns = first + sum(factor * vector for factor, (_, vector) in zip(times, kernel, strict=True))
            yield puzzle.layout.pack(((presses[:, :-1] @ unknowns + presses[:, -1]) % puzzle.layout.states).tolist())

    def count(self, puzzle: ModularLightsOut, task: Task) -> int:  # noqa: ARG002
        """Return the product of the greatest common divisors of k and the invariant factors, or 0."""
        first, kernel = self._solve(puzzle)[0]
        return 0 if first is None else math.prod(order for order, _ in kernel)

    def _solve(self, puzzle: ModularLightsOut) -> tuple[Solved, Matrix]:
        """Return the solutions of the system, and for each press its coefficients of the unknowns and a constant."""
        from crosslit_backends.modular_lights_out import smith_form  # imports numpy, which loading must not

        equations, presses = self._system(puzzle)
        return smith_form.joined(equations, puzzle.layout.states), presses

    def _system(self, puzzle: ModularLightsOut) -> tuple[Matrix, Matrix]:
        import numpy as np

        size = puzzle.rows * puzzle.columns
        changes = [(light, press, amount) for press, effect in enumerate(puzzle.effects) for light, amount in effect]
        lights, presses, amounts = np.array(changes, np.int64).reshape(-1, 3).T
        matrix = np.diag(np.array(puzzle.gone, np.int64))  # a missing cell is not pressed
        np.add.at(matrix, (lights, presses), amounts)
        return np.column_stack([matrix, np.negative(puzzle.values)]), np.eye(size, size + 1, dtype=np.int64)


BACKENDS: list[Backend] = [Smith()]
