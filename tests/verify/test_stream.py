"""The puzzles that a solver is sent: of the sizes and the class that it takes, as stored in ``streams.txt``."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from crosslit_generate.cases import families
from crosslit_verify.cases import MAX_EXHAUSTED, Settings, stream

from crosslit import load
from crosslit.kinds import all_kinds
from tests.stored import check

from .scripted import crashes, verified

HERE = Path(__file__).parent


def digest(*parts: object) -> str:
    """Eight digits that stand for what is too long to be stored."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:8]


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("lights-out", {}),
    ("lights-out", {"seed": 1}),
    ("lights-out", {"size": "3..5,NxN", "only": "solvable"}),
    ("lights-out", {"only": "unsolvable"}),
    ("lights-out", {"size": "..1"}),
    ("modular-lights-out", {}),
    ("nonogram", {}),
    ("nonogram", {"only": "valid", "size": "1..3"}),
    ("nonogram", {"only": "unique", "size": "NxN"}),
    ("nonogram", {"size": "10", "only": "solvable"}),
    ("coloured-nonogram", {}),
    ("lights-out", {"like": "press=king/wrap=torus/1_"}),
    ("modular-lights-out", {"like": "modular-lights-out:3/edges=1-2,2-3/012"}),
]


@pytest.mark.parametrize(("kind", "given"), SETTINGS)
def test_settings_mean_the_same_puzzles_for_ever(kind: str, given: dict[str, Any]) -> None:
    like = {"like": load(given["like"])} if "like" in given else {}
    settings = Settings(kind, **given | like)
    found = list(islice(stream(settings), 40))
    lines = [f"{all_kinds()[kind].member}s, up to {settings.longest}, {len(settings.allowed_shapes)} shapes"]
    numbers = Counter(case.family for case in found)
    lines += [", ".join(f"{name} {number}" for name, number in numbers.items())]
    lines += [f"{case.family}: {case.puzzle.text[:80]}" for case in found[2:6]]
    solutions = (None if case.solutions is None else sorted(grid.text for grid in case.solutions) for case in found)
    parts = ((case.family, case.puzzle.text, case.last, known) for case, known in zip(found, solutions, strict=True))
    check(HERE / "streams.txt", f"{kind} {given}", "\n".join([*lines, digest(*parts)]))


def test_large_families_are_shuffled_and_come_last_and_completely() -> None:
    found = [*islice(stream(Settings("lights-out", size="1..10")), 6000)]
    assert [case.exhaustive for case in found[:800]] == [True, True, True, False] * 200
    sizes = {family.name: family.size for family in families("lights-out", max_size=10)}
    names = [*dict.fromkeys(case.family for case in found if case.exhaustive)]
    assert [sizes[name] > MAX_EXHAUSTED for name in names] == sorted(sizes[name] > MAX_EXHAUSTED for name in names)
    large = next(name for name in names if sizes[name] == 1024)
    members: Any = [case for case in found if case.family == large]
    assert len({case.puzzle for case in members}) == len(members) == 1024
    assert [case.last for case in members] == [False] * 1023 + [True]
    neighbours = sum(abs(after.puzzle.lit.bits - before.puzzle.lit.bits) == 1 for before, after in pairwise(members))
    assert neighbours < 20


# each 10 x 10 board is solvable
@pytest.mark.parametrize(
    ("given", "is_large"), [({}, True), ({"only": "unsolvable"}, False), ({"size": "1..9"}, False)]
)
def test_one_random_puzzle_in_eight_is_10_x_10(given: dict[str, Any], is_large: bool) -> None:
    drawn = [case.puzzle for case in islice(stream(Settings("lights-out", **given)), 100) if not case.exhaustive]
    assert all((puzzle.rows, puzzle.columns) == (10, 10) for puzzle in drawn[7::8]) == is_large


def test_a_puzzle_of_the_size_of_the_model_is_among_those_like_it() -> None:
    board = load(f"modular-lights-out:2/edges=1-15/{'1' * 15}")
    found = islice(stream(Settings(board.kind, like=board)), 60)
    assert any(case.puzzle.columns == 15 and "edges=1-15/" in case.puzzle.text for case in found)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "sudoku"}, "kind"),
        ({"kind": [1]}, "expected kind as a text, found list"),
        ({"size": 5}, "expected size as a text, found int 5"),
        ({"seed": None}, "expected seed as a whole number, found NoneType"),
        ({"kind": "nonogram", "claims": "fewest"}, "only lights-out boards have fewest presses"),
        ({"cases": 0}, r"cases is a positive number of at most 1e\+09, not 0"),
        ({"seconds": 10**400}, r"seconds is a positive number of at most 1e\+09, not 1000"),
        ({"size": "1..0"}, "from 1 to 40"),
        ({"size": "5x"}, "expected a size such as"),
        ({"size": "5..4"}, "no shape"),
        ({"size": "4x5,NxN"}, "no shape"),
    ],
)
def test_settings_are_checked(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Settings(**{"kind": "lights-out", **wrong})


def test_shrunken_puzzles_are_of_these_sizes_too() -> None:
    found, subject = verified(lambda _, board: crashes(board), size="2x3", cases=40)
    assert {(puzzle.rows, puzzle.columns) for puzzle in subject.asked} == {(2, 3)}
    assert found.failures[0].puzzle.text == "000/000"


def test_shrunken_puzzles_have_the_rules_of_the_model_too() -> None:
    like = load("modular-lights-out:3/wrap=klein/12")
    found, subject = verified(lambda *_: crashes(load("000/000")), kind=like.kind, like=like, cases=40)
    assert {board.text.rpartition("/")[0] for board in subject.asked} == {"modular-lights-out:3/wrap=klein"}
    assert found.failures[0].minimal
