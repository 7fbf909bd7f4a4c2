"""Hints for a SAT solver: marginals beside all arrangements, and values beside the formula."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product

import numpy as np
from crosslit_backends.nonogram.hints import EMPTY, FILLED, OPEN, Lines, likely_literals
from crosslit_encoders.nonogram.order import residue

from crosslit import Nonogram
from crosslit.formats import read
from tests.backends.nonogram.puzzles import search

LENGTH = 7
LINES = list(product((0, 1), repeat=LENGTH))


def clue_of(line: tuple[int, ...]) -> tuple[int, ...]:
    """The lengths of the blocks."""
    return tuple(map(len, "".join(map(str, line)).replace("0", " ").split()))


def marginals(clue: tuple[int, ...], odds: list[float], known: list[int]) -> list[float]:
    """The probability of each cell, summed over all lines with the clue."""
    weights: Counter[tuple[int, ...]] = Counter()
    for line in LINES:
        if clue_of(line) == clue and all(mask >> cell & 1 for mask, cell in zip(known, line, strict=True)):
            weights[line] = math.exp(sum(odd for odd, cell in zip(odds, line, strict=True) if cell))  # type: ignore[assignment]
    total = sum(weights.values())
    return [sum(weight for line, weight in weights.items() if line[cell]) / total for cell in range(LENGTH)]


def test_marginals_are_those_of_all_arrangements() -> None:
    rng = random.Random(1)
    chosen = rng.sample(LINES[1:], 60)  # a line without a block has no open cell
    clues = [clue_of(line) for line in chosen]
    known = [[(FILLED if cell else EMPTY) if rng.random() < 0.2 else OPEN for cell in line] for line in chosen]
    odds = [[rng.gauss(0, 2) if mask == OPEN else 0.0 for mask in masks] for masks in known]
    found = Lines(clues, np.array(known, np.uint32)).solve(np.array(odds))
    expected = [marginals(*line) for line in zip(clues, odds, known, strict=True)]
    assert np.allclose(found, expected, atol=1e-4)  # a filled cell counts by its odds, e^15


def test_hints_are_a_model_where_beliefs_converge() -> None:
    puzzle = read("1 1,1,2|1 1,2,1")
    assert isinstance(puzzle, Nonogram)
    (solution,), _ = search("line", puzzle)
    formula = residue(puzzle, [0] * puzzle.rows, [0] * puzzle.rows)
    hints = likely_literals(puzzle, [OPEN] * 9)
    assert list(map(abs, hints)) == list(range(1, formula.variables + 1))
    assert all(set(clause) & set(hints) for clause in formula.clauses())
    assert formula.grid(hints).text == solution.replace("/", "")


def test_later_hints_differ() -> None:
    puzzle = read("1,1,1,1|1,1,1,1")
    assert isinstance(puzzle, Nonogram)
    assert len({tuple(likely_literals(puzzle, [OPEN] * 16, turn)) for turn in range(4)}) > 1
