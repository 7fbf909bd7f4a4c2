"""The text of certificates: read back as written, and one clear error for everything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit.contract import Certificate, CheckResult, UnreadableCertificate
from crosslit.contract.certificate import claim_of

GOOD = Certificate("nonogram-sums", "5e1f", "unsolvable", 0, {"rows": "2", "columns": "1"})


@pytest.mark.parametrize("count", [0, 1, 2, 2**53, 2**54, 2**100_000], ids=int.bit_length)
def test_counts_are_read_back(count: int) -> None:
    made = Certificate("rup", "5e1f", "complete", count, {})
    assert len(made.text) < 200
    assert Certificate.from_json(made.text).count == count
    assert CheckResult.from_json(json.dumps(CheckResult("complete", count, "x", ("y",)).json())).count == count


@pytest.mark.parametrize(("count", "claim"), [(0, "unsolvable"), (1, "unique"), (2, "complete")])
def test_the_claim_is_that_of_the_number(count: int, claim: str) -> None:
    assert claim_of(count) == claim


HOSTILE = {
    "nothing": "",
    "no JSON": "c a proof",
    "deep": "[" * 100_000,
    "deep object": '{"a":' * 100_000,
    "deep body": GOOD.text.replace('"2"', "[" * 100_000 + "]" * 100_000),
    "NaN": GOOD.text.replace('"2"', "NaN"),
    "infinity": GOOD.text.replace('"2"', "-Infinity"),
    "a fraction": GOOD.text.replace('"2"', "1.5"),
    "an exponent": GOOD.text.replace('"2"', "1e999999999"),
    "a long number": GOOD.text.replace('"2"', "9" * 1_000_000),
    "a number of 19 digits": GOOD.text.replace('"2"', "1" + "0" * 18),
    "a long count": GOOD.text.replace('"count": 0', '"count": ' + "9" * 1_000_000),
    "a large power": GOOD.text.replace('"count": 0', '"count": {"log2": 1000000000}'),
    "a negative power": GOOD.text.replace('"count": 0', '"count": {"log2": -1}'),
    "a truth as power": GOOD.text.replace('"count": 0', '"count": {"log2": true}'),
    "a negative count": GOOD.text.replace('"count": 0', '"count": -1'),
    "a truth as count": GOOD.text.replace('"count": 0', '"count": false'),
    "text as count": GOOD.text.replace('"count": 0', '"count": "0"'),
    "a key twice": GOOD.text.replace('"count": 0', '"count": 0, "count": 1'),
    "another key": GOOD.text.replace('"count": 0', '"count": 0, "more": 1'),
    "another claim": GOOD.text.replace("unsolvable", "solvable"),
    "a list as claim": GOOD.text.replace('"unsolvable"', "[]"),
    "another version": GOOD.text.replace('"certificate": 1', '"certificate": 2'),
    "a truth as version": GOOD.text.replace('"certificate": 1', '"certificate": true'),
    "a number as format": GOOD.text.replace('"nonogram-sums"', "1"),
    "a list as body": GOOD.text.replace('{"rows": "2", "columns": "1"}', "[]"),
    "cut off": GOOD.text[:-1],
    "followed": GOOD.text + "{}",
    "a list": "[]",
    "null": "null",
}


def test_a_number_of_18_digits_is_read() -> None:
    text = GOOD.text.replace('"2"', "9" * 18)
    assert Certificate.from_json(text).body["rows"] == 10**18 - 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_certificate_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableCertificate) as error:
        Certificate.from_json(text)
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)


@given(st.text())
def test_any_text_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableCertificate):
        Certificate.from_json(text)
    with pytest.raises(UnreadableCertificate):
        CheckResult.from_json(text)
