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


LONG = "row 1: 2a 1a (needs 4 cells, the line has 3)"
DESCRIBED = [
    # the text; cells, colours, cells to fill and blocks; density; contradictions
    ("1 2,0,3|1,2,1,2", (12, 1, 12, 7), 0.5, []),
    (
        "9,1 1|1,1",
        (4, 1, 13, 5),
        None,
        [
            "row 1: 9 (needs 9 cells, the line has 2)",
            "row 2: 1 1 (needs 3 cells, the line has 2)",
            "the rows need 11 cells, the columns 2",
        ],
    ),
    ("2,1|1,0,1", (6, 1, 5, 4), None, ["the rows need 3 cells, the columns 2"]),
    ("1,1|2,1", (4, 1, 5, 4), None, ["the rows need 2 cells, the columns 3"]),
    (
        "1 1|1,0",
        (2, 1, 3, 3),
        None,
        ["row 1: 1 1 (needs 3 cells, the line has 2)", "the rows need 2 cells, the columns 1"],
    ),
    (
        "1,0|1 1",
        (2, 1, 3, 3),
        None,
        ["column 1: 1 1 (needs 3 cells, the line has 2)", "the rows need 1 cell, the columns 2"],
    ),
    ("coloured-nonogram:1a 1b,1b|1a 1b,1b", (4, 2, 6, 6), 0.75, []),
    (
        "coloured-nonogram:2a 1a,1b 1a|1a,1b,0",
        (6, 2, 7, 6),
        None,
        [LONG, "the rows need 4 cells of colour a (black), the columns 1"],
    ),
    (
        "coloured-nonogram:w=ffffff,red=ff0000,sky=00ffff,k=000000;1a 3c|1a,1c,1c,2c",
        (4, 3, 9, 6),
        None,
        [
            "column 4: 2c (needs 2 cells, the line has 1)",
            "the rows need 3 cells of colour c (k), the columns 4",
        ],
    ),
]


@pytest.mark.parametrize(("text", "measure", "density", "contradictions"), DESCRIBED)
def test_a_puzzle_is_measured_and_its_contradictions_are_named(
    text: str, measure: tuple[int, ...], density: float | None, contradictions: list[str]
) -> None:
    puzzle = load(text)
    assert isinstance(puzzle, Nonogram)
    assert (puzzle.measure, puzzle.density) == (measure, density)
    assert list(puzzle.contradictions()) == contradictions
    assert puzzle.is_refuted == any(line.startswith("the rows need") for line in contradictions)
    words = [puzzle.constraint_words(number) for number in range(puzzle.constraints_shape[1])]
    assert [line.partition(":")[0] for line in words] == [
        *(f"row {number}" for number in range(1, puzzle.rows + 1)),
        *(f"column {number}" for number in range(1, puzzle.columns + 1)),
    ]
    assert [line for line in words if "needs" in line] == [line for line in contradictions if "needs" in line]


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
