"""Values read from JSON or TOML, results as text, and CSV: what is made of each is in ``records.txt``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from crosslit.base.records import Result, Short, csv_text, from_json
from tests.stored import check

STORED = Path(__file__).with_name("records.txt")


@dataclass
class Part:
    """A part of a record."""

    number: float
    many: tuple[int, ...] = ()


@dataclass(repr=False)
class Record(Short):
    """A record with a field of every type."""

    name: str
    part: Part | None = None
    pair: tuple[int, str] = (1, "a")
    way: Literal["near", "far"] = "near"
    table: Mapping[str, float] = field(default_factory=dict)
    anything: Any = None
    flag: bool = False
    parts: tuple[Part, ...] = field(default=(), repr=False)


GIVEN: list[Any] = [
    *({}, {"nam": "x"}, {"something": "x"}, {"n" * 50: 1}, [], "x", 5, None),
    *({"name": value} for value in ("x", "x" * 99, "", 5, True, None, "\ud800", ["x"], {"x": 1}, b"x")),
    *({"name": "x", "flag": value} for value in (True, False, 0, 1, "true", None)),
    *({"name": "x", "way": value} for value in ("far", "fare", "zzz", 5, None, ["far"])),
    *({"name": "x", "pair": value} for value in ([2, "b"], (2, "b"), [2], [2, "b", 3], ["b", 2], "2b", [True, "b"])),
    *({"name": "x", "part": {"number": value}} for value in (1, 1.5, -2, True, "1", math.inf, math.nan, 2**63, 10**99)),
    *({"name": "x", "part": value} for value in (None, {}, [], {"number": 1, "many": [2**63 - 1, -(2**63) + 1]})),
    *({"name": "x", "part": {"number": 1, "many": value}} for value in ([], [1.0], [2, "3"], [2**63], {"a": 1}, 5)),
    *({"name": "x", "table": value} for value in ({}, {"a": 1}, {"a": "1"}, {5: 1}, {"": "x"}, {"b" * 60: "c" * 60})),
    *({"name": "x", "anything": value} for value in ([{}], {"a": None}, "far", 2**70)),
    *({"name": "x", "parts": value} for value in ([{"number": 1}], [{"number": 1}, {"numbr": 2}], {"number": 1})),
]


def outcome(given: object) -> str:
    """The record that is read, or the message."""
    try:
        record = from_json(Record, given)
    except ValueError as error:
        return str(error)
    return f"{record!r} {record.parts}"


def test_a_record_is_read_or_refused_as_stored() -> None:
    check(STORED, "read", "\n".join(f"{str(given)[:120]!a} -> {outcome(given)}" for given in GIVEN))


class Example(Result):
    """A result whose parts are given."""

    def __init__(self, **parts: Any) -> None:
        self.parts, self.name = parts, parts.get("name", "")

    def json(self) -> dict[str, Any]:
        return self.parts


PARTS: list[dict[str, Any]] = [
    {"name": "some", "evidence": "agreed", "two_words": 5, "digest": "x", "none": None, "empty": [], "flag": False},
    {"first": 1, "nested": {"name": "x", "some_part": [1, True, None, {"log2": 70}], "nothing": None}, "runs": [1]},
    {"first": "a\nb", "long": "x" * 120, "evidence": "at the end"},
    {"number": {"log2": 70}, "not": {"log2": 70, "more": 1}, "limits": 5, "": "x"},
    {},
    {f"part {number}": number for number in range(10)},
]


def test_a_result_is_text_as_stored() -> None:
    lines = (f"{Example(**parts)!r}\n{Example(**parts)}\n" for parts in PARTS)
    check(STORED, "results", "\n".join(lines))


def test_a_table_of_records_has_no_formulas() -> None:
    records = [{"a": f"{sign}1", "b": number, 'c "': None} for number, sign in enumerate("=+-@ x")]
    text = "a,b,\"c \"\"\"\n'=1,0,\n'+1,1,\n'-1,2,\n'@1,3,\n 1,4,\nx1,5,\n"
    assert (csv_text(records), csv_text([]), csv_text([], ["a", "b"])) == (text, "\n", "a,b\n")
