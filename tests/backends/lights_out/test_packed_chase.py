"""The chase by the compiled kernel, against the one in Python."""

from __future__ import annotations

import random

import pytest
from crosslit_backends import compiled
from crosslit_backends.lights_out import first_rows as packed
from crosslit_backends.lights_out.first_rows import packed_chase

from crosslit import Grid, LightsOut, registry
from crosslit.algebra.chase import chase
from crosslit.contract import Task
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS
from crosslit.runs.job import drive

# Every test here calls the compiled kernel. CI has a compiler, and fails if the kernel is missing there.
pytestmark = pytest.mark.skipif(bool(compiled.missing()), reason=f"no compiled kernel: {compiled.missing()}")
WIDTHS = [*range(1, 10), 63, 64, 65, 71, 72, 127, 128, 129, 200]  # around the ends of bytes and words


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("stay", [True, False])
def test_the_kernel_chases_like_python(columns: int, stay: bool) -> None:
    rng = random.Random(columns)
    for rows in (1, 2, 3, 7, 8, 9, 40):
        lit, first = [rng.getrandbits(columns) for _ in range(rows)], rng.getrandbits(columns)
        grid = Grid.from_rows(lit, columns)
        presses, left = chase(lit, first, columns, stay)
        assert packed_chase(grid, first, stay) == (Grid.from_rows(presses, columns).packed, left)
        assert packed_chase(grid, first, stay, keep=False) == (b"", left)


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (5, 5), (6, 9), (11, 14), (7, 600)])
def test_polynomial_finds_the_same_with_the_kernel(
    shape: tuple[int, int], pattern: tuple[tuple[int, int], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    polynomial, rng = registry.all_backends()["polynomial"], random.Random(1)
    size = shape[0] * shape[1]
    for bits in (0, (1 << size) - 1, *(rng.getrandbits(size) for _ in range(8))):
        board = LightsOut(Grid.from_bits(*shape, bits), pattern)
        found = []
        for cells in (0, 1 << 30):
            monkeypatch.setattr(packed, "MIN_CELLS", cells)
            assert packed.is_used(board.lit) == (cells == 0)
            found.append((list(drive(polynomial, board, Task())), polynomial.count(board, Task())))  # type: ignore[attr-defined]
        assert found[0] == found[1]


def test_boards_that_are_kept_as_rows_are_chased_by_python() -> None:
    rows = Grid.from_rows([1] * 1000, 1000)
    assert (packed.is_used(rows), packed.is_used(Grid(1000, 1000, rows.packed))) == (False, True)
