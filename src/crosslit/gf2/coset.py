"""All solutions of a linear system from one of them and a basis of its kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def coset(start: int, basis: Iterable[int]) -> Iterator[int]:
    """``start`` plus every combination of the basis, in Gray-code order: one XOR each.

    A vector is taken from ``basis`` when it is first needed: the first 2^j elements need j of them.

    Examples:
        >>> [f"{element:03b}" for element in coset(0b100, [0b001, 0b010])]
        ['100', '101', '111', '110']
    """
    yield start
    known: list[int] = []
    for vector in basis:
        known.append(vector)
        for step in range(1 << len(known) - 1, 1 << len(known)):
            start ^= known[(step & -step).bit_length() - 1]
            yield start
