"""Puzzles to order: bounds on sizes, numbers and changed cells, met exactly."""

from __future__ import annotations

import random

import pytest
from crosslit_generate import lights_out, nonogram
from crosslit_generate.constrained import generate
from crosslit_generate.nonogram import NonogramOrder, nonogram_to_order

from crosslit import Grid
from crosslit.base.errors import GaveUp
from crosslit.contract.family import MAX_CELLS, check_size
from crosslit.kinds.lights_out.text import rules

CLASH = Grid.from_text("10000/01000/00000/00000/00000")  # another solution has the two cells in the other corners
RNG = random.Random(0)


def test_a_bound_on_changed_cells_is_met_exactly() -> None:
    assert nonogram_to_order(NonogramOrder(5, 5, picture=CLASH, max_changes=1), RNG).changed == 1
    with pytest.raises(GaveUp, match="with at most 0 changed cells has one solution"):
        nonogram_to_order(NonogramOrder(5, 5, picture=CLASH, max_changes=0), RNG)


@pytest.mark.parametrize(("bound", "cycle"), [(0, [0]), (2, [0, 1, 2]), (None, [0, 1, 2])])
def test_each_attempt_at_a_difficulty_first_changes_other_cells(
    bound: int | None, cycle: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    monkeypatch.setattr(nonogram, "_flipped", lambda picture, count, _: counts.append(count) or picture)
    monkeypatch.setattr(nonogram, "MAX_TRIES", 6)
    with pytest.raises(GaveUp, match="has the difficulty search"):
        nonogram_to_order(NonogramOrder(5, 5, difficulty="search", picture=CLASH, max_changes=bound), RNG)
    assert counts == cycle * (6 // len(cycle))


def test_cells_are_changed_where_a_neighbour_differs() -> None:
    assert nonogram._flipped(Grid.from_text("110/110/000"), 9, RNG).text() == "101/001/110"


def test_difficulties_are_determined_up_to_625_cells() -> None:
    full = Grid.from_bits(25, 25, (1 << 625) - 1)
    assert nonogram_to_order(NonogramOrder(25, 25, difficulty="line", picture=full), RNG).difficulty == "line"
    with pytest.raises(ValueError, match="only up to 625 cells"):
        nonogram_to_order(NonogramOrder(1, 626, difficulty="line"), RNG)


def test_the_smallest_board_of_a_nullity_is_that_of_the_fewest_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lights_out, "nullity", lambda rows, columns, *_: (rows, columns) in {(2, 11), (3, 5), (5, 3)})
    assert lights_out.size_of_nullity(1, rules("plus", "none")) == (3, 5)


def test_sizes_and_numbers_are_bounded() -> None:
    check_size(1, MAX_CELLS)
    with pytest.raises(ValueError, match="1 x 25000001 are more than 25,000,000 cells"):
        check_size(1, MAX_CELLS + 1)
    with pytest.raises(ValueError, match="rows, columns and count are at least 1"):
        generate("lights-out", 2, count=0)
