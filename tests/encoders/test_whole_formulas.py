"""Every formula and every file form of some puzzles, as stored in ``formulas.txt``, and answers read from it.

The contract of encodings tests what formulas mean, on small puzzles. Here it is noticed if one changes in any other
way, which would make runs of before and after incomparable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from crosslit_encoders import cp_model
from crosslit_encoders.finite_domain import InRange, Linear, Model, Parity, Regular
from crosslit_encoders.formula import read_answer

from crosslit import load
from crosslit.base.errors import CrosslitError
from crosslit.contract import Encoding
from crosslit.contract.registered import find_form, form_names
from crosslit.registry import all_encodings
from tests.stored import check

STORED = Path(__file__).with_name("formulas.txt")

PUZZLES = {
    "lights-out": [
        *("1", "1011", "110/010/101", "10010/01100/00011/11011/10101", "100101100110/000000000000"),
        *("press=king/wrap=torus/1010/0110/1111", "press=110,001,010/wrap=horizontal/10/01/11"),
        "press=010,000,000/10/01",
        "1001010/0110011/0011100/1110001/0101010/1000111/0010110",
        *("press=neighbours/110/011/101", "wrap=vertical/101/010", "0000/0000/0000/0000"),
    ],
    "modular-lights-out": [
        *("modular-lights-out:3/12/20/01", "modular-lights-out:4/press=king/wrap=torus/123/031/200"),
        "modular-lights-out:3/press=010,000,000/12/20",
        *("modular-lights-out:3/wrap=moebius/1202/0121", "modular-lights-out:3/wrap=klein/1202/0121/2100"),
        *("modular-lights-out:2/101/010", "modular-lights-out:5/press=010,120,000/1203/4410"),
    ],
    "nonogram": [
        *(
            "1|1",
            "0,0|0",
            "2 1,1,3|1 1,1,1,2",
            "1,1,1|1,1,1",
            "1 1 1,1|1,1,0,0,2",
            "3|1,0,1,1",
            "13|" + "1," * 12 + "1",
        ),
        "1 2,3,0,1 1 1|1,2,1 1,1,1 1,1,1",
        "3,1|1,1",
    ],
    "coloured-nonogram": [
        *("coloured-nonogram:1a 1b,1b|1a,2b", "coloured-nonogram:1a 1a,1a|1a,1a,1a,0", "coloured-nonogram:0|0,0"),
        "coloured-nonogram:2a 1b 1a,1c,3b|1a,1a 1b,1b 1c,1b,1a",
        "coloured-nonogram:1a 1a,1b|1b,1a",
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
        check(STORED, f"{encoding.kind} {encoding.target} {encoding.name}", "\n".join(lines))


def small_model() -> Model:
    """A model with every constraint that all forms have, and an integer."""
    model = Model(2, 2)
    low, wide = model.variable(-2, 1), model.variable(0, 12)
    model.add(Linear(((1, 0), (-1, 1), (2, low)), -1, 2))
    model.add(Linear(((1, 0), (1, 1), (1, 2), (1, 3)), 2, 2))
    model.add(Linear(((-1, 0), (1, 3)), 0))
    model.add(Linear(((3, wide), (-5, low)), None, 9))
    return model


EXTRA = {
    "mzn": [
        Regular((0, 1, 2), 0, (1,), ((0, 1, 1), (1, 0, 1))),
        InRange(0, 4, 1, 2),
    ],
    "xcsp3": [Regular((0, 1, 2), 0, (1,), ((0, 1, 1), (1, 0, 1))), InRange(0, 4, 1, 2)],
    "asp": [Parity((0, 1, 2), 1), Parity((3,), 0)],
    "smt2": [Parity((0, 1, 2), 1), InRange(0, 5, 1, 2)],
}


@pytest.mark.parametrize("name", form_names())
def test_a_model_in_each_form(name: str) -> None:
    texts = []
    for extra in (None, *EXTRA.get(name, ())):
        model = small_model()
        try:
            if extra is not None:
                model.add(extra)
            text = b"".join(model.as_form(name).written(["one", "t--wo"], False)).decode()
        except (TypeError, ValueError) as error:
            text = f"{type(error).__name__}: {error}"
        texts.append(text if extra is None else "\n".join(sorted({*text.split("\n")} - {*texts[0].split("\n")})))
    check(STORED, f"form {name}", "\n\n".join(texts))


OUTPUTS = {
    "sat": "s SATISFIABLE\nv 1 -2 3\nv -4 0",
    "without zero": "s SATISFIABLE\nv 1 -2",
    "minisat": "SAT\n1 -2 3 0",
    "minisat unsat": "UNSAT",
    "unsat": "c hello\ns UNSATISFIABLE",
    "unknown": "s UNKNOWN",
    "indeterminate": "INDET",
    "colours": "\x1b[32ms SATISFIABLE\x1b[0m\nv 1 0",
    "twice": "s SATISFIABLE\nv 1 0\nv -1 0",
    "two claims": "s SATISFIABLE\ns UNSATISFIABLE",
    "a model beside none": "s UNSATISFIABLE\nv 1 0",
    "no claim": "v 1 -2 0",
    "words": "s SATISFIABLE\nv 1 two 0",
    "huge": "s SATISFIABLE\nv 99999999999999999999 0",
    "blank": "\n\n",
    "opposite": "s SATISFIABLE\nv 1 -1 0",
    "windows": "s SATISFIABLE\r\nv 1 -2 0\r",
    "tabs": "s\tSATISFIABLE\nv\t1\t-2\t0",
    "after the zero": "s SATISFIABLE\nv 1 0 2 0",
    "small letters": "s satisfiable\nv 1 0",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_is_read_as_stored(name: str) -> None:
    encoding = next(each for each in all_encodings().values() if (each.kind, each.name) == ("nonogram", "direct"))
    formula = encoding.encode(load("1|1,0"))
    texts = []
    for read in (read_answer, formula.answer):
        try:
            texts.append(str(read(OUTPUTS[name].split("\n"))))
        except (CrosslitError, ValueError) as error:
            texts.append(f"{type(error).__name__}: {error}")
    check(STORED, f"output {name}", "\n".join(texts))


VALUES = [
    "1",
    "0",
    "-1",
    "1.0",
    "0.9999999",
    "0.99",
    "1e0",
    "+1",
    "2147483647",
    "2147483648",
    "1e9",
    "99999999999",
    "0x1",
]


@pytest.mark.parametrize("name", ["lp", "opb", "smt2", "asp", "mzn", "xcsp3"])
def test_the_values_of_each_form_are_read_as_stored(name: str) -> None:
    shapes = {
        "lp": "Optimal\n  x1   {}\nx2 0",
        "opb": "s SATISFIABLE\nv x1 -x2 {}",
        "smt2": "sat\n((x1 {}) (x2 false))",
        "asp": "Answer: 1\nx({})\nSATISFIABLE",
        "mzn": "x = [{},0];\n----------",
        "xcsp3": "s SATISFIABLE\nv <list> x1 x2 </list> <values> {} 0 </values>",
    }
    lines = []
    for value in (*VALUES, "(- 1)", "x1", "true", ""):
        try:
            found = find_form(name).read(shapes[name].format(value).split("\n"))
        except ValueError as error:
            found = (f"{error}", None)
        lines.append(f"{value}: {found}")
    for text in ("", "s SATISFIABLE", "sat", "unsat", "unknown", "UNKNOWN", "Optimal", "Infeasible", "s OPTIMUM FOUND"):
        try:
            lines.append(f"{text}: {find_form(name).read([text])}")
        except ValueError as error:
            lines.append(f"{text}: {error}")
    check(STORED, f"values of {name}", "\n".join(lines))
