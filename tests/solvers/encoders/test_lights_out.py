"""The sizes and parts of the encodings of boards."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out import cnf as xor
from crosslit_encoders.lights_out import equations
from crosslit_encoders.lights_out.equations import hard_reason

from crosslit import Grid, LightsOut, load
from crosslit.base.errors import GaveUp
from crosslit.registry import all_encodings
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
    assert formula.owners is not None
    parts = dict(zip(map(tuple, formula.clauses()), formula.owners().tolist(), strict=True))
    assert parts[-2,] == -1
    assert {*parts.values()} == {-1, 0, 2, 3}
    for text, name in (("modular-lights-out:3/1_/01", "direct"), ("coloured-nonogram:1a,1b|1a,1b", "order")):
        clauses = all_encodings()[load(text).kind, "cnf", name].encode(load(text))
        assert {*clauses.owners().tolist()} - {1} == {-1, 0, 2, 3}


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
    monkeypatch.setattr(equations, "MAX_SEARCHED", 9)
    hard_reason.cache_clear()
    assert [hard_reason(board) is None for board in boards] == [True, False]
    hard_reason.cache_clear()
    for most, is_chased in ((27, True), (26, False)):  # 9 presses in terms of 3
        monkeypatch.setattr(equations, "MAX_NUMBERS", most)
        with contextlib.nullcontext() if is_chased else pytest.raises(GaveUp, match="numbers in the chase"):
            equations.chase(boards[0])


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
