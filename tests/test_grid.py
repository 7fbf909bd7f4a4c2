from __future__ import annotations

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
        Grid.from_text(grid.text()),
        Grid.from_rows(grid.row_bits(), grid.columns),
        Grid.from_bits(grid.rows, grid.columns, grid.bits),
        Grid.from_cells(grid.array()),
    ):
        assert same == grid
        assert hash(same) == hash(grid)


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


@pytest.mark.parametrize("text", ["", "/", "10/1", "12/10", "10//01", "1 0"])
def test_impossible_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="grid"):
        Grid.from_text(text)


def test_a_row_too_wide_is_refused() -> None:
    with pytest.raises(ValueError, match="2 columns"):
        Grid.from_rows([0b100], 2)


def test_a_grid_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Grid.from_text("1").rows = 2  # type: ignore[misc]


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (2, 0), (0, 3)])
def test_cells_outside_are_refused(cell: tuple[int, int]) -> None:
    with pytest.raises(IndexError):
        Grid.from_text("010/111")[cell]
