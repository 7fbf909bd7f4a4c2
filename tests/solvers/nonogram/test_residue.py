"""Formulas of what line solving leaves open, and puzzles in several colours."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import clauses
from crosslit_encoders.nonogram.order import FALSE, TRUE, encode_lines, order, residue

from crosslit import Nonogram
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import MAX_COLOURS, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.puzzle import lines_by_clue
from crosslit.registry import all_backends
from tests.conftest import ROOT, random_nonogram
from tests.contract.test_every_encoding import models_by_cells
from tests.solvers.nonogram.puzzles import random_puzzle, search


@pytest.mark.parametrize("length", range(1, 9))
def test_every_clue_with_every_partial_line(length: int) -> None:
    """Of more than 5 cells, where three blocks have room, only lines of which nothing is known."""
    known = [cells for cells in product("01?", repeat=length) if "?" in cells] if length < 6 else ["?" * length]
    for clue, lines in lines_by_clue(Nonogram, length, 2).items():
        arrangements = [int(line[::-1], 2) for line in lines]
        for cells in known:
            literals, opened = [], [place for place, cell in enumerate(cells) if cell == "?"]
            for place, cell in enumerate(cells):
                literals.append({"0": FALSE, "1": TRUE}.get(cell, opened.index(place) + 1 if place in opened else 0))
            auxiliary, flat, sizes, _ = encode_lines([clue], np.array([literals], np.int32), len(opened) + 1)
            formula = Formula(1, len(opened), len(opened) + auxiliary, flat, np.cumsum(sizes))
            kept = [line for line in arrangements if all(c in ("?", str(line >> p & 1)) for p, c in enumerate(cells))]
            expected = {sum((line >> place & 1) << number for number, place in enumerate(opened)): 1 for line in kept}
            starts = ([place for place in range(length) if (line & ~(line << 1)) >> place & 1] for line in kept)
            assert auxiliary == sum(len({*block}) - 1 for block in zip(*starts, strict=True)), (clue, cells)
            assert models_by_cells(formula) == expected, (clue, cells)


def test_nothing_known_is_the_order_encoding() -> None:
    rng = random.Random(9)
    for puzzle in (*(random_nonogram(rng, 5, 7) for _ in range(10)), read("9|1,1,1"), read("1 1,2|1,1,1")):
        whole, part = order(puzzle), residue(puzzle, [0] * puzzle.rows, [0] * puzzle.rows)
        assert list(whole.clauses()) == list(part.clauses())
        assert whole.variables == part.variables


def test_only_some_rows() -> None:
    puzzle = read("1,1,1,1|1,1,1,1")
    empty = [0b1100, 0b1100, 0b0011, 0b0011]
    for rows in ([0, 1], [2, 3]):
        assert models_by_cells(residue(puzzle, [0] * 4, empty, rows)) == {0b0110: 1, 0b1001: 1}
    assert len(models_by_cells(residue(puzzle, [0] * 4, empty))) == 4


def test_where_no_cell_is_open() -> None:
    with pytest.raises(ValueError, match="no cell is open"):
        residue(read("1|1"), [1], [0])


def test_the_clauses_of_the_large_example() -> None:
    formula = order(read(str(ROOT / "examples" / "article-50x50.txt")))
    assert (formula.variables, len(formula)) == (15_281, 53_524)


@pytest.mark.parametrize("colours", [1, 3, MAX_COLOURS, MAX_COLOURS + 1])
def test_a_palette_may_have_more_colours_than_the_clues_up_to_a_number(colours: int) -> None:
    with pytest.raises(ValueError, match="1 to 31 colours") if colours > MAX_COLOURS else nullcontext():
        blocks = [(1, colour) for colour in range(1, min(colours, MAX_COLOURS) + 1)]
        for row in (blocks, blocks[:1]):
            puzzle = ColouredNonogram([row], [[block] for block in row], usual_palette(colours))
            assert ColouredNonogram.parse(puzzle.text) == puzzle


def test_counts_are_those_of_lists_with_as_many_states_as_there_are() -> None:
    rng, peaks = random.Random(4), list[int]()
    for number in range(40):
        puzzle = random_puzzle(rng, 6, 6, number % 3, 0.35)
        task, counter, expected = Task(), all_backends()["frontier"], len(search("line", puzzle)[0])
        assert counter.count(puzzle, task) == expected  # type: ignore[attr-defined]
        peaks.append(int(task.stats["states"]))
        assert counter.count(puzzle, Task(options={"states": peaks[-1] or 1})) == expected  # type: ignore[attr-defined]
    assert sum(peaks) > 100


@pytest.mark.parametrize("encode", [clauses.order, clauses.automaton])
def test_only_colours_of_both_lines_exclude_each_other(encode: Callable[[ColouredNonogram], Formula]) -> None:
    clues = [[(1, colour)] for colour in range(1, MAX_COLOURS + 1)]
    formula = encode(ColouredNonogram(clues, clues))
    pairs = [each for each in formula.clauses() if len(each) == 2 and -formula.cells <= min(each) <= max(each) < 0]
    assert len(pairs) == MAX_COLOURS  # in the cells on the diagonal, a colour and the background
