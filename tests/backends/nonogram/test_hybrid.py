"""`hybrid`: all solutions of small puzzles by the SAT solvers too, their turns, options and stats."""

from __future__ import annotations

import random
from array import array
from collections.abc import Generator
from functools import cache
from itertools import cycle, islice
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import hybrid
from crosslit_backends.nonogram.hybrid import Engines, Residue
from crosslit_backends.nonogram.kernel import KernelSearch

from crosslit import Nonogram
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.registry import all_backends
from tests.backends.nonogram.puzzles import KERNEL, random_puzzle, search, shuffled, small_puzzles
from tests.conftest import pictures_by_clues


@pytest.fixture(params=["kernel=no", "kernel", "SAT at once", "SAT after a while", "every turn"])
def spec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The backend with different settings, because small puzzles would rarely reach the SAT solvers."""
    way = str(request.param)
    if way == "kernel=no":
        return "hybrid:kernel=no"
    if compiled.missing():
        pytest.skip(f"no compiled kernel: {compiled.missing()}")
    if way != "kernel":
        monkeypatch.setattr(hybrid, "FEW", 0)
        monkeypatch.setattr(hybrid, "WORK", 2 if way == "SAT after a while" else 0)
    if way == "every turn":
        pauses, solve = cycle([True, True, False]), Engines.solve

        def solve_or_pause(self: Engines) -> bool | None:
            if self._budget and next(pauses):
                self._take_turn()
                return None
            return solve(self)

        monkeypatch.setattr(Engines, "solve", solve_or_pause)
    return "hybrid"


def test_all_puzzles_of_3_by_3(spec: str) -> None:
    for puzzle, grids in pictures_by_clues(3, 3).items():
        found, stats = search(spec, puzzle)
        assert sorted(found) == sorted(grid.text for grid in grids), puzzle.text
        assert (stats["difficulty"] == "search") == (stats["open_cells"] != 0)


@cache
def beyond_line_solving() -> list[Nonogram]:
    """The pairs of clues of 4 x 4 with one solution that need more than line solving."""
    unique = [puzzle for puzzle, grids in pictures_by_clues(4, 4).items() if len(grids) == 1]
    return [puzzle for puzzle in unique if search("line", puzzle)[1]["difficulty"] != "line"]


@pytest.mark.slow
def test_4_by_4_puzzles_that_line_solving_does_not_decide(spec: str) -> None:
    truth, hard = pictures_by_clues(4, 4), beyond_line_solving()
    assert len(hard) == 1128
    for puzzle in hard + [puzzle for puzzle, grids in truth.items() if len(grids) > 1][::25]:
        assert sorted(search(spec, puzzle)[0]) == sorted(grid.text for grid in truth[puzzle]), puzzle.text


def test_larger_puzzles_with_and_without_a_solution(spec: str) -> None:
    for puzzle in small_puzzles(11, 100, 8):
        expected = search("line", puzzle)[0]
        for limit in (None, 1, 2):
            found, _ = search(spec, puzzle, limit)
            assert len(found) == len(expected[:limit]), puzzle.text
            assert set(found) <= set(expected), puzzle.text


PERMUTATIONS = [Nonogram([[1]] * 5, [[1]] * 5), ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2)]


@KERNEL
@pytest.mark.parametrize("max_seen", [0, 1 << 16])
@pytest.mark.parametrize("work", [1, 300, 10**9])
def test_turns_lose_and_repeat_no_solution(work: int, max_seen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """SAT ends in its first turn, the kernel in its second, or SAT with what neither has searched."""
    for name, value in (("FEW", 0), ("WORK", 0), ("MAX_SEEN", max_seen), ("BLOCKED", 3)):
        monkeypatch.setattr(hybrid, name, value)
    ends, turn, solve = set[str](), hybrid.searched, Engines.solve
    pauses = cycle([True, False, False])  # a turn ends after one or two answers

    def searched(kernel: KernelSearch, _: int, known: set[bytes] | None = None) -> Generator[bytes, None, bool]:
        done = yield from turn(kernel, work, known or frozenset())
        ends.update({"kernel"} if done else ())
        return done

    def solve_or_pause(self: Engines) -> bool | None:
        if self._budget == hybrid.TURN and next(pauses):
            self._take_turn()
            return None
        found = solve(self)
        ends.update({"sat"} if found is False else ())
        return found

    monkeypatch.setattr(hybrid, "searched", searched)
    monkeypatch.setattr(Engines, "solve", solve_or_pause)
    rng = random.Random(15)
    some = [random_puzzle(rng, size, size, colours, 0.5) for size in (5, 6, 7) for colours in (0, 1, 2, 3)]
    for puzzle in (*some, *(shuffled(rng, puzzle) for puzzle in some), *PERMUTATIONS):
        assert sorted(search("hybrid", puzzle)[0]) == sorted(search("line", puzzle)[0]), puzzle.text
    assert ("kernel" in ends, "sat" in ends) == (work > 1, work < 10**9 or not max_seen)


def test_an_engine_that_finds_a_solution_in_a_long_turn_goes_on_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid, "TURN", 1)
    turns = [*islice(hybrid._turns(None), 5)]
    assert turns == [
        ("glucose4", 1),
        ("glucose4", 20_000),
        ("cadical195", 30_000),
        ("glucose4", 40_000),
        ("cadical195", 60_000),
    ]
    assert [*hybrid._turns("cadical195")] == [("cadical195", 1), ("cadical195", 0)]
    assert [*hybrid._turns("lingeling")] == [("lingeling", 0)]


@pytest.mark.parametrize(("colour", "clauses"), [(1, [[-1]]), (0, [])], ids=["right", "wrong"])
def test_what_was_searched_under_a_known_colour_is_excluded_if_that_is_right(
    colour: int, clauses: list[list[int]]
) -> None:
    """The search has excluded the middle cell together with a colour of the first one, which is known to be filled."""
    searched: Any = SimpleNamespace(decisions=lambda: [(0, colour, True), (4, 1, False)])
    masks = array("I", [2, 1, 1, 1, 3, 3, 1, 3, 3])
    assert [*Residue(Nonogram([[1]] * 3, [[1]] * 3), masks, searched).searched()] == clauses


def test_every_engine() -> None:
    puzzles = [read("1,1,1,1|1,1,1,1"), read("coloured-nonogram:1a 1b,1a 1b|1a,1a,1b,1b"), *small_puzzles(12, 12, 5)]
    choices = all_backends()["hybrid"].options["engine"].choices
    assert "kissat404" not in choices
    assert set(choices) < set(all_backends())
    for engine in choices:
        for puzzle in puzzles:
            assert isinstance(puzzle, Nonogram)
            found, _ = search(f"hybrid:engine={engine}:kernel=no", puzzle)
            assert sorted(found) == sorted(search("line", puzzle)[0]), engine


@pytest.mark.parametrize(
    ("puzzle", "difficulty"),
    [("2,1|1,2", "line"), ("1,2|2", "line"), ("1 1,2,0,0|1,1,1,1", "probe"), ("1,1|1,1", "search")],
)
def test_how_difficult_a_puzzle_is(puzzle: str, difficulty: str) -> None:
    _, stats = search("hybrid", read(puzzle))  # type: ignore[arg-type]
    assert stats["difficulty"] == difficulty
    assert (stats["open_cells"] == 0) == (difficulty != "search")


def test_sums_that_differ_are_all_it_takes() -> None:
    found, stats = search("hybrid", Nonogram([[1]] * 21, [[1]] * 20))
    assert not found
    assert (stats["lines"], stats["refuted_by"]) == (0, "the sums of row and column clues differ")
    assert (stats["difficulty"], stats["clauses"]) == ("line", 0)


def test_the_stats_are_deterministic() -> None:
    rng = random.Random(13)
    for colours in (0, 0, 0, 2, 2):
        puzzle = random_puzzle(rng, 12, 12, colours, 0.4)
        first, second = search("hybrid", puzzle, 20), search("hybrid", puzzle, 20)
        assert first == second
        assert {"lines", "probes", "open_cells", "variables", "clauses", "conflicts", "difficulty"} <= first[1].keys()


@pytest.mark.slow
def test_many_solutions() -> None:
    assert len(search("hybrid", Nonogram([[1]] * 6, [[1]] * 6))[0]) == 720
    assert len(search("hybrid", Nonogram([[1]] * 40, [[1]] * 40), 500)[0]) == 500
