"""The sizes and parts of the encodings of boards and nonograms."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out import cnf as xor
from crosslit_encoders.lights_out import sums
from crosslit_encoders.lights_out.sums import hard_reason
from crosslit_encoders.nonogram import order
from crosslit_encoders.nonogram.order import residue

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.base.errors import GaveUp
from crosslit.contract import Encoding
from crosslit.registry import all_encodings, select_one
from tests.conftest import ROOT, all_grids, random_nonogram
from tests.contract.test_every_encoding import models_by_cells


def named(target: str, name: str, board: LightsOut) -> Formula:
    formula = all_encodings()["lights-out", target, name].encode(board)
    assert isinstance(formula, Formula)
    return formula


def dark(rows: int, columns: int) -> LightsOut:
    return LightsOut(Grid.from_bits(rows, columns, 0))


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("size", range(1, 10))
def test_the_clauses_of_one_xor(size: int, most: int | None, value: int) -> None:
    new, arrays, _ = xor.clauses([(tuple(range(1, size + 1)), value)], most, size + 1)
    cut = most is not None and size > most
    assert new == (-(-(size - most) // (most - 2)) if cut and most else 0)
    count = new * 2 ** (most - 1) + 2 ** (size - new * (most - 2) - 1) if cut and most else 2 ** (size - 1)
    assert sum(map(len, arrays)) == count
    assert max(array.shape[1] for array in arrays) <= (most or size)
    literals = np.concatenate([array.ravel() for array in arrays])
    ends = np.cumsum([array.shape[1] for array in arrays for _ in array])
    formula = Formula(1, size, size + new, literals, ends)
    assert models_by_cells(formula) == {bits: 1 for bits in range(1 << size) if bits.bit_count() % 2 == value}


@pytest.mark.parametrize("most", [None, 4])
def test_xors_without_variables(most: int | None) -> None:
    assert xor.clauses([((), 0)], most, 2) == (0, [], [])
    _, (clauses,), _ = xor.clauses([((), 1)], most, 2)
    assert clauses.tolist() == [[1], [-1]]
    _, (clauses,), (owners,) = xor.clauses([((), 1), ((), 1)], most, 2)
    assert (clauses.tolist(), owners.tolist()) == ([[1], [-1]] * 2, [0, 0, 1, 1])


def test_a_clause_belongs_to_the_light_that_it_is_about_or_to_none_for_a_missing_cell() -> None:
    board = load("1_/01")
    assert isinstance(board, LightsOut)
    formula = named("cnf", "full-direct", board)
    assert formula.part is not None
    parts = dict(zip(map(tuple, formula.clauses()), formula.part().tolist(), strict=True))
    assert parts[-2,] == -1
    assert {*parts.values()} == {-1, 0, 2, 3}
    for text, name in (("modular-lights-out:3/1_/01", "direct"), ("coloured-nonogram:1a,1b|1a,1b", "order")):
        clauses = all_encodings()[load(text).kind, "cnf", name].encode(load(text))
        assert {*clauses.part().tolist()} - {1} == {-1, 0, 2, 3}


def test_the_sizes_of_the_full_system() -> None:
    rows, columns = 7, 9
    inner, edges, corners = (rows - 2) * (columns - 2), 2 * (rows - 2) + 2 * (columns - 2), 4
    cells = rows * columns
    expected = {
        "full-direct": (cells, 16 * inner + 8 * edges + 4 * corners),
        "full-cut4": (cells + inner, 12 * inner + 8 * edges + 4 * corners),
    }
    for name, sizes in expected.items():
        formula = named("cnf", name, dark(rows, columns))
        assert (formula.variables, len(formula)) == sizes, name
    formula = named("cnf-xor", "full-xor", dark(rows, columns))
    assert (formula.variables, len(formula), len(formula.xors)) == (cells, 0, cells)


@pytest.mark.parametrize(("text", "bits"), [("/".join(["0" * 9] * 9), 5), ("wrap=torus/" + "/".join(["0" * 6] * 6), 3)])
def test_a_search_is_hard_beyond_the_bits_of_the_open_presses_on_one_side_of_a_mirror(text: str, bits: int) -> None:
    board = load(text)
    assert hard_reason(board, max_bits=bits) is None
    assert "too many for search" in (hard_reason(board, max_bits=bits - 1) or "")


def test_a_search_and_a_chase_are_bounded_by_the_number_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = dark(3, 3), dark(2, 5)
    monkeypatch.setattr(sums, "MAX_SEARCHED", 9)
    hard_reason.cache_clear()
    assert [hard_reason(board) is None for board in boards] == [True, False]
    hard_reason.cache_clear()
    for most, is_chased in ((27, True), (26, False)):  # 9 presses in terms of 3
        monkeypatch.setattr(sums, "MAX_NUMBERS", most)
        with contextlib.nullcontext() if is_chased else pytest.raises(GaveUp, match="numbers in the chase"):
            sums.chase(boards[0])


def test_an_xor_of_the_maximum_size_is_encoded_directly() -> None:
    for size in (xor.MAX_DIRECT, xor.MAX_DIRECT + 1):
        with contextlib.nullcontext() if size == xor.MAX_DIRECT else pytest.raises(GaveUp, match=f"of {size} variab"):
            assert len(xor.clauses([(range(1, size + 1), 1)], None, size + 1)[1][0]) == 1 << size - 1


def test_long_xors_are_cut_or_given_up() -> None:
    offsets = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
    wide = LightsOut(Grid.from_bits(9, 9, 0), tuple(offsets))
    with pytest.raises(GaveUp, match=r"an XOR of 20 variables takes 2\^19 clauses: at most 2\^15"):
        named("cnf", "full-direct", wide)
    assert named("cnf", "full-cut4", wide).variables > 81


def test_lineages() -> None:
    board = LightsOut(Grid.from_text("10/01"))

    def trusted_base(spec: str) -> frozenset[str]:
        return select_one(spec, board).trusted_base

    assert trusted_base("cadical195/chased-cut4") & trusted_base("polynomial") == {"chase"}
    assert trusted_base("cadical195/chased-cut4") & trusted_base("cpsat/chased") == {"chase", "modular-sums"}
    assert not trusted_base("cadical195/chased-cut4") & trusted_base("cpsat/xor")
    assert not trusted_base("cadical195/chased-cut4") & trusted_base("gauss")
    assert not trusted_base("cadical195/full-cut4") & trusted_base("polynomial")
    assert trusted_base("cadical195/full-cut4") & trusted_base("cpsat/sum") == {"light-xors"}


CNF = {e.name: e for e in all_encodings().values() if (e.kind, e.target) == ("nonogram", "cnf")}
every = pytest.mark.parametrize("encoding", CNF.values(), ids=CNF)
ARTICLE = load(str(ROOT / "examples" / "article-50x50.txt"))


def all_lines(length: int) -> dict[tuple[int, ...], list[int]]:
    """Every clue that fits a line of this length, with the arrangements that it allows, as bits."""
    lines: dict[tuple[int, ...], list[int]] = {}
    for grid in all_grids(1, length):
        lines.setdefault(Nonogram.of(grid).row_clues[0], []).append(grid.bits)
    return lines


def line_alone(encoding: Encoding, clue: tuple[int, ...], length: int) -> Formula:
    """The clauses of a single line: the first part of a puzzle of one row."""
    formula: Formula = encoding.encode(Nonogram([clue], [[]] * length))
    assert formula.part is not None
    own = [clause for part, clause in zip(formula.part(), formula.clauses(), strict=True) if part == 0]
    ends = np.cumsum([len(clause) for clause in own], dtype=np.int64)
    return Formula(1, length, formula.variables, np.array(list(itertools.chain(*own)), np.int32), ends)


@pytest.mark.parametrize("text", ["1 1,0,2 9,1|2,0,9,1", "9,1,9|1,1 1,9 9,1", "1,1,1,1,1|5,0,0"])
@every
def test_each_clause_is_about_the_cells_of_its_line(encoding: Encoding, text: str) -> None:
    """Also where clues that do not fit refute some lines, in two clauses each."""
    puzzle = load(text)
    assert isinstance(puzzle, Nonogram)
    formula: Formula = encoding.encode(puzzle)
    assert formula.part is not None
    lines, refuted = puzzle.lines(), [0] * (puzzle.rows + puzzle.columns)
    clauses = [*formula.clauses()]
    for part, clause in zip(formula.part(), clauses, strict=True):
        assert {abs(literal) - 1 for literal in clause if abs(literal) <= formula.cells} <= {*lines[part][1]}
        refuted[part] += len(clause) == 1 and [-clause[0]] in clauses
    assert all(
        number >= 2 for number, (clue, cells) in zip(refuted, lines, strict=True) if puzzle.space(clue) > len(cells)
    )


def test_known_cells_that_no_block_can_cover_refute_their_line() -> None:
    clauses = list(residue(Nonogram([[2], []], [[1], [], [1]]), [1, 0], [2, 0]).clauses())
    assert [1] in clauses
    assert [-1] in clauses


def test_unit_propagation_of_an_automaton_finds_the_cells_of_line_solving() -> None:
    """Every clue of lines of 6 cells, every partial assignment: a conflict, or just the cells that are settled."""
    from pysat.solvers import Minisat22

    length = 6
    partial = [[cell * sign for cell, sign in enumerate(signs, 1) if sign] for signs in ternary(length)]
    for clue, arrangements in all_lines(length).items():
        models = [{c if bits >> c - 1 & 1 else -c for c in range(1, length + 1)} for bits in arrangements]
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


def ternary(length: int) -> Iterator[tuple[int, ...]]:
    """Every line of cells that are filled (1), empty (-1) or open (0)."""
    return itertools.product((-1, 0, 1), repeat=length)


def promised(name: str, clue: tuple[int, ...], n: int) -> tuple[int, int]:
    """Auxiliary variables and clauses of a line, as the docstrings say."""
    k, b = len(clue), sum(clue)
    d = n - b - k + 1
    if d < 0:
        return 0, 2
    if d == 0 or not clue:
        return 0, n
    if name == "direct":
        return k * (d + 1), k + (2 * k - 1) * d * (d + 1) // 2 + b * (d + 1) + n
    states = (b + k + 1) * (d + 1) - 2
    return states, 3 * states + 2 * n - 3


@pytest.mark.parametrize("name", ["direct", "automaton"])
def test_the_sizes_that_an_encoding_promises(name: str) -> None:
    rng = random.Random(8)
    puzzles = [random_nonogram(rng, rows, columns) for rows, columns in [(1, 1), (1, 9), (7, 12), (12, 12)] * 3]
    puzzles += [Nonogram([[2], [9], []], [[1], [1, 1], [10**9 - 1]]), ARTICLE]
    for puzzle in puzzles:
        lines = [(clue, puzzle.columns) for clue in puzzle.row_clues]
        lines += [(clue, puzzle.rows) for clue in puzzle.column_clues]
        variables, clauses = map(sum, zip(*(promised(name, *line) for line in lines), strict=True))
        formula = CNF[name].encode(puzzle)
        assert (formula.variables - formula.cells, len(formula)) == (variables, clauses), puzzle.text


def test_the_order_encoding_has_a_variable_for_each_block_and_step_of_slack() -> None:
    lines = [(clue, 50) for clue in (*ARTICLE.row_clues, *ARTICLE.column_clues)]
    formula = CNF["order"].encode(ARTICLE)
    assert formula.variables - formula.cells == sum(len(c) * (n - sum(c) - len(c) + 1) for c, n in lines)


@pytest.mark.parametrize("bound", [1, 40, 100])
def test_lines_that_are_encoded_in_groups_have_the_same_clauses_and_parts(
    bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = load("1 2,3,0,1 1 1,9|1,2,1 1,1,1 1,1")
    found = []
    for most in (bound, 1 << 17):
        monkeypatch.setattr(order, "_CHUNK", most)
        formula = order.order(puzzle)
        assert formula.part is not None
        found.append((formula.variables, sorted(zip(formula.part().tolist(), formula.clauses(), strict=True))))
    assert found[0] == found[1]
