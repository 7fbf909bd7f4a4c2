"""XOR constraints as clauses."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from crosslit_encoders.formula import Literals


@cache
def direct_signs(size: int, value: int) -> Literals:
    """The sign patterns that forbid every assignment of the wrong parity: shape (2^(size - 1), size).

    Args:
        size: number of variables in the XOR.
        value: what it must equal, 0 or 1.

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
