"""What every registered encoding promises; the models themselves are checked with every backend that takes it."""

from __future__ import annotations

import copy
import random

import pytest

from crosslit.contract import Encoding
from crosslit.puzzles import Puzzle
from crosslit.registry import all_encodings
from tests.conftest import all_grids, random_board, random_nonogram

every = pytest.mark.parametrize(
    "encoding", all_encodings().values(), ids=lambda encoding: "-".join((encoding.kind, encoding.target, encoding.name))
)


def samples(encoding: Encoding) -> list[Puzzle]:
    rng = random.Random(6)
    make = random_board if encoding.kind == "lights-out" else random_nonogram
    return [make(rng, rows, columns) for rows, columns in [(1, 1), (1, 6), (6, 1), (2, 4), (3, 3), (3, 2)] * 3]


def models_by_cells(formula: object) -> dict[int, int]:
    """How many models of a formula there are for each assignment of the cells, by trying all assignments."""
    from pysat.solvers import Minisat22

    counts: dict[int, int] = {}
    with Minisat22(bootstrap_with=formula.clauses()) as solver:  # type: ignore[attr-defined]
        for model in solver.enum_models():  # blocks whole models: this counts auxiliary ones too
            bits = sum(1 << literal - 1 for literal in model[: formula.cells] if literal > 0)  # type: ignore[attr-defined]
            counts[bits] = counts.get(bits, 0) + 1
    return counts


@every
def test_the_auxiliary_variables_of_a_cnf_follow_from_the_cells(encoding: Encoding) -> None:
    if encoding.target != "cnf":
        return
    for puzzle in samples(encoding):
        expected = {g.bits: 1 for g in all_grids(puzzle.rows, puzzle.columns) if not any(puzzle.violations(g))}
        assert models_by_cells(encoding.encode(puzzle)) == expected, puzzle.text


@every
def test_a_cnf_is_well_formed(encoding: Encoding) -> None:
    if encoding.target != "cnf":
        return
    for puzzle in samples(encoding):
        formula = encoding.encode(puzzle)
        clauses = list(formula.clauses())
        assert formula.literals.dtype == "int32"
        assert len(clauses) == len(formula)
        assert sum(map(len, clauses)) == len(formula.literals)
        assert all(clause and 0 not in clause and len(set(map(abs, clause))) == len(clause) for clause in clauses)
        assert {abs(literal) for clause in clauses for literal in clause} == set(range(1, formula.variables + 1))


@every
def test_encoding_is_a_pure_function(encoding: Encoding) -> None:
    for puzzle in samples(encoding):
        before = copy.deepcopy(puzzle)
        first, second = encoding.encode(puzzle), encoding.encode(puzzle)
        assert puzzle == before
        if encoding.target == "cnf":
            assert list(first.clauses()) == list(second.clauses())
        else:
            assert str(first.model.proto) == str(second.model.proto)


def test_the_default_encodings() -> None:
    found = {(e.kind, e.target): e.name for e in all_encodings().values() if e.default}
    assert found == {
        ("lights-out", "cnf"): "direct",
        ("lights-out", "cp-sat"): "xor",
        ("nonogram", "cnf"): "order",
        ("nonogram", "cp-sat"): "automaton",
    }
