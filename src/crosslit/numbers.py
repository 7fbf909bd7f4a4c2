"""Numbers as JSON and as words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from decimal import Decimal
from typing import Any


def exact(number: Any) -> Any:
    """A number that every JSON reader keeps exact: beyond 2^53 a power of two as {"log2": k}, else decimal digits.

    What JSON has no number for (an infinity, say) becomes a word; words stay as they are.

    Examples:
        >>> exact(7), exact(2**80), exact(2**53 + 1), exact(float("inf")), exact([1])
        (7, {'log2': 80}, '9007199254740993', 'inf', '[1]')
        >>> exact(exact(2**80)), exact({"x": 1.5})
        ({'log2': 80}, "{'x': 1.5}")
    """
    if isinstance(number, float):
        return number if math.isfinite(number) else str(number)
    if not isinstance(number, int):
        known = isinstance(number, dict) and number.keys() == {"log2"} and type(number["log2"]) is int
        return number if number is None or isinstance(number, str) or known else str(number)
    if abs(number) <= 2**53:
        return number
    if number > 0 and number.bit_count() == 1:
        return {"log2": number.bit_length() - 1}
    return f"{Decimal(number):f}"  # unlike str(), without a limit on digits


def number_words(number: int) -> str:
    """A number for people: powers of two beyond 2^53 as such.

    Examples:
        >>> number_words(16), number_words(2**80)
        ('16', '2^80')
    """
    known = exact(number)
    return f"2^{known['log2']}" if isinstance(known, dict) else str(known)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, minimum and maximum of some seconds.

    Examples:
        >>> spread([3.0, 1.0, 2.0])
        {'median': 2.0, 'min': 1.0, 'max': 3.0}
    """
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
