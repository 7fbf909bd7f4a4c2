"""Nonograms in several colours: every solver against brute force, and one colour against plain nonograms."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import islice

import pytest
from crosslit_backends import compiled
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.lines import automaton, order

from crosslit import Nonogram
from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract import Task
from crosslit.kinds.nonogram.colours import LETTERS, MAX_COLOURS, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.making import random_picture
from crosslit.kinds.nonogram.samples import lines_by_clue, solutions
from crosslit.registry import select

NATIVE = ["line:kernel=no", "alignment:kernel=no"] + ["line", "alignment"] * (not compiled.missing())
ENCODED = ["cadical195/order", "glucose4/automaton", "cpsat/automaton", "cpsat/placements"]


def puzzles(seed: int) -> Iterator[ColouredNonogram]:
    """Random puzzles of 1 to 4 colours, half of them with the columns of another or rearranged ones."""
    rng = random.Random(seed)
    while True:
        rows, columns, colours = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
        if rows * columns > 12 or (colours + 1) ** columns > 700:
            continue
        puzzle = random_picture(rng, rows, columns, colours, rng.random())
        others = list(puzzle.column_clues)
        rng.shuffle(others)
        if rng.random() < 0.2:
            others = [*random_picture(rng, rows, columns, colours, rng.random()).column_clues]
        yield rng.choice([puzzle, ColouredNonogram(puzzle.row_clues, others, puzzle.palette)])


@pytest.mark.parametrize("colours", range(1, MAX_COLOURS + 1))
def test_every_colour_has_a_letter(colours: int) -> None:
    blocks = [f"1{letter}" for letter in LETTERS[:colours]]
    puzzle = ColouredNonogram.parse(f"coloured-nonogram:{' '.join(blocks)}|{','.join(blocks)}")
    assert [block.colour for block in puzzle.row_clues[0]] == [*range(1, colours + 1)]
    assert ColouredNonogram.parse(puzzle.text) == puzzle


@pytest.mark.parametrize("colours", [1, 3, MAX_COLOURS, MAX_COLOURS + 1])
def test_a_palette_may_have_more_colours_than_the_clues_up_to_a_number(colours: int) -> None:
    with pytest.raises(ValueError, match="1 to 31 colours") if colours > MAX_COLOURS else nullcontext():
        puzzle = ColouredNonogram([[(1, 1)]], [[(1, 1)]], usual_palette(colours))
        assert ColouredNonogram.parse(puzzle.text) == puzzle


def found(spec: str, puzzle: ColouredNonogram, question: str = "solutions") -> list[Grid]:
    (choice,) = select([spec], puzzle, question)
    task = Task(encoding=choice.encoding, options=choice.options)
    return list(getattr(choice.backend, question)(puzzle, task))


def check(puzzle: ColouredNonogram, specs: list[str]) -> None:
    right = set(solutions(puzzle))
    for spec in specs:
        grids = found(spec, puzzle)
        assert len(grids) == len(set(grids)), (spec, puzzle.text)
        assert set(grids) == right, (spec, puzzle.text)


def test_native_solvers_agree_with_brute_force() -> None:
    for puzzle in islice(puzzles(1), 150):
        check(puzzle, NATIVE)


@pytest.mark.parametrize(("rows", "columns", "colours", "step"), [(2, 2, 2, 1), (3, 3, 1, 5), (2, 3, 2, 101)])
def test_native_solvers_solve_every_pair_of_clues_or_find_that_it_has_no_solution(
    rows: int, columns: int, colours: int, step: int
) -> None:
    # Clues of no picture too, such as 2a,0|2a,0, where a block that is cut off in both directions would be a solution.
    pictures: dict[tuple[object, object], list[str]] = {}
    for grid in Layout(rows, columns, colours + 1).every():
        drawn = ColouredNonogram.of(grid, palette=usual_palette(colours))
        pictures.setdefault((drawn.row_clues, drawn.column_clues), []).append(grid.text)
    of_rows, of_columns = ([*lines_by_clue(ColouredNonogram, length, colours + 1)] for length in (columns, rows))
    pairs = itertools.product(itertools.product(of_rows, repeat=rows), itertools.product(of_columns, repeat=columns))
    found = (ColouredNonogram(*pair, usual_palette(colours)) for pair in islice(pairs, 0, None, step))
    chosen = [choice for spec in NATIVE for choice in select([spec], ColouredNonogram([[]], [[]]))]
    for puzzle in (puzzle for puzzle in found if not puzzle.is_refuted):
        right = sorted(pictures.get((puzzle.row_clues, puzzle.column_clues), []))
        for choice in chosen:
            grids = choice.backend.solutions(puzzle, Task(options=choice.options))
            assert sorted(grid.text for grid in grids) == right, (choice.spec, puzzle.text)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_solver_and_encoding_agrees_with_brute_force() -> None:
    for puzzle in islice(puzzles(2), 700):
        check(puzzle, NATIVE + ENCODED)


@pytest.mark.slow
def test_puzzles_of_one_colour_have_the_solutions_of_nonograms() -> None:
    rng = random.Random(3)
    for _ in range(400):
        puzzle = random_picture(rng, rng.randint(1, 9), rng.randint(1, 9), 1, 0.4 + 0.6 * rng.random())
        plain = Nonogram(*([[b.length for b in clue] for clue in c] for c in (puzzle.row_clues, puzzle.column_clues)))
        (choice,) = select(["line"], plain)
        right = set(islice(choice.backend.solutions(plain, Task()), 300))
        for spec in ("line", "line:kernel=no", "alignment", "glucose4"):
            (choice,) = select([spec], puzzle)
            task = Task(encoding=choice.encoding, options=choice.options)
            grids = set(islice(choice.backend.solutions(puzzle, task), 300))
            assert grids == right or len(grids) == len(right) == 300, (spec, puzzle.text)


def check_counts(number: int) -> None:
    for puzzle in islice((p for p in puzzles(4) if p.rows * p.columns <= 8), number):
        (counter,) = select(["frontier"], puzzle, "count")
        assert counter.backend.count(puzzle, Task()) == len(set(solutions(puzzle)))


def test_counts_agree_with_brute_force() -> None:
    check_counts(40)


@pytest.mark.slow
def test_counts_of_many_puzzles_agree_with_brute_force() -> None:
    check_counts(700)


@pytest.mark.parametrize("encode", [order, automaton])
def test_only_colours_of_both_lines_exclude_each_other(encode: Callable[[ColouredNonogram], Formula]) -> None:
    clues = [[(1, colour)] for colour in range(1, MAX_COLOURS + 1)]
    formula = encode(ColouredNonogram(clues, clues))
    pairs = [each for each in formula.clauses() if len(each) == 2 and -formula.cells <= min(each) <= max(each) < 0]
    assert len(pairs) == MAX_COLOURS  # in the cells on the diagonal, a colour and the background
