"""`hybrid` and `coloured-hybrid`: all solutions of small puzzles by the SAT solver too, options, stats, symmetries."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import hybrid, residue
from crosslit_backends.nonogram.probing import Alternation, symmetries

from crosslit import Grid, Nonogram
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.making import random_picture
from crosslit.registry import Choice, all_backends, select_one
from crosslit.runs.job import drive
from tests.conftest import pictures_by_clues, random_grid, random_nonogram
from tests.driving import solve_inline


@functools.cache  # choosing takes longer than solving a small puzzle
def chosen(spec: str, kind: str) -> Choice:
    """The choice of a spec for a kind of nonograms."""
    if kind == "nonogram":
        return select_one(spec, Nonogram([[1]], [[1]]))
    return select_one(f"coloured-{spec}", ColouredNonogram([[(1, 1)]], [[(1, 1)]]))


def run(puzzle: Nonogram, spec: str = "hybrid", want: int | None = None) -> tuple[list[Grid], dict[str, object]]:
    """The solutions of a spec, and its stats."""
    choice = chosen(spec, puzzle.kind)
    task = Task(max_solutions_hint=want, options=choice.options)
    solutions = drive(choice.backend, puzzle, task)
    found = [grid for _, grid in zip(range(want), solutions, strict=False)] if want else list(solutions)
    solutions.close()
    return found, dict(task.stats)


@pytest.fixture(params=["kernel=no", "no probing", "much probing", "kernel", "SAT at once", "SAT after a while"])
def spec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The backend with different settings, because small puzzles would rarely reach the SAT solver."""
    way = str(request.param)
    if way in ("kernel", "SAT at once", "SAT after a while"):
        if compiled.missing():
            pytest.skip(f"no compiled kernel: {compiled.missing()}")
        if way != "kernel":
            monkeypatch.setattr(residue, "FIRST_WORK", 30 if way == "SAT after a while" else 0)
            monkeypatch.setattr(residue, "WORK", 0)
            monkeypatch.setattr(residue, "FEW", 0)
        return "hybrid"
    if way != "kernel=no":
        monkeypatch.setattr(hybrid, "IN_ADVANCE", 0 if way == "no probing" else 10**9)
    if way == "no probing":
        monkeypatch.setattr(hybrid, "PER_SETTLED_CELL", 0)
    return "hybrid:kernel=no"


def test_all_puzzles_of_3_by_3(spec: str) -> None:
    for puzzle, grids in pictures_by_clues(3, 3).items():
        found, stats = run(puzzle, spec)
        assert len(found) == len(grids)
        assert set(found) == grids, puzzle.text
        assert (stats["difficulty"] == "search") == (stats["open_cells"] != 0)


@functools.cache
def beyond_line_solving() -> list[Nonogram]:
    """The pairs of clues of 4 x 4 with one solution that need more than line solving."""
    unique = [puzzle for puzzle, grids in pictures_by_clues(4, 4).items() if len(grids) == 1]
    return [puzzle for puzzle in unique if run(puzzle, "line")[1]["difficulty"] != "line"]


@pytest.mark.slow
def test_4_by_4_puzzles_that_line_solving_does_not_decide(spec: str) -> None:
    truth, hard = pictures_by_clues(4, 4), beyond_line_solving()
    assert len(hard) == 1128
    searched = 0
    for puzzle in hard + [puzzle for puzzle, grids in truth.items() if len(grids) > 1][::25]:
        found, stats = run(puzzle, spec)
        assert len(found) == len(truth[puzzle])
        assert set(found) == truth[puzzle], puzzle.text
        searched += stats["difficulty"] == "search"
    assert searched > 100


def of_several_colours(rng: random.Random, rows: int, columns: int) -> ColouredNonogram:
    """A random puzzle of 1 to 3 colours, dense enough for few solutions."""
    return random_picture(rng, rows, columns, rng.randint(1, 3), 0.8)


