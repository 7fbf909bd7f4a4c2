"""The fewest cells that determine a vector in each of several spaces, by matroid intersection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from crosslit.kinds.modular_lights_out.howell import HowellForm

Space = tuple[int, Sequence[Any]]
"""A prime p and a basis over Z/p, vectors of numbers."""


def fewest_cells(spaces: Sequence[Space], allowed: Iterable[int]) -> set[int] | None:
    """Return the fewest allowed cells on which no vector but 0 of any space vanishes; None if all do not suffice.

    Such cells contain a basis of the columns for each space. Of two bases, the one of p and the one of q, as many cells
    as possible should be common: a largest set that is independent in both, which augmenting paths find (J. Edmonds,
    "Submodular functions, matroids, and certain polyhedra", 1970). A number up to 16 has at most two prime divisors.
    """
    cells = list(allowed)
    if any(_rank(space, cells) < len(space[1]) for space in spaces):
        return None
    chosen = _common(spaces[0], spaces[-1], cells)
    found = set(chosen)
    for space in spaces:
        # A common independent set is part of a basis for each space.
        basis = set(chosen)
        for cell in cells:
            if cell not in basis and _is_independent(space, basis | {cell}):
                basis.add(cell)
        found |= basis
    return found


def _common(one: Space, other: Space, cells: list[int]) -> set[int]:
    """Return a largest set of cells that is independent in both spaces."""
    chosen: set[int] = set()
    while True:
        outside = [cell for cell in cells if cell not in chosen]
        sources = [cell for cell in outside if _is_independent(one, chosen | {cell})]
        ends = {cell for cell in outside if _is_independent(other, chosen | {cell})}
        before: dict[int, int | None] = dict.fromkeys(sources)
        # Breadth first, since only a shortest path keeps the set independent.
        queue = list(sources)
        for cell in queue:
            if cell in ends:
                step: int | None = cell
                while step is not None:
                    chosen ^= {step}
                    step = before[step]
                break
            if cell in chosen:  # may be exchanged for a cell outside, in the first space
                near = [new for new in outside if _is_independent(one, (chosen - {cell}) | {new})]
            else:
                near = [old for old in chosen if _is_independent(other, (chosen - {old}) | {cell})]
            for next_cell in near:
                if next_cell not in before:
                    before[next_cell] = cell
                    queue.append(next_cell)
        else:
            return chosen


def _is_independent(space: Space, cells: set[int]) -> bool:
    return len(cells) <= len(space[1]) and _rank(space, cells) == len(cells)


def _rank(space: Space, cells: Iterable[int]) -> int:
    """Return the rank of some columns of a basis, by elimination over Z/p."""
    p, basis = space
    rows = np.array([[*(vector[cell] for vector in basis), 0] for cell in cells], np.int16).reshape(-1, len(basis) + 1)
    return len(HowellForm(rows % p, p).pivots)
