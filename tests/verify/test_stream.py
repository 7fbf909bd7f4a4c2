"""The puzzles that a solver is sent: of the sizes and the class that it takes."""

from __future__ import annotations

import itertools
from itertools import islice
from typing import Any, cast

import pytest
from crosslit_generate import Case, families
from crosslit_generate.exhaustive import is_valid
from crosslit_verify import Function, Settings, Verifier
from crosslit_verify import cases as module
from crosslit_verify.cases import (
    DEFAULT_SIZE,
    MAX_EXHAUSTED,
    TURNS,
    given,
    in_turns,
    probes,
    scattered,
    stream,
    with_large,
)

import crosslit
from crosslit import LightsOut
from crosslit.kinds import find_kind


@pytest.mark.slow
def test_larger_puzzles_take_turns_with_large_families() -> None:
    settings = Settings("lights-out", size="1..4,NxN")
    cases = list(itertools.islice(stream(settings), 2 + 16 + 512 + 400))
    assert [case.exhaustive for case in cases[:800]] == [True, True, True, False] * 200
    assert (MAX_EXHAUSTED, TURNS) == (1000, 3)


def test_valid_puzzles_have_clues_that_fit() -> None:
    cases = itertools.islice(stream(Settings("nonogram", only="valid")), 600)
    assert all(is_valid(case.puzzle) for case in cases)


def test_a_large_family_is_gone_through_entirely() -> None:
    settings = Settings("lights-out", size="1..10")
    family = next(family for family in families("lights-out", max_size=10) if family.size == 1024)
    members = [case for case in itertools.islice(stream(settings), 6000) if case.family == family.name]
    assert len({case.puzzle for case in members}) == len(members) == 1024
    assert [case.last for case in members] == [False] * 1023 + [True]


class Numbered:
    """A family of numbers instead of puzzles."""

    def __init__(self, size: int, letter: str = "f") -> None:
        self.size, self._letter = size, letter

    def cases(self, _only: object, _tick: object = None) -> list[Case]:
        return [Case(cast(Any, number), self._letter, True) for number in range(self.size)]


def test_a_scattered_family_is_gone_through_once_in_steps_of_its_golden_ratio() -> None:
    for size in range(1, 150):
        found = list(scattered(cast(Any, Numbered(size)), None))
        numbers: list[Any] = [case.puzzle for case in found]
        assert sorted(numbers) == list(range(size))
        assert [case.last for case in found] == [False] * (size - 1) + [True]
        steps = {(after - before) % size for before, after in itertools.pairwise(numbers)}
        assert len(steps) <= 1
        assert size < 3 or 0 <= min(steps) - int(0.618034 * size) < 8  # more only to be coprime to the number


@pytest.mark.parametrize(
    ("listed", "is_slow", "expected"),
    [
        ("aaaaaaa", False, "aaaraaararrrr"),
        ("aabbb", False, "aabrbbrrrrr"),
        ("aaaaaaa", True, "aaaraa" + "rrrrrrra" * 2 + "rrrrr"),
        ("aabbb", True, "aabrbb" + "r" * 19),
        ("", False, "rrrrrr"),
    ],
)
def test_families_take_turns_with_random_puzzles(listed: str, is_slow: bool, expected: str) -> None:
    drawn = iter([Case(cast(Any, number), "r", False) for number in range(20)])
    whole = [Case(cast(Any, letter), letter, True) for letter in listed]
    found = itertools.islice(in_turns(whole, drawn, lambda: is_slow), len(expected))
    assert "".join(case.family for case in found) == expected


def test_only_families_beyond_a_size_are_scattered_and_they_come_last() -> None:
    found = [case for case in islice(stream(Settings("lights-out", size="1..10")), 6000) if case.exhaustive]
    sizes = {family.name: family.size for family in families("lights-out", max_size=10)}
    names = [*dict.fromkeys(case.family for case in found)]
    assert [sizes[name] > MAX_EXHAUSTED for name in names] == sorted(sizes[name] > MAX_EXHAUSTED for name in names)
    first = next(case for case in found if sizes[case.family] > MAX_EXHAUSTED)
    second = found[found.index(first) + 1]
    assert second.puzzle.lit.bits - first.puzzle.lit.bits > 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("large", "expected"), [(3, "mmmmmmmLmmmmmmmLmmmmmm"), (1, "mmmmmmmLmmmmmmmmmmmmm"), (0, "m" * 20)]
)
def test_one_random_puzzle_in_eight_is_large_as_long_as_there_are_some(large: int, expected: str) -> None:
    mixed, of_size = (iter([Case(cast(Any, 0), name, False)] * number) for name, number in (("m", 20), ("L", large)))
    assert "".join(case.family for case in with_large(mixed, of_size)) == expected


def test_the_first_puzzles_are_samples_where_none_is_made_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings("lights-out")
    assert probes(settings) == [case.puzzle for case in itertools.islice(stream(settings), 8)]

    def late(_settings: Settings, tick: Any) -> Any:
        for number in range(made):
            yield Case(cast(Any, number), "f", True)
        raise TimeoutError

    monkeypatch.setattr(module, "stream", late)
    made = 2
    assert probes(settings) == [0, 1]
    made = 0
    assert probes(settings) == [*find_kind("lights-out").samples()]


