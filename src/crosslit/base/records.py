"""Dataclasses as JSON values and back, with the type of every value checked; and records as text and data frames."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from crosslit.base.errors import Unavailable, install_hint
from crosslit.base.numbers import did_you_mean, one_line, shorten

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")
_MAX_INT = 2**63 - 1  # the range of SQLite's INTEGER
_MAX_SHOWN = 40  # characters of a wrong value
_MAX_LINE = 100  # characters of a line about a result
_FORMULA = frozenset("=+-@\t\r")  # first characters of formulas in spreadsheets
_NOT_SHOWN = {"question", "limits", "puzzle", "name", "runs", "repetition", "digest"}  # parts of the JSON form
_IN_TOML = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", tuple: "a list"}
_IN_TOML |= {Mapping: "a table"}


def to_json(value: Any) -> Any:
    """Return the JSON form of a dataclass, or of a mapping, tuple, list, set, path or plain value that it contains.

    Examples:
        >>> from crosslit.contract.run import Limits
        >>> to_json({"limits": Limits(timeout=5.0)})["limits"]["timeout"]
        5.0
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(map(to_json, value))
    if isinstance(value, tuple | list):
        return [*map(to_json, value)]
    return str(value) if isinstance(value, Path) else value


def from_json(kind: type[T], value: Any, *, strict: bool = False) -> T:
    """Return the dataclass, or another value of a type, from its JSON form or its TOML table.

    Fields that it lacks get their defaults. Unknown ones are ignored, so that files of other versions stay readable,
    or are an error if it is ``strict``. ``__post_init__`` is the place for bounds. A type is a dataclass; or that of
    its fields: str, int, float, bool, Path, Any, a Literal, a union, a tuple or a mapping of these.

    Raises:
        ValueError: if a value is not of its type, is not finite, or is missing; the message names the field.

    Examples:
        >>> from crosslit.contract.run import Limits
        >>> from_json(Limits, {"timeout": 5.0, "later": 1})
        Limits(solutions=2, timeout=5.0, memory_mb=4096, cpu_timeout=None, cores=None)
        >>> from_json(Limits, {"timeout": "5"})
        Traceback (most recent call last):
        ...
        ValueError: timeout: expected float, found '5'
    """
    found: T = _read(kind, value, strict)
    return found


def _read(kind: Any, value: Any, strict: bool) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, value, strict)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (kind,) = (one for one in arguments if one is not type(None))
        return _read(kind, value, strict)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        if len(kinds) == len(value):
            return tuple(_read(of, item, strict) for of, item in zip(kinds, value, strict=True))
    elif isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {
            _read(arguments[0], key, strict): _entry(arguments[1], key, item, strict) for key, item in value.items()
        }
    elif kind is Any or _fits(kind, value):
        return Path(value) if kind is Path else float(value) if kind is float else value
    plain = _IN_TOML.get(origin or kind, "") if strict else ""
    words = " | ".join(map(repr, arguments)) if origin is Literal else plain or getattr(kind, "__name__", str(kind))
    shown = "a huge number" if type(value) is int and abs(value) > _MAX_INT else repr(value)  # repr may refuse it
    hint = did_you_mean(shown, map(str, arguments)) if origin is Literal else ""
    raise ValueError(f"expected {words}, found {shown[:_MAX_SHOWN]}{hint and f'; {hint}'}")


def _fits(kind: Any, value: Any) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is str and isinstance(value, str):
        value.encode()  # a lone surrogate, which JSON allows, raises UnicodeEncodeError, a ValueError
        return True
    # `type`, because True is an int for `isinstance`
    if kind is int or (kind is float and type(value) is int):
        return type(value) is int and abs(value) <= _MAX_INT
    if kind is float:
        return type(value) is float and math.isfinite(value)
    return isinstance(value, str) if kind is Path else type(value) is kind


