"""The complete line solver and extreme alignment on single lines, against all arrangements; the search's counters."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram.alignment import align
from crosslit_backends.nonogram.line import Search
from crosslit_backends.nonogram.lines import Counts, Lines, solve_line

from benchmarks.lines import arrangements, blocks, survey
from crosslit import Grid, Nonogram
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.registry import select_one
from tests.conftest import random_grid, random_nonogram
from tests.driving import solve_inline

Settled = tuple[int, int] | None


def partial_lines(length: int) -> Iterator[tuple[int, int]]:
    """All 3^length ways to know cells: (filled, empty)."""
    every = (1 << length) - 1
    for filled in range(1 << length):
        empty = rest = every & ~filled
        yield filled, empty
        while empty:
            empty = (empty - 1) & rest
            yield filled, empty


def common(cells: list[int], length: int, filled: int, empty: int) -> Settled:
    """The cells common to all arrangements that fit the known cells; None if there is none."""
    always, ever, fits = (1 << length) - 1, 0, False
    for arrangement in cells:
        if not (filled & ~arrangement or empty & arrangement):
            always &= arrangement
            ever |= arrangement
            fits = True
    return (always, (1 << length) - 1 & ~ever) if fits else None


def by_dynamic_programme(clue: Clue, length: int, filled: int, empty: int) -> Settled:
    """The common cells of all arrangements, cell by cell and block by block: slow, plain, and unlike the solver."""

    @cache
    def fits(cell: int, block: int) -> bool:
        """Return whether the blocks from ``block`` on fit into the cells from ``cell`` on; mark the cells they use."""
        if cell >= length:
            return block == len(clue)
        possible = False
        if not filled >> cell & 1 and fits(cell + 1, block):
            may_be_empty.add(cell)
            possible = True
        if block < len(clue):
            end = cell + clue[block]
            body = range(cell, end)
            free = end <= length and not any(empty >> c & 1 for c in body) and not filled >> end & 1
            if free and fits(end + 1, block + 1):
                may_be_filled.update(body)
                may_be_empty.add(end)
                possible = True
        return possible

    may_be_filled: set[int] = set()
    may_be_empty: set[int] = set()
    # only states reachable from the start are visited, so every mark belongs to a complete arrangement
    if not fits(0, 0):
        return None
    return (
        sum(1 << cell for cell in range(length) if cell not in may_be_empty),
        sum(1 << cell for cell in range(length) if cell not in may_be_filled),
    )


# number of cells common to all arrangements beyond the known ones, over every clue and partial line; number of these
# that extreme alignment finds
FORCED = {1: (2, 2), 2: (12, 12), 3: (66, 66), 4: (336, 336), 5: (1583, 1579), 6: (7230, 7204), 7: (32039, 31888)}


@pytest.mark.parametrize("length", FORCED)
def test_every_partial_line_of_every_clue(length: int) -> None:
    states, forced, aligned = survey(length)
    assert states == 3**length * len(arrangements(length))
    assert (forced, aligned) == FORCED[length]


def known_of(rng: random.Random, cells: int, length: int) -> tuple[int, int]:
    """Some cells of a line, now and then with one that is wrong."""
    known = rng.getrandbits(length) & (rng.getrandbits(length) | rng.getrandbits(length))
    if rng.random() < 0.3:
        cells ^= 1 << rng.randrange(length)
    return known & cells, known & ~cells


def test_the_dynamic_programme_of_these_tests() -> None:
    for length in range(1, 5):
        for clue, cells in arrangements(length).items():
            for filled, empty in partial_lines(length):
                assert by_dynamic_programme(clue, length, filled, empty) == common(cells, length, filled, empty)


@pytest.mark.parametrize("lengths", [(7, 12), (30, 60)])
def test_longer_lines(lengths: tuple[int, int]) -> None:
    rng = random.Random(8)
    contradictions = 0
    for _ in range(1000):
        length = rng.randint(*lengths)
        cells = random_grid(rng, 1, length, rng.choice([0.3, 0.5, 0.7, 0.9])).bits
        clue = blocks(cells, length)
        filled, empty = known_of(rng, cells, length)
        truth = by_dynamic_programme(clue, length, filled, empty)
        assert solve_line(clue, length, filled, empty) == truth, (clue, length, filled, empty)
        contradictions += truth is None
    assert 50 < contradictions < 500


def test_clues_that_do_not_fit() -> None:
    assert solve_line((3,), 2, 0, 0) is None
    assert solve_line((10**9,), 5, 0, 0) is None
    assert solve_line((1, 1), 2, 0, 0) is None
    assert solve_line((), 3, 0b010, 0) is None
    assert solve_line((), 3, 0, 0b010) == (0, 0b111)


def test_the_smallest_line_on_which_alignment_is_incomplete() -> None:
    assert align((1, 1), 5, 0b00100, 0) == (0b00100, 0)
    assert solve_line((1, 1), 5, 0b00100, 0) == (0b00100, 0b01010)


def run(puzzle: Nonogram) -> tuple[list[str], dict[str, int | float | str]]:
    task = Task()
    found = [grid.text() for grid in select_one("line", puzzle).backend.solutions(puzzle, task)]
    return found, task.stats


@pytest.mark.parametrize(
    ("puzzle", "difficulty", "solutions"),
    [
        ("2,1|1,2", "line", 1),
        ("2,0|0,2", "line", 0),
        ("1,2|2", "line", 0),
        ("1 1,2,0,0|1,1,1,1", "probe", 1),
        ("1,1|1,1", "search", 2),
    ],
)
def test_how_difficult_a_puzzle_is(puzzle: str, difficulty: str, solutions: int) -> None:
    found, stats = run(read(puzzle))
    assert len(found) == solutions
    assert stats["difficulty"] == difficulty
    assert (stats["probes"] == 0) == (difficulty == "line")
    assert (stats["nodes"] == 1) == (difficulty != "search")


def test_sums_that_differ_are_all_it_takes() -> None:
    found, stats = run(read(",".join(["1"] * 21) + "|" + ",".join(["1"] * 20)))
    assert not found
    assert (stats["lines"], stats["refuted_by"]) == (0, "the sums of row and column clues differ")


def apart(puzzles: list[Nonogram]) -> Search:
    """A search with puzzles along the diagonal, and all other cells known to be empty."""
    rows = [clue for puzzle in puzzles for clue in puzzle.row_clues]
    columns = [clue for puzzle in puzzles for clue in puzzle.column_clues]
    inside = [0] * len(rows) + [0] * len(columns)
    row = column = 0
    for puzzle in puzzles:
        inside[row : row + puzzle.rows] = [((1 << puzzle.columns) - 1) << column] * puzzle.rows
        first = len(rows) + column
        inside[first : first + puzzle.columns] = [((1 << puzzle.rows) - 1) << row] * puzzle.columns
        row += puzzle.rows
        column += puzzle.columns
    every = [(1 << len(columns)) - 1] * len(rows) + [(1 << len(rows)) - 1] * len(columns)
    empty = [cells & ~own for cells, own in zip(every, inside, strict=True)]
    search = Search(Lines(Nonogram(rows, columns), Counts()), [0] * len(every), empty, range(len(rows)))
    assert search.propagate(every[-1], every[0])
    return search


def test_parts_are_solved_apart() -> None:
    parts = 8
    found = [Grid.from_rows(rows, 2 * parts) for rows in apart([read("1,1|1,1")] * parts).solutions()]
    puzzle = Nonogram([[1]] * 2 * parts, [[1]] * 2 * parts)
    assert len(set(found)) == len(found) == 2**parts
    assert not any(violation for grid in found for violation in puzzle.violations(grid))


@pytest.mark.parametrize("puzzle", ["1 2,2 1,1,1,1|1,2 1,1,1 1,2", "1,1 2,1,1,2 1,1|1 1,1,2,1,1 2,1"])
def test_puzzles_that_fall_into_parts(puzzle: str) -> None:
    found, _ = run(read(puzzle))
    assert len(found) == 9
    assert set(found) == {grid.text() for grid in solve_inline("alignment", read(puzzle))}


def test_parts_cost_their_sum_and_not_their_product() -> None:
    search = apart([read("1,1|1,1")] * 100)
    solutions = search.solutions()
    first = next(solutions)
    assert first != next(solutions)
    assert search.lines.counts.nodes == 1 + 100
    assert search.lines.counts.depth == 1


def test_a_part_without_a_solution_refutes_all() -> None:
    search = apart([read("1,1|1,1")] * 40 + [read("2,2,1,1 1|1,2,1 1,2")])
    assert not list(search.solutions())
    assert search.lines.counts.nodes <= 1 + 40


def test_the_counters_are_deterministic() -> None:
    rng = random.Random(3)
    for _ in range(5):
        puzzle = random_nonogram(rng, 7, 8)
        assert run(puzzle) == run(puzzle)


@pytest.mark.parametrize("kernel", ["yes", "no"] if not compiled.missing() else ["no"])
def test_alignment_counts_its_lines_guesses_and_backtracks(kernel: str) -> None:
    """A probe of the kernel settles the cell that Python guesses."""
    puzzle = read("1 1,1 1,1,1|1 1,1,2,1")
    task = Task(options={"kernel": kernel})
    assert len(list(select_one("alignment", puzzle).backend.solutions(puzzle, task))) == 1  # type: ignore[attr-defined]
    assert task.stats == {"lines": 27, "nodes": 3, "backtracks": 1} | (
        {"nodes": 1, "backtracks": 0} if kernel == "yes" else {}
    )
