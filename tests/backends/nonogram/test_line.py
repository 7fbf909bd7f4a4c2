"""`line`: the search of the compiled kernel and the one in Python, against each other and against brute force."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import kernel
from crosslit_backends.nonogram.hybrid import Residue, encoded, excluded
from crosslit_backends.nonogram.kernel import Counts, KernelSearch, Status
from crosslit_backends.nonogram.line import Search

from crosslit import Grid, Nonogram
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import MAX_COLOURS, ColouredNonogram
from tests.backends.nonogram.puzzles import KERNEL, random_puzzle, search, shuffled, small_puzzles
from tests.conftest import pictures_by_clues

IMPLEMENTATIONS = ["line:kernel=no"] + ["line"] * (not compiled.missing())

# A line is stored in words of 64 cells, and a bound of a run of cells moves from word to word by carries: both need
# lines that end at, before and after the end of a word, with long empty runs (few blocks) and without.
EDGES = (63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 320)


@pytest.mark.parametrize("spec", IMPLEMENTATIONS)
@pytest.mark.parametrize("shape", [(2, 3), (3, 3), (3, 4)])
def test_all_solutions_of_the_clues_of_pictures(spec: str, shape: tuple[int, int]) -> None:
    for puzzle, grids in islice(pictures_by_clues(*shape).items(), 0, None, 1 if spec == "line" else 7):
        assert sorted(search(spec, puzzle)[0]) == sorted(grid.text for grid in grids), puzzle.text


@KERNEL
@pytest.mark.parametrize("step", [1, kernel.STEP])
def test_the_kernel_finds_what_python_finds(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after every step or never."""
    monkeypatch.setattr(kernel, "STEP", step)
    without = 0
    for puzzle in small_puzzles(5, 200, 7):
        expected, _ = search("line:kernel=no", puzzle)
        assert sorted(search("line", puzzle)[0]) == sorted(expected), puzzle.text
        without += not expected
    assert 20 < without < 180


def closure(puzzle: Nonogram) -> list[int] | None:
    """The colours of each cell that Python's lines and probes leave without a guess; None on a contradiction."""
    search = Search(puzzle, Counts())
    possible = search.propagate(range(puzzle.rows + puzzle.columns))
    while possible and (cells := search.open_cells()):
        weights = search.probe_all(cells)
        possible = weights is not None
        if weights:
            break
    cells = range(puzzle.rows * puzzle.columns)
    return [sum(1 << colour for colour in search.colours(cell)) for cell in cells] if possible else None


SHAPES = [(rows, size) for size in EDGES for rows in (1, 2)] + [(size, 3) for size in EDGES]


@KERNEL
@pytest.mark.parametrize("colours", [0, 1, 2, 4])
@pytest.mark.parametrize(("rows", "columns"), [(6, 9), (12, 12), *SHAPES])
def test_the_kernel_excludes_without_a_guess_what_python_does(rows: int, columns: int, colours: int) -> None:
    """What follows from lines and probes does not depend on their order; short columns leave parts of rows open."""
    rng = random.Random(rows)
    for number in range(8 if rows * columns < 200 else 3):
        puzzle = random_puzzle(rng, rows, columns, colours, (0.5, 0.02, 0.9)[number % 3])
        if number % 4 == 3:
            puzzle = shuffled(rng, puzzle)
        with KernelSearch(puzzle, Counts()) as search:
            found = b"".join(search.until_a_guess())
            masks = search.masks()
        expected = closure(puzzle)
        if found:
            assert expected is not None
            assert puzzle.layout.answers(found)[0] == puzzle.layout.pack([mask.bit_length() - 1 for mask in expected])
        else:
            assert (masks and [*masks]) == expected, puzzle.text


@KERNEL
@pytest.mark.parametrize(("rows", "columns"), [(1, 65), (1, 129), (128, 1), (2, 64), (65, 2), (70, 4)])
@pytest.mark.parametrize(("density", "colours"), [(0.02, 2), (0.5, 0), (0.5, 2), (0.9, MAX_COLOURS)])
def test_searches_of_long_lines(rows: int, columns: int, density: float, colours: int) -> None:
    puzzle = random_puzzle(random.Random(rows), rows, columns, colours, density)
    found, expected = (search(spec, puzzle, 61)[0] for spec in ("line", "line:kernel=no"))
    assert len(found) == len(expected) > 0
    assert len(found) > 60 or sorted(found) == sorted(expected)


