"""Values of a file of results: what each check accepts, at its bounds."""

from __future__ import annotations

import dataclasses
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from crosslit_bench.store.outcome import StoredAnswer, check_shapes
from crosslit_bench.store.rows import MAX_NUMBER, MAX_WHOLE, Columns, number, statistic, text, whole

from crosslit import Grid, load
from crosslit.base.layout import Layout


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
