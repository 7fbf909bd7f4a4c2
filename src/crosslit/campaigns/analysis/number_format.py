"""Numbers and times in words, the same on the page, in sentences and in figures."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal


def digits(value: float | None, most: int = 3) -> str:
    """A number with three significant digits, without an exponent; empty for none.

    Examples:
        >>> digits(0.00012345), digits(12.0), digits(12345.6), digits(None), digits(float("inf"))
        ('0.000123', '12', '12346', '', '∞')
        >>> len(digits(1e300))
        301
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞"
    exact = Decimal(value)
    if value and exact.adjusted() < most:
        exact = exact.quantize(Decimal(1).scaleb(max(exact.adjusted() - most + 1, -6)), ROUND_HALF_EVEN)
        text = f"{exact:f}"
    else:
        text = f"{exact:.0f}"  # not by quantize(), which refuses numbers of more than 28 digits
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: float | None, most: int = 3) -> str:
    """Seconds for people, with so many significant digits: in ms below one second; empty for none.

    Examples:
        >>> [duration(one) for one in (0, 0.000291, 0.0213, 1.25, 184.2, 3600, float("inf"))]
        ['0 ms', '0.291 ms', '21.3 ms', '1.25 s', '184 s', '3600 s', '∞']
        >>> duration(0.000291, 2), duration(0.99951)
        ('0.29 ms', '1 s')
    """
    if seconds is None or math.isnan(seconds) or math.isinf(seconds):
        return digits(seconds)
    # 0.9995 s would be 1000 ms
    return f"{digits(seconds * 1000, most)} ms" if seconds < 0.9995 else f"{digits(seconds, most)} s"


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what is counted.

    Examples:
        >>> counted(1, "run"), counted(12000, "run")
        ('1 run', '12,000 runs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
