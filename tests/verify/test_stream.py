"""The puzzles that a solver is sent: of the sizes and the class that it takes."""

from __future__ import annotations

import itertools
from itertools import islice
from types import SimpleNamespace
from typing import Any, cast

import pytest
from crosslit_generate import Case, families
from crosslit_generate.exhaustive import is_valid
from crosslit_verify import Function, Settings, Verifier
from crosslit_verify import stream as stream_module
from crosslit_verify.settings import DEFAULT_SIZE
from crosslit_verify.stream import MAX_EXHAUSTED, TURNS, _scattered, _turns, _with_large, probes, stream

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
        found = list(_scattered(cast(Any, Numbered(size)), None, lambda: None))
        numbers: list[Any] = [case.puzzle for case in found]
        assert sorted(numbers) == list(range(size))
        assert [case.last for case in found] == [False] * (size - 1) + [True]
        steps = {(after - before) % size for before, after in itertools.pairwise(numbers)}
        assert len(steps) <= 1
        assert size < 3 or 0 <= min(steps) - int(0.618034 * size) < 8  # more only to be coprime to the number


@pytest.mark.parametrize(
    ("sizes", "varied", "expected"),
    [
        ({"a": 7}, False, "aaaraaararrrr"),
        ({"a": 2, "b": 3}, False, "aabrbbrrrrr"),
        ({"a": 7}, True, "aaaraa" + "rrrrrrra" * 2 + "rrrrr"),
        ({"a": 2, "b": 3}, True, "aabrbb" + "r" * 19),
        ({}, False, "rrrrrr"),
    ],
)
def test_families_take_turns_with_random_puzzles(sizes: dict[str, int], varied: bool, expected: str) -> None:
    drawn = iter([Case(cast(Any, number), "r", False) for number in range(20)])
    whole: list[Any] = [Numbered(size, letter) for letter, size in sizes.items()]
    found = itertools.islice(_turns(whole, None, drawn, lambda: None, varied), len(expected))
    assert "".join(case.family for case in found) == expected


def test_only_families_beyond_a_size_are_scattered_and_they_come_last() -> None:
    whole: list[Any] = [Numbered(MAX_EXHAUSTED + 1, "large"), Numbered(MAX_EXHAUSTED, "small")]
    found = list(_turns(whole, None, iter(()), lambda: None, False))
    assert [case.family for case in found] == ["small"] * MAX_EXHAUSTED + ["large"] * (MAX_EXHAUSTED + 1)
    numbers: list[Any] = [case.puzzle for case in found]
    assert numbers[:MAX_EXHAUSTED] == list(range(MAX_EXHAUSTED))
    assert numbers[MAX_EXHAUSTED + 1] > 1


@pytest.mark.parametrize(
    ("large", "expected"), [(3, "mmmmmmmLmmmmmmmLmmmmmm"), (1, "mmmmmmmLmmmmmmmmmmmmm"), (0, "m" * 20)]
)
def test_one_random_puzzle_in_eight_is_large_as_long_as_there_are_some(large: int, expected: str) -> None:
    mixed, of_size = (iter([Case(cast(Any, 0), name, False)] * number) for name, number in (("m", 20), ("L", large)))
    assert "".join(case.family for case in _with_large(mixed, of_size)) == expected


def test_the_first_puzzles_are_samples_where_none_is_made_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings("lights-out")
    assert [puzzle.text for puzzle in probes(settings)] == [
        case.puzzle.text for case in itertools.islice(stream(settings), stream_module._MAX_PROBES)
    ]
    assert len(probes(settings)) == stream_module._MAX_PROBES

    def late(_settings: Settings, tick: Any) -> Any:
        for number in range(made):
            yield Case(cast(Any, number), "f", True)
        raise TimeoutError

    monkeypatch.setattr(stream_module, "stream", late)
    made = 2
    assert probes(settings) == [0, 1]
    made = 0
    assert probes(settings) == [*find_kind("lights-out").samples()]


@pytest.mark.parametrize(
    ("settings", "longest", "shapes", "is_large", "whole"),
    [
        (Settings("lights-out"), None, (), True, ["2x2", "10x3"]),
        (Settings("nonogram"), None, (), True, ["2x2", "10x3"]),
        (Settings("lights-out", only="unsolvable"), None, (), False, ["2x2", "10x3"]),  # each 10 x 10 board is solvable
        (Settings("lights-out", only="solvable"), None, (), True, ["2x2", "10x3"]),
        (Settings("nonogram", only="unsolvable"), None, (), True, ["2x2", "10x3"]),
        (Settings("lights-out", size="NxN"), None, (), True, ["2x2", "10x3"]),
        (Settings("lights-out", size="1..9"), 9, (), False, ["2x2", "10x3"]),
        (Settings("lights-out", size="10..30"), 30, None, True, []),
        (Settings("lights-out", size="10x3"), 10, ((10, 3),), False, ["10x3"]),
    ],
    ids=lambda value: f"{value.kind} {value.size} {value.only}" if isinstance(value, Settings) else "",
)
def test_random_puzzles_and_families_have_the_sizes_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    longest: int | None,
    shapes: Any,
    is_large: bool,
    whole: list[str],
) -> None:
    drawn: list[dict[str, Any]] = []
    asked: list[Any] = []

    def tick() -> None: ...

    def cases(*given: Any, **options: Any) -> Any:
        drawn.append(options | {"given": given})
        return iter(())

    def families(*given: Any, **options: Any) -> list[Any]:
        asked.append((given, options))
        return [SimpleNamespace(rows=2, columns=2, name="2x2"), SimpleNamespace(rows=10, columns=3, name="10x3")]

    monkeypatch.setattr(stream_module, "cases", cases)
    monkeypatch.setattr(stream_module, "families", families)
    monkeypatch.setattr(stream_module, "_turns", lambda *given: given)
    found, only, _, ticked, varied = cast(Any, stream(settings, tick))
    assert [family.name for family in found] == whole
    assert (only, ticked, varied) == (settings.only, tick, settings.varied)
    sizes = {"square": settings.sizes.square, "only": settings.only}
    assert asked == [((settings.kind,), {**sizes, "max_size": settings.sizes.max_size})]
    same = {"given": (settings.kind, settings.seed), **sizes, "exhaustive": False, "tick": tick, "max_size": longest}
    expected = [{**same, "shapes": settings.allowed_shapes if shapes is None else shapes}]
    expected += [{**same, "shapes": ((10, 10),), "max_idle": stream_module._MAX_LARGE_IDLE}] * is_large
    assert drawn == expected


def test_varied_puzzles_are_mostly_random() -> None:
    first = list(itertools.islice(stream(Settings("nonogram", varied=True)), 85))
    assert [case.exhaustive for case in first] == [True, True, True, False, True] + ([True] + [False] * 7) * 10


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "sudoku"}, "kind"),
        ({"claims": "none"}, "claims"),
        ({"only": "nice"}, "only"),
        ({"cases": 0}, "cases"),
        ({"seconds": float("nan")}, "seconds"),
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
