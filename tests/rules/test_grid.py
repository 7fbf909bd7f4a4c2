"""Grids and lists of them."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid
from crosslit.base import grid as module
from crosslit.base.grid import Grids, Layout, distinct, pack
from crosslit.contract.puzzle import SYMMETRIES


@st.composite
def cells(draw: st.DrawFn) -> list[list[bool]]:
    rows, columns = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    return draw(st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns), min_size=rows, max_size=rows))


@given(cells())
def test_every_view_shows_the_same_cells(rows: list[list[bool]]) -> None:
    grid = Grid.from_cells(rows)
    expected = np.array(rows)
    assert (grid.rows, grid.columns) == expected.shape
    assert np.array_equal(grid.array(), expected)
    assert [[grid[r, c] for c in range(grid.columns)] for r in range(grid.rows)] == rows
    assert list(grid.cells()) == [(int(r), int(c)) for r, c in np.argwhere(expected)]
    assert grid.count() == expected.sum()
    assert grid.packed == np.packbits(expected, bitorder="little").tobytes()


@pytest.mark.parametrize("shape", [(9, 8), (17, 13), (3, 513)])
def test_a_grid_of_rows_is_the_grid_of_the_same_bits(shape: tuple[int, int]) -> None:
    rows, columns = shape
    rng = random.Random(rows * columns)
    lines = [rng.getrandbits(columns) for _ in range(rows)]
    grid = Grid.from_bits(rows, columns, sum(line << index * columns for index, line in enumerate(lines)))
    assert Grid.from_rows(lines, columns) == grid
    assert grid.row_bits() == lines
    assert [*map(copy.copy, [grid])] == [pickle.loads(pickle.dumps(grid))] == [grid]


@pytest.mark.parametrize("states", [2, 3, 4, 5, 17, 36])
def test_text_and_bytes_hold_the_values(states: int) -> None:
    layout = Layout(3, 5, states)
    values = [cell % states for cell in range(15)]
    grid = layout.pack(values)
    assert layout.admits(grid)
    assert [grid[row, column] for row in range(3) for column in range(5)] == values == grid.values()
    assert layout.parse(grid.text) == grid == layout.grids(grid.packed * 2)[1]
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert grid.array().ravel().tolist() == values
    assert (grid.count(), len(list(grid.cells()))) == (sum(values), sum(map(bool, values)))
    assert np.array_equal(grid.transposed().array(), grid.array().T)


def test_grids_of_different_numbers_of_states_differ() -> None:
    assert len({Grid.from_text("01/10", states) for states in (2, 3, 4)}) == 3


@pytest.mark.parametrize(
    ("rows", "columns", "packed", "states", "problem"),
    [
        (0, 3, b"", 2, "at least one row"),
        (3, 0, b"", 3, "at least one row"),
        (-1, -1, b"\0", 2, "at least one row"),
        (1, 2, b"\0", 1, "2 to 36 states"),
        (2, 2, b"", 2, "take 1 bytes"),
        (2, 2, b"\0\0", 2, "take 1 bytes"),
        (1, 2, b"\0\0", 3, "take 1 bytes"),
        (2, 2, b"\x10", 2, "bits past the last cell"),
        (1, 2, b"\x10", 3, "bits past the last cell"),
        (1, 9, b"\0\2", 2, "bits past the last cell"),
        (1, 2, b"\3", 3, "a value from 0 to 2"),
    ],
)
def test_impossible_grids_are_refused(rows: int, columns: int, packed: bytes, states: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Grid(rows, columns, packed, states)


@pytest.mark.parametrize("text", ["", "/", "10/1", "12/10", "10//01", "1 0", "1_0", "0b1", "-1", "1\n", "١0", "²1"])
def test_impossible_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="grid"):
        Grid.from_text(text)


@pytest.mark.parametrize("columns", [2, 600])
@pytest.mark.parametrize("outside", [-1, 1])
def test_a_row_with_cells_outside_is_refused(columns: int, outside: int) -> None:
    with pytest.raises(ValueError, match=f"{columns} columns"):
        Grid.from_rows([0, outside << columns], columns)


@pytest.mark.parametrize("columns", [-1, 0, 2, 600])
def test_a_grid_of_no_rows_is_refused(columns: int) -> None:
    with pytest.raises(ValueError, match="at least one row"):
        Grid.from_rows([], columns)


def test_a_grid_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Grid.from_text("1").rows = 2  # type: ignore[misc]


@pytest.mark.parametrize("place", [(-3, 0), (0, -4), (2, 0), (0, 3), -3, 2, (0, 0.0), ("a", 0), (0, 0, 0), (), 1.0])
def test_rows_and_cells_are_whole_numbers_within_the_grid(place: Any) -> None:
    with pytest.raises((IndexError, TypeError), match=r"of a 2 x 3 grid|expected a row, or a cell"):
        Grid.from_text("010/111")[place]
    assert [Grid.from_text("010/111")[index] for index in (np.int64(1), (-2, -2), (-2, 0))] == [[1, 1, 1], True, False]


_EDGES = sorted(size for block in (1, 2) for size in (block * module._BLOCK - 1, block * module._BLOCK + 1))


def some(layout: Layout, count: int) -> list[Grid]:
    chance = random.Random(count)
    cells = range(layout.rows * layout.columns)
    return [layout.pack([chance.randrange(layout.states) for _ in cells]) for _ in range(count)]


@pytest.mark.parametrize("count", [0, 1, 7, module._BLOCK, *_EDGES])
@pytest.mark.parametrize("layout", [Layout(3, 3), Layout(1, 9, states=3)])
def test_packed_grids_are_a_sequence_as_a_list_is(layout: Layout, count: int) -> None:
    expected = some(layout, count)
    grids = Grids(layout)
    for first in range(0, count, 500):
        grids.extend(pack(expected[first : first + 500]))
    assert grids == expected == [*Grids(layout, pack(expected))] == [*pickle.loads(pickle.dumps(grids))]
    assert (len(grids), [*reversed(grids)], pack(grids)) == (count, expected[::-1], pack(expected))
    for cut in (slice(None, -1), slice(2, 5), slice(5, 2), slice(None, None, -3), slice(-4, None, 2)):
        assert grids[cut] == expected[cut]
    for place in {-count, 0, count - 1} if count else ():
        assert grids[place] == expected[place]
    for outside in (count, -count - 1):
        with pytest.raises(IndexError):
            grids[outside]


def test_other_grids_are_not_equal() -> None:
    grids = Grids(Layout(2, 2), b"\1\2")
    assert grids == Grids(Layout(2, 2, missing=Grid.from_text("00/01")), b"\1\2")
    assert grids != Grids(Layout(2, 2), b"\2\1")
    assert grids != Grids(Layout(1, 4), b"\1\2")
    assert grids != grids[:1]
    assert grids != tuple(grids)
    assert repr(grids) == "<2 grids of 2 x 2>"


@pytest.mark.parametrize("size", [1, 3, 8, 13])
def test_different_grids_are_sorted_alike_as_a_set_and_as_an_array(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    chance = random.Random(size)
    for count in (0, 1, 5, 100):
        # few values, among them 0 in the first and last bytes, so that there are repetitions and common ends
        records = [bytes(chance.choice((0, 0, 1, 255)) for _ in range(size)) for _ in range(count)]
        for by_bits, key in ((False, bytes), (True, lambda record: int.from_bytes(record, "little"))):
            expected = b"".join(sorted({*records}, key=key))
            for most in {count, max(0, count - 1)}:
                monkeypatch.setattr(module, "_MAX_SET", most)
                assert distinct(b"".join(records), size, by_bits=by_bits) == expected


@pytest.mark.parametrize("states", range(2, 37))
def test_packed_answers_are_valid_if_every_cell_has_a_value(states: int) -> None:
    layout = Layout(1, 9, states)
    good = layout.pack([states - 1] * 9).packed
    layout.require(good * 3)
    with pytest.raises(ValueError, match="not a whole number of answers"):
        layout.require(good + good[:1])
    for place in range(layout.size * 8):
        for bits in (1 << place, int.from_bytes(good, "little") ^ 1 << place):
            packed = bits.to_bytes(layout.size, "little")
            values = [bits >> cell * layout.width & (1 << layout.width) - 1 for cell in range(9)]
            if max(values) < states and not bits >> layout.bits:
                layout.require(good + packed)
            else:
                with pytest.raises(ValueError, match="past the last cell" if bits >> layout.bits else "a value from 0"):
                    layout.require(good + packed + good)


THREE = Layout(2, 2, states=3)


def test_every_answer_is_made_once_in_the_order_of_its_bits() -> None:
    answers = list(THREE.every())
    assert len(set(answers)) == 3**4
    assert [answer.bits for answer in answers] == sorted(answer.bits for answer in answers)


@pytest.mark.parametrize("text", ["03/00", "0/00", "00", "00/0 "])
def test_text_that_is_no_answer_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected 2 rows of 2 cells|are written 0 to 2|the same number of cells"):
        THREE.parse(text)


def test_symmetries_move_the_values() -> None:
    answer = Layout(2, 3, states=3).parse("012/200")
    assert [symmetry(answer).text for symmetry in SYMMETRIES[:4]] == ["200/012", "210/002", "002/210", "02/10/20"]