@KERNEL
def test_the_kernel_searches_as_little_as_python() -> None:
    """Their guesses differ, so these counts do; a change of them is one of speed."""
    rng = random.Random(1)
    counts = {"line:kernel=no": Counter[str](), "line": Counter[str]()}
    for _ in range(40):
        puzzle = random_puzzle(rng, 12, 12, 0, 0.5)
        for spec, total in counts.items():
            _, stats = search(spec, puzzle)
            total.update({key: stats[key] for key in ("nodes", "probes", "backtracks", "lines")})
    assert counts["line:kernel=no"] == {"nodes": 212, "probes": 3399, "backtracks": 172, "lines": 7580}
    assert counts["line"] == {"nodes": 212, "probes": 2226, "backtracks": 78, "lines": 18154}


def without_tautologies(clauses: Iterable[list[int]]) -> list[list[int]]:
    """Clauses in some order, without those that always hold, which the kernel leaves out."""
    return sorted(sorted(clause) for clause in clauses if not {*clause} & {-literal for literal in clause})


@KERNEL
def test_the_kernel_encodes_open_cells_as_python_does() -> None:
    rng, checked = random.Random(8), 0
    shapes = [(3, 63), (64, 3), (3, 65), (30, 66)] + [(1, 9), (5, 6), (8, 8), (12, 7)] * 20
    for number, (rows, columns) in enumerate(shapes):
        puzzle = random_puzzle(rng, rows, columns, (0, 3, 1, MAX_COLOURS, 2)[number % 5], rng.choice([0.3, 0.5, 0.7]))
        with KernelSearch(puzzle, Counts()) as search:
            lines = Search(puzzle, Counts())
            assert lines.propagate(range(rows + columns))
            unsolved = [sum(1 << colour for colour in lines.colours(cell)) for cell in range(rows * columns)]
            list(search.until_a_guess())
            for masks in (unsolved, search.masks()):
                if masks is None or not any(mask & mask - 1 for mask in masks):
                    continue
                formula, expected = encoded(search, array("I", masks)), Residue(puzzle, array("I", masks)).formula()
                assert (formula.cells, formula.variables) == (expected.cells, expected.variables)
                assert without_tautologies(formula.clauses()) == without_tautologies(expected.clauses()), puzzle.text
                checked += 1
    assert checked > 50


PERMUTATIONS = [(Nonogram([[1]] * 5, [[1]] * 5), 120), (ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2), 36)]
"""Puzzles that need guesses, and the number of their solutions."""


@KERNEL
@pytest.mark.parametrize(("puzzle", "number"), PERMUTATIONS)
def test_without_guesses_it_stands_still(puzzle: Nonogram, number: int) -> None:
    with KernelSearch(puzzle, Counts()) as search:
        assert search.run(guesses=False) == (Status.STILL, b"")
        assert search.decisions() == []
        assert sum(map(len, search.batches())) == number * puzzle.layout.size


