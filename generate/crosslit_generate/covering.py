"""The covering radius of a code: the number of presses that the hardest solvable Lights Out board needs.

The solutions of a solvable board are a coset of the kernel, and every coset belongs to a board. So the maximum of the
fewest presses is the covering radius of the kernel, and the lights of a worst board follow from a "deep hole" of that
code.

Cells with equal columns in the basis are interchangeable: only the number of ones among the cells of each column
matters. With m(v) cells of column v and h(v) = m(v) - 2 * (ones among them), the least weight of a coset is (n - t) /
2, where n is the number of cells and t the maximum of the Walsh-Hadamard transform of h (see the module `minimum` of
the backends). The search minimises t over h(v) from -m(v) to m(v) with the parity of m(v). It is short for three
reasons: a transform without h(0) sums to 0, so |h(v)| < 2 t; t is at least 0, at least 1 if an odd number of the m(v)
are odd, and at least 2 if an even number other than 0 are; and adding elements of the code makes h(v) >= 0 on the
columns of one bit.

The covering radius of linear codes is the subject of G. Cohen, I. Honkala, S. Litsyn and A. Lobstein, Covering Codes,
1997; this method was derived here, without a search of the literature.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from crosslit.gf2.code import connected, union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_STEPS = 1 << 38
"""Maximum number of additions of 8 bits (up to 127 cells, otherwise 16) in a search: half a minute."""

_TABLE = 1 << 20  # values examined together
_CHARACTERS = 1 << 27  # bytes for the transforms of single columns


def covering_radius(basis: Sequence[int], length: int) -> tuple[int, int]:
    """Return the greatest distance of a vector from a code: the maximum weight of a coset leader.

    Connected parts are searched separately, and each cell that is 0 throughout the code adds one. The cost depends on
    the number of different columns, and on how many of them belong to an odd number of cells; the length matters
    little. The vectors that span the code may be dependent.

    Returns:
        The radius, and a vector at that distance: its coset has no lighter element.

    Raises:
        ValueError: if a vector is longer than ``length``, or the search takes more than `MAX_STEPS`: at most 2^n for n
            cells with different columns, much less for others.

    Examples:
        >>> covering_radius([0b111], 3), covering_radius([], 4)
        ((1, 1), (4, 15))
    """
    touched = union(basis)
    if touched >> length:
        raise ValueError(f"a vector of the basis has {touched.bit_length()} cells, where the code has {length}")
    # A cell that no vector has is 1 in the farthest vector: no element of the code can cancel it.
    hole = (1 << length) - 1 ^ touched
    for part in connected(basis):
        cells = {0: union(part)}  # by column
        for bit, vector in enumerate(part):
            ones = {column | 1 << bit: shared for column, mask in cells.items() if (shared := mask & vector)}
            cells = {column: rest for column, mask in cells.items() if (rest := mask & ~vector)} | ones
        counts = {column: mask.bit_count() for column, mask in cells.items()}
        excess = _flattest(counts, len(part))
        for column, mask in cells.items():
            # h = m - 2 * ones, so (m - h) / 2 of the column's cells are ones; any of them, since they are
            # interchangeable.
            for _ in range((counts[column] - excess.get(column, 0)) // 2):
                hole |= mask & -mask
                mask &= mask - 1
    return hole.bit_count(), hole


def _flattest(counts: Mapping[int, int], dimension: int) -> dict[int, int]:
    """Return an h with the least t for the given m, by column; columns with h = 0 may be omitted.

    The transform is greatest at 0, so the element described by h is the lightest of its coset.
    """
    odd = [column for column, count in counts.items() if count % 2]
    # With h = 1 in at most one column and 0 elsewhere t is 1 or 0, the least for this parity.
    if len(odd) < 2:
        return dict.fromkeys(odd, 1)
    if len(counts) << dimension > _CHARACTERS:
        raise _too_far(dimension)
    least = 2 - len(odd) % 2
    characters = {column: _character(column, dimension, sum(counts.values())) for column in counts}
    best = {}
    total = 0 * characters[odd[0]]
    for column in odd:  # a first bound: choose the better sign for one column after another
        best[column] = min((1, -1), key=lambda sign: int((total + sign * characters[column]).max()))
        total += best[column] * characters[column]
    # If this first bound already is the least possible t, no search is needed.
    greatest = int(total.max())
    if greatest > least:
        best = _search(characters, _values(counts, dimension, greatest), greatest, least) or best
    total = sum((value * characters[column] for column, value in best.items()), start=0 * total)
    place = int(total.argmax())
    return {column: value * int(characters[column][place]) for column, value in best.items()}


def _values(counts: Mapping[int, int], dimension: int, greatest: int) -> dict[int, list[int]]:
    """Return the values of h by column that allow a t below ``greatest`` (by at least 2: all t have equal parity)."""
    values = {}
    for column, count in counts.items():
        # A better t is at most greatest - 2, and |h(v)| < 2 t.
        highest = min(count, 2 * (greatest - 2) - 1)
        lowest = count % 2 if column.bit_count() == 1 else -highest + (count - highest) % 2
        values[column] = list(range(lowest, highest + 1, 2))
    if math.prod(map(len, values.values())) << dimension > MAX_STEPS:
        raise _too_far(dimension)
    return values


def _search(
    characters: Mapping[int, NDArray[np.signedinteger]], values: Mapping[int, list[int]], below: int, least: int
) -> dict[int, int]:
    """Return the h, from its possible values by column, with the least t below a bound; empty if there is none."""
    import numpy as np

    # Columns of few values first: more of them fit in the table, and fewer are left for the loop in Python.
    order = sorted(values, key=lambda column: len(values[column]))
    table = 0 * characters[order[0]][:, None]  # all sums over the first columns; shape (2^dimension, sums)
    together = 0
    for column in order:
        if table.size * len(values[column]) > _TABLE:
            break
        further = characters[column][:, None] * np.array(values[column], table.dtype)
        table = (table[:, :, None] + further[:, None, :]).reshape(len(table), -1)
        together += 1
    inside, outside = order[:together], order[together:]
    sums = np.empty_like(table)
    best: dict[int, int] = {}
    for choice in itertools.product(*(values[column] for column in outside)):
        total = 0 * characters[order[0]]
        for column, value in zip(outside, choice, strict=True):
            total += value * characters[column]
        np.add(table, total[:, None], out=sums)
        worst = sums.max(axis=0)
        place = int(worst.argmin())
        if worst[place] < below:
            below = int(worst[place])
            indices = np.unravel_index(place, [len(values[column]) for column in inside]) if inside else ()
            best = {column: values[column][index] for column, index in zip(inside, indices, strict=True)}
            best.update(zip(outside, choice, strict=True))
            if below == least:
                break
    return best


def _too_far(dimension: int) -> ValueError:
    return ValueError(f"the hardest of all boards with 2^{dimension} solutions each is out of reach")


def _character(column: int, dimension: int, greatest: int) -> NDArray[np.signedinteger]:
    """Return (-1)^<column, z> for all z, shape (2^dimension,), in a type for sums up to ``greatest``."""
    import numpy as np

    signs = np.ones(1, np.min_scalar_type(~greatest))
    for bit in range(dimension):
        signs = np.concatenate([signs, -signs if column >> bit & 1 else signs])
    return signs
