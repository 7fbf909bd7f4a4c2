"""Strict reading of TOML tables: every value is checked, unknown keys are errors, and every error has its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from crosslit.errors import InputError
from crosslit.numbers import shorten

T = TypeVar("T")

_MAX_HEADER_LENGTH = 1000  # longer lines are values, and `_HEADER` takes quadratic time on many spaces
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.[^=]*)?=""")
# an unterminated string extends to the end: otherwise each of many quotation marks would be searched up to there
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)', re.DOTALL)
_MAX_SHOWN = 60  # characters of a wrong value


class LineIndex:
    r"""The line numbers of tables and keys in a TOML file, for messages; approximate for unusual layouts.

    Examples:
        >>> lines = LineIndex('a = 1\n[[x]]\nb = 2\n[[x]]\nb = [\n  "c",\n]\n')
        >>> lines.of("", 0, "a"), lines.of("x", 1), lines.of("x", 1, "b"), lines.of("x", 1, "b", "c")
        (1, 4, 5, 6)
    """

    def __init__(self, text: str) -> None:
        hidden = _LONG.sub(lambda found: '""' + "\n" * found[0].count("\n"), text)
        self._lines = re.split(r"\r?\n", hidden)
        self._tables: dict[tuple[str, int], int | None] = {("", 0): None}
        self._keys: dict[tuple[str, int, str], int] = {}
        seen: dict[str, int] = {}
        table = "", 0
        for number, line in enumerate(self._lines, 1):
            header = _HEADER.fullmatch(line) if len(line) <= _MAX_HEADER_LENGTH else None
            if header:
                name = _bare(header[2])
                table = name, seen.get(name, 0)
                seen[name] = table[1] + 1
                self._tables[table] = number
            elif key := _KEY.match(line):
                self._keys.setdefault((*table, _bare(key[1])), number)

    def of(self, table: str, place: int, key: str | None = None, item: Any = None) -> int | None:
        """Return the line of a table, of one of its keys, or of an item in that key's list; the nearest one known."""
        begin = self._tables.get((table, place)) or self._keys.get(("", 0, table))
        if key is None:
            return begin
        line = self._keys.get((table, place, key))
        if line is None or item is None:
            return line or begin or self._tables.get((key, 0) if not table else ("", 0))
        marks = [f'"{item}"', f"'{item}'"] if isinstance(item, str) else [str(item)]
        for number in range(line, len(self._lines) + 1):
            text = self._lines[number - 1]
            if number > line and (_HEADER.fullmatch(text) or _KEY.match(text)):
                break
            if any(mark in text for mark in marks):
                return number
        return line


def _bare(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name


class Value(NamedTuple, Generic[T]):
    """A kind of value: its description in messages, and a reader that raises ValueError for other values."""

    expected: str
    read: Callable[[Any], T]


class TomlTable:
    """A table; call `take` for every key that it may have, then `finish`.

    Its name is empty for the keys above all tables, and ``place`` is the index among the tables with its name.
    """

    def __init__(
        self, record: Mapping[str, Any], origin: str, lines: LineIndex, name: str = "", place: int = 0
    ) -> None:
        self.record, self.origin, self._lines = record, origin, lines
        self.name, self.place = name, place
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.record

    def error(self, problem: str, key: str | None = None, item: Any = None) -> InputError:
        """Return the exception for a problem with the table, one of its keys, or an item of that key's list."""
        plain = "".join(character if character.isprintable() else repr(character)[1:-1] for character in problem)
        return InputError(self.origin, plain, self._lines.of(self.name, self.place, key, item))

    def take(self, key: str, value: Value[T], default: T) -> T:
        """Return the value of a key, or ``default`` if the key is absent."""
        self._asked.append(key)
        if key not in self.record:
            return default
        try:
            return value.read(self.record[key])
        except ValueError as error:
            raise self._wrong(f"expected {key} = {value.expected}", self.record[key], error, key) from None

    def items(self, key: str, value: Value[T]) -> tuple[T, ...]:
        """Return the list of a key, which must not be empty; () if the key is absent."""
        found: list[T] = []
        given: list[Any] = self.take(key, Value(f"[...], a list of {value.expected}", _list), [])
        for item in given:
            try:
                found.append(value.read(item))
            except ValueError as error:
                raise self._wrong(f"expected in {key}: {value.expected}", item, error, key, item) from None
        return tuple(found)

    def table(self, name: str) -> TomlTable:
        """Return the table of a key; an empty one if the key is absent."""
        return TomlTable(self.take(name, Value(f"a table [{name}]", _table), {}), self.origin, self._lines, name)

    def tables(self, name: str) -> list[TomlTable]:
        """Return the tables of a key; [] if the key is absent."""
        none: list[Mapping[str, Any]] = []
        found = self.take(name, Value(f"tables headed [[{name}]], in two brackets", _tables), none)
        return [TomlTable(table, self.origin, self._lines, name, place) for place, table in enumerate(found)]

    def finish(self, elsewhere: Iterable[str] = ()) -> None:
        """Reject keys that were not taken; those of ``elsewhere``, often misplaced in TOML, belong above all tables."""
        for key in self.record:
            if key in self._asked:
                continue
            where = f"[{self.name}]" if self.name else "the campaign"
            close = difflib.get_close_matches(key, self._asked, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(self._asked)}"
            if key in elsewhere:
                hint = "it belongs above the first table"
            raise self.error(f"{where} has no key {key[:_MAX_SHOWN]!r}; {hint}", key)

    def _wrong(self, expected: str, value: Any, error: ValueError, key: str, item: Any = None) -> InputError:
        shown = "a table" if isinstance(value, dict) else repr(value)
        shown = shown.lower() if isinstance(value, bool) else shown
        why = f" ({error})" if str(error) else ""
        return self.error(f"{expected}, found {shorten(shown, _MAX_SHOWN)}{why}", key, item)


def valid(holds: object, value: Any, why: str = "") -> Any:
    """Return a value if a condition holds; otherwise raise ValueError."""
    if not holds:
        raise ValueError(why)
    return value


def _list(value: Any) -> list[Any]:
    valid(isinstance(value, list), value)
    found: list[Any] = valid(value, value, "it is empty")
    return found


def _table(value: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = valid(isinstance(value, dict), value)
    return found


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [_table(item) for item in valid(isinstance(value, list), value)]


def whole(minimum: int, maximum: int) -> Value[int]:
    """Return the kind of whole numbers within bounds."""
    kind = f"a whole number from {minimum} to {maximum}"
    return Value(kind, lambda value: valid(type(value) is int and minimum <= value <= maximum, value))


def number(maximum: float, what: str, *, positive: bool = False) -> Value[float]:
    """Return the kind of finite numbers from 0, or above it."""

    def read(value: Any) -> float:
        is_valid = type(value) in (int, float) and 0 <= value <= maximum and not (positive and value == 0)
        return float(valid(is_valid, value))

    return Value(f"{what}, {'above 0, at most' if positive else 'from 0 to'} {maximum:.0f}", read)


def text(what: str = "a text") -> Value[str]:
    """Return the kind of strings that are not blank."""
    return Value(what, lambda value: valid(isinstance(value, str) and value.strip(), value))


def flag() -> Value[bool | None]:
    """Return the kind of booleans."""
    return Value("true or false", lambda value: valid(isinstance(value, bool), value))


def word(*words: str) -> Value[Any]:
    """Return the kind of strings that are one of some words."""

    def read(value: Any) -> str:
        close = difflib.get_close_matches(str(value), words, 1)
        return str(valid(value in words, value, f"did you mean {close[0]}?" if close else ""))

    return Value(f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}", read)
