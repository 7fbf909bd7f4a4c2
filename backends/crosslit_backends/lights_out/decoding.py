"""The lightest element of a coset of a code: the fewest presses of a Lights Out board.

The solutions of a board are one coset of its kernel, so the fewest presses are the weight of a coset leader of that
code.

`lightest` is maximum likelihood decoding of a linear code by a fast Walsh-Hadamard transform, as for the first order
Reed-Muller code in the "Green machine" of the Mariner probes (R. R. Green, JPL Space Programs Summary 37-39, 1966; F.
J. MacWilliams and N. J. A. Sloane, The Theory of Error-Correcting Codes, 1977, chapters 1 and 14). With c(x) the k-bit
number that cell x has in the k vectors of the basis, and s(x) = -1 where the start is 1, else 1, the element that adds
the vectors at the set bits of z has the weight

    N / 2 - F(z) / 2,    F(z) = sum over the N cells x of s(x) (-1)^<c(x), z>,

so F, the transform of the histogram of c weighted with s, is to be maximised. Its 2^k values are never stored together:
the top bits of z are fixed in Gray-code order (a step changes the signs of the cells whose column has that bit), and
the rest of the histogram is transformed in a leaf that fits the cache. This takes a few megabytes for any k.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from crosslit.algebra.boards import connected, union
from crosslit_backends.lights_out.enumeration import coset

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.signedinteger[Any]]

MAX_DIMENSIONS = 40
"""Maximum dimension of a connected part: the search takes about 2 ns * 2^k, 2 s for 30 and 40 minutes for 40."""

_GRAY_CODE = 12  # dimensions up to which integers in Gray-code order take a few ms; from 11 on they take longer than
# the transform, but importing numpy takes 80 ms
_INNER, _LEAF = 8, 19  # bits of z in the rows of a leaf, and in the whole leaf: 2^19 values of 8, then 16 bits
_TINY = 127  # largest value of 8 bits


def descend(start: int, basis: Sequence[int]) -> Iterator[int]:
    """Yield ``start``, then lighter and lighter elements, by local search in a coset: good bounds at any dimension.

    The search adds the first vector, or else the first pair of vectors, that makes the element lighter, until none
    does; a sweep over k vectors takes k^2 / 2 XORs.
    """
    yield start
    weight = start.bit_count()
    index = 0
    while True:
        quiet = 0  # consecutive vectors, before the one at `index`, that made nothing lighter
        while quiet < len(basis):
            if (start ^ basis[index]).bit_count() < weight:
                start ^= basis[index]
                weight = start.bit_count()
                quiet = 0
                yield start
            quiet += 1
            index = (index + 1) % len(basis)
        for one, other in itertools.combinations(basis, 2):
            if (start ^ one ^ other).bit_count() < weight:
                start ^= one ^ other
                weight = start.bit_count()
                yield start
                break
        else:
            return


def lightest(start: int, basis: Sequence[int]) -> Iterator[int]:
    """Return an iterator over ever lighter elements of ``start`` + span(``basis``), down to the minimum weight.

    First comes a descent. Then the code is split into its connected parts, which share no cells and are searched
    separately: small ones in Gray-code order, others by the transform (see the module), with about 20 additions of 8 or
    16 bits for each element of a part and a few megabytes. The vectors of the basis may be dependent. A part of more
    than `MAX_DIMENSIONS` dimensions is a ValueError at once.
    """
    parts = connected(basis)
    dimension = max(map(len, parts), default=0)
    if dimension > MAX_DIMENSIONS:
        raise ValueError(
            f"the lightest of 2^{dimension} elements is out of reach: at most {MAX_DIMENSIONS} connected"
            " dimensions are searched, which take most of an hour, and each further one doubles that"
        )
    return _lightest(start, basis, parts)


def _lightest(start: int, basis: Sequence[int], parts: list[list[int]]) -> Iterator[int]:
    element = start
    for element in descend(start, basis):
        yield element
    for part in parts:
        inside = element & union(part)
        # Parts share no cells, so each can be made lighter without regard to the others.
        outside = element ^ inside
        search = _by_gray_code if len(part) <= _GRAY_CODE else by_transform
        for lighter in search(inside, part):
            element = outside | lighter
            yield element


def _by_gray_code(start: int, basis: Sequence[int]) -> Iterator[int]:
    weight = start.bit_count()
    for element in coset(start, basis):
        if element.bit_count() < weight:
            weight = element.bit_count()
            yield element


def by_transform(start: int, basis: Sequence[int]) -> Iterator[int]:
    """Yield strictly lighter elements of a coset whose cells all lie in a vector of the basis; see the module."""
    import numpy as np

    columns, weights = _histogram(start, basis)
    total = union(basis).bit_count()
    # F of the start; the element of z has (total - F(z)) / 2 ones.
    best = total - 2 * start.bit_count()
    low = min(len(basis), _LEAF)
    # Ascending within a leaf, as `reduceat` needs it; stable, so that the result depends on nothing else.
    order = np.argsort(columns & (1 << low) - 1, kind="stable")
    columns, weights = columns[order], weights[order]
    leaf = _Leaf(columns & (1 << low) - 1, weights, low)
    flips = [(1 - 2 * (columns >> bit & 1)).astype(weights.dtype) for bit in range(low, len(basis))]
    for step in range(1 << len(flips)):
        if step:
            np.multiply(weights, flips[(step & -step).bit_length() - 1], out=weights)
        value, z = leaf.greatest(weights)
        if value > best:
            best = value
            # The Gray code of the step: these are the top bits whose signs are flipped now.
            z |= (step ^ step >> 1) << low
            element = start
            for bit, vector in enumerate(basis):
                if z >> bit & 1:
                    element ^= vector
            yield element


def _histogram(start: int, basis: Sequence[int]) -> tuple[NDArray[np.int64], Integers]:
    """Return the different columns of a basis, shape (columns,), and the sums of the signs of their cells."""
    import numpy as np

    cells = union(basis)
    size = -(-cells.bit_length() // 8)

    def bits(vector: int) -> NDArray[np.uint8]:
        return np.unpackbits(np.frombuffer(vector.to_bytes(size, "little"), np.uint8), bitorder="little")

    inside = bits(cells).astype(bool)
    column = np.zeros(inside.size, np.int64)
    for bit, vector in enumerate(basis):
        column |= bits(vector).astype(np.int64) << bit
    signs = 1 - 2 * bits(start & cells).astype(np.int64)
    # Cells of equal columns behave alike, so only the sum of their signs matters.
    columns, place = np.unique(column[inside], return_inverse=True)
    sums = np.zeros(columns.size, np.min_scalar_type(~int(inside.sum())))
    np.add.at(sums, place, signs[inside].astype(sums.dtype))
    return columns, sums


class _Leaf:
    """The transform of a histogram over ``bits`` bits; only the signs of the summands change between calls.

    The summands have the ascending indices ``places`` and, without their signs, the values ``weights``. They are stored
    in rows of 2^_INNER. The nonzero rows of the histogram are first transformed by themselves, as columns so that
    numpy's inner loops are long; then come stages over whole rows. All stages write from one buffer to another, in 8
    bits as long as sums of absolute values fit: half the memory traffic.
    """

    def __init__(self, places: NDArray[np.int64], weights: Integers, bits: int) -> None:
        import numpy as np

        self.inner = min(_INNER, bits - 1)
        self.outer = bits - self.inner
        filled, self.starts = np.unique(places, return_index=True)
        self.rows, row = np.unique(filled >> self.inner, return_inverse=True)
        self.flat = (filled & (1 << self.inner) - 1) * self.rows.size + row
        wide = weights.dtype
        # Bounds of the values after each stage: sums of absolute values, which adding and subtracting cannot exceed.
        sums = np.zeros(1 << self.outer, np.int64)
        np.add.at(sums, places >> self.inner, np.abs(weights.astype(np.int64)))
        # stages over rows that fit in 8 bits; the very last stage is part of finding the maximum
        self.tiny = 0
        narrow = np.dtype(np.int8) if sums.max() <= _TINY else wide
        while self.tiny < self.outer - 1 and (sums := sums.reshape(-1, 2).sum(axis=1)).max() <= _TINY:
            self.tiny += 1
        self.pair = [np.zeros(1 << bits, wide) for _ in range(2)]
        self.narrow_pair = [np.zeros(1 << bits, narrow) for _ in range(2)]
        self.small_pair = [np.zeros(self.rows.size << self.inner, narrow) for _ in range(2)]

    def greatest(self, weights: Integers) -> tuple[int, int]:
        """Return the greatest value of the transform, and its index."""
        import numpy as np

        one, other = self.small_pair
        one.fill(0)
        # Cells of one place were sorted next to each other, so their sums are over runs.
        one[self.flat] = np.add.reduceat(weights, self.starts)
        one, _ = _butterflies(one, other, range(self.inner), self.rows.size)
        values, spare = self.narrow_pair
        values.fill(0)
        # Rows without a cell are 0 and stay 0 under a transform within rows.
        values.reshape(-1, 1 << self.inner)[self.rows] = one.reshape(-1, self.rows.size).T
        values, _ = _butterflies(values, spare, range(self.tiny), 1 << self.inner)
        wide, spare = self.pair
        wide[:] = values
        values, spare = _butterflies(wide, spare, range(self.tiny, self.outer - 1), 1 << self.inner)
        # The last stage gives plus + minus and plus - minus; the greater of the two is plus + |minus|, so it need not
        # be computed.
        half = values.size // 2
        plus, minus, greatest = values[:half], values[half:], spare[:half]
        np.abs(minus, out=greatest)
        np.add(plus, greatest, out=greatest)
        place = int(greatest.argmax())
        return int(greatest[place]), place + half * bool(minus[place] < 0)


def _butterflies(source: Integers, target: Integers, stages: range, width: int) -> tuple[Integers, Integers]:
    """Compute sums and differences along bits of the row number; return the result and the spare buffer."""
    import numpy as np

    for stage in stages:
        before, after = (array.reshape(-1, 2, width << stage) for array in (source, target))
        np.add(before[:, 0], before[:, 1], out=after[:, 0])
        np.subtract(before[:, 0], before[:, 1], out=after[:, 1])
        source, target = target, source
    return source, target
