"""The line solver, on single lines and on whole puzzles, in C and in Python."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import kernel
from crosslit_backends.nonogram.alignment import align
from crosslit_backends.nonogram.diagram import settle
from crosslit_backends.nonogram.hybrid import Residue, encoded, excluded
from crosslit_backends.nonogram.kernel import Counts, KernelSearch
from crosslit_backends.nonogram.line import Search, solve_line

from crosslit import Grid, Nonogram
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import MAX_COLOURS, ColouredNonogram, read_clue
from crosslit.kinds.nonogram.puzzle import lines_by_clue
from tests.solvers.nonogram.puzzles import KERNEL, PERMUTATIONS, random_puzzle, search, shuffled, small_puzzles

IMPLEMENTATIONS = ["line:kernel=no"] + ["line"] * (not compiled.missing())

# A line is stored in words of 64 cells, and a bound of a run of cells moves from word to word by carries: both need
# lines that end at, before and after the end of a word, with long empty runs (few blocks) and without.
EDGES = (63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 320)


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
            assert puzzle.layout.grids(found)[0] == puzzle.layout.pack([mask.bit_length() - 1 for mask in expected])
        else:
            assert (masks and [*masks]) == expected, puzzle.text


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


@KERNEL
@pytest.mark.parametrize(("puzzle", "number"), PERMUTATIONS)
def test_the_decisions_exclude_what_was_found(puzzle: Nonogram, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every solution found has a combination of colours that was searched; the others have none."""
    monkeypatch.setattr("crosslit_backends.nonogram.kernel.MAX_BATCH", 1)
    for third in range(1, number // 3):
        with KernelSearch(puzzle, Counts()) as search:
            found = [grid for _ in range(third) for grid in puzzle.layout.grids(search.run()[1])]
            searched = excluded(search.decisions())
            left = puzzle.layout.grids(b"".join(search.batches()))
        assert (len(found), len(left)) == (third, number - third)
        assert all(any(has(grid, values) for values in searched) for grid in found)
        assert not any(has(grid, values) for values in searched for grid in left)


def has(grid: Grid, values: list[tuple[int, int]]) -> bool:
    cells = grid.text.replace("/", "")
    return all(int(cells[cell]) == value for cell, value in values)


@KERNEL
@pytest.mark.parametrize("columns", [6, 63, 64, 130])
@pytest.mark.parametrize("of_colours", [False, True])
def test_what_was_searched_without_a_guess_is_excluded_and_the_search_goes_on(
    columns: int, of_colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the last words of a row: permutations with empty columns before them."""
    monkeypatch.setattr("crosslit_backends.nonogram.kernel.MAX_BATCH", 1)
    rows = [[(1, 1)], [(1, 2)]] * 3 if of_colours else [[1]] * 6
    puzzle = (ColouredNonogram if of_colours else Nonogram)(rows, [[]] * (columns - 6) + rows)
    with KernelSearch(puzzle, Counts()) as search:
        found = 0
        while not search.decisions() or search.decisions()[0][2] or len(search.decisions()) < 3:
            found += len(puzzle.layout.grids(search.run()[1]))
        (searched, colour, _), *later = search.decisions()
        assert any(is_guess for *_, is_guess in later)
        masks = search.masks()
        assert masks is not None
        for cell, mask in enumerate(masks):
            row, column = cell // columns, cell % columns - (columns - 6)
            own = 0 if column < 0 or (of_colours and (row - column) % 2) else 1 << 1 + (row % 2 if of_colours else 0)
            assert mask == (1 | own) & ~(1 << colour if cell == searched else 0)
        left = [puzzle.layout.grids(packed) for packed in search.batches()]
    assert found + sum(map(len, left)) == (36 if of_colours else 720)


@KERNEL
@pytest.mark.parametrize(("text", "opened"), [("1,1|1,1", 4), ("1 1,0,1 1|2,0,2", 0)])
def test_lines_are_solved_before_their_colours_are_read(text: str, opened: int) -> None:
    with KernelSearch(read(text), Counts()) as search:  # type: ignore[arg-type]
        assert (search.masks() is None) == (not opened)
        with pytest.raises(StopIteration) as ended:
            next(search.until_a_guess())
        assert ended.value.value == opened


@KERNEL
def test_a_formula_of_too_many_variables_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with KernelSearch(Nonogram([[1]] * 3, [[1]] * 3), Counts()) as search:
        masks = search.masks()
        assert masks is not None
        sizes = search.encode(masks)
        monkeypatch.setattr(kernel, "MAX_VARIABLES", sizes[1] + 1)
        assert search.encode(masks) == sizes
        monkeypatch.setattr(kernel, "MAX_VARIABLES", sizes[1])
        with pytest.raises(MemoryError):
            search.encode(masks)


@KERNEL
@pytest.mark.parametrize("method", ["run", "masks", "decisions"])
def test_a_closed_search_is_refused(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    freed = list[int]()
    monkeypatch.setattr(kernel.library(), "crosslit_free", freed.append)
    with KernelSearch(Nonogram([[1]], [[1]]), Counts()) as search:
        pass
    assert len(freed) == 1
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
    assert difficulty == "search" or (stats["backtracks"], stats["depth"]) == (0, 0)


def test_branching_is_where_most_is_excluded() -> None:
    """The order of the probes and the weights of the colours change these counts."""
    rng, total = random.Random(5), Counter[str]()
    for number in range(60):
        _, stats = search("line:kernel=no", random_puzzle(rng, 6, 7, number % 3, 0.4), 5)
        total.update({name: stats[name] for name in ("probes", "nodes", "backtracks")})
    assert total == {"probes": 2163, "nodes": 153, "backtracks": 71}


Pairs = tuple[tuple[int, int], ...]
Masks = list[int]


def solved(clue: Pairs, masks: Masks, states: int) -> Masks | None:
    """The colours of the cells by `solve_line`, as those by `align`: bits for each cell."""
    can = tuple(sum((mask >> k & 1) << cell for cell, mask in enumerate(masks)) for k in range(states))
    found = solve_line(clue, len(masks), can)
    return None if found is None else by_cell(found, len(masks))


def settled(clue: Pairs, masks: Sequence[int]) -> Masks | None:
    """The same by the automaton of the line."""
    found = settle(clue, tuple(masks))
    return None if found is None else [*found]


def by_cell(can: tuple[int, ...], length: int) -> Masks:
    return [sum((cells >> cell & 1) << colour for colour, cells in enumerate(can)) for cell in range(length)]


def by_arrangements(lines: list[str], masks: Masks) -> Masks | None:
    """The colours of each cell in all lines that have only possible ones."""
    kept = [line for line in lines if all(mask >> int(digit) & 1 for digit, mask in zip(line, masks, strict=True))]
    return [sum({1 << int(line[cell]) for line in kept}) for cell in range(len(masks))] if kept else None


# number of cells common to all arrangements beyond the known ones, over every clue and partial line; number of these
# that extreme alignment finds
FORCED = {1: (2, 2), 2: (12, 12), 3: (66, 66), 4: (336, 336), 5: (1583, 1579), 6: (7230, 7204)}


@pytest.mark.parametrize("length", FORCED)
def test_every_partial_line_of_every_clue_of_one_colour(length: int) -> None:
    forced = aligned = 0
    for clue, lines in lines_by_clue(Nonogram, length, 2).items():
        pairs = tuple(Nonogram.pairs(clue))
        for masks in product((1, 2, 3), repeat=length):
            truth = by_arrangements(lines, [*masks])
            assert solved(pairs, [*masks], 2) == settled(pairs, masks) == truth, (clue, masks)
            found = align(pairs, masks)
            if truth is None:
                continue  # alignment may miss a contradiction
            assert found is not None, (clue, masks)
            assert all(not right & ~left for right, left in zip(truth, found, strict=True)), (clue, masks)
            forced += sum(right != mask for right, mask in zip(truth, masks, strict=True))
            aligned += sum(left != mask for left, mask in zip(found, masks, strict=True))
    assert (forced, aligned) == FORCED[length]


@pytest.mark.parametrize("length", [1, 3, 5, 6])
def test_partial_lines_of_every_clue_of_two_colours(length: int) -> None:
    rng = random.Random(length)
    for clue, lines in lines_by_clue(ColouredNonogram, length, 3).items():
        for _ in range(5):
            masks = [rng.choice((7, 7, 3, 5, 6, 1, 2, 4)) for _ in range(length)]
            truth, found = by_arrangements(lines, masks), align(clue, masks)
            assert solved(clue, masks, 3) == settled(clue, masks) == truth, (clue, masks)
            if truth is not None:
                assert found is not None, (clue, masks)
                assert all(not right & ~left for right, left in zip(truth, found, strict=True)), (clue, masks)


@pytest.mark.parametrize(
    ("clue", "length"), [("3a", 2), ("999999999a", 5), ("1a 1a", 2), ("1a 1b 1a", 2), ("2a 2a 999999999b", 4)]
)
def test_clues_that_do_not_fit(clue: str, length: int) -> None:
    assert solved(read_clue(clue), [7] * length, 3) is settled(read_clue(clue), [7] * length) is None
    assert align(read_clue(clue), [7] * length) is None
