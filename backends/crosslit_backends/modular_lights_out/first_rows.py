"""The chase with sums of unknown presses instead of numbers."""

from __future__ import annotations

import numpy as np

from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_backends.modular_lights_out.smith_form import Matrix, System


def first_rows(puzzle: ModularLightsOut, reach: int, aside: int, unit: int) -> System:
    """Return the equations of the last rows of lights in the presses of the first rows.

    Args:
        puzzle: a grid with open edges above and below, without missing cells.
        reach: by how many rows the lowest press around a light is below it; there is one.
        aside: by how many columns the light is to the right of that press.
        unit: the amount that this press adds, prime to k.
    """
    rows, columns, k = puzzle.rows, puzzle.columns, puzzle.states
    height = min(reach, rows)
    size = height * columns
    presses = np.zeros((rows, columns, size + 1), np.int64)
    presses[:height] = np.eye(size, size + 1, dtype=np.int64).reshape(height, columns, -1)
    around = puzzle.wrap == "horizontal"
    values = np.array(puzzle.values).reshape(rows, columns)

    def light(row: int) -> Matrix:
        """Return what a row of lights becomes by the presses so far."""
        total = np.zeros((columns, size + 1), np.int64)
        total[:, -1] = values[row]
        for down, right, amount in puzzle.offsets:
            if 0 <= row - down < rows:
                total += amount * _moved(presses[row - down], right, around)
        return total % k

    for row in range(rows - height):
        # The lowest row of presses is still 0 here; it has to take back the rest.
        presses[row + height] = _moved(light(row) * -pow(unit, -1, k) % k, -aside, around)
    equations = np.concatenate([light(row) for row in range(rows - height, rows)])
    equations[:, -1] *= -1
    return System(equations, presses.reshape(rows * columns, -1))


def _moved(cells: Matrix, right: int, around: bool) -> Matrix:
    """Return a row of cells moved to the right; those that leave it are dropped, or come back around joined edges."""
    if around:
        return np.roll(cells, right, axis=0)
    moved = np.zeros_like(cells)
    if abs(right) < len(cells):
        moved[max(right, 0) : len(cells) + min(right, 0)] = cells[max(-right, 0) : len(cells) - max(right, 0)]
    return moved
