"""The number of digits with which measured numbers are shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from crosslit.numbers import format_number


def enough_digits(values: Iterable[float | None], least: int = 3) -> int:
    """Return the number of significant digits with which unequal numbers do not look equal, at most six.

    None, NaN and infinities do not count.

    >>> enough_digits([1.0, 2.5]), enough_digits([1.2861, 1.2864]), enough_digits([1.0, 1.0 + 1e-12])
    (3, 5, 3)
    """
    known = sorted({value for value in values if value is not None and math.isfinite(value)})
    digits = range(least, 7)
    needed = (
        next((count for count in digits if format_number(low, count) != format_number(high, count)), least)
        for low, high in pairwise(known)
    )
    return max(needed, default=least)
