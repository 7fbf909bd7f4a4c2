"""Nonograms to formulas: single lines, documented sizes, propagation, and refused puzzles."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from math import comb

import numpy as np
import pytest
from crosslit_encoders.finite_domain import AllowedRows
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import cnf, coloured, order
from crosslit_encoders.nonogram.cnf import MAX_TABLE_CELLS, allowed_lines
from crosslit_encoders.nonogram.models_from_cnf import table
from crosslit_encoders.nonogram.order import residue

from crosslit import Grid, Nonogram, load
from crosslit.base.errors import SpecError
from crosslit.contract import Encoding, GaveUp, Task
from crosslit.registry import all_backends, all_encodings, select, select_one
from crosslit.runs.job import drive
from tests.conftest import ROOT, Command, all_grids, random_nonogram
from tests.contract.test_every_encoding import models_by_cells

CNF = {e.name: e for e in all_encodings().values() if (e.kind, e.target) == ("nonogram", "cnf")}
every = pytest.mark.parametrize("encoding", CNF.values(), ids=CNF)
ARTICLE = load(str(ROOT / "examples" / "article-50x50.txt"))
REFUSED = Nonogram([[1] * 8], [[]] * 30)
REASON = "its tables of allowed lines would have 14,709,420 cells, more than 2,097,152"


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


@pytest.mark.parametrize("length", range(1, 8))
@every
def test_a_single_line_has_one_model_for_each_arrangement(encoding: Encoding, length: int) -> None:
    for clue, arrangements in all_lines(length).items():
        assert models_by_cells(line_alone(encoding, clue, length)) == dict.fromkeys(arrangements, 1), clue


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


@pytest.mark.parametrize("name", ["automaton", "table"])
def test_unit_propagation_finds_the_cells_of_line_solving(name: str) -> None:
    """Every clue of lines of 6 cells, every partial assignment: a conflict, or just the cells that are settled."""
    from pysat.solvers import Minisat22

    length = 6
    partial = [[cell * sign for cell, sign in enumerate(signs, 1) if sign] for signs in ternary(length)]
    for clue, arrangements in all_lines(length).items():
        models = [{c if bits >> c - 1 & 1 else -c for c in range(1, length + 1)} for bits in arrangements]
        formula = line_alone(CNF[name], clue, length)
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
    if name == "order-cover":
        both, always = (sum(max(sign * (d - block), 0) for block in clue) for sign in (1, -1))
        return k * d + both, k * (d - 1) + (k - 1) * d + b + k * d + 3 * both + n - always
    if name == "automaton":
        states = (b + k + 1) * (d + 1) - 2
        return states, 3 * states + 2 * n - 2
    lines = comb(d + k, k)
    return lines, n * lines + 2 * n


@pytest.mark.parametrize("name", ["direct", "order-cover", "automaton", "table"])
def test_the_sizes_that_an_encoding_promises(name: str) -> None:
    rng = random.Random(8)
    puzzles = [random_nonogram(rng, rows, columns) for rows, columns in [(1, 1), (1, 9), (7, 12), (12, 12)] * 3]
    puzzles += [Nonogram([[2], [9], []], [[1], [1, 1], [10**9 - 1]])]
    puzzles += [ARTICLE] if name != "table" else []
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


@pytest.mark.parametrize(
    ("name", "clauses"),
    [("order", 53_524), ("order-cover", 74_252), ("automaton", 195_062), ("direct", 305_227)],
)
def test_the_sizes_of_the_example(name: str, clauses: int) -> None:
    assert len(CNF[name].encode(ARTICLE)) == clauses


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order", "direct"])
def test_lists_of_clauses_are_those_of_the_arrays(name: str) -> None:
    """Over many chunks, of equal sizes and of mixed ones."""
    formula = CNF[name].encode(ARTICLE)
    ends = formula.ends.tolist()
    expected = [formula.literals[start:end].tolist() for start, end in itertools.pairwise([0, *ends])]
    assert list(formula.clauses()) == expected


@pytest.mark.parametrize("length", range(1, 9))
def test_the_allowed_lines_are_all_arrangements(length: int) -> None:
    for clue, arrangements in all_lines(length).items():
        lines = allowed_lines(clue, length)
        assert sorted(Grid.from_cells([line]).bits for line in lines.tolist()) == sorted(arrangements)


def tables() -> list[Encoding]:
    return [
        encoding for encoding in all_encodings().values() if (encoding.kind, encoding.name) == ("nonogram", "table")
    ]


@pytest.mark.parametrize("encoding", tables(), ids=lambda encoding: encoding.target)
def test_tables_that_are_too_large_are_refused(encoding: Encoding) -> None:
    assert encoding.unsupported_reason(REFUSED) == REASON
    with pytest.raises(GaveUp, match=REASON):
        encoding.encode(REFUSED)
    assert "over 10^15 cells" in str(encoding.unsupported_reason(Nonogram([[1] * 3000], [[]] * 9000)))
    assert str(encoding.unsupported_reason(Nonogram([[1] * 13], [[]] * 50))) == (
        f"its tables of allowed lines would have {50 * comb(38, 13):,} cells, more than {MAX_TABLE_CELLS:,}"
    )
    assert encoding.unsupported_reason(Nonogram([[1] * 6], [[]] * 20)) is None
    assert encoding.unsupported_reason(Nonogram([[10**9 - 1]], [[10**9 - 1]])) is None  # it does not fit: no table


@pytest.mark.parametrize("text", ["2a 1b,1c|1a,1a,0,1b", "1a 1a,3a,9b|1a 1a,1b,2a", "2,0,9|1 1,1,2,1,1"])
def test_tables_have_a_row_for_each_allowed_line_and_just_the_cells_that_are_allowed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, make, prefix = (coloured, coloured.table, "coloured-nonogram:") if "a" in text else (cnf, table, "")
    puzzle = load(f"{prefix}{text}")
    lines = [found for found in make(puzzle).constraints if isinstance(found, AllowedRows)]
    # in one colour, a line that has one arrangement needs no table
    size = sum(len(found.rows) * len(found.variables) for found in lines if prefix or len(found.rows) > 1)
    monkeypatch.setattr(module, "MAX_TABLE_CELLS", size)
    assert module.too_large(puzzle) is None
    monkeypatch.setattr(module, "MAX_TABLE_CELLS", size - 1)
    assert module.too_large(puzzle) == f"its tables of allowed lines would have {size} cells, more than {size - 1}"


@pytest.mark.parametrize(("blocks", "found"), [(12, f"{60 * comb(60, 12) + 60:,}"), (30, "over 10^15")])
def test_the_tables_of_colours_say_how_large_they_would_be(blocks: int, found: str) -> None:
    puzzle = load(f"coloured-nonogram:{' '.join(['1a', '1b'] * (blocks // 2))}|{','.join(['0'] * 60)}")
    assert coloured.too_large(puzzle) == (
        f"its tables of allowed lines would have {found} cells, more than {coloured.MAX_TABLE_CELLS:,}"
    )


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


def test_an_encoding_that_refuses_is_kept_with_its_reason() -> None:
    """Whether it was named or a wildcard brought it, by an engine that was named or by a group."""
    for text in ("glucose4/table", "glucose4/*", "glucose*/t*", "sat/table", "cpsat/*"):
        refusals = {choice.spec: choice.refusal for choice in select(text, REFUSED)}
        assert {spec: reason for spec, reason in refusals.items() if reason} == {
            spec: REASON for spec in refusals if spec.endswith("/table")
        }
        assert any(refusals.values())
    assert not any(choice.refusal for choice in select("glucose4/*", load("1,1|1,1")))
    with pytest.raises(SpecError, match=REASON):
        select_one("glucose4/table", REFUSED)


def test_a_run_that_nobody_asked_the_registry_for_gives_up_by_the_same_reason() -> None:
    task = Task(encoding=CNF["table"])
    with pytest.raises(GaveUp, match=REASON):
        list(drive(all_backends()["glucose4"], REFUSED, task))


def test_the_comparison_of_all_encodings_has_a_row_for_the_one_that_refuses(crosslit: Command) -> None:
    result = crosslit("compare", "--backends", "glucose4/*", REFUSED.text)
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip().startswith("glucose4/")}
    assert rows.keys() == {f"glucose4/{name}" for name in CNF}
    assert rows["glucose4/table"].split(maxsplit=2)[1] == "unsupported"
    assert REASON in rows["glucose4/table"]
    assert "unsolvable" in result.stdout
    assert result.returncode == 0, result.stderr