def _entry(kind: Any, name: Any, value: Any, strict: bool) -> Any:
    """Return the value of a field or key, which an error names."""
    try:
        return _read(kind, value, strict)
    except ValueError as error:
        raise ValueError(f"{name!s:.{_MAX_SHOWN}}: {error}" if name else str(error)) from None


def _dataclass(kind: Any, value: Any, strict: bool) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected {'a table' if strict else 'an object'}, found {value!r:.{_MAX_SHOWN}}")
    hints, found = _hints(kind), dict[str, Any]()
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    for name in value if strict else ():
        if name not in names:
            hint = did_you_mean(str(name), names) or f"it has {', '.join(names)}"
            raise ValueError(f"there is no {name!r:.{_MAX_SHOWN}}; {hint}")
    for field in dataclasses.fields(kind):
        if field.name in value and field.init:
            found[field.name] = _entry(hints[field.name], field.name, value[field.name], strict)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{field.name} is missing")
    return kind(**found)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


class Short:
    """Base class of dataclasses with ``repr=False``: their representation leaves out defaults and is one short line."""

    __slots__ = ()

    def __repr__(self) -> str:
        values = ((field, getattr(self, field.name)) for field in dataclasses.fields(self) if field.repr)  # type: ignore[arg-type]
        shown = ", ".join(f"{field.name}={value!r}" for field, value in values if value != field.default)
        return shorten(f"{type(self).__name__}({shown})", _MAX_LINE)


class Result:
    """Base class of results: their representation is one line, and `print` shows a line for each part.

    The parts are those of the JSON form, or the sizes of a formula. A dataclass derived from it has ``repr=False``.
    """

    truth: ClassVar[str] = ""  # the attribute that says whether all is well; ``if result`` would always hold

    def __bool__(self) -> bool:
        if self.truth:
            raise TypeError(f"a {type(self).__name__} is neither true nor false; see its {self.truth}")
        return True

    def _lines(self) -> list[str]:
        about = self.puzzle.title() if hasattr(self, "puzzle") else getattr(self, "name", "")
        parts: Mapping[str, Any] = self.json() if hasattr(self, "json") else self.sizes  # type: ignore[attr-defined]
        words = {name: _words(value) for name, value in parts.items() if name not in _NOT_SHOWN}
        shown = [f"{name.replace('_', ' ')}: {one_line(text)}" for name, text in words.items() if text]
        return [shorten(line, _MAX_LINE) for line in (about, *shown) if line]

    def __repr__(self) -> str:
        first, *others = self._lines() or [""]
        # the evidence comes first, because a long line is cut
        others.sort(key=lambda line: not line.startswith("evidence: "))
        line = f"{type(self).__name__} {'; '.join([first, *others])}"
        return f"<{shorten(line, _MAX_LINE - 2)}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_pretty_(self, printer: Any, _: bool) -> None:  # called by IPython
        printer.text(str(self))


def _words(value: Any) -> str:
    """Return a JSON value in words; an empty text for an empty value."""
    if isinstance(value, Mapping):
        if value.keys() == {"log2"}:
            return f"2^{value['log2']}"
        found = {name: _words(item) for name, item in value.items() if name not in _NOT_SHOWN}
        return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in found.items() if text)
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of CSV; None is empty, and a ``'`` precedes text that a spreadsheet would take for a formula."""
    line: str = _csv_writer().writerow(
        [f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value for value in values]
    )
    return line


@functools.cache
def _csv_writer() -> Any:
    import csv  # here, because most commands do not need it

    return csv.writer(types.SimpleNamespace(write=str), lineterminator="\n")  # its `writerow` returns the line


def csv_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records with the same keys as CSV, with a header."""
    names = list(records[0]) if records else []
    return "".join(map(csv_line, [names, *([record[name] for name in names] for record in records)]))


def data_frame(records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Return a ``pandas.DataFrame`` with a row for each record."""
    try:
        import pandas
    except ImportError:
        raise Unavailable(f"a data frame needs pandas, which is not installed: {install_hint('report')}") from None
    return pandas.DataFrame([dict(record) for record in records], columns=list(columns))
