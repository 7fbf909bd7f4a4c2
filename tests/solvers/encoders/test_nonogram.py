"""The sizes and parts of the encodings of nonograms."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import order

from crosslit import Nonogram, load
from crosslit.contract import Encoding
from crosslit.kinds.nonogram.puzzle import lines_by_clue
from crosslit.registry import all_encodings
from tests.conftest import ROOT, random_nonogram

CNF = {e.name: e for e in all_encodings().values() if (e.kind, e.target) == ("nonogram", "cnf")}
every = pytest.mark.parametrize("encoding", CNF.values(), ids=CNF)
ARTICLE = load(str(ROOT / "examples" / "article-50x50.txt"))


def line_alone(encoding: Encoding, clue: tuple[int, ...], length: int) -> Formula:
    """The clauses of a single line: the first part of a puzzle of one row."""
    formula: Formula = encoding.encode(Nonogram([clue], [[]] * length))
    assert formula.owners is not None
    own = [clause for part, clause in zip(formula.owners(), formula.clauses(), strict=True) if part == 0]
    ends = np.cumsum([len(clause) for clause in own], dtype=np.int64)
    return Formula(1, length, formula.variables, np.array(list(itertools.chain(*own)), np.int32), ends)


@pytest.mark.parametrize("text", ["1 1,0,2 9,1|2,0,9,1", "9,1,9|1,1 1,9 9,1", "1,1,1,1,1|5,0,0"])
@every
def test_each_clause_is_about_the_cells_of_its_line(encoding: Encoding, text: str) -> None:
    """Also where clues that do not fit refute some lines, in two clauses each."""
    puzzle = load(text)
    assert isinstance(puzzle, Nonogram)
    formula: Formula = encoding.encode(puzzle)
    assert formula.owners is not None
    lines, refuted = puzzle.lines(), [0] * (puzzle.rows + puzzle.columns)
    clauses = [*formula.clauses()]
    for part, clause in zip(formula.owners(), clauses, strict=True):
        assert {abs(literal) - 1 for literal in clause if abs(literal) <= formula.cells} <= {*lines[part][1]}
        refuted[part] += len(clause) == 1 and [-clause[0]] in clauses
    assert all(
        number >= 2 for number, (clue, cells) in zip(refuted, lines, strict=True) if puzzle.space(clue) > len(cells)
    )


def test_unit_propagation_of_an_automaton_finds_the_cells_of_line_solving() -> None:
    """Every clue of lines of 6 cells, every partial assignment: a conflict, or just the cells that are settled."""
    from pysat.solvers import Minisat22

    length = 6
    every = itertools.product((-1, 0, 1), repeat=length)
    partial = [[cell * sign for cell, sign in enumerate(signs, 1) if sign] for signs in every]
    for clue, lines in lines_by_clue(Nonogram, length, 2).items():
        models = [{c if line[c - 1] == "1" else -c for c in range(1, length + 1)} for line in lines]
        formula = line_alone(CNF["automaton"], clue, length)
        switch = formula.variables + 1  # so that no literal is fixed in advance, which PySAT would not report
        with Minisat22(bootstrap_with=[[-switch, *clause] for clause in formula.clauses()]) as solver:
            for known in partial:
                agreeing = [model for model in models if model.issuperset(known)]
                consistent, settled = solver.propagate(assumptions=[switch, *known])
                assert consistent == bool(agreeing), (clue, known)
                if consistent:
                    cells = {literal for literal in settled if abs(literal) <= length}
                    assert cells == set.intersection(*agreeing), (clue, known)


def promised(name: str, clue: tuple[int, ...], n: int) -> tuple[int, int]:
    """Auxiliary variables and clauses of a line, as the docstrings say; that of `order` says no number of clauses."""
    k, b = len(clue), sum(clue)
    d = n - b - k + 1
    if d <= 0 or not clue:
        return 0, 2 if d < 0 else n
    states = (b + k + 1) * (d + 1) - 2
    return {
        "automaton": (states, 3 * states + 2 * n - 3),
        "direct": (k * (d + 1), k + (2 * k - 1) * d * (d + 1) // 2 + b * (d + 1) + n),
        "order": (k * d, 0),
    }[name]


@every
def test_the_sizes_that_an_encoding_promises(encoding: Encoding) -> None:
    rng = random.Random(8)
    puzzles = [random_nonogram(rng, rows, columns) for rows, columns in [(1, 1), (1, 9), (7, 12), (12, 12)] * 3]
    puzzles += [Nonogram([[2], [9], []], [[1], [1, 1], [10**9 - 1]]), ARTICLE]
    for puzzle in puzzles:
        lines = [(clue, puzzle.columns) for clue in puzzle.row_clues]
        lines += [(clue, puzzle.rows) for clue in puzzle.column_clues]
        variables, clauses = map(sum, zip(*(promised(encoding.name, *line) for line in lines), strict=True))
        formula = encoding.encode(puzzle)
        assert formula.variables - formula.cells == variables, puzzle.text
        assert encoding.name == "order" or len(formula) == clauses, puzzle.text


@pytest.mark.parametrize("bound", [1, 40, 100])
def test_lines_that_are_encoded_in_groups_have_the_same_clauses_and_parts(
    bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = load("1 2,3,0,1 1 1,9|1,2,1 1,1,1 1,1")
    found = []
    for most in (bound, 1 << 17):
        monkeypatch.setattr(order, "_CHUNK", most)
        formula = order.order(puzzle)
        assert formula.owners is not None
        found.append((formula.variables, sorted(zip(formula.owners().tolist(), formula.clauses(), strict=True))))
    assert found[0] == found[1]
