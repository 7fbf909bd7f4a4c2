"""Puzzles with given properties, which hold by the rules or by another backend; other requests are refused."""

from __future__ import annotations

import hashlib
import random
from contextlib import nullcontext
from itertools import islice
from typing import Any

import pytest
from crosslit_generate import nonogram
from crosslit_generate.generate import MAX_CELLS, OPTIONS, generate, generate_each, nullity
from crosslit_generate.nonogram import MAX_JUDGED, NonogramMaker, difficulty

from crosslit import GaveUp, Grid, solutions
from crosslit.kinds import solutions_by_rules

CLASH = Grid.from_text("10000/01000/00000/00000/00000")  # another solution has the two cells in the other corners
KINDS: Any = list(OPTIONS)


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("solvable", [True, False])
def test_boards_with_and_without_a_solution(kind: Any, solvable: bool) -> None:
    rules = {"press": "king", "wrap": "torus"}
    for board in [*generate(kind, (2, 3), count=4, solvable=solvable, **rules), *generate(kind, (1, 2), count=4)]:
        assert bool(solutions_by_rules(board)) == (solvable or board.rows == 1)
        assert (board.rows == 1) or set(board.settings) >= {"press=king", "wrap=torus"}
    (made,) = generate_each(kind, (2, 3), 1, 0, solvable=solvable, **rules)
    assert made.facts == {"solvable": solvable}


@pytest.mark.parametrize("kind", KINDS[2:])
@pytest.mark.parametrize("seed", range(4))
def test_a_repaired_picture_is_the_only_solution(kind: Any, seed: int) -> None:
    (puzzle,) = generate(kind, (6, 7), seed=seed, unique=True, density=0.4)
    assert len([*islice(solutions(puzzle, "alignment"), 2)]) == 1


@pytest.mark.parametrize(("kind", "digest"), [(KINDS[2], "043c7b82"), (KINDS[3], "d51eb357")])
def test_many_open_cells_are_repaired_as_ever(monkeypatch: pytest.MonkeyPatch, kind: Any, digest: str) -> None:
    monkeypatch.setattr(nonogram, "_MANY", 6)
    monkeypatch.setattr(nonogram, "_AT_A_TIME", 3)
    texts = [puzzle.text for puzzle in generate(kind, 9, count=8, unique=True, density=0.3)]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8] == digest


@pytest.mark.parametrize(
    ("word", "text"),
    [("line", "2 1,2,1 2,1,1|1,1,1 1,3,3"), ("probe", "1 1,3,2,1 1,2|1 2,1 1,2,1,1 2")],
)
def test_a_nonogram_has_the_difficulty_and_one_solution(word: Any, text: str) -> None:
    (puzzle,) = generate("nonogram", 5, difficulty=word, seed=2)
    assert len([*islice(solutions(puzzle, "glucose4"), 2)]) == 1
    assert (difficulty(puzzle), puzzle.text) == (word, text)  # type: ignore[arg-type]


def test_a_given_picture_is_changed_only_for_one_solution() -> None:
    (same,), (unique,) = (generate("nonogram", 5, picture=CLASH, unique=unique) for unique in (False, True))
    assert {*solutions(same, "alignment")} == {CLASH, Grid.from_text("01000/10000/00000/00000/00000")}
    assert len([*solutions(unique, "alignment")]) == 1
    made = NonogramMaker(5, 5, unique=True, picture=CLASH)(random.Random())
    assert made.facts["changed"] == sum(map(str.__ne__, made.facts["picture"], CLASH.text)) > 0
    with pytest.raises(ValueError, match="another size than 5 x 4"):
        generate("nonogram", (5, 4), picture=CLASH)


def test_a_difficulty_that_no_picture_has_is_given_up() -> None:
    with pytest.raises(GaveUp, match="none of 200 pictures has the difficulty search"):
        generate("nonogram", 2, difficulty="search")
    with pytest.raises(GaveUp, match="needs no change for one solution, and its difficulty is line"):
        generate("nonogram", 2, difficulty="search", picture=Grid.from_text("11/11"))


