"""Dataclasses from JSON and TOML, with the type of every value checked; and records as text, CSV and data frames."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from crosslit.base.errors import Unavailable, install_hint
from crosslit.base.text import did_you_mean, one_line, shorten

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")
_MAX_INT = 2**63 - 1  # the range of SQLite's INTEGER
_MAX_SHOWN = 40  # characters of a wrong value
_MAX_LINE = 100  # characters of a line about a result
_FORMULA = frozenset("=+-@\t\r")  # first characters of formulas in spreadsheets
_NOT_SHOWN = {"question", "limits", "puzzle", "name", "runs", "repetition", "digest"}  # parts of the JSON form
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", tuple: "a list"}


def from_json(kind: type[T], value: Any) -> T:
    """Return the value of a type from its JSON form or its TOML table.

    The type is a dataclass, whose missing fields get their defaults and whose ``__post_init__`` checks bounds; or that
    of its fields: str, int, float, bool, Any, a Literal, a tuple or a mapping of these, or one of these or None.

    Raises:
        ValueError: if a value is not of its type, is not finite, or is missing, or a field is unknown; the message
            names the field.

    Examples:
        >>> from crosslit.contract.run import Limits
        >>> from_json(Limits, {"timeout": 5})
        Limits(solutions=2, timeout=5.0, memory_mb=4096, cpu_timeout=None, cores=None)
        >>> from_json(Limits, {"timeout": "5"})
        Traceback (most recent call last):
        ...
        ValueError: timeout: expected a number, found '5'
    """
    found: T = _read(kind, value)
    return found


def _read(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(arguments[0], value)
    if isinstance(value, Mapping) and dataclasses.is_dataclass(kind):
        return _dataclass(kind, value)
    if isinstance(value, Mapping) and origin is Mapping:
        return {_read(arguments[0], key): _field(arguments[1], key, item) for key, item in value.items()}
    if isinstance(value, list | tuple) and origin is tuple:
        kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        if len(kinds) == len(value):
            return tuple(map(_read, kinds, value))
    elif kind is Any or (value in arguments if origin is Literal else _fits(kind, value)):
        return float(value) if kind is float else value
    words = " | ".join(map(repr, arguments)) if origin is Literal else _WORDS.get(origin, "a table")
    shown = "a huge number" if type(value) is int and abs(value) > _MAX_INT else repr(value)  # repr may refuse it
    hint = did_you_mean(shown, map(str, arguments)) if origin is Literal else ""
    raise ValueError(f"expected {words}, found {shown[:_MAX_SHOWN]}{hint and f'; {hint}'}")


def _fits(kind: Any, value: Any) -> bool:
    if kind is str and isinstance(value, str):
        value.encode()  # a lone surrogate, which JSON allows, raises UnicodeEncodeError, a ValueError
    # `type`, because True is an int for `isinstance`
    if type(value) is int:
        return kind in (int, float) and abs(value) <= _MAX_INT
    return type(value) is kind and (kind is not float or math.isfinite(value))


def _field(kind: Any, name: Any, value: Any) -> Any:
    """Return the value of a field or key, which an error names."""
    try:
        return _read(kind, value)
    except ValueError as error:
        raise ValueError(f"{name!s:.{_MAX_SHOWN}}: {error}" if name else str(error)) from None


def _dataclass(kind: Any, record: Mapping[str, Any]) -> Any:
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for name in record.keys() - fields.keys():
        hint = did_you_mean(str(name), fields) or f"it has {', '.join(fields)}"
        raise ValueError(f"there is no {name!r:.{_MAX_SHOWN}}; {hint}")
    hints, found = _hints(kind), {}
    for name, field in fields.items():
        if name in record:
            found[name] = _field(hints[name], name, record[name])
        elif field.default is field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{name} is missing")
    return kind(**found)


_hints = functools.cache(get_type_hints)


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

    if not TYPE_CHECKING:  # where it would allow every name

        def __getattr__(self, name: str) -> Any:  # not all names that are shown are those of attributes
            raise AttributeError(f"no {name!r}; it has {', '.join(one for one in dir(self) if one[0] != '_')}")

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


def csv_text(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return some columns of records, or all, as CSV; a ``'`` precedes text that a spreadsheet takes for a formula."""
    import csv  # here, because most commands do not need it
    from io import StringIO

    def safe(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names := [*columns] or [*next(iter(records), {})])
    writer.writerows([safe(record[name]) for name in names] for record in records)
    return text.getvalue()


def data_frame(records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Return a ``pandas.DataFrame`` with a row for each record."""
    try:
        import pandas
    except ImportError:
        raise Unavailable(f"a data frame needs pandas, which is not installed: {install_hint('report')}") from None
    return pandas.DataFrame([dict(record) for record in records], columns=list(columns))
