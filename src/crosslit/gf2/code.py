"""Linear codes over GF(2), given by bit vectors that span them: their cells, and the parts that share none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_


def connected(basis: Sequence[int]) -> list[list[int]]:
    """Split a code into the smallest codes that share no cells, and return a reduced echelon basis of each.

    Two vectors of *any* reduced echelon basis that share a cell belong together, and no finer split exists: these are
    the connected components of a binary matroid (J. G. Oxley, Matroid Theory, 1992, chapter 4).

    Returns:
        The bases of the parts, by lowest cell; each vector has a bit that no other vector of its part has.

    Examples:
        >>> [[f"{vector:04b}" for vector in part] for part in connected([0b1111, 0b0011])]
        [['0011'], ['1100']]
    """
    echelon: dict[int, int] = {}  # by the lowest bit
    for vector in basis:
        rest = vector
        for pivot, row in echelon.items():
            if rest & pivot:
                rest ^= row
        if rest:
            pivot = rest & -rest
            echelon = {other: row ^ rest if row & pivot else row for other, row in echelon.items()}
            echelon[pivot] = rest
    parts: list[tuple[int, list[int]]] = []
    for _, row in sorted(echelon.items()):
        touching = [part for part in parts if part[0] & row]
        parts = [part for part in parts if not part[0] & row]
        rows = [row for _, rows in touching for row in rows] + [row]
        parts.append((union(rows), rows))
    return [sorted(rows, key=lambda row: row & -row) for _, rows in sorted(parts, key=lambda part: part[0] & -part[0])]


def union(vectors: Iterable[int]) -> int:
    """Return the cells that any of the vectors has."""
    return reduce(or_, vectors, 0)
