"""Repair of a picture: changes to few cells until its clues have no other solution."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

from crosslit.errors import GaveUp
from crosslit.grid import Grid
from crosslit.kinds import Nonogram
from crosslit.kinds.chance import shuffled

_SOLUTIONS = 4  # maximum solutions examined to find the open cells
_CANDIDATES = 6  # cells tried in every step
# open cells: with more, trying is uninformative, and several are filled at once, because thick pictures have few
# solutions
_MANY = 40
_AT_A_TIME = 20  # one of that many open cells is filled


def repair(picture: Grid, seed: int = 0, on_step: Callable[[int], None] = lambda _: None) -> Grid:
    """Return a picture near ``picture`` that is the only solution of its clues, by the claim of `hybrid`.

    If there is another solution, some cells in which it differs are tried, and the change that leaves the fewest cells
    that differ between solutions is kept; while these are many, some are filled without trying. No cell is changed
    twice, so it terminates. The number of changed cells need not be minimal.

    Raises:
        GaveUp: if every cell that differs has been changed.

    Examples:
        >>> from crosslit.questions.solve import solutions
        >>> found = repair(Grid.from_text("1000/0100/0010/0001"))
        >>> len(list(solutions(Nonogram.of(found))))
        1
    """
    # Its own sequence, so that the repair of a picture does not depend on how the picture was made.
    rng = random.Random(f"repair {seed}")
    rows, columns = picture.rows, picture.columns
    bits, changed = picture.bits, 0
    open_cells = _open_cells(picture)
    while open_cells:
        on_step(open_cells.bit_count())
        free = [cell for cell in range(rows * columns) if (open_cells & ~changed) >> cell & 1]
        if not free:
            raise GaveUp("every open cell was changed, and the clues still have several solutions")
        empty = [cell for cell in free if not bits >> cell & 1]
        # Trying six candidates for every cell did not end in a minute for 30 x 30 at density 0.35; this takes 12 s.
        if len(free) > _MANY and empty:
            for cell in shuffled(rng, empty)[: len(free) // _AT_A_TIME]:
                bits |= 1 << cell
                changed |= 1 << cell
            open_cells = _open_cells(Grid.from_bits(rows, columns, bits))
            continue
        tried: list[tuple[int, int, int, int]] = []
        for cell in shuffled(rng, free)[:_CANDIDATES]:
            left = _open_cells(Grid.from_bits(rows, columns, bits ^ 1 << cell))
            # The number of the attempt breaks ties, so that the result does not depend on the cell's place.
            tried.append((left.bit_count(), len(tried), cell, left))
            # Nothing can be better than no open cell.
            if not left:
                break
        _, _, cell, open_cells = min(tried)
        bits ^= 1 << cell
        changed |= 1 << cell
    return Grid.from_bits(rows, columns, bits)


def _open_cells(picture: Grid) -> int:
    """Return the number of cells in which a picture differs from some solutions of the picture's clues."""
    from crosslit.questions.solve import solutions

    # Two solutions show that there are several; a few more show more of the cells that vary.
    found = itertools.islice(solutions(Nonogram.of(picture), "hybrid"), _SOLUTIONS)
    open_cells = 0
    for grid in found:
        open_cells |= grid.bits ^ picture.bits
    return open_cells
