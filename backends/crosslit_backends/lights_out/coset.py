"""All solutions of a linear system, from one of them and a basis of its kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def coset(start: int, basis: Iterable[int]) -> Iterator[int]:
    """Yield ``start`` plus every combination of the basis, in Gray-code order: one XOR each.

    A vector is taken from ``basis`` when it is first needed: the first 2^j elements need j of them.
    """
    yield start
    known: list[int] = []
    for vector in basis:
        known.append(vector)
        # Reflected Gray code: step n adds the vector of its lowest bit. A new vector is first needed when its bit
        # appears.
        for step in range(1 << len(known) - 1, 1 << len(known)):
            start ^= known[(step & -step).bit_length() - 1]
            yield start


def distinguishing_cells(basis: Iterable[int], among: int = -1) -> int | None:
    """Return as many cells, as bits, as a basis has vectors, on which no two elements of a coset agree, or None."""
    # Invariant: each vector has a candidate cell that no later one has, so they are independent on these cells.
    reduced: list[tuple[int, int]] = []  # each vector, with a cell that the later ones lack
    for vector in basis:
        for own, other in reduced:
            if vector & own:
                vector ^= other
        usable = vector & among
        if not usable:
            return None
        reduced.append((usable & -usable, vector))
    return sum(own for own, _ in reduced)
