from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid
from crosslit.base.layout import Layout


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


@given(cells())
def test_every_constructor_makes_the_same_grid(rows: list[list[bool]]) -> None:
    grid = Grid.from_cells(rows)
    for same in (
        Grid.from_text(grid.text),
        Grid.from_rows(grid.row_bits(), grid.columns),
        Grid.from_bits(grid.rows, grid.columns, grid.bits),
        Grid.from_cells(grid.array()),
    ):
        assert same == grid
        assert hash(same) == hash(grid)


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
    assert layout.parse(grid.text) == grid == layout.answers(grid.packed * 2)[1]
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert grid.array().ravel().tolist() == values
    assert (grid.count(), len(list(grid.cells()))) == (sum(values), sum(map(bool, values)))
    assert np.array_equal(grid.transposed().array(), grid.array().T)


def test_grids_of_different_numbers_of_states_differ() -> None:
    assert len({Grid.from_text("01/10", states) for states in (2, 3, 4)}) == 3


@given(cells())
def test_transposed_as_numpy_does_it(rows: list[list[bool]]) -> None:
    assert np.array_equal(Grid.from_cells(rows).transposed().array(), np.array(rows).T)


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


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (2, 0), (0, 3)])
def test_cells_outside_are_refused(cell: tuple[int, int]) -> None:
    with pytest.raises(IndexError):
        Grid.from_text("010/111")[cell]
