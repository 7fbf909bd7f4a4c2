"""Shrinking ends with a puzzle none of whose reductions fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from crosslit_verify.contract_checks import by_rules
from crosslit_verify.shrink import reductions, shrink

from crosslit import LightsOut, Nonogram, load
from crosslit.kinds import Puzzle
from tests.conftest import random_nonogram, random_rules

Fails = Callable[[Puzzle], bool]


def three_lights(puzzle: Puzzle) -> bool:
    return isinstance(puzzle, LightsOut) and puzzle.lit.count() >= 3


def two_blocks(puzzle: Puzzle) -> bool:
    return isinstance(puzzle, Nonogram) and any(len(clue) > 1 for clue in puzzle.row_clues)


def unsolvable(puzzle: Puzzle) -> bool:
    return puzzle.rows * puzzle.columns <= 12 and not by_rules(puzzle).solutions


@pytest.mark.parametrize(
    ("text", "fails", "smallest"),
    [
        ("0101011", three_lights, "111"),
        ("1 1 2,3,0,1|2,1,1,1,1,1,0", two_blocks, "1 1|0"),
        ("0,2,1|2,0,1", unsolvable, "0|1"),
        ("1 5 100000000|1", two_blocks, "1 1|0"),
    ],
)
def test_the_smallest_is_found(text: str, fails: Fails, smallest: str) -> None:
    *_, found = shrink(load(text), fails)
    assert (found.puzzle.text, found.minimal) == (smallest, True)


@pytest.mark.parametrize("seed", range(12))
def test_the_result_is_1_minimal(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randint(2, 6), rng.randint(2, 6)
    puzzle: Puzzle = random_rules(rng, *size) if seed % 2 else random_nonogram(rng, *size)
    weight = rng.randint(0, 6)

    def fails(smaller: Puzzle) -> bool:
        return len(smaller.text) % 7 != weight or smaller == puzzle

    *_, found = shrink(puzzle, fails)
    assert found.minimal
    assert fails(found.puzzle)
    assert not any(fails(smaller) for smaller in reductions(found.puzzle))


def test_square_puzzles_stay_square() -> None:
    *_, found = shrink(load("0101/1010/0101/1111"), three_lights, square=True)
    board: Any = found.puzzle
    assert (board.rows, board.columns, board.lit.count()) == (2, 2, 3)


def test_a_puzzle_may_be_turned_over() -> None:
    for fails, smallest in (three_lights, "111"), (lambda puzzle: three_lights(puzzle) and puzzle.rows == 3, "1/1/1"):
        *_, found = shrink(load("1/1/1"), fails)
        assert found.puzzle.text == smallest


def test_a_reduction_may_need_an_exchange_before() -> None:
    way = ["1,2|1,1,1", "2,1|1,1,1", "0,1|1,1,1"]
    assert way[2] not in {puzzle.text for puzzle in reductions(load(way[0]))}
    *_, found = shrink(load(way[0]), lambda puzzle: puzzle.text in way)
    assert (found.puzzle.text, found.minimal) == (way[2], True)
