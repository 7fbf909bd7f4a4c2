from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid


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


WIDE = [(1, 511), (9, 512), (3, 513), (17, 1000), (8, 1003)]  # around the width from which rows are kept


def of_rows_and_of_bytes(rows: int, columns: int) -> tuple[list[int], Grid, Grid]:
    """Random rows, the grid made of them, and the same grid made of bytes."""
    rng = random.Random(rows * columns)
    lines = [rng.getrandbits(columns) for _ in range(rows)]
    bits = sum(line << index * columns for index, line in enumerate(lines))
    return lines, Grid.from_rows(lines, columns), Grid.from_bits(rows, columns, bits)


@pytest.mark.parametrize("shape", WIDE)
def test_a_grid_of_rows_is_the_grid_of_the_same_bytes(shape: tuple[int, int]) -> None:
    lines, made_of_rows, made_of_bytes = of_rows_and_of_bytes(*shape)
    for grid in (made_of_rows, made_of_bytes):
        assert grid.row_bits() == list(grid.each_row()) == [grid.row(row) for row in range(grid.rows)] == lines
        assert Grid.from_text(grid.text) == grid
    assert made_of_rows.bits == made_of_bytes.bits
    assert np.array_equal(made_of_rows.array(), made_of_bytes.array())
    assert list(made_of_rows.cells()) == list(made_of_bytes.cells())


@pytest.mark.parametrize(
    "use",
    [
        lambda grid: grid,
        lambda grid: grid.packed,
        lambda grid: {grid},
        repr,
        lambda grid: pickle.loads(pickle.dumps(grid)),
        copy.copy,
        copy.deepcopy,
        lambda grid: grid[0, 500],
        lambda grid: grid.count(),
    ],
)
@pytest.mark.parametrize("shape", WIDE)
def test_what_a_grid_was_made_of_makes_no_difference(shape: tuple[int, int], use: Callable[[Grid], object]) -> None:
    _, made_of_rows, made_of_bytes = of_rows_and_of_bytes(*shape)
    assert use(made_of_rows) == use(made_of_bytes)
    assert hash(made_of_rows) == hash(made_of_bytes)


@pytest.mark.parametrize("shape", WIDE[1:])
def test_a_wide_grid_is_kept_alike_in_another_process(shape: tuple[int, int]) -> None:
    _, *grids = of_rows_and_of_bytes(*shape)
    assert [pickle.loads(pickle.dumps(grid))._rows is not None for grid in grids] == [True, False]


@pytest.mark.parametrize("shape", WIDE)
def test_wide_grids_that_differ_in_one_cell_differ(shape: tuple[int, int]) -> None:
    lines, grid, same = of_rows_and_of_bytes(*shape)
    assert len({grid, same, Grid.from_rows([*lines[:-1], lines[-1] ^ 1], shape[1])}) == 2


def test_a_grid_keeps_its_own_rows() -> None:
    lines = [1 << 599, 0]
    grid = Grid.from_rows(lines, 600)
    lines[0] = 0
    grid.row_bits()[0] = 0
    assert list(grid.cells()) == [(0, 599)]


def test_a_grid_has_no_attribute_that_it_does_not_have() -> None:
    for grid in (Grid.from_text("1"), Grid.from_rows([1], 600)):
        assert not hasattr(grid, "cell_count")


@given(cells())
def test_transposed_as_numpy_does_it(rows: list[list[bool]]) -> None:
    assert np.array_equal(Grid.from_cells(rows).transposed().array(), np.array(rows).T)


@pytest.mark.parametrize(
    ("rows", "columns", "packed"),
    [(0, 3, b""), (3, 0, b""), (2, 2, b""), (2, 2, b"\0\0"), (2, 2, b"\x10"), (-1, -1, b"\0")],
)
def test_impossible_grids_are_refused(rows: int, columns: int, packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"grid|cells|bits"):
        Grid(rows, columns, packed)


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