@pytest.mark.parametrize(
    ("settings", "is_large"),
    [
        (Settings("lights-out"), True),
        (Settings("nonogram"), True),
        (Settings("lights-out", only="unsolvable"), False),  # each 10 x 10 board is solvable
        (Settings("lights-out", only="solvable"), True),
        (Settings("lights-out", size="NxN"), True),
        (Settings("lights-out", size="1..9"), False),
        (Settings("lights-out", size="10..30"), True),
        (Settings("lights-out", size="10x3"), False),
    ],
    ids=lambda value: f"{value.kind} {value.size} {value.only}" if isinstance(value, Settings) else "",
)
def test_one_random_puzzle_in_eight_is_large_if_the_settings_allow_it(settings: Settings, is_large: bool) -> None:
    drawn = [case.puzzle for case in islice(stream(settings), 200) if not case.exhaustive][:16]
    assert all((puzzle.rows, puzzle.columns) == (10, 10) for puzzle in drawn[7::8]) == is_large


def test_a_slow_solver_gets_mostly_random_puzzles() -> None:
    first = list(itertools.islice(stream(Settings("nonogram"), is_slow=lambda: True), 85))
    assert [case.exhaustive for case in first] == [True, True, True, False, True] + ([True] + [False] * 7) * 10


def test_puzzles_of_the_user_are_sent_once() -> None:
    puzzles = [crosslit.load(text) for text in ("1", "0", "1")]
    assert [(case.puzzle.text, case.last) for case in given(puzzles, "own puzzles")] == [("1", False), ("0", True)]


LIKE = ["press=king/wrap=torus/11", "1_", "modular-lights-out:2/matrix=100,010,110/110", "coloured-nonogram:1a|1a"]


@pytest.mark.parametrize("text", LIKE)
def test_puzzles_like_one_have_its_rules_and_the_small_ones_come_first(text: str) -> None:
    puzzle = crosslit.load(text)
    settings = Settings(puzzle.kind, like=puzzle)
    found = [*islice(stream(settings), 300)]
    assert all(settings.has(case.puzzle) for case in found)
    assert [case.exhaustive for case in found[:4]] == [True, True, True, False]
    assert max(case.puzzle.columns for case in found) > 3


def test_a_puzzle_of_the_size_of_the_model_is_among_those_like_it() -> None:
    board = crosslit.load(f"modular-lights-out:2/edges=1-15/{'1' * 15}")
    found = islice(stream(Settings(board.kind, like=board)), 60)
    assert any(case.puzzle.columns == 15 and "edges=1-15/" in case.puzzle.text for case in found)


def test_shrunken_puzzles_keep_the_rules_of_the_model() -> None:
    board = crosslit.load("modular-lights-out:2/matrix=100,010,110/110")

    def crashes(puzzle: Any) -> Any:
        raise ValueError(puzzle.text)

    found = Verifier(Settings(board.kind, like=board, cases=3), Function(crashes)).run()
    assert "matrix=" in found.failures[0].puzzle.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "sudoku"}, "kind"),
        ({"claims": "none"}, "claims"),
        ({"only": "nice"}, "only"),
        ({"cases": 0}, "cases"),
        ({"seconds": float("nan")}, "seconds"),
        ({"like": crosslit.load("1|1")}, "like is a lights-out puzzle, not a nonogram"),
        ({"size": "1..0"}, "from 1 to 40"),
        ({"size": "0"}, "from 1 to 40"),
        ({"size": "5x41"}, "from 1 to 40"),
        ({"size": "5x"}, "expected a size such as"),
        ({"size": "3,,4"}, "expected a size such as"),
        ({"size": "5..4"}, "no shape"),
        ({"size": "4x5,NxN"}, "no shape"),
    ],
)
def test_settings_are_checked(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**{"kind": "lights-out", **wrong})


@pytest.mark.parametrize("name", ["cases", "seconds"])
def test_a_limit_is_a_positive_number(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} as a number"):
        Settings("lights-out", **{name: "5"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"{name} is a positive number, not 0"):
        Settings("lights-out", **{name: 0})  # type: ignore[arg-type]
    assert Settings("lights-out", **{name: 0.5}) != Settings("lights-out", **{name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        ("2..3", {(2, 2), (2, 3), (3, 2), (3, 3)}),
        ("2..3,NxN", {(2, 2), (3, 3)}),
        ("2, 3", {(2, 2), (3, 3)}),
        ("5x4", {(5, 4)}),
        ("14x13", {(14, 13)}),
    ],
)
@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_every_puzzle_is_of_the_sizes_asked_for(kind: str, size: str, shapes: set[Any]) -> None:
    asked = islice(stream(Settings(kind, size=size)), 20 if len(shapes) == 1 else 150)
    assert {(case.puzzle.rows, case.puzzle.columns) for case in asked} == shapes


def test_related_and_shrunken_puzzles_are_of_these_sizes_too() -> None:
    asked = []

    def wrong(board: LightsOut) -> Any:
        return [[0] * board.columns] * board.rows if board.lit.count() > 3 else crosslit.solve(board)

    class Noting(Function):
        def ask(self, puzzle: Any, meanwhile: Any = lambda: None) -> Any:
            asked.append((puzzle.rows, puzzle.columns))
            return super().ask(puzzle, meanwhile)

    found = Verifier(Settings("lights-out", size="3x4", cases=40), Noting(wrong)).run()
    assert set(asked) == {(3, 4)}
    assert found.failures[0].puzzle.lit.count() == 4


@pytest.mark.parametrize(
    ("size", "longest"),
    [("", DEFAULT_SIZE), (f"{DEFAULT_SIZE + 3}..", DEFAULT_SIZE + 3), ("2..", DEFAULT_SIZE), ("2..4", 4), ("5x3", 5)],
)
def test_the_longest_side_is_that_of_the_sizes_or_else_the_usual_one(size: str, longest: int) -> None:
    assert Settings("nonogram", size=size).longest == longest
