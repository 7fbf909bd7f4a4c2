"""Files of models mean what the model means: readers that share nothing with the writers find the same assignments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest
from crosslit_encoders.finite_domain import Linear, Model, Parity
from crosslit_encoders.forms import asp, lp, opb, smt2

VARIABLES = 5
TERMS = re.compile(r"([+-]\d+) x(\d+)")

# factors of x1, x2, ..., and the bounds of their sum
SUMS = [
    ((1, 1, 1, 1, 1), 2, None),
    ((1, 1, 1, 1, 1), None, 3),
    ((1, 1, 1, 1, 1), 2, 2),
    ((2, -1, 3, -2, 1), -1, 2),
    ((2, -1, 3, -2, 1), -2, -2),
    ((-3, -2), -4, None),
    ((-1, -1, 4), None, -1),
    ((1, -1, 1), 0, None),  # clauses: a literal with factor -1 is negated
    ((-1, -1, -1), -2, None),
    ((1,), 1, None),
    ((-1,), 0, None),
]
PARITIES = [((0,), 1), ((0, 2, 4), 0), ((1, 2, 3, 4), 1), (tuple(range(5)), 0)]
LONG = [((1,) * 12, 0, 11), ((1,) * 13, 13, None), ((1,) * 13, None, 0), (tuple([-1] * 12 + [9]), None, -4)]


def linear(factors: tuple[int, ...], low: int | None, high: int | None) -> Linear:
    return Linear(tuple((factor, place) for place, factor in enumerate(factors)), low, high)


def model_of(constraint: Linear | Parity) -> Model:
    model = Model(1, max(VARIABLES, len(constraint.variables)))
    model.add(constraint)
    return model


def meant(model: Model) -> set[tuple[int, ...]]:
    """The assignments that satisfy every constraint, by its definition."""
    grids = itertools.product((0, 1), repeat=len(model.domains))
    return {values for values in grids if all(constraint.holds(values) for constraint in model.constraints)}


def satisfying(model: Model, sums: list[tuple[str, str, int]]) -> set[tuple[int, ...]]:
    """The assignments that satisfy sums of terms, given with a relation and a bound."""
    compare = {">=": int.__ge__, "<=": int.__le__, "=": int.__eq__}
    parsed = [
        ([(int(a), int(b) - 1) for a, b in TERMS.findall(terms)], compare[sign], bound) for terms, sign, bound in sums
    ]
    grids = itertools.product((0, 1), repeat=len(model.domains))
    return {
        values
        for values in grids
        if all(holds(sum(factor * values[place] for factor, place in terms), bound) for terms, holds, bound in parsed)
    }


def read_opb(model: Model) -> set[tuple[int, ...]]:
    found = [re.fullmatch(r"(.*?) (>=|=) (-?\d+) ;", line) for line in opb.write(model) if line[0] != "*"]
    return satisfying(model, [(match[1], match[2], int(match[3])) for match in found if match])


def read_lp(model: Model) -> set[tuple[int, ...]]:
    text = " ".join(lp.write(model)).partition("Subject To")[2].partition("Binaries")[0]
    found = re.findall(r"c\d+: (.*?) (>=|<=|=) (-?\d+)", text)
    return satisfying(model, [(terms, sign, int(bound)) for terms, sign, bound in found])


def read_asp(model: Model) -> set[tuple[int, ...]]:
    clingo = pytest.importorskip("clingo")
    control = clingo.Control(["0"])
    control.add("base", [], "\n".join(asp.write(model)))
    control.ground([("base", [])])
    found = set()
    with control.solve(yield_=True) as answers:
        for answer in answers:
            true = {atom.arguments[0].number for atom in answer.symbols(atoms=True) if atom.name == "x"}
            found.add(tuple(int(place + 1 in true) for place in range(len(model.domains))))
    return found


def read_smt2(model: Model) -> set[tuple[int, ...]]:
    z3 = pytest.importorskip("z3")
    asserted = z3.And(list(z3.parse_smt2_string("\n".join(smt2.write(model)))))
    names = [z3.Bool(f"x{place + 1}") for place in range(len(model.domains))]
    found = set()
    for values in itertools.product((0, 1), repeat=len(names)):
        pairs = [(name, z3.BoolVal(bool(value))) for name, value in zip(names, values, strict=True)]
        if z3.is_true(z3.simplify(z3.substitute(asserted, *pairs))):
            found.add(values)
    return found


def cases() -> Iterator[tuple[str, Linear | Parity]]:
    sums = [linear(*found) for found in SUMS]
    for name in ("opb", "lp", "asp", "smt2"):
        yield from ((name, found) for found in sums)
    yield from ((name, linear(*found)) for name in ("opb", "lp", "asp") for found in LONG)
    yield from ((name, Parity(*found)) for name in ("asp", "smt2") for found in PARITIES)


READERS = {"opb": read_opb, "lp": read_lp, "asp": read_asp, "smt2": read_smt2}


@pytest.mark.parametrize(("form", "constraint"), [*cases()], ids=str)
def test_a_file_has_the_models_of_its_constraints(form: str, constraint: Linear | Parity) -> None:
    model = model_of(constraint)
    assert READERS[form](model) == meant(model)