@pytest.mark.parametrize(("line", "make"), [("line", random_nonogram), ("coloured-line", of_several_colours)])
def test_larger_puzzles_with_and_without_a_solution(
    spec: str, line: str, make: Callable[[random.Random, int, int], Nonogram]
) -> None:
    rng = random.Random(11)
    for _ in range(40):
        rows, columns = rng.choice([(5, 6), (6, 5), (7, 7), (4, 9)])
        puzzle = make(rng, rows, columns)
        columns_of_another = rng.sample(puzzle.column_clues, columns)
        for one in (puzzle, type(puzzle)(puzzle.row_clues, columns_of_another)):
            expected = solve_inline(line, one)
            for want in (None, 1, 2):
                found, _ = run(one, spec, want)
                assert len(found) == len(expected[:want])
                assert set(found) <= set(expected), one.text


@pytest.mark.parametrize(
    ("value", "left"), [(True, ["100/001/010"]), (False, ["100/010/001", "100/001/010"])], ids=["right", "wrong"]
)
def test_what_was_searched_under_a_settled_value_is_not_searched_again(value: bool, left: list[str]) -> None:
    """The search has excluded the middle cell together with a value of the first one, which is settled as filled."""
    puzzle = Nonogram([[1]] * 3, [[1]] * 3)
    known = residue.Known(puzzle, [0b001, 0, 0], [0b110, 0b001, 0b001])
    task = Task()
    task.stats.update(open_cells=0, variables=0, clauses=0, conflicts=0)
    part = residue.Residue(known, range(3), task, whole=False)
    found = [Grid.from_bits(3, 3, bits).text() for bits in part._by_sat([[(0, value), (4, True)]])]
    part.free()
    assert sorted(found) == sorted(left)


