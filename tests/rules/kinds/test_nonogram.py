"""The rule checker against the definition: the lengths of the maximal runs of filled cells."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from crosslit import Grid, Nonogram, load
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.text import most_possible
from tests.conftest import all_grids, shapes


def runs(line: list[bool]) -> tuple[int, ...]:
    return tuple(len(list(group)) for filled, group in itertools.groupby(line) if filled)


def clues(grid: Grid) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    rows = grid.array().tolist()
    return tuple(map(runs, rows)), tuple(runs(list(column)) for column in zip(*rows, strict=True))


@pytest.mark.parametrize("shape", shapes(9))
def test_a_grid_solves_its_own_clues(shape: tuple[int, int]) -> None:
    for grid in all_grids(*shape):
        puzzle = Nonogram.of(grid)
        assert (puzzle.row_clues, puzzle.column_clues) == clues(grid)
        assert not list(puzzle.violations(grid))


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (2, 2), (2, 3), (3, 2)])
def test_every_wrong_grid_is_reported_with_the_lines_that_differ(shape: tuple[int, int]) -> None:
    rows, columns = shape
    for own in all_grids(*shape):
        puzzle = Nonogram.of(own)
        for grid in all_grids(*shape):
            row_clues, column_clues = clues(grid)
            expected = [f"row {i + 1}" for i in range(rows) if row_clues[i] != puzzle.row_clues[i]]
            expected += [f"column {i + 1}" for i in range(columns) if column_clues[i] != puzzle.column_clues[i]]
            assert [violation.split(" has ")[0] for violation in puzzle.violations(grid)] == expected


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([], [[1]]),
        ([[1]], []),
        *(([clue], [[1]]) for clue in ([-1], [1, 0], [0, 0], (True,), [1.0], [10**9], (10**9,), [0.0], b"1", {})),
        *(([[block]], [[(1, 1)]]) for block in ((1.0, 1), (True, 1), (1, 1.0), ("a", "b"), (1,), 1, "1a", (1, 10**30))),
        ([(1,)], [[(1, 1)]]),
    ],
)
def test_impossible_clues_are_refused(rows: Any, columns: Any) -> None:
    kind = ColouredNonogram if columns == [[(1, 1)]] else Nonogram
    with pytest.raises((TypeError, ValueError), match=r"nonogram|positive|colours|a list of blocks, such as \[2, 1\]"):
        kind(rows, columns)


def test_integers_of_numpy_are_welcome() -> None:
    assert Nonogram(np.array([[2]]), np.array([[1], [1]])) == Nonogram([[2]], [[1], [1]])
    assert ColouredNonogram(np.array([[[1, 1]]]), [[(np.int64(1), 1)]]).text == "coloured-nonogram:1a|1a"


def test_an_empty_clue_has_two_spellings() -> None:
    assert Nonogram([(0,)], [[]]) == Nonogram([()], [[0]])
    assert Nonogram([[0]], [[]]).text == "0|0"


def test_a_puzzle_is_made_of_tuples_that_cannot_change() -> None:
    puzzle = Nonogram([[1]], [[1]], name="dot")
    assert puzzle.row_clues == ((1,),)
    assert hash(puzzle) == hash(Nonogram([[1]], [[1]]))
    with pytest.raises(AttributeError):
        puzzle.row_clues = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("1|1", 1),
        ("1,1|1,1", 2),
        ("1,1,1|1,1,1", 9),
        ("1,2,0|1,1,1", 2),  # 3 and 2 and 1 places in the rows, so 2 without the row of 3
        ("1 1,0,1|1,0,1,0", 3),  # 3 places of the columns' 1s, of which the largest need not be counted
        ("3,3|1,1", 0),
    ],
)
def test_placements_bound_the_number_of_solutions(text: str, most: int) -> None:
    puzzle = load(text)
    assert most_possible(puzzle) == most
    assert sum(not any(puzzle.violations(grid)) for grid in puzzle.layout.every()) <= most