@KERNEL
@pytest.mark.parametrize(("puzzle", "number"), PERMUTATIONS)
def test_the_decisions_exclude_what_was_found(puzzle: Nonogram, number: int) -> None:
    """Every solution found has a combination of colours that was searched; the others have none."""
    for third in range(1, number // 3):
        with KernelSearch(puzzle, Counts()) as search:
            found = [grid for _ in range(third) for grid in puzzle.layout.answers(search.run()[1])]
            searched = excluded(search.decisions())
            left = puzzle.layout.answers(b"".join(search.batches()))
        assert (len(found), len(left)) == (third, number - third)
        assert all(any(has(grid, values) for values in searched) for grid in found)
        assert not any(has(grid, values) for values in searched for grid in left)


def has(grid: Grid, values: list[tuple[int, int]]) -> bool:
    cells = grid.text.replace("/", "")
    return all(int(cells[cell]) == value for cell, value in values)


@KERNEL
@pytest.mark.parametrize("columns", [6, 63, 64, 130])
@pytest.mark.parametrize("of_colours", [False, True])
def test_what_was_searched_without_a_guess_is_excluded_and_the_search_goes_on(columns: int, of_colours: bool) -> None:
    """Also in the last words of a row: permutations with empty columns before them."""
    rows = [[(1, 1)], [(1, 2)]] * 3 if of_colours else [[1]] * 6
    puzzle = (ColouredNonogram if of_colours else Nonogram)(rows, [[]] * (columns - 6) + rows)
    with KernelSearch(puzzle, Counts()) as search:
        found = 0
        while not search.decisions() or search.decisions()[0][2] or len(search.decisions()) < 3:
            found += len(puzzle.layout.answers(search.run()[1]))
        (searched, colour, _), *later = search.decisions()
        assert any(is_guess for *_, is_guess in later)
        masks = search.masks()
        assert masks is not None
        for cell, mask in enumerate(masks):
            row, column = cell // columns, cell % columns - (columns - 6)
            own = 0 if column < 0 or (of_colours and (row - column) % 2) else 1 << 1 + (row % 2 if of_colours else 0)
            assert mask == (1 | own) & ~(1 << colour if cell == searched else 0)
        left = [puzzle.layout.answers(packed) for packed in search.batches()]
    assert found + sum(map(len, left)) == (36 if of_colours else 720)


@KERNEL
@pytest.mark.parametrize(("text", "answer"), [("1,1|1,1", True), ("1 1,0,1 1|2,0,2", False)])
def test_lines_are_solved_before_their_colours_are_read(text: str, answer: bool) -> None:
    with KernelSearch(read(text), Counts()) as search:  # type: ignore[arg-type]
        assert (search.masks() is not None) is answer


@pytest.mark.parametrize("spec", IMPLEMENTATIONS)
def test_equal_runs_do_the_same(spec: str) -> None:
    for puzzle in small_puzzles(6, 30, 8):
        assert search(spec, puzzle) == search(spec, puzzle)


@KERNEL
def test_a_long_row_does_not_make_the_columns_as_long() -> None:
    """If they were, the kernel would ask for gigabytes."""
    thin = Nonogram([()], [()] * 10**5)
    with KernelSearch(thin, Counts()) as search:
        assert search.decisions() == []


@KERNEL
@pytest.mark.parametrize("method", ["run", "masks", "decisions"])
def test_a_closed_search_is_refused(method: str) -> None:
    search = KernelSearch(Nonogram([[1]], [[1]]), Counts())
    search.close()
    with pytest.raises(ValueError, match="the search is closed"):
        getattr(search, method)()


@pytest.mark.parametrize("spec", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    ("puzzle", "difficulty", "count", "reason"),
    [
        ("2,1|1,2", "line", 1, None),
        ("2,0|0,2", "line", 0, None),
        ("1 1,2,0,0|1,1,1,1", "probe", 1, None),
        ("1,1|1,1", "search", 2, None),
        ("coloured-nonogram:1a 1b,1b|1a,2b", "line", 1, None),
        ("3|1,1", "line", 0, "the sums of row and column clues differ"),
        ("coloured-nonogram:1a,1b|1a,1a", "line", 0, "the sums of row and column clues differ"),
        ("1,2|2", "line", 0, "the sums of row and column clues differ"),
        ("3|1,2", "line", 0, None),
        ("1 1,1|1 1,1", "line", 0, None),
        ("coloured-nonogram:1a 1a|1a,1a", "line", 0, None),
        ("coloured-nonogram:1a 1b|1a,1b", "line", 1, None),
        ("999999999 999999999 999999999|999999999 999999999 999999999", "line", 0, None),
    ],
)
def test_how_difficult_a_puzzle_is(spec: str, puzzle: str, difficulty: str, count: int, reason: str | None) -> None:
    found, stats = search(spec, read(puzzle))  # type: ignore[arg-type]
    assert len(found) == count
    assert (stats["difficulty"], stats.get("refuted_by")) == (difficulty, reason)
    assert (stats["probes"] == 0) == (difficulty == "line")
    assert (stats["nodes"] == 1) == (difficulty != "search")