def test_pauses_lose_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while solutions are excluded one by one, nor while the solver branches."""
    search, rests = Alternation._search, cycle([True, False])
    every_second = lambda self, literals, budget: None if budget and next(rests) else search(self, literals, None)  # noqa: E731
    monkeypatch.setattr(Alternation, "_search", every_second)
    monkeypatch.setattr(residue, "BLOCKED", 3)
    puzzle = Nonogram([[1]] * 5, [[1]] * 5)
    task = Task()
    task.stats.update(open_cells=0, variables=0, clauses=0, conflicts=0)
    part = residue.Residue(residue.Known(puzzle, [0] * 5, [0] * 5), range(5), task, whole=False)
    found = list(part._by_sat([], piece=1))
    part.free()
    assert found.count(None) > 3
    assert len({*found} - {None}) == 120


def test_every_engine() -> None:
    rng = random.Random(12)
    puzzles = [read("1,1,1,1|1,1,1,1"), *(random_nonogram(rng, 5, 5) for _ in range(4))]
    choices = all_backends()["hybrid"].options["engine"].choices
    assert "kissat404" not in choices
    assert set(choices) < set(all_backends())
    for engine in choices:
        for puzzle in puzzles:
            assert set(run(puzzle, f"hybrid:engine={engine}:kernel=no")[0]) == set(solve_inline("line", puzzle)), engine


def test_sums_that_differ_are_all_it_takes() -> None:
    found, stats = run(read(",".join(["1"] * 21) + "|" + ",".join(["1"] * 20)))
    assert not found
    assert (stats["lines"], stats["refuted_by"]) == (0, "the sums of row and column clues differ")
    assert (stats["difficulty"], stats["clauses"]) == ("line", 0)


@pytest.mark.parametrize(
    ("puzzle", "difficulty"),
    [("2,1|1,2", "line"), ("1,2|2", "line"), ("1 1,2,0,0|1,1,1,1", "probe"), ("1,1|1,1", "search")],
)
def test_how_difficult_a_puzzle_is(puzzle: str, difficulty: str) -> None:
    _, stats = run(read(puzzle))
    assert stats["difficulty"] == difficulty
    assert (stats["open_cells"] == 0) == (difficulty != "search")


def test_the_stats_are_deterministic() -> None:
    rng = random.Random(13)
    for _ in range(5):
        puzzle = Nonogram.of(random_grid(rng, 12, 12, 0.4))
        first, second = run(puzzle, want=20), run(puzzle, want=20)
        assert first == second
        assert {"lines", "probes", "open_cells", "variables", "clauses", "conflicts", "difficulty"} <= first[1].keys()


@pytest.mark.slow
def test_many_solutions() -> None:
    found, _ = run(Nonogram([[1]] * 6, [[1]] * 6))
    assert len(set(found)) == len(found) == 720
    assert len(set(run(Nonogram([[1]] * 40, [[1]] * 40), want=500)[0])) == 500


@pytest.mark.parametrize("puzzle", ["1 2,2 1,1,1,1|1,2 1,1,1 1,2", "1,1 2,1,1,2 1,1|1 1,1,2,1,1 2,1"])
def test_puzzles_that_fall_into_parts(puzzle: str, spec: str) -> None:
    found, _ = run(read(puzzle), spec)
    assert len(found) == 9
    assert set(found) == set(solve_inline("alignment", read(puzzle)))


def symmetric_grids(rng: random.Random) -> Iterator[Grid]:
    """Grids of 6 x 6 that look the same in a mirror, upside down, or turned, some with an empty border."""
    for _ in range(12):
        half = random_grid(rng, 6, 3).lines()
        mirrored = Grid.from_text("/".join(line + line[::-1] for line in half))
        yield mirrored
        yield mirrored.transposed()
        lines = random_grid(rng, 3, 6).lines()
        turned = lines + [line[::-1] for line in reversed(lines)]
        yield Grid.from_text("/".join(turned))
        yield Grid.from_text("/".join(["0000000"] + ["0" + line for line in turned]))


def test_symmetries_map_solutions_to_solutions() -> None:
    for grid in symmetric_grids(random.Random(14)):
        puzzle = Nonogram.of(grid)
        maps = list(symmetries(puzzle))
        assert maps
        for solution in solve_inline("line", puzzle):
            for image in maps:
                turned = [[False] * puzzle.columns for _ in range(puzzle.rows)]
                for cell in solution.cells():
                    row, column = image(cell)
                    turned[row][column] = True
                assert not list(puzzle.violations(Grid.from_cells(turned))), puzzle.text


def test_puzzles_with_symmetries_lose_no_solution(spec: str) -> None:
    for grid in symmetric_grids(random.Random(15)):
        puzzle = Nonogram.of(grid)
        found, expected = run(puzzle, spec)[0], solve_inline("line", puzzle)
        assert len(found) == len(expected)
        assert set(found) == set(expected), puzzle.text


def test_which_symmetries_there_are() -> None:
    def images(text: str, cell: tuple[int, int]) -> list[tuple[int, int]]:
        return [image(cell) for image in symmetries(read(text))]

    assert images("2,1|2,1", (0, 1)) == [(1, 0)]  # the diagonal
    assert images("1,2|2,1", (0, 0)) == [(1, 1)]  # the other one
    assert images("1,0|1,0,0", (0, 0)) == [(0, 0)] * 7  # a single cell in a corner
    assert images("1,1 1,3|1 1,1,2", (1, 0)) == []


@pytest.mark.slow
def test_knotty(real_puzzles: Path) -> None:
    puzzle = read(str(real_puzzles / "survey-redistributable" / "knotty.non"))
    assert isinstance(puzzle, Nonogram)
    found, stats = run(puzzle, want=2)
    assert len(set(found)) == 2
    assert not [violation for grid in found for violation in puzzle.violations(grid)]
    assert stats["difficulty"] == "search"


def test_symmetric_solutions_come_first_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Branching knows no symmetry, so it must not begin before all symmetric solutions are found."""
    monkeypatch.setattr(residue, "BLOCKED", 1)
    puzzle = read("1,1,1,1,2|1,1,1,1,2")  # a mirror along the diagonal is its only symmetry
    (mirrored,) = symmetries(puzzle)
    found, _ = run(puzzle, "hybrid:kernel=no")
    symmetric = [set(map(mirrored, grid.cells())) == set(grid.cells()) for grid in found]
    assert symmetric == sorted(symmetric, reverse=True)
    assert 1 < sum(symmetric) < len(found) - 1
