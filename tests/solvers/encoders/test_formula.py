"""Formulas: reading, writing and answers, and all of them as stored."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from crosslit_encoders import cp_model
from crosslit_encoders import formula as cnf
from crosslit_encoders.cells import Extension
from crosslit_encoders.cp_model import number_lines
from crosslit_encoders.finite_domain import InRange, Linear, Model, Parity, Regular
from crosslit_encoders.formula import Formula

from crosslit import Grid, encode, load
from crosslit.base.errors import CrosslitError, UnreadableModel
from crosslit.contract import Encoding
from crosslit.contract.registered import forms
from crosslit.kinds import find_kind
from crosslit.registry import all_encodings
from tests.conftest import random_board, random_nonogram
from tests.stored import check

NO_LITERALS = np.empty(0, np.int32)
NO_ENDS = np.empty(0, np.int64)


@pytest.mark.parametrize(
    "encoding", [e for e in all_encodings().values() if e.target == "cnf"], ids=lambda e: f"{e.kind}-{e.name}"
)
def test_another_reader_finds_the_same_clauses(encoding: Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    from pysat.formula import CNF

    monkeypatch.setattr(cnf, "_MAX_CLAUSES_AT_ONCE", 7)
    rng = random.Random(3)
    make = {"lights-out": random_board, "nonogram": random_nonogram}.get(encoding.kind)
    shapes = [(1, 1), (1, 5), (3, 4), (5, 5)]
    for puzzle in [make(rng, *shape) for shape in shapes] if make else find_kind(encoding.kind).samples()[::5]:
        formula = encoding.encode(puzzle)
        written = b"".join(formula.written(["a comment"], binary=False)).decode()
        assert CNF(from_string=written).clauses == list(formula.clauses())
        assert f"\np cnf {formula.variables} {len(formula)}\n" in written
        lines = [line for line in written.splitlines() if line[0] not in "cp"]
        assert len(lines) == len(formula)
        assert all(line.endswith(" 0") for line in lines)


ONE = (np.array([1], np.int32), np.array([1]))
XORS = (((1, 2, 3), 1), ((2, 3), 0), ((), 0), ((), 1), ((), 1))
WRITTEN = {
    "p cnf 5 0\n": Formula(1, 2, 5, NO_LITERALS, NO_ENDS),
    "p cnf 5 1\n2 0\n": Formula(1, 2, 5, np.array([2], np.int32), np.array([1])),
    "p cnf 1 2\n0\n1 0\n": Formula(1, 1, 1, np.array([1], np.int32), np.array([0, 1])),
    "p cnf 3 7\n1 0\nx1 2 3 0\nx-2 3 0\n1 0\n-1 0\n1 0\n-1 0\n": Formula(
        1, 3, 3, np.array([1], np.int32), np.array([1]), XORS
    ),
}


@pytest.mark.parametrize(("text", "formula"), WRITTEN.items())
def test_a_formula_may_lack_clauses_literals_or_variables(text: str, formula: Formula) -> None:
    assert b"".join(cnf.write_dimacs(formula)).decode() == text


@pytest.mark.parametrize("count", [1, cnf._CHUNK - 1, cnf._CHUNK, cnf._CHUNK + 1])
@pytest.mark.parametrize("last", [(3,), (2, 0, 4)])
def test_clauses_are_lists_of_any_size(count: int, last: tuple[int, ...]) -> None:
    sizes = [*[3] * (count - 1), *last]
    literals = np.arange(1, sum(sizes) + 1, dtype=np.int32)
    formula = Formula(1, 1, len(literals), literals, np.cumsum(sizes))
    ends = formula.ends.tolist()
    expected = [literals[start:end].tolist() for start, end in itertools.pairwise([0, *ends])]
    assert list(formula.clauses()) == expected


def test_a_model_may_be_shorter_or_longer_than_the_cells() -> None:
    formula = Formula(1, 3, 5, NO_LITERALS, NO_ENDS)
    found = [(formula.grid(model).text, formula.blocking(model)) for model in ([1], [1, -2, 3, -4, 5], [])]
    assert found == [("100", [-1, 2, 3]), ("101", [-1, 2, -3]), ("000", [1, 2, 3])]


def test_clauses_beyond_the_given_parts_belong_to_no_constraint() -> None:
    formula = Formula.of(1, 2, [[1], [-5, 2], [2]], owners=[1, 0])
    assert formula.owners is not None
    assert (formula.owners().tolist(), formula.variables, Formula.of(1, 2, []).variables) == ([1, 0, -1], 5, 2)


@pytest.mark.parametrize("greatest", [0, 1, 9, 10, 11, 99, 100, 101, 1000])
def test_the_greatest_number_is_written_whole(greatest: int) -> None:
    numbers = np.array([greatest, -greatest, 1][: 3 if greatest else 1])
    words = "".join(f" {number}" for number in numbers)
    assert number_lines(numbers, np.array([len(numbers)]), " ") == f"{words}\n"


def test_a_file_says_what_the_variables_of_a_cell_with_more_states_mean() -> None:
    written = b"".join(encode("coloured-nonogram:1a 1b|1a,1b").written([], binary=False)).decode()
    assert "c a cell has 3 variables in succession, for its values 0 to 2: one of them is true\n" in written


def test_a_model_of_parity_constraints() -> None:
    formula = Formula(1, 3, 4, NO_LITERALS, NO_ENDS, (((1, 3), 1), ((2, 3), 0)))
    assert cnf.ordered_model(formula, [-1, 2, 3]) == [-1, 2, 3, -4]
    assert cnf.broken_constraint(formula, [-1, 2, 3, -4]) is None
    assert cnf.broken_constraint(formula, [1, 2, 3, -4]) == "x1 3 0"
    assert cnf.broken_constraint(formula, [-1, -2, 3, -4]) == "x-2 3 0"
    with pytest.raises(ValueError, match="no value for 1 variables, the first is 3"):
        cnf.ordered_model(formula, [1, 2])
    negated = Formula(1, 2, 2, np.array([-1], np.int32), np.array([1]))
    with pytest.raises(ValueError, match="no value for 1 variables, the first is 1"):
        cnf.ordered_model(negated, [2])


def test_the_clause_that_a_model_breaks() -> None:
    formula = Formula(1, 2, 2, np.array([1, 2, -1, -2, -1], np.int32), np.array([2, 4, 5]))
    assert cnf.broken_constraint(formula, [-1, 2]) is None
    broken = [cnf.broken_constraint(formula, model) for model in ([-1, -2], [1, 2], [1, -2])]
    assert broken == ["1 2 0", "-1 -2 0", "-1 0"]


@pytest.mark.parametrize(
    ("lines", "status", "literals"),
    [
        (["s SATISFIABLE", "v 1 -2 0"], "satisfiable", [1, -2]),
        (["c", "v 1", "v -2 3", "v 0", "s SATISFIABLE", "c time 1"], "satisfiable", [1, -2, 3]),
        (["v 1 2 0"], None, [1, 2]),
        (["s SATISFIABLE", "v 1 0", "s SATISFIABLE"], "satisfiable", [1]),
        (["s SATISFIABLE", "v 0"], "satisfiable", []),
        (["SAT", " 0"], "satisfiable", []),
        (["SAT", "1 -2 3 0"], "satisfiable", [1, -2, 3]),
        (["UNSAT"], "unsatisfiable", None),
        (["s UNSATISFIABLE"], "unsatisfiable", None),
        (["restarts : 1", "", "UNSATISFIABLE"], "unsatisfiable", None),
        (["INDET"], "unknown", None),
        (["s UNKNOWN"], "unknown", None),
        (["verified 3", "1 2 3 0"], None, None),
        (["SAT 3.2", "1 0"], None, None),  # words of the same line: no status
        (["UNSAT core of 3", "UNKNOWN option", "SATISFIABLE?"], None, None),
        (["SAT", "1 0", "s SATISFIABLE", "2 0"], "satisfiable", [1]),  # no bare status any more: numbers say nothing
        ([], None, None),
    ],
)
def test_answers(lines: list[str], status: str | None, literals: list[int] | None) -> None:
    assert cnf.read_answer(lines) == cnf.DecodedAnswer(status, literals)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["s SATISFIABLE", "v 1 -2"], "does not end with 0"),
        (["s SATISFIABLE", "v 1 0", "v 2 0"], "more than one model"),
        (["v 1 0 2 0"], "more than one model"),
        (["v 1 x 0"], "no literals in a line of its model: 1 x 0"),
        (["s SATISFIABLE", "s UNSATISFIABLE"], "it says satisfiable and unsatisfiable"),
        (["SATISFIABLE", "INDET"], "it says satisfiable and unknown"),
        (["s UNSATISFIABLE", "v 1 0"], "unsatisfiable and gives a model"),
        (["s OPTIMUM FOUND"], "an unknown status: s OPTIMUM FOUND"),
    ],
)
def test_what_is_no_answer(lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cnf.read_answer(lines)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("1 2 3", "its model has variable 3, and the formula 2 variables"),
        ("-9223372036854775808 2", "its model has variable 9223372036854775808, and"),
        (f"1 {'9' * 40}", "its model has variable 99999999999999999999, and"),
        ("1 -1 2", "variable 1 both true and false"),
        ("2", "partial: no value for 1 variables, the first is 1"),
    ],
)
def test_what_is_no_model(model: str, message: str) -> None:
    formula = Formula(1, 2, 2, np.array([1, 2], np.int32), np.array([2]))
    with pytest.raises(UnreadableModel, match=message):
        formula.answer([f"v {model} 0"])


def test_a_first_row_that_is_extended() -> None:
    extension = Extension(((0, 0), (0, 1)), lambda row: Grid.from_text(f"{row.text}/00"))
    formula = Formula(1, 2, 2, np.array([1], np.int32), np.array([1]), extend=extension)
    assert formula.answer(["v 1 -2 0"]) == (None, Grid.from_text("10/00"), None)
    written = b"".join(formula.written([], binary=False)).decode()
    assert "c only these cells have variables: they determine the rest of the solution\n" in written


STORED = Path(__file__).with_name("formulas.txt")

PUZZLES = {
    "lights-out": [
        *("1011", "10010/01100/00011/11011/10101", "press=king/wrap=torus/1010/0110/1111"),
        *("press=110,001,010/wrap=horizontal/10/01/11", "1001010/0110011/0011100/1110001/0101010/1000111/0010110"),
    ],
    "modular-lights-out": [
        *("modular-lights-out:4/press=king/wrap=torus/123/031/200", "modular-lights-out:3/wrap=klein/1202/0121/2100"),
        *("modular-lights-out:2/101/010", "modular-lights-out:5/press=010,120,000/1203/4410"),
    ],
    "nonogram": [
        *("0,0|0", "2 1,1,3|1 1,1,1,2", "13|" + "1," * 12 + "1", "1 2,3,0,1 1 1|1,2,1 1,1,1 1,1,1"),
        "3,1|1,1",
    ],
    "coloured-nonogram": [
        *("coloured-nonogram:1a 1b,1b|1a,2b", "coloured-nonogram:0|0,0"),
        "coloured-nonogram:2a 1b 1a,1c,3b|1a,1a 1b,1b 1c,1b,1a",
    ],
}


def digest(pieces: Sequence[bytes]) -> str:
    return hashlib.sha256(b"".join(pieces)).hexdigest()[:10]


@pytest.mark.parametrize(
    "encoding", all_encodings().values(), ids=lambda encoding: f"{encoding.kind}-{encoding.target}-{encoding.name}"
)
def test_the_formulas_of_an_encoding_are_those_that_are_stored(
    encoding: Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[bytes] = []
    if encoding.target == "cp-sat":
        pytest.importorskip("ortools")
        parse = cp_model._parse
        monkeypatch.setattr(cp_model, "_parse", lambda text, proto: (parsed.append(text.encode()), parse(text, proto)))
    lines = []
    for text in PUZZLES.get(encoding.kind, ()):
        puzzle = load(text)
        try:
            formula = encoding.encode(puzzle)
        except CrosslitError as error:
            lines.append(f"{text[:60]}: {error}")
            continue
        sizes = ", ".join(f"{number} {name}" for name, number in formula.sizes.items())
        # OR-Tools writes a model differently in each version, so the text that it gets counts
        pieces = parsed if encoding.target == "cp-sat" else [*formula.written(["a comment"], False)]
        written = digest(pieces)
        parsed.clear()
        lines.append(f"{text[:60]}: {sizes}; {written}")
    if lines:
        check(STORED, f"{encoding.kind} {encoding.target} {encoding.name}", " | ".join(lines))


EXTRA = {
    "mzn": [InRange(0, 4, 1, 2)],
    "xcsp3": [InRange(0, 4, 1, 2), Regular((0, 1, 2), 0, (1,), ((0, 1, 1), (1, 0, 1)))],
    **{name: [Parity((0, 1), 1), Parity((3,), 0)] for name in ("asp", "smt2")},
}


@pytest.mark.parametrize("name", forms())
def test_a_model_in_each_form_is_as_stored(name: str) -> None:
    model = Model(2, 2)
    low, wide = model.variable(-2, 1), model.variable(0, 2)
    model.add(Linear(((1, 0), (-1, 1), (2, low)), -1, 2))
    model.add(Linear(((1, 0), (1, 1), (1, 2), (1, 3)), 2, 2))
    model.add(Linear(((-1, 0), (1, 3)), 0))
    model.add(Linear(((3, wide), (-5, low)), None, 9))
    for constraint in EXTRA.get(name, ()):
        model.add(constraint)
    check(STORED, f"form {name}", b"".join(model.as_form(name).written(["one", "t--wo"], False)).decode())


@pytest.mark.parametrize("name", forms())
def test_a_constraint_that_a_form_does_not_know_is_refused(name: str) -> None:
    model, unknown = Model(1, 1), SimpleNamespace(variables=(0,))
    model.add(unknown)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no form in"):
        list(model.as_form(name).written([], False))
