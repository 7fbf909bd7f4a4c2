"""Tables of a TOML file, read strictly: every value is checked, no key is unknown, and every complaint has its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from crosslit.errors import InputError
from crosslit.numbers import shorten

T = TypeVar("T")

_MAX_BYTES = 1 << 22  # bytes of a file that somebody wrote; Python's reader of TOML needs some seconds for as many
_MAX_KEY_PARTS = 8  # of a dotted key: no key of ours has more than two, and that reader takes quadratic time in them
_MAX_HEADER_LENGTH = 1000  # characters: longer lines hold values, and many spaces in one would take quadratic time
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.[^=]*)?=""")
# one that does not end goes on to the end of the text: else every mark of many would be tried up to there
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)', re.DOTALL)
_QUOTED = re.compile(rf"""{_LONG.pattern}|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+""", re.DOTALL)
_DOTTED = re.compile(rf"[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{_MAX_KEY_PARTS},}}")
_MAX_SHOWN = 60  # characters of a wrong value


class LineIndex:
    r"""Where things stand in the text of a TOML file, for messages; right for files as people write them.

    Args:
        text: of the file.

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
        """The line of a table, or of one of its keys, or of an item of that key's list; the nearest that is found.

        Args:
            table: its name; empty for what stands above all tables.
            place: of the table among those of its name, from 0.
            key: of the table.
            item: of the list that the key has.
        """
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


def parsed(path: Path) -> tuple[dict[str, Any], str]:
    """What a TOML file says, and its text.

    Raises:
        InputError: if it cannot be read, or is not TOML.
    """
    import tomllib

    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # of a path with a null byte
        raise InputError(shown(path), getattr(error, "strerror", None) or "cannot be read") from None
    if len(content) > _MAX_BYTES:
        raise InputError(shown(path), f"expected a campaign, found more than {_MAX_BYTES >> 20} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(shown(path), "expected text in UTF-8", line) from None
    plain = _QUOTED.sub(lambda found: "q" + "\n" * found[0].count("\n"), text)
    if long := _DOTTED.search(plain):
        line = plain.count("\n", 0, long.start()) + 1
        raise InputError(shown(path), f"expected a key of at most {_MAX_KEY_PARTS} parts, found more", line)
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:
        told = " ".join(str(error).split()) or "nested too deeply"
        found = re.search(r" ?\(at line (\d+), column (\d+)\)", told)
        at = int(found[1]) if found else text.count("\n") + 1 if "end of document" in told else None
        problem = told.replace(found[0], f" (column {found[2]})") if found else told
        raise InputError(shown(path), f"expected TOML: {problem}", at) from None


def shown(path: Path) -> str:
    """A path for people, where it is no text too."""
    return str(path).encode(errors="backslashreplace").decode()


class TomlTable:
    """One table; `take` every key that it may have, then `finish`.

    Args:
        record: its keys and values.
        origin: the file, for messages.
        lines: of the file.
        name: of the table; empty for what stands above all tables.
        place: among those of its name, from 0.
    """

    def __init__(
        self, record: Mapping[str, Any], origin: str, lines: LineIndex, name: str = "", place: int = 0
    ) -> None:
        self._record, self._origin, self._lines = record, origin, lines
        self.name, self.place = name, place
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._record

    def error(self, problem: str, key: str | None = None, item: Any = None) -> InputError:
        """What to raise about the table, a key of it, or an item of that."""
        plain = "".join(character if character.isprintable() else repr(character)[1:-1] for character in problem)
        return InputError(self._origin, plain, self._lines.of(self.name, self.place, key, item))

    def take(self, key: str, read: Callable[[Any], T], expected: str, default: T) -> T:
        """The value of a key.

        Args:
            key: of the table.
            read: makes what is wanted of the value; raises ValueError where that is not what was expected.
            expected: in words.
            default: of a key that is left out.

        Raises:
            InputError: if it is not what was expected.
        """
        self._asked.append(key)
        if key not in self._record:
            return default
        value = self._record[key]
        try:
            return read(value)
        except ValueError as error:
            why = f" ({error})" if str(error) else ""
            raise self.error(f"expected {key} = {expected}, found {_value(value)}{why}", key) from None

    def items(self, key: str, read: Callable[[Any], T], expected: str) -> tuple[T, ...]:
        """The list of a key, which is not empty; () where the key is left out.

        Args and errors are those of `take`, about one item.
        """
        values: list[Any] = self.take(key, _list, f"[...], a list of {expected}", [])
        found = []
        for value in values:
            try:
                found.append(read(value))
            except ValueError as error:
                why = f" ({error})" if str(error) else ""
                raise self.error(f"expected in {key}: {expected}, found {_value(value)}{why}", key, value) from None
        return tuple(found)

    def finish(self, elsewhere: Iterable[str] = ()) -> None:
        """Complain of a key that nobody asked for.

        Args:
            elsewhere: keys that belong above all tables, a frequent mistake in TOML.

        Raises:
            InputError: if there is one.
        """
        for key in self._record:
            if key in self._asked:
                continue
            where = f"[{self.name}]" if self.name else "the campaign"
            close = difflib.get_close_matches(key, self._asked, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(self._asked)}"
            if key in elsewhere:
                hint = "it belongs above the first table"
            raise self.error(f"{where} has no key {key[:_MAX_SHOWN]!r}; {hint}", key)


def _value(value: Any) -> str:
    words = repr(value) if not isinstance(value, bool) else str(value).lower()
    if isinstance(value, dict):
        words = "a table"
    return shorten(words, _MAX_SHOWN)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError
    if not value:
        raise ValueError("it is empty")
    return value


def a_whole(least: int, most: int) -> Callable[[Any], int]:
    """Reads a whole number within bounds."""

    def read(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError
        return value

    return read


def a_number(least: float, most: float, *, above: bool = False) -> Callable[[Any], float]:
    """Reads a number within finite bounds; with ``above``, it is not the least of them."""

    def read(value: Any) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            raise ValueError
        if above and value == least:
            raise ValueError
        return float(value)

    return read


def a_text(value: Any) -> str:
    """Reads a text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def a_flag(value: Any) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise ValueError
    return value


def a_word(*words: str) -> Callable[[Any], Any]:
    """Reads one of some words."""

    def read(value: Any) -> str:
        if value not in words:
            close = difflib.get_close_matches(str(value), words, 1)
            raise ValueError(f"did you mean {close[0]}?" if close else "")
        return str(value)

    return read
