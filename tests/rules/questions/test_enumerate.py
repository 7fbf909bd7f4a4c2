"""Lists of solutions: batches and their order, limits, and lists that would not end."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest
from crosslit_backends.lights_out.enumeration import packed_batches, reduced
from hypothesis import example, given
from hypothesis import strategies as st

import crosslit
from crosslit import Grid, InputError, LightsOut, Limits, compare, load, registry
from crosslit.base.grid import Layout
from crosslit.contract import Task
from crosslit.questions.compare import require_listable
from crosslit.questions.enumerate import Enumeration, Lister
from crosslit.questions.lists import not_ascending
from crosslit.runs.runner import Runner
from tests.conftest import random_grid
from tests.driving import Given, ended


@pytest.mark.parametrize("backend", ["polynomial", "gauss"])
@pytest.mark.parametrize("size", [4, 5, 9])
def test_batches_are_the_same_of_every_backend(backend: str, size: int) -> None:
    board = LightsOut(Grid.from_bits(size, size, 0)).pressed(random_grid(random.Random(size), size, size))
    texts = sorted(grid.text for grid in crosslit.solutions(board, "first-row"))
    answer = registry.all_backends()[backend].batches  # type: ignore[attr-defined]
    assert [grid.text for grid in board.layout.grids(b"".join(answer(board, Task())))] == texts


def test_the_first_solution_needs_no_other() -> None:
    def refused(number: int) -> int:
        raise AssertionError(f"vector {number} was asked for")

    assert next(packed_batches(5, 400, refused, 1)) == b"\x05"


def test_a_dependent_basis_is_refused() -> None:
    with pytest.raises(ValueError, match="not independent"):
        reduced(0, [3, 5, 6])


@given(st.lists(st.binary(min_size=2, max_size=2), min_size=1, max_size=30), st.booleans())
@example([b"ab"] * 10, False)  # more than are compared without numpy
def test_what_does_not_ascend_is_found(solutions: list[bytes], sort: bool) -> None:
    def text(packed: bytes) -> str:
        return "".join(f"{byte:08b}"[::-1] for byte in packed)

    layout = LightsOut(Grid.from_bits(1, 16, 0)).layout
    if sort:
        solutions = sorted(set(solutions), key=text)
    faults = (i for i in range(1, len(solutions)) if text(solutions[i]) <= text(solutions[i - 1]))
    first = next(faults, None)
    assert not_ascending(b"", b"".join(solutions), layout) == first
    if first is None or len(solutions) > 1:
        expected = None if first is None else first - 1
        assert not_ascending(solutions[0], b"".join(solutions[1:]), layout) == expected


@pytest.mark.parametrize(
    ("rows", "columns", "states"),
    [(1, 1, 2), (1, 9, 2), (9, 1, 2), (3, 5, 2), (4, 4, 2), (1, 3, 3), (2, 2, 5), (1, 2, 10), (1, 2, 12)],
)
def test_many_lines_are_compared_as_few_are(rows: int, columns: int, states: int) -> None:
    rng, layout = random.Random(3), Layout(rows, columns, states)
    grids = [layout.pack(rng.choices(range(states), k=rows * columns)) for _ in range(40)]
    packed = {grid.text: grid.packed for grid in grids}
    for ascending in (sorted(packed), sorted(packed)[:2]):
        ordered = b"".join(map(packed.__getitem__, ascending))
        assert not_ascending(b"", ordered, layout) is None
        assert not_ascending(b"", ordered + packed[ascending[-2]], layout) == len(ascending)


@pytest.mark.parametrize(
    ("spec", "limit", "complete"),
    [("gauss", 15, False), ("gauss", 16, True), ("gauss", 17, True), ("glucose4", 16, False), ("glucose4", 17, True)],
)
def test_a_limit_is_the_end_only_where_that_is_known(spec: str, limit: int, complete: bool) -> None:
    board, delivered = load("0000/0000/0000/0000"), list[bytes]()
    with Runner(Limits(limit)) as runner:
        outcome = Lister(Enumeration(board), registry.select_one(spec, board), runner, delivered.append).run()
    assert len(b"".join(delivered)) // 2 == outcome.found == min(16, limit)
    assert outcome.complete is complete


@pytest.mark.parametrize("rows", [26, 27])
def test_a_list_that_would_not_end_is_refused(rows: int) -> None:
    board = LightsOut(Grid.from_bits(rows, 2, 0), ((0, 0), (0, 1)), "horizontal")  # one press too many in a row
    assert board.nullity() == rows
    if rows == 26:
        require_listable(board)
        return
    with pytest.raises(InputError, match=r"^Lights Out: there are 2\^27 solutions or none, too many to list; "):
        require_listable(board)
    with pytest.raises(InputError, match="too many to list"):
        compare(board, limit=None)
    compare(board, "gauss", limit=9, runner=cast(Any, Given(ended("timeout"))))
