"""Numbers, times, counts and names as text on one line, and numbers as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any


def exact(number: Any) -> Any:
    """Return a number in a form that every JSON reader keeps exact: beyond 2^53 {"log2": k} or decimal digits.

    A value that JSON cannot express (such as an infinity) becomes a string; strings are returned unchanged.

    Examples:
        >>> exact(7), exact(2**80), exact(exact(2**80)), exact(2**53 + 1), exact(float("inf")), exact([1])
        (7, {'log2': 80}, {'log2': 80}, '9007199254740993', 'inf', '[1]')
    """
    if isinstance(number, float):
        return number if math.isfinite(number) else str(number)
    if not isinstance(number, int):
        known = isinstance(number, dict) and number.keys() == {"log2"} and type(number["log2"]) is int
        return number if number is None or isinstance(number, str) or known else str(number)
    if abs(number) <= 2**53:
        return number
    return {"log2": number.bit_length() - 1} if number > 0 and number.bit_count() == 1 else number_words(number)


def number_words(number: int, max_digits: int = 16) -> str:
    """Return a number in decimal digits, or a power of two of more than ``max_digits`` digits as ``2^k``.

    Examples:
        >>> number_words(16), number_words(2**80), number_words(2**80, 4300), number_words(2**53 + 1)
        ('16', '2^80', '1208925819614629174706176', '9007199254740993')
        >>> number_words(2**20_000, 4300), len(number_words(10**5000))
        ('2^20000', 5001)
    """
    from decimal import Decimal

    if number > 0 and number.bit_count() == 1 and number >= 10**max_digits:
        return f"2^{number.bit_length() - 1}"
    return f"{Decimal(number):f}"  # str() limits the number of digits


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number rounded to significant digits, without an exponent; an empty text for None and NaN.

    Examples:
        >>> [format_number(value) for value in (0.00012345, 12.0, 12345.6, None, float("inf"))]
        ['0.000123', '12', '12346', '', '∞']
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞"
    if isinstance(value, int):
        return str(value)
    # More digits than a float has, so that the exponent is not rounded up.
    exponent = int(f"{value:.17e}".rpartition("e")[2])
    text = f"{value:.{max(0, min(digits - 1 - exponent, 6))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_seconds(seconds: float | None, digits: int = 3, *, column: bool = False) -> str:
    """Return a measured time with significant digits, in ms below one second; an empty text for None and NaN.

    In a column times are aligned: three digits, at most two decimals, trailing zeros kept.

    Examples:
        >>> [format_seconds(value) for value in (0, 0.000291, 0.99951, 1.25, 184.2, 3600, float("inf"))]
        ['0 ms', '0.291 ms', '1 s', '1.25 s', '184 s', '3600 s', '∞']
        >>> [format_seconds(value, column=True) for value in (0, 0.000123, 0.028, 0.4567, 7.5, 61.25)]
        ['0 ms', '0.12 ms', '28.0 ms', '457 ms', '7.50 s', '61.2 s']
    """
    if seconds is None or not math.isfinite(seconds):
        return format_number(seconds)
    value, unit = (seconds * 1000, "ms") if seconds < 0.9995 else (seconds, "s")  # 0.9995 s would be 1000 ms
    if column and value:
        return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{format_number(value, digits)} {unit}"


def format_count(number: int, singular: str, many: str = "") -> str:
    """Return a number with its noun; ``many`` is the plural, by default ``singular`` with an s.

    Examples:
        >>> format_count(1, "run"), format_count(12000, "run"), format_count(2, "press", "presses")
        ('1 run', '12,000 runs', '2 presses')
    """
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in a sentence; of five or more, only three and the number of the rest.

    Examples:
        >>> join_names(["a"]), join_names(["a", "b", "c", "d"]), join_names(["a", "b", "c", "d", "e"])
        ('a', 'a, b, c and d', 'a, b, c and 2 more')
    """
    last = f"{len(names) - 3} more" if len(names) > 4 else names[-1]
    return " and ".join(filter(None, [", ".join(names[: 3 if len(names) > 4 else -1]), last]))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests the names closest to a misspelt one; an empty text if none is close.

    Examples:
        >>> did_you_mean("sovle", ["solve", "solve", "count"]), did_you_mean("xyz", ["solve"])
        ('did you mean solve?', '')
    """
    import difflib

    close = difflib.get_close_matches(name, set(names), 3)
    return f"did you mean {' or '.join(close)}?" if close else ""


def one_line(text: str) -> str:
    r"""Return a text with ``?`` for line ends and other characters that would control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def shorten(text: str, max_length: int) -> str:
    """Return a text, its end replaced by three dots if it is too long."""
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, minimum and maximum of times.

    Examples:
        >>> spread([3.0, 1.0, 2.0])
        {'median': 2.0, 'min': 1.0, 'max': 3.0}
    """
    ordered = sorted(values)
    middle = len(ordered) // 2
    # `statistics` takes 5 ms to import
    return {"median": (ordered[middle] + ordered[-middle - 1]) / 2, "min": ordered[0], "max": ordered[-1]}