def test_sizes_and_numbers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="1 x 25000001 are more than 25,000,000 cells"):
        generate("lights-out", (1, MAX_CELLS + 1))
    monkeypatch.setattr("crosslit_generate.generate.MAX_CELLS", 6)
    assert generate("lights-out", (2, 3))
    with pytest.raises(ValueError, match="3 x 3 are more than 6 cells"):
        generate("lights-out", 3)
    bounds: Any = {"colours": (0, 32), "density": (-0.001, 1.001), "count": (0,), "difficulty": ("hard",)}
    words = "colours is 1 to 31|density is from 0 to 1|count are at least 1|difficulty is one of line, probe, search"
    for name, values in bounds.items():
        for value in values:
            with pytest.raises(ValueError, match=words):
                generate("coloured-nonogram" if name == "colours" else "nonogram", 2, **{name: value})
    assert NonogramMaker(25, MAX_JUDGED // 25, difficulty="line").difficulty == "line"
    with pytest.raises(ValueError, match="only up to 625 cells"):
        NonogramMaker(2, MAX_JUDGED // 2 + 1, difficulty="line")


@pytest.mark.parametrize("kind", KINDS)
def test_a_size_is_rows_and_then_columns(kind: Any) -> None:
    for size, shape in (((2, 3), (2, 3)), ("2x3", (2, 3)), (2, (2, 2)), ("1x1", (1, 1))):
        puzzles = generate(kind, size, count=2)  # type: ignore[arg-type]
        assert [(puzzle.kind, puzzle.rows, puzzle.columns) for puzzle in puzzles] == [(kind, *shape)] * 2


@pytest.mark.parametrize("size", [(1,), (1, 2, 3), "1x2x3", "x", "1x", "1234567x1", 1.0, (1, 2.0)])
def test_a_size_that_is_no_pair_of_numbers_is_refused(size: object) -> None:
    with pytest.raises(TypeError, match="a size such as 5 or"):
        generate("nonogram", size)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["kind", "count", "seed", *sorted(set.union(*OPTIONS.values()))])
def test_an_argument_of_another_type_is_refused(name: str) -> None:
    for value in ([], "10/01" if name in ("picture", "count") else 2.5 if name != "density" else "0.5"):
        with pytest.raises(TypeError, match=f"^expected {name} as .*, found "):
            generate(**({"kind": "nonogram", "size": 2} | {name: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_each_number_has_a_puzzle_of_its_own_however_many_are_made(kind: Any) -> None:
    many = generate(kind, (4, 5), count=3, seed=1)
    assert many[:2] == generate(kind, (4, 5), count=2, seed=1)
    assert len({puzzle.text for puzzle in (*many, *generate(kind, (4, 5), seed=2))}) == 4


VALUES = {
    "density": 0.5,
    "unique": True,
    "difficulty": "line",
    "picture": Grid.from_text("10101/11100"),
    "colours": 2,
    "solvable": False,
    "states": 4,
    "press": "king",
    "wrap": "torus",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", VALUES)
def test_an_argument_of_another_kind_is_refused(kind: Any, option: str) -> None:
    takers = " and ".join(other for other in KINDS if option in OPTIONS[other])
    refusal = pytest.raises(ValueError, match=f"^{option} is an argument of {takers}, not of {kind}$")
    with nullcontext() if option in OPTIONS[kind] else refusal:
        (puzzle,) = generate(kind, 4 if option == "solvable" else (2, 5), **{option: VALUES[option]})  # type: ignore[arg-type]
        assert puzzle.kind == kind


def test_a_nullity_is_that_of_a_list() -> None:
    cases: Any = [(4, 4, "plus", "none"), (3, 3, "plus", "torus"), (2, 3, "010,110,000", "horizontal")]
    for rows, columns, press, wrap in cases:
        (board,) = generate("lights-out", (rows, columns), press=press, wrap=wrap)
        assert len(solutions_by_rules(board)) == 2 ** nullity(rows, columns, board.pattern, wrap)
    for rows in (0, 10**20):
        with pytest.raises(ValueError, match="a board has 1 to 10,000,000 rows and columns, not"):
            nullity(rows, 1)
