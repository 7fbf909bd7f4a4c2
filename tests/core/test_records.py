"""Dataclasses as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from crosslit.base.records import from_json, to_json


@dataclass(frozen=True)
class Part:
    number: int
    word: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...] = ()
    pair: tuple[int, int] | None = None
    share: float = 0.0
    names: Mapping[str, str] | None = None
    folder: Path = Path()
    flag: bool = False
    extra: Any = None


def test_a_dataclass_survives_json() -> None:
    whole = Whole((Part(1), Part(2, "b")), (3, 4), 0.5, {"x": "y"}, Path("/a"), True, [1, {}])
    assert from_json(Whole, json.loads(json.dumps(to_json(whole)))) == whole


def test_missing_fields_get_their_defaults_and_unknown_ones_are_ignored() -> None:
    assert from_json(Whole, {"later": 1}) == Whole()


@pytest.mark.parametrize(
    "record, message",
    [
        ({"parts": [{}]}, "parts: number is missing"),
        ({"parts": [{"number": True}]}, "parts: number: expected int, found True"),
        ({"parts": [{"number": 2**70}]}, "parts: number: expected int, found a huge number"),
        ({"parts": [{"number": 1, "word": "c"}]}, "parts: word: expected 'a' | 'b', found 'c'"),
        ({"pair": [1]}, "pair: expected tuple, found [1]"),
        ({"share": float("nan")}, "share: expected float, found nan"),
        ({"names": {"x": 1}}, "names: x: expected str, found 1"),
        ({"flag": 1}, "flag: expected bool, found 1"),
        ([], "expected an object, found []"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_field(record: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("|", r"\|")):
        from_json(Whole, record)


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        from_json(Whole, {"names": {"x": "\ud800"}})


@pytest.mark.parametrize(
    "record, message",
    [
        ({"flags": True}, "there is no 'flags'; did you mean flag?"),
        ({"parts": [{"nummer": 1, "word": "a"}]}, "parts: there is no 'nummer'; did you mean number?"),
        ({"xyz": 1}, "there is no 'xyz'; it has parts, pair, share, names, folder, flag, extra"),
        ({"flag": 1}, "flag: expected true or false, found 1"),
        ({"pair": 5}, "pair: expected a list, found 5"),
        ({"names": 5}, "names: expected a table, found 5"),
        ({"parts": [5]}, "parts: expected a table, found 5"),
    ],
)
def test_strict_reading_refuses_unknown_keys_in_words_of_toml(record: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        from_json(Whole, record, strict=True)
    assert str(refused.value) == message
