"""Values of a file of results: what each check accepts, at its bounds."""

from __future__ import annotations

import dataclasses
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from crosslit_bench.store.outcome import Outcome, StoredAnswer, check_shapes
from crosslit_bench.store.rows import (
    COLUMNS,
    LIMITS,
    MAX_NUMBER,
    MAX_WHOLE,
    Columns,
    check_values,
    number,
    statistic,
    text,
    values_of,
    whole,
)

from crosslit import Grid, load
from crosslit.base.layout import Layout
from tests.bench.store.test_store import CAMPAIGN, WHERE, a_run, planned


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (whole, [0, 1, MAX_WHOLE], [-1, MAX_WHOLE + 1, True, False, 1.0, "1", None]),
        (number, [0, 0.5, MAX_NUMBER], [-0.5, MAX_NUMBER * 2, True, "0.5", None, float("nan"), float("inf")]),
        (text, ["", "x"], [1, None, b"x"]),
        (statistic, [0, 0.5, "x", None, {"log2": 3}], [float("nan"), {"log2": -1}, {"log3": 1}, [1], True]),
    ],
)
def test_a_check_accepts_its_bounds_and_nothing_beyond(
    check: Callable[[Any], Any], good: list[Any], bad: list[Any]
) -> None:
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(ValueError, match="expected "):
            check(value)


def test_values_that_equal_others_of_another_type_are_checked_too() -> None:
    columns = Columns({"threads": "INTEGER"})
    assert columns.check([(1,), (1,)]) == [{"threads": 1}] * 2
    for value in (True, 1.0):
        with pytest.raises(ValueError, match="threads: expected a whole number"):
            columns.check([(1,), (value,)])


SIGNED = ["overhead", "delayed"]  # differences between two clocks
MAY_LACK = ["limit_solutions", "seed", "limit_cpu_seconds", "limit_cores"]
WRONG: dict[str, list[Any]] = {
    "TEXT": [1, b"x", "\ud800"],
    "INTEGER": [-1, MAX_WHOLE + 1, True, 1.5, "1"],
    "REAL": [MAX_NUMBER * 2, -MAX_NUMBER * 2, True, "1"],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_of_a_run_is_checked_in_every_row(name: str) -> None:
    row = values_of(planned("a" * 64), Outcome(key="a" * 64, run=a_run(), circumstances=WHERE), "", CAMPAIGN)

    def rows(place: int, value: Any) -> list[list[Any]]:
        return [[*{**row, **({name: value} if number == place else {})}.values()] for number in range(3)]

    kind = COLUMNS[name].split()[0]
    wrong = WRONG[kind] + [-0.5] * (kind == "REAL" and name not in SIGNED) + [None] * (name not in MAY_LACK)
    for place in range(3):
        for value in wrong:
            with pytest.raises(ValueError, match=f"^{name}: "):
                check_values(rows(place, value))
            with pytest.raises(ValueError, match=f"^{name}: "):
                check_values(rows(place, value)[place : place + 1])
        for value in [-0.5] * (name in SIGNED) + [None] * (name in MAY_LACK):
            assert check_values(rows(place, value))[place][name] == value


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("question", "fewest", "fastest"),
        ("status", "gave-up", "interrupted"),  # such a run is repeated
        ("status", "limit", "lost"),
        ("stats", '{"a": {"log2": 2}}', '{"a": [2]}'),
        ("stats", "{}", "[]"),
        ("stats", "{}", "{"),
        ("stats", '{"a": 1e3}', '{"a": NaN}'),
        ("trusts", '["a"]', "[1]"),
    ],
)
def test_words_and_json_of_a_run_are_checked(name: str, good: str, bad: str) -> None:
    row = values_of(planned("a" * 64), Outcome(key="a" * 64, run=a_run(), circumstances=WHERE), "", CAMPAIGN)
    assert check_values([[*{**row, name: good}.values()]])[0][name] == good
    with pytest.raises(ValueError, match=f"^{name}: "):
        check_values([[*{**row, name: bad}.values()]])


@pytest.mark.parametrize("name", LIMITS)
def test_the_limits_of_every_run_are_those_that_a_campaign_may_have(name: str) -> None:
    row = values_of(planned("a" * 64), Outcome(key="a" * 64, run=a_run(), circumstances=WHERE), "", CAMPAIGN)
    zero = {**row, name: 0.0 if "seconds" in name else 0}
    with pytest.raises(ValueError, match=r"a limit of|is pinned to at least 1 core"):
        check_values([[*row.values()], [*zero.values()]])


def test_a_wrong_value_is_shown_in_part() -> None:
    for value, shown in [
        ("x" * 37, "x" * 37),
        ("x" * 100, "x" * 30),
        (10**5000, "a huge number"),
        (-(10**20), "a huge"),
    ]:
        with pytest.raises(
            ValueError, match=f"expected a whole number from 0 to {MAX_WHOLE}, found '?{shown}"
        ) as error:
            whole(value)
        assert len(str(error.value)) < 110


def test_a_small_answer_that_unfolds_to_much_memory_is_refused_before() -> None:
    bomb = dataclasses.replace(StoredAnswer.of([Grid.from_text("1")]), packed=zlib.compress(bytes(1 << 26)))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="not the ones that were stored"):
            bomb.grids(load("1"))
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_the_same_bytes_in_another_layout_are_another_answer() -> None:
    layouts = [Layout(2, 4), Layout(4, 2), Layout(1, 8)]
    two_states = {StoredAnswer.of([Grid.from_bits(layout.rows, layout.columns, 3)]).id for layout in layouts}
    assert len(two_states) == len(layouts)
    # 3 and 4 states take two bits a cell
    assert StoredAnswer.of([Layout(1, 4, 3).parse("0120")]).id != StoredAnswer.of([Layout(1, 4, 4).parse("0120")]).id


def test_grids_of_another_layout_are_refused() -> None:
    check_shapes(load("10/01"), [Grid.from_text("00/00")])
    for grid in (Grid.from_text("0000"), Layout(2, 2, 3).parse("00/00")):
        with pytest.raises(ValueError, match="expected grids of 2 x 2"):
            check_shapes(load("10/01"), [grid])
