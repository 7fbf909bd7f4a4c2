"""Files of models mean what the model means: readers that share nothing with the writers find the same assignments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from types import ModuleType

import pytest
from crosslit_encoders.finite_domain import (
    TAUTOLOGY,
    Constraint,
    InRange,
    Linear,
    LinearRows,
    Model,
    Parity,
    Regular,
    without_integers,
)
from crosslit_encoders.forms import asp, lp, mzn, opb, smt2, xcsp3
from crosslit_encoders.nonogram.models import ladder

from crosslit import load

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
    ((2,), 1, None),
    ((-2, 1), 1, None),  # no clause, though the bound is that of one
    ((0, 1, 1), None, 0),
]
PARITIES = [((0,), 1), ((0, 2, 4), 0), ((1, 2, 3, 4), 1), (tuple(range(5)), 0)]
LONG = [((1,) * 12, 0, 11), ((1,) * 13, 13, None), ((1,) * 13, None, 0), (tuple([-1] * 12 + [9]), None, -4)]


def linear(factors: tuple[int, ...], low: int | None, high: int | None) -> Linear:
    return Linear(tuple((factor, place) for place, factor in enumerate(factors)), low, high)


def model_of(constraint: Constraint) -> Model:
    model = Model(1, max(VARIABLES, len(constraint.variables)))
    model.add(constraint)
    return model


def integers(constraint: Constraint) -> Model:
    """A model of two cells and two integers."""
    model = Model(1, 2)
    assert (model.variable(-2, 1), model.variable(0, 2)) == (2, 3)
    model.add(constraint)
    return model


def test_a_file_states_both_bounds_of_an_integer_in_lines_that_every_reader_takes() -> None:
    model = Model(1, 1)
    model.add(Linear(((1, 0), (1, model.variable(-2, 3))), 0))
    assert "(assert (<= (- 2) x2 3))" in list(smt2.write(model))
    assert "-2 <= x2 <= 3" in list(lp.write(model))
    long = Model(1, 200)
    long.add(Linear(tuple((-10, place) for place in range(200)), -900))
    assert max(map(len, lp.write(long))) < 255


def test_a_solution_is_excluded_and_no_other() -> None:
    model, every = Model(1, 3), [*itertools.product((0, 1), repeat=3)]
    model.variable(0, 9)  # is no cell: it excludes nothing, whatever its value is
    for values in every:
        for other in (0, 1, 9):
            blocking = model.blocking([*values, other])
            assert [found for found in every if not blocking.holds(found)] == [values]


def test_a_constraint_is_added_to_those_that_are_kept_as_arrays() -> None:
    model = ladder(load("1,0|1"))
    assert isinstance(model.constraints, LinearRows)
    before = [*model.constraints]
    model.add(TAUTOLOGY)
    assert [*model.constraints] == [*before, TAUTOLOGY]


def test_a_sum_without_integers_moves_its_bounds_by_the_least_values() -> None:
    model = Model(1, 1)
    place = model.variable(-3, -1)
    model.add(Linear(((2, place), (1, 0)), -5, -3))
    model.add(Parity((0,), 1))
    simple = without_integers(model)
    assert [*simple.constraints][-2:] == [Linear(((2, 1), (2, 2), (1, 0)), 1, 3), Parity((0,), 1)]
    assert without_integers(simple) is simple


def test_only_sums_and_parities_are_stated_without_integers() -> None:
    with pytest.raises(TypeError, match="is not a linear constraint"):
        without_integers(integers(InRange(0, 2, -1, 0)))


def test_a_bound_of_zero_is_written_in_xcsp3() -> None:
    texts = [xcsp3.condition(linear((1, -1), *bounds)) for bounds in ((0, None), (None, 0), (0, 0), (0, 1))]
    assert texts == ["(ge,0)", "(le,0)", "(eq,0)", "(in,0..1)"]


def every(model: Model) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(low, high + 1) for low, high in model.domains))


def meant(model: Model) -> set[tuple[int, ...]]:
    """The assignments that satisfy every constraint, by its definition."""
    return {values for values in every(model) if all(constraint.holds(values) for constraint in model.constraints)}


def satisfying(model: Model, sums: list[tuple[str, str, int]]) -> set[tuple[int, ...]]:
    """The assignments that satisfy sums of terms, given with a relation and a bound."""
    compare = {">=": int.__ge__, "<=": int.__le__, "=": int.__eq__}
    parsed = [
        ([(int(a), int(b) - 1) for a, b in TERMS.findall(terms)], compare[sign], bound) for terms, sign, bound in sums
    ]
    return {
        values
        for values in every(model)
        if all(holds(sum(factor * values[place] for factor, place in terms), bound) for terms, holds, bound in parsed)
    }


def read_opb(model: Model) -> set[tuple[int, ...]]:
    found = [re.fullmatch(r"(.*?) (>=|=) (-?\d+) ;", line) for line in opb.write(model) if line[0] != "*"]
    return satisfying(model, [(match[1], match[2], int(match[3])) for match in found if match])


def read_lp(model: Model) -> set[tuple[int, ...]]:
    text = " ".join(lp.write(model)).partition("Subject To")[2]
    bounds = {int(place): (int(low), int(high)) for low, place, high in re.findall(r"(\S+) <= x(\d+) <= (\S+)", text)}
    assert [bounds.get(place, (0, 1)) for place in range(1, len(model.domains) + 1)] == model.domains
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
    text = "\n".join(smt2.write(model))
    # z3 reads more than the standard has: negative numerals, and sums and parities of one
    assert not re.search(r"[( ]-\d|\((xor|[+]) (\w+|\([^()]*\))\)", text)
    asserted = z3.And(list(z3.parse_smt2_string(text)))
    names = [f"x{place + 1}" for place in range(len(model.domains))]
    found = set()
    for values in every(model):
        pairs = [
            (z3.Bool(name), z3.BoolVal(bool(value))) if domain == (0, 1) else (z3.Int(name), z3.IntVal(value))
            for name, domain, value in zip(names, model.domains, values, strict=True)
        ]
        if z3.is_true(z3.simplify(z3.substitute(asserted, *pairs))):
            found.add(values)
    return found


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def read_mzn(model: Model) -> set[tuple[int, ...]]:
    """Read the one constraint of a file of MiniZinc."""
    (text,) = re.findall(r"constraint (.*);", "\n".join(mzn.write(model)))
    if "*" in text:
        terms, sign, bound = re.split(" (>=|<=|=) ", text)
        named = " ".join(f"{int(factor):+d} x{place}" for factor, place in re.findall(r"(-?\d+)\*x\[?(\d+)", terms))
        return satisfying(model, [(named, sign, int(bound))])
    if "bool2int" in text:
        boolean, integer, low, high = numbers(text.replace("bool2int", "").replace("..", " "))
        return {each for each in every(model) if each[boolean - 1] == (low <= each[integer - 1] <= high)}
    names, rest = text.partition("([")[2].split("], ", 1)
    rows = [row.split(",") for row in rest.partition("|")[2].partition("|]")[0].split("|")]
    places = [int(re.sub(r"\+1|\D", "", name)) - 1 for name in names.split(",")]
    states, letters = numbers(rest)[:2]
    start, *finals = numbers(rest.partition("|]")[2])
    assert (len(rows), {*map(len, rows)}) == (states, {letters})
    assert {start, *finals} <= {*range(1, states + 1)}
    found = set()
    for each in every(model):
        state = start
        for place in places:
            state = int(rows[state - 1][each[place]]) if state else 0
        if state in finals:
            found.add(each)
    return found


def cases() -> Iterator[tuple[str, Model]]:
    sums = [linear(*found) for found in SUMS]
    for name in ("opb", "lp", "asp", "smt2"):
        yield from ((name, model_of(found)) for found in sums)
    yield from ((name, model_of(linear(*found))) for name in ("opb", "lp", "asp") for found in LONG)
    yield from ((name, model_of(Parity(*found))) for name in ("asp", "smt2") for found in PARITIES)
    yield from ((name, integers(linear(*found))) for name in ("lp", "smt2", "mzn") for found in INTEGERS)
    yield from (("mzn", model) for model in OTHERS)


# sums of two cells and two integers
INTEGERS = [((1, 0, -3, 2), 1, None), ((0, 0, -1), None, -1), ((-2, 1, 1, -1), 0, 0), ((0, 0, 0, 1), 2, None)]
STEPS = ((0, 0, 0), (0, 1, 1), (1, 1, 2), (2, 0, 0))
OTHERS = [
    integers(InRange(0, 2, -1, 0)),
    integers(InRange(1, 3, 2, 2)),
    model_of(Regular((0, 1, 2, 3), 0, (0, 2), STEPS)),
    model_of(Regular((3, 1), 1, (2,), STEPS)),
    model_of(Regular((0, 1), 0, (3,), ((0, 0, 0), (0, 1, 3)))),  # no transition leads from the last state
    model_of(Regular((0, 1), 7, (0,), STEPS)),  # from the first state, no transition leads anywhere
]
READERS = {"opb": read_opb, "lp": read_lp, "asp": read_asp, "smt2": read_smt2, "mzn": read_mzn}


@pytest.mark.parametrize(("form", "model"), [*cases()], ids=lambda one: one if isinstance(one, str) else "")
def test_a_file_has_the_models_of_its_constraints(form: str, model: Model) -> None:
    assert READERS[form](model) == meant(model), model.constraints


@pytest.mark.parametrize(
    ("constraint", "logic"),
    [(linear((1, 1), 1, None), "QF_UF"), (linear((1, 1), 2, None), "QF_LIA"), (Parity((0, 1), 1), "QF_UF")],
)
def test_a_file_of_smt_lib_states_the_least_logic(constraint: Constraint, logic: str) -> None:
    assert f"(set-logic {logic})" in smt2.write(model_of(constraint))
    assert "(set-logic QF_LIA)" in smt2.write(integers(constraint))


@pytest.mark.parametrize(
    ("form", "text", "status", "values"),
    [
        (smt2, "sat\n((x1 true) (x2 (- 3)) (x3 false))", "satisfiable", {0: 1, 1: -3, 2: 0}),
        (smt2, "sat\n(define-fun x1 () Int (- 12))\n(define-fun x2 () Bool true)", "satisfiable", {0: -12, 1: 1}),
        (opb, "s OPTIMUM FOUND\nv x1 -x2\nv x12", "satisfiable", {0: 1, 1: 0, 11: 1}),
        (opb, "s SATISFIABLE\nv x1 ~x2", "satisfiable", {0: 1, 1: 0}),
        (opb, "s SATISFIABLE\nv x999999999", "satisfiable", {999_999_998: 1}),
        (mzn, "x = [0.9999,1.0001];\n----------", "satisfiable", {0: 1, 1: 1}),
        (xcsp3, "s SATISFIABLE\nv <list> x1 x2 </list> <values> -3 * </values>", "satisfiable", {0: -3}),
        (xcsp3, "s OPTIMUM FOUND\nv <list> x1 x2 </list> <values> 12x2 </values>", "satisfiable", {0: 12, 1: 12}),
        (asp, "Answer: 1\nx(12) y x(2)\nOPTIMUM FOUND", "satisfiable", {11: 1, 1: 1}),
        (asp, "Answer: 1\nx(2)", "satisfiable", {1: 1}),
        (asp, "Answer: 1\n\nSATISFIABLE", "satisfiable", {}),
        (mzn, "x = [1,0];\nx3 = -2;\n----------", "satisfiable", {0: 1, 1: 0, 2: -2}),
        (mzn, "x = array1d(1..2, [1,0]);\n----------", "satisfiable", {0: 1, 1: 0}),
        (mzn, "x = [1,0];\nx3 = -2;", None, None),  # cut off, perhaps within the values
        (lp, "Optimal\nx1 1\nx12 -3\n# Dual solution\nx1 0", "satisfiable", {0: 1, 11: -3}),
        *((lp, text, "unsatisfiable", None) for text in ("Model status\nInfeasible", "This problem is infeasible")),
        *((lp, text, "unsatisfiable", None) for text in ("INTEGER EMPTY", "SOLUTION HAS NO PRIMAL FEASIBLE")),
        (lp, "no integer feasible solution", "unsatisfiable", None),
        *((lp, text, None, None) for text in ("This problem is unbounded", "hello")),
        *((lp, f"solution status: {text}", "unknown", None) for text in ("time limit reached", "gap limit reached")),
        *((lp, text, "unknown", None) for text in ("solution status: unknown", "Status: UNDEFINED")),
        (lp, "Stopped on iterations", "unknown", None),
        # the last point that it tried is no model
        (lp, "Status: INTEGER EMPTY\n1 x1 * 0 0 1\n2 x2 * 0 0 1", "unsatisfiable", None),
        (lp, "Status: INTEGER UNDEFINED\n1 x1 * 0 0 1", "unknown", None),
        (lp, "Integer infeasible - objective value 0\n0 x1 0.5 0", "unsatisfiable", None),
        (lp, "Stopped on time (no integer solution - continuous used)\n0 x1 0.5 0", "unknown", None),
    ],
)
def test_answers_of_solvers_have_the_values_that_they_state(
    form: ModuleType, text: str, status: str | None, values: dict[int, int] | None
) -> None:
    assert form.read(text.splitlines()) == (status, values)
