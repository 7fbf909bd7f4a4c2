"""Checks of the types and ranges of all values in a file of results, when they are written and when they are read.

Every function returns a value of its type, and raises ValueError for any other value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from crosslit.numbers import shorten

MAX_WHOLE = 2**63 - 1  # the range of SQLite's INTEGER
MAX_NUMBER = 1e15  # seconds, MB or processes: far beyond any measurement, and sums stay finite
_MAX_SHOWN = 40  # shown characters of a wrong value


def text(value: Any) -> str:
    """Return a string that can be encoded as UTF-8."""
    if not isinstance(value, str):
        raise _expected("a text", value)
    if not value.isascii():
        value.encode()  # a lone surrogate, which JSON allows, raises UnicodeEncodeError, a ValueError
    return value


def whole(value: Any, minimum: int = 0, maximum: int = MAX_WHOLE) -> int:
    """Return a whole number within bounds."""
    # `type`, because True is an int for `isinstance`, and SQLite would store 1.
    if type(value) is not int or not minimum <= value <= maximum:
        raise _expected(f"a whole number from {minimum} to {maximum}", value)
    return value


def number(value: Any, minimum: float = 0.0, maximum: float = MAX_NUMBER) -> float:
    """Return a finite number within bounds.

    Examples:
        >>> number(2), number(-0.5, minimum=-1)
        (2.0, -0.5)
        >>> number(float("nan"))
        Traceback (most recent call last):
        ...
        ValueError: expected a number from 0 to 1e+15, found nan
    """
    if type(value) not in (int, float) or not minimum <= value <= maximum:
        raise _expected(f"a number from {minimum:g} to {maximum:g}", value)
    return float(value)


def one_of(words: frozenset[str]) -> Callable[[Any], str]:
    """Return a check for one of some words."""

    def read(value: Any) -> str:
        if text(value) not in words:
            raise ValueError(f"expected one of {', '.join(sorted(words))}, found {value[:40]!r}")
        return str(value)

    return read


def mapping(value: Any, read: Callable[[Any], Any] = lambda item: item) -> dict[str, Any]:
    """Return a JSON object with every value checked by a function."""
    if not isinstance(value, Mapping):
        raise _expected("an object", value)
    return {text(key): read(item) for key, item in value.items()}


def statistic(value: Any) -> Any:
    """Return a number or word in the form of `crosslit.numbers.exact`."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict) and value.keys() == {"log2"}:
        whole(value["log2"])
        return value
    if value is None or type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise _expected("a number or a word", value)


def from_json(content: Any) -> Any:
    """Return the value of a JSON text without NaN and infinities."""
    try:
        return _DECODER.decode(text(content))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None


def _no_number(word: str) -> float:
    raise ValueError(f"expected a number, found {word}")


_DECODER = json.JSONDecoder(parse_constant=_no_number)  # `json.loads` would make one for each call


def _expected(what: str, value: Any) -> ValueError:
    # Python refuses to convert huge integers to decimal, and a string or list may be long
    shown = "a huge number" if type(value) is int and abs(value) > MAX_WHOLE else repr(value)[: _MAX_SHOWN + 1]
    return ValueError(f"expected {what}, found {shorten(shown, _MAX_SHOWN)}")


class Columns:
    """The columns of a table with their SQL types, and the checks of their values.

    Args:
        kinds: the SQL type of each column, by name.
        checks: checks of columns whose values are not determined by that type.
    """

    def __init__(self, kinds: Mapping[str, str], **checks: Callable[[Any], Any]) -> None:
        self.kinds = kinds
        reading: dict[str, Callable[[Any], Any]] = {"TEXT": text, "INTEGER": whole, "REAL": number}
        self._checks = [
            (name, checks.get(name) or reading[kind.split()[0]], kind.split()[1:] in ([], ["DEFAULT", "NULL"]))
            for name, kind in kinds.items()
        ]

    def check(self, rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
        """Return the values of rows by column; the ValueError for an invalid one names its column."""
        for (name, read, optional), column in zip(self._checks, zip(*rows, strict=True), strict=False):
            values: Iterable[Any] = column
            if len(rows) > 1:
                # Only the extremes of numbers, as all checks of them are ranges, and each distinct text; but 1 == 1.0.
                types = set(map(type, column))
                values = set(column) if len(types - {type(None)}) == 1 else column
                values = (min(column), max(column)) if types in ({int}, {float}) else values
            for value in values:
                if value is not None or not optional:
                    try:
                        read(value)
                    except ValueError as error:
                        raise ValueError(f"{name}: {error}") from None
        return [dict(zip(self.kinds, row, strict=True)) for row in rows]
