"""Puzzles to order: bounds on sizes, numbers and changed cells, met exactly."""

from __future__ import annotations

import random
from contextlib import nullcontext
from itertools import islice
from typing import Any

import pytest
from crosslit_generate import lights_out, nonogram
from crosslit_generate.constrained import OPTIONS, generate
from crosslit_generate.nonogram import NonogramOrder, nonogram_to_order, random_coloured

from crosslit import Grid
from crosslit.base.errors import GaveUp
from crosslit.contract.family import MAX_CELLS, check_size
from crosslit.kinds.lights_out.text import rules
from crosslit.questions.solve import solutions

CLASH = Grid.from_text("10000/01000/00000/00000/00000")  # another solution has the two cells in the other corners
RNG = random.Random(0)


def test_a_bound_on_changed_cells_is_met_exactly() -> None:
    assert nonogram_to_order(NonogramOrder(5, 5, picture=CLASH, max_changes=1), RNG).changed == 1
    with pytest.raises(GaveUp, match="the picture as it is has several solutions: allow more"):
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
    assert nonogram._flipped(Grid.from_text("110/110/000"), 9, RNG).text == "101/001/110"


@pytest.mark.parametrize("seed", range(4))
def test_a_repaired_picture_in_colours_is_the_only_solution(seed: int) -> None:
    made = random_coloured(random.Random(seed), 6, 7, 3, 0.5, True)
    assert [*islice(solutions(made.puzzle, "alignment"), 2)] == [made.picture]


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


@pytest.mark.parametrize(("density", "clue"), [(0, "0"), (0.0, "0"), (1, "3"), (1.0, "3")])
def test_a_density_from_none_to_all_cells_is_met(density: float, clue: str) -> None:
    assert generate("nonogram", (2, 3), density=density)[0].text.split("|")[0] == f"{clue},{clue}"
    (coloured,) = generate("coloured-nonogram", (2, 3), density=density, colours=1)
    assert coloured.text.split(":")[1].split("|")[0] == (f"{clue}a,{clue}a" if density else "0,0")


@pytest.mark.parametrize("kind", ["nonogram", "coloured-nonogram"])
@pytest.mark.parametrize("density", [-0.001, 1.001])
def test_a_density_below_none_or_above_all_cells_is_refused(kind: str, density: float) -> None:
    with pytest.raises(ValueError, match="a density is from 0 to 1"):
        generate(kind, 2, density=density)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_size_is_rows_and_then_columns(kind: str) -> None:
    sizes = [(2, 3), "2x3", 2, "1x1"]
    found = [generate(kind, size, count=2) for size in sizes]  # type: ignore[arg-type]
    shapes = [[(puzzle.rows, puzzle.columns) for puzzle in puzzles] for puzzles in found]
    assert shapes == [[shape] * 2 for shape in ((2, 3), (2, 3), (2, 2), (1, 1))]
    assert all(puzzle.kind == kind for puzzles in found for puzzle in puzzles)


@pytest.mark.parametrize("size", [(0, 1), (1, 0), "0x1", "1x0", 0])
def test_a_size_without_rows_or_columns_is_refused(size: tuple[int, int] | str | int) -> None:
    with pytest.raises(ValueError, match="rows, columns and count are at least 1"):
        generate("nonogram", size)


@pytest.mark.parametrize("size", [(1,), (1, 2, 3), "1x2x3", "x", "1x", "1234567x1", 1.0, (1, 2.0)])
def test_a_size_that_is_no_pair_of_numbers_is_refused(size: object) -> None:
    with pytest.raises(TypeError, match="a size such as 5 or"):
        generate("nonogram", size)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", OPTIONS)
def test_each_number_has_a_puzzle_of_its_own_however_many_are_made(kind: str) -> None:
    many = generate(kind, (4, 5), count=3, seed=1)  # type: ignore[arg-type]
    assert many[:2] == generate(kind, (4, 5), count=2, seed=1)  # type: ignore[arg-type]
    assert len({puzzle.text for puzzle in (*many, *generate(kind, (4, 5), seed=2))}) == 4  # type: ignore[arg-type]


VALUES = {
    "density": 0.5,
    "unique": True,
    "difficulty": "line",
    "colours": 3,
    "solvable": False,
    "nullity": 1,
    "min_presses": 1,
    "states": 3,
    "press": "king",
    "wrap": "torus",
}
TAKEN = {
    "lights-out": "solvable nullity min_presses press wrap",
    "modular-lights-out": "solvable states press wrap",
    "nonogram": "density unique difficulty",
    "coloured-nonogram": "density unique colours",
}


@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.parametrize("option", VALUES)
def test_an_argument_of_another_kind_is_refused(kind: Any, option: str) -> None:
    taken = option in TAKEN[kind].split()
    refusal = f"{option} is no argument of a {kind}: it takes "
    with nullcontext() if taken else pytest.raises(ValueError, match=refusal):
        (puzzle,) = generate(kind, 4 if option == "solvable" else (2, 5), **{option: VALUES[option]})
        assert puzzle.kind == kind
