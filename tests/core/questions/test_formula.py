"""The sizes of formulas, by encodings and a clock that are given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import GaveUp, load
from crosslit.questions import formula


class Clock:
    """A clock that only encodings move on."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "error", "expected"),
    [
        ([1.5, 0.5], None, 0.5),  # the first one may have imported modules
        ([0.5, 1.5], None, 0.5),
        ([2.0], None, 2.0),  # too long to be repeated
        ([0.5, 0.25], GaveUp("too large"), 0.25),
        ([0.5, 0.25], ImportError("no engine"), 0.25),
    ],
)
def test_a_short_encoding_is_timed_twice_and_the_shorter_time_counts(
    monkeypatch: pytest.MonkeyPatch, seconds: list[float], error: Exception | None, expected: float
) -> None:
    clock, left = Clock(), iter(seconds)

    def encode(_: object) -> Any:
        clock.now += next(left)
        if error is not None:
            raise error
        return SimpleNamespace(sizes={"clauses": 3})

    encodings = [
        SimpleNamespace(name=name, kind=kind, target="cnf", encode=encode)
        for name, kind in (("other", "lights-out"), ("order", "nonogram"))
    ]
    monkeypatch.setattr(formula, "time", clock)
    monkeypatch.setattr(formula, "all_encodings", lambda: {each.name: each for each in encodings})
    (size,) = formula.sizes(load("1|1"))
    numbers = {"clauses": 3} if error is None else {}
    assert (size.sizes, size.seconds, size.reason) == (numbers, expected, str(error or ""))
    assert size.json() == {
        "encoding": "order",
        "target": "cnf",
        **numbers,
        "seconds": expected,
        "error": str(error) if error else None,
    }
    assert list(left) == []
