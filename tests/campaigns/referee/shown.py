"""Numbers as a page shows them, against recomputed ones: they agree if they do so to the last digit shown."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

_SLACK = 0.5001  # of the last digit: rounding takes 0.5, the rest is for another order of adding up


class Near(NamedTuple):
    """A recomputed number.

    Args:
        value: it, in seconds if it is a time.
        digits: the significant digits that are always shown, but for zeros at the end.
        is_time: whether it has a unit, ms below a second.
    """

    value: float
    digits: int = 3
    is_time: bool = False


def time(seconds: float, digits: int = 3) -> Near:
    """Return a recomputed time."""
    return Near(seconds, digits, is_time=True)


def says(text: str, parts: Sequence[str | Near]) -> bool:
    """Return whether a text consists of these parts, words as they are and numbers to the digits shown."""
    pattern = "".join(
        re.escape(part) if isinstance(part, str) else r"(∞|-?[\d.]+)" + (r"(?: (ms|s))?" if part.is_time else "()")
        for part in parts
    )
    found = re.fullmatch(pattern, text)
    if not found:
        return False
    groups, numbers = found.groups(), [part for part in parts if isinstance(part, Near)]
    return all(_agrees(groups[2 * at], groups[2 * at + 1], near) for at, near in enumerate(numbers))


def words(parts: Sequence[str | Near]) -> str:
    """Return the parts for a message."""
    return "".join(part if isinstance(part, str) else f"<{part.value:.9g}>" for part in parts)


def _agrees(shown: str, unit: str | None, near: Near) -> bool:
    if math.isinf(near.value) or shown == "∞":
        return shown == "∞" and near.value == math.inf and not unit
    if near.is_time and unit != ("ms" if near.value < 0.9995 else "s"):
        return False
    value = near.value * 1000 if unit == "ms" else near.value
    size = math.floor(math.log10(abs(value))) if value else 0
    digits = max(near.digits, len(shown.lstrip("-0.").replace(".", "")))
    last = 10.0 ** max(size - digits + 1, -6)
    return abs(float(shown) - value) <= _SLACK * last
