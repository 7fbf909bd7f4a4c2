"""XOR constraints as clauses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

from crosslit.contract import GaveUp
from crosslit_encoders.formula import Literals, Xor

MAX_DIRECT = 16
"""Variables of an XOR that is not cut: 32,768 clauses for each."""


@cache
def direct_signs(size: int, value: int) -> Literals:
    """The sign patterns that forbid every assignment of the wrong parity: shape (2^(size - 1), size).

    A clause forbids the one assignment that makes all its literals false: as many ones as it has negative literals. So
    the clauses are those whose number of negative literals has the other parity than ``value``.

    Examples:
        >>> direct_signs(2, 1).tolist()
        [[1, 1], [-1, -1]]
        >>> direct_signs(2, 0).tolist()
        [[1, -1], [-1, 1]]
    """
    patterns = [signs for signs in itertools.product((1, -1), repeat=size) if signs.count(-1) % 2 != value]
    return np.array(patterns, np.int32).reshape(-1, size)


def clauses(xors: Iterable[Xor], most: int | None, first: int) -> tuple[int, list[Literals]]:
    """The clauses of XORs over the variables 1, 2, ...: each directly, or cut into short ones first.

    An XOR of k variables takes 2^(k - 1) clauses of k literals. One of more than ``most`` is cut: a new variable is the
    XOR of the first ``most`` - 1 of its variables and takes their place, until it is short enough. So do M. Soos,
    K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009. Every new variable follows
    from those that it stands for. An XOR without variables is left out if it holds, and gives the clauses ``x`` and
    ``not x`` if it cannot.

    Sizes: for an XOR of k > most = s variables, a = ceil((k - s) / (s - 2)) new variables, and
    a 2^(s - 1) + 2^(k - a (s - 2) - 1) clauses of at most s literals.

    Args:
        xors: variables and what their XOR equals.
        most: how many variables an XOR may have before it is cut, at least 3; None: none is cut.
        first: the first new variable.

    Returns:
        How many new variables there are; arrays of clauses of equal length.

    Raises:
        GaveUp: if an XOR that is not cut has more than `MAX_DIRECT` variables.

    Examples:
        >>> count, arrays = clauses([((1, 2, 3, 4), 1)], 3, first=5)
        >>> count, [clause for array in arrays for clause in array.tolist()]  # doctest: +NORMALIZE_WHITESPACE
        (1, [[1, 2, -5], [1, -2, 5], [-1, 2, 5], [-1, -2, -5],
             [5, 3, 4], [5, -3, -4], [-5, 3, -4], [-5, -3, 4]])
    """

    def shape(xor: Xor) -> tuple[int, int]:
        return len(xor[0]), xor[1]

    new, arrays = 0, []
    for (size, value), group in itertools.groupby(sorted(xors, key=shape), key=shape):
        if size == 0:
            if value:
                arrays.append(np.array([[1], [-1]], np.int32))
            continue
        if most is None and size > MAX_DIRECT:
            raise GaveUp(f"an XOR of {size} variables takes 2^{size - 1} clauses: at most 2^{MAX_DIRECT - 1}")
        variables = np.array([members for members, _ in group], np.int32)
        links = 0 if most is None or size <= most else -(-(size - most) // (most - 2))
        linking = np.arange(first + new, first + new + links * len(variables), dtype=np.int32)
        new += linking.size
        for part, parity in _cut(variables, linking.reshape(len(variables), links), value, most or size):
            arrays.append((part[:, None, :] * direct_signs(part.shape[1], parity)).reshape(-1, part.shape[1]))
    return new, arrays


def _cut(variables: Literals, linking: Literals, value: int, most: int) -> Iterator[tuple[Literals, int]]:
    """XORs of one length, a row each, in parts of at most ``most`` variables, and what each part equals."""
    for new in linking.T[:, :, None]:
        yield np.hstack([variables[:, : most - 1], new]), 0
        variables = np.hstack([new, variables[:, most - 1 :]])
    yield variables, value
