"""Forms of constraints and the parts of random models, by enumeration of small ones."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from crosslit_verify.variants import forms, techniques
from crosslit_verify.variants.forms import FORMS, MAX_CELLS, Builder, Truth, Unclear, _Row, clause, linear, lower
from crosslit_verify.variants.judging import check
from crosslit_verify.variants.model import Constraint, Step, Variable, Variant, VariantModel, Wrong, total
from crosslit_verify.variants.relations import RELATIONS
from crosslit_verify.variants.techniques import TECHNIQUES, build, refuting_model, smaller_cases, techniques_of

LINE = Constraint("line", ((0, 1, 2, 3), (1, 1)))
SMALL = [
    *(Constraint("xor", (tuple(range(size)), value)) for size in range(1, 6) for value in (0, 1)),
    *(Constraint("clause", literals) for literals in ((1,), (-1,), (1, 2), (-1, 2, -3), (-1, -2, -3))),
    Constraint("table", ((0, 1, 2), ((0, 1, 1), (1, 0, 0), (1, 1, 1)))),
    *(Constraint("line", (tuple(range(size)), clue)) for size in (1, 4) for clue in ((), (1,), (2, 1), (3,))),
    *(
        part
        for clue in ((1,), (1, 1), (2,), ())
        for form, _, _ in FORMS["line"][:2]
        for part in form(Builder(3), Constraint("line", ((0, 1, 2), clue)))
    ),
]


def completions(builder: Builder, cells: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All points of a builder with these cells."""
    own = builder.variables[len(cells) :]
    for values in itertools.product(*(range(variable.low, variable.high + 1) for variable in own)):
        yield (*cells, *values)


@pytest.mark.parametrize("item", SMALL, ids=lambda item: item.text()[:40])
def test_every_form_holds_with_some_values_exactly_where_the_constraint_holds(item: Constraint) -> None:
    size = max(item.variables) + 1
    for form, _, _ in FORMS[item.kind]:
        builder = Builder(size)
        parts = list(form(builder, item))
        assert parts
        for cells in itertools.product((0, 1), repeat=size):
            held = item.holds(cells)
            if held:
                assert all(part.holds(builder.point(cells)) for part in parts)
                domains = zip(builder.point(cells), builder.variables, strict=True)
                assert all(variable.low <= value <= variable.high for value, variable in domains)
            elif len(builder.variables) - size <= 12:
                assert not any(all(part.holds(point) for part in parts) for point in completions(builder, cells))


@pytest.mark.parametrize("shape", ["integer", "binary", "ordered", "unordered"])
@pytest.mark.parametrize("largest", [0, 1, 2, 3, 4, 7, 8])
def test_a_quotient_is_minus_two_times_a_number_up_to_its_greatest_value(shape: str, largest: int) -> None:
    for number in range(largest + 1):
        builder = Builder(0)
        terms, greatest = forms.quotient(builder, lambda _, number=number: number, largest, shape)
        assert total(terms, builder.point(())) == -2 * number
        assert largest <= greatest <= max(largest, 2 * largest - 1)
        assert total(terms, [variable.high for variable in builder.variables]) == -2 * greatest


@pytest.mark.parametrize(
    ("accepts", "kinds"),
    [
        ({"clause"}, {"clause"}),
        ({"linear"}, {"linear"}),
        ({"linear", "int"}, {"linear"}),
        ({"xor", "clause"}, {"xor", "clause"}),
        ({"table", "clause"}, {"table", "clause"}),
        ({"regular", "clause", "xor"}, {"regular", "xor", "clause"}),
    ],
)
def test_a_constraint_is_rewritten_until_an_engine_accepts_every_part(accepts: set[str], kinds: set[str]) -> None:
    rng, found = random.Random(1), set()
    long = Constraint("xor", (tuple(range(forms.MAX_ENUMERATED + 3)), 1))
    for item in [*SMALL, long, LINE] * 3:
        builder = Builder(12)
        for part in lower(builder, item, frozenset(accepts), rng.choice):
            assert part.kind in accepts
            found.add(part.kind)
        assert "int" in accepts or all(variable.kind == "bool" for variable in builder.variables)
    assert found == kinds


@pytest.mark.parametrize("seed", range(25))
def test_the_truth_of_a_model_is_that_of_all_its_grids(seed: int) -> None:
    rng = random.Random(seed)
    cells = rng.randint(1, 5)
    truth, grids = Truth(cells, [0] * cells), dict.fromkeys(itertools.product((0, 1), repeat=cells), 0.0)
    for _ in range(3):
        own = rng.sample(range(cells), rng.randint(1, cells))
        item = rng.choice(
            [
                Constraint("xor", (tuple(own), rng.randint(0, 1))),
                clause([(cell, rng.random() < 0.5) for cell in own]),
                linear(own[1:], rng.choice(["eq", "le", "ge"]), rng.randint(0, 1), own[:1]),
                linear([cells], "eq", 9),  # over another variable, which its technique looks after
            ]
        )
        truth.require(item)
        grids = {grid: cost for grid, cost in grids.items() if cells in item.variables or item.holds(grid)}
    own = rng.sample(range(cells), rng.randint(1, cells))
    costs = [rng.choice([None, 0, -3, 5, 7]) for _ in range(len(own) + 1)]
    truth.price(own, costs)
    sums = {grid: costs[sum(grid[cell] for cell in own)] for grid in grids}
    grids = {grid: cost + sums[grid] for grid, cost in grids.items() if sums[grid] is not None}
    for number in range(3):
        fixed = [(cell, rng.randint(0, 1)) for cell in rng.sample(range(cells), min(number, cells))]
        allowed = {grid: cost for grid, cost in grids.items() if all(grid[cell] == value for cell, value in fixed)}
        best = truth.best(fixed)
        assert (best is None) == (not allowed)
        if best is not None:
            assert allowed[tuple(best)] == min(allowed.values())


def test_a_puzzle_with_too_many_cells_has_only_its_planted_solution() -> None:
    for cells in (MAX_CELLS, MAX_CELLS + 1):
        solution = [number % 2 for number in range(cells)]
        truth = Truth(cells, solution)
        assert len(truth.grids) == (2**cells if cells == MAX_CELLS else 1)
        truth.require(linear([1], "ge", 1))
        assert truth.best(((1, 1),)) is not None
        assert (truth.best(((0, 1),)) is None) == (cells > MAX_CELLS)
        truth.require(linear([0], "ge", 1))
        assert (truth.best() is None) == (cells > MAX_CELLS)


@pytest.mark.parametrize("seed", range(60))
def test_the_best_number_of_a_row_is_that_of_an_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    cells, kind, weight = tuple(range(rng.randint(1, 3))), rng.choice(["int", "real"]), rng.randint(-3, 3)
    shape = rng.choice(["", "integer", "binary", "ordered", "unordered"])
    row = _Row(rng, Builder(len(cells)), cells, rng.randint(0, 1), shape, {kind})
    try:
        item = row.with_number(weight)
    except Unclear:
        return
    domain, step = row.builder.variables[row.variable], 1 if kind == "int" else Fraction(1, 64)
    if (domain.high - domain.low) / step > 1000:
        return
    values = [domain.low + step * number for number in range(int((domain.high - domain.low) / step) + 1)]
    factor = dict(item.data[0])[row.variable]
    for size in range(len(cells) + 1):
        excess = {
            (even, value): size - 2 * even + factor * value - item.data[2]
            for even in range(row.largest + 1)
            for value in values
        }
        holds = {"eq": lambda number: number == 0, "le": lambda number: number <= 0, "ge": lambda number: number >= 0}
        found = [weight * value for (_, value), number in excess.items() if holds[item.data[1]](number)]
        if found:
            assert row.best[size][0] <= min(found)  # real numbers lie between those that are enumerated
        if size in row.best:
            cost, even, value = row.best[size]
            assert holds[item.data[1]](size - 2 * even + factor * value - item.data[2])
            assert (cost, domain.low <= value <= domain.high) == (weight * value, True)
            assert kind == "real" or cost == min(found)


@pytest.mark.parametrize("seed", range(25))
def test_what_a_technique_adds_follows_from_the_model(seed: int) -> None:
    rng = random.Random(seed)
    cells = 5
    xors = [
        Constraint("xor", (tuple(rng.sample(range(cells), rng.randint(1, 3))), rng.randint(0, 1))) for _ in range(4)
    ]
    rows = [
        linear((own := rng.sample(range(cells), 3))[:2], sense, bound, own[2:])
        for sense, bound in (("le", 1), ("le", 0), ("ge", 0), ("eq", 1), ("eq", 0))
    ]
    rows += [clause([(0, True), (1, False)]), clause([(2, True)])]
    points = list(itertools.product((0, 1), repeat=cells))
    for given, added in (
        (xors, list(techniques._implied(rng, xors))),
        (rows, list(techniques._combined(rng, rows))),
    ):
        for point in points:
            assert not all(item.holds(point) for item in given) or all(item.holds(point) for item in added)
    assert list(techniques._implied(rng, xors[:1])) == []
    builder = Builder(cells)
    auxiliary = list(techniques._auxiliary(rng, builder, cells, {"int"}))
    assert 1 <= len(auxiliary) <= 3
    assert len(builder.variables) == cells + len(auxiliary)
    for point in points:  # a variable that occurs nowhere else excludes no grid
        assert all(item.holds(builder.point(point)) for item in auxiliary)


def test_every_technique_has_its_share_of_the_cases() -> None:
    number = 2000
    drawn = [techniques_of(1, case, TECHNIQUES) for case in range(number)]
    kinds = [["constraints"] * bool(names & RELATIONS.keys()) for names in drawn]
    found = Counter(name for names in (*drawn, *kinds) for name in names)
    for name, share in TECHNIQUES.items():  # a third of the cases has fewer
        assert found[name] / number == pytest.approx(share * (2 + 0.4) / 3, abs=0.03)
    assert {name for case in range(50) for name in techniques_of(1, case, ["flip"])} == {"flip"}
    assert techniques_of(1, 2, TECHNIQUES) & {"form", "flip"} == techniques_of(1, 2, ["form", "flip"])


def test_puzzles_have_every_small_shape() -> None:
    shapes: Counter[tuple[str, int, int]] = Counter()
    solvable = 0
    for seed in range(400):
        puzzle, base, solution = techniques._puzzle(random.Random(seed), None, 0)
        shapes[puzzle.kind, puzzle.rows, puzzle.columns] += 1
        solvable += all(item.holds(solution) for item in base)
    assert {(rows, columns) for _, rows, columns in shapes} == {
        (rows, columns) for rows in range(1, 5) for columns in range(1, 1 + min(6, MAX_CELLS // rows))
    }
    boards = sum(number for (kind, *_), number in shapes.items() if kind == "lights-out")
    assert boards / 400 == pytest.approx(0.75, abs=0.05)
    assert 0.7 < solvable / 400 < 0.85  # and some of the rest by chance
    for kind in ("lights-out", "nonogram"):
        hard = [techniques._puzzle(random.Random(seed), kind, 7)[0] for seed in range(60)]
        sides = [(puzzle.rows, puzzle.columns) for puzzle in hard]
        assert {puzzle.kind for puzzle in hard} == {kind}
        assert {side for pair in sides for side in pair} == set(range(techniques.HARD_SIZE, 8))


def test_smaller_cases_of_random_models_keep_their_witnesses_and_leave_out_every_part() -> None:
    accepts = frozenset({"linear", "clause", "xor", "int", "objective", "steps", "hint"})
    options = {"one": (1, 2), "two": (3,)}
    for number in (0, 2, 5):
        case = build(3, number, frozenset(TECHNIQUES), accepts, options)
        check(case)
        smaller = list(smaller_cases(case))
        for one in smaller:
            check(one)
            assert len(one.witnesses) == len(one.model.steps)
        model = case.model
        for name in ("options", "constraints", "objective"):
            kept = [getattr(one.model, name) for one in smaller]
            items = getattr(model, name)
            assert not items or () in kept
            for place in range(len(items)):
                assert (*items[:place], *items[place + 1 :]) in kept


@pytest.mark.parametrize(
    ("variable", "value", "tolerance", "broken"),
    [
        (Variable("real", 1, 9), Fraction(901, 100), Fraction(1, 100), False),
        (Variable("real", 1, 9), Fraction(911, 100), Fraction(1, 100), True),
        (Variable("real", 1, 9), Fraction(99, 100), Fraction(1, 100), False),
        (Variable("real", 1, 9), Fraction(97, 100), Fraction(1, 100), True),
        (Variable("real", 1, 9), Fraction(901, 100), Fraction(0), True),
        (Variable("int", 1, 9), Fraction(901, 100), Fraction(1, 100), True),
        (Variable("int", 1, 9), Fraction(17, 2), Fraction(1, 100), True),
        (Variable("int", 1, 9), Fraction(9), Fraction(0), False),
        (Variable("int", 1, 9), Fraction(1), Fraction(0), False),
    ],
)
def test_only_real_numbers_have_a_tolerance_at_their_bounds(
    variable: Variable, value: Fraction, tolerance: Fraction, broken: bool
) -> None:
    assert bool(VariantModel((variable,), ()).broken((value,), 0, tolerance)) == broken


@pytest.mark.parametrize(("sense", "signs"), [("le", (1,)), ("ge", (-1,)), ("eq", (1, -1))])
def test_the_tolerance_of_a_row_is_relative_to_the_sum_of_its_numbers(sense: str, signs: tuple[int, ...]) -> None:
    row = Constraint("linear", (((0, 3), (1, -2)), sense, -4))
    for sign in (1, -1):
        for excess, is_within in ((Fraction(11, 100), True), (Fraction(13, 100), False)):  # of 1 + 4 + 3 + 2 * 2
            point = (Fraction(0), 2 - sign * excess / 2)
            assert row.holds(point, Fraction(1, 100)) == (is_within or sign not in signs)
            assert row.holds(point) == (sign not in signs)


STEPS = (Step(fixed=((0, 1),)), Step(fixed=((1, 0),), added=(clause([(0, True), (1, True)]),)))
MODEL = VariantModel(
    (Variable(), Variable(), Variable("int", 0, 3)),
    (linear([0, 1, 2], "ge", 2), linear([2], "le", 1)),
    ((0, 2), (1, 1), (2, 3)),
    steps=STEPS,
)


@pytest.mark.parametrize(
    ("wrong", "holds"),
    [
        (Wrong("wrong-infeasible", 0, ""), lambda point: point[0] == 1),
        (Wrong("wrong-infeasible", 1, ""), lambda point: point[1] == 0 and point[0] == 1),
        (Wrong("broken-point", 0, "", (1, 1, 1)), lambda point: point == (1, 1, 1)),
        (Wrong("broken-point", 0, "", (0, 1, 1)), lambda _: False),  # it is assumed to be 1
        (Wrong("not-optimal", 0, "", (1, 1, 0)), lambda point: point[0] == 1 and 2 + point[1] + 3 * point[2] <= 3),
        (Wrong("wrong-objective", 1, "", (1, 0, 1)), lambda point: point[:2] == (1, 0) and 2 + 3 * point[2] <= 5),
    ],
)
def test_a_refuting_model_has_the_points_that_refute_an_answer(wrong: Wrong, holds: Any) -> None:
    for accepts in ({"int", "linear", "clause"}, {"int", "linear"}):
        found = refuting_model(MODEL, wrong, frozenset(accepts))
        assert found is not None
        for point in itertools.product((0, 1), (0, 1), range(4)):
            rows = all(item.holds(point) for item in MODEL.constraints)
            assert (not found.broken(point, 0)) == (rows and holds(point)), point
        clauses = [item for item in found.constraints if item.kind == "clause"]
        assert {found.variables[index].kind for item in clauses for index in item.variables} <= {"bool"}
    assert refuting_model(MODEL, wrong, frozenset({"real", "linear", "clause"})) is None


def test_real_numbers_of_a_broken_point_are_left_open() -> None:
    model = VariantModel((Variable(), Variable("real", 0, 2)), (linear([0, 1], "ge", 2),))
    found = refuting_model(
        model, Wrong("broken-point", 0, "", (1, Fraction(1, 2))), frozenset({"real", "linear", "clause"})
    )
    assert found is not None
    assert [point for point in itertools.product((0, 1), (0, 1, 2)) if not found.broken(point, 0)] == [(1, 1), (1, 2)]


def test_options_are_drawn_from_the_table_the_first_more_often() -> None:
    table = {"z": (1, 2), "a": (3,), "b": (4, 5)}
    drawn = [techniques._options(random.Random(seed), table) for seed in range(300)]
    assert {len(options) for options in drawn} == {1, 2}
    assert all(value in table[name] for options in drawn for name, value in options)
    assert all(len(dict(options)) == len(options) for options in drawn)
    first = sum(options[0][0] == "z" and len(options) == 1 for options in drawn)
    assert first / 300 == pytest.approx(0.4 + 0.6 / 2 / 3, abs=0.06)


def test_hints_are_of_some_or_all_variables_and_most_are_right() -> None:
    builder = Builder(3)
    point = [1, 0, 1]
    hints = [techniques._hint(random.Random(seed), builder, point) for seed in range(400)]
    given = [hint for hint in hints if hint]
    assert len(given) / 400 == pytest.approx(0.5, abs=0.06)
    assert {len(hint) for hint in given} == {1, 2, 3}
    assert {index for hint in given for index, _ in hint} == {0, 1, 2}
    assert all(list(hint) == sorted(hint) for hint in given)
    right = sum(all(point[index] == value for index, value in hint) for hint in given)
    assert sum(len(hint) == 3 for hint in given) / len(given) == pytest.approx(0.5 + 0.5 / 3, abs=0.07)
    assert right / len(given) == pytest.approx(0.6 + 0.4 * 5 / 24, abs=0.07)  # a random one may be right as well
    assert {value for seed in range(99) for _, value in techniques._hint(random.Random(seed), builder, None)} == {0, 1}
    builder.variable(lambda _: 7, domain=Variable("int", 5, 9))
    builder.variable(lambda _: 7, domain=Variable("real", Fraction(1, 2), 9))
    numbers = [dict(techniques._hint(random.Random(seed), builder, [1, 0, 1, 7, 7])) for seed in range(99)]
    assert {hint[3] for hint in numbers if 3 in hint} == {5, 6, 7, 8, 9}
    assert {hint[4] for hint in numbers if 4 in hint} == {7, Fraction(1, 2)}


POINT = [1, 0, 1, 0, 2]


def test_variables_of_automata_are_not_flipped() -> None:
    (automaton,) = FORMS["line"][0][0](Builder(2), Constraint("line", ((0, 1), (1,))))
    model = VariantModel((Variable(),) * 4 + (Variable("int", 0, 3),), (automaton, clause([(2, True), (3, True)])))
    case = Variant("1", frozenset({"flip"}), model, (POINT,))
    flipped = set()
    for seed in range(40):
        found = techniques._flipped(random.Random(seed), case)
        check(found)
        assert found.model.constraints[0] == automaton
        witness = found.witnesses[0] or []
        flipped |= {index for index, value in enumerate(witness) if value != POINT[index]}
    assert flipped == {2, 3}


@pytest.mark.parametrize(
    ("factors", "bound", "scaled", "whole"),
    [((1, 2), 3, (1, 2), 3), ((1, 2), 0.5, (2, 4), 1), ((0.25, 1), 3, (1, 4), 12), ((0.5, 0.25), 0.125, (4, 2), 1)],
)
def test_a_linear_constraint_has_integers_for_its_coefficients_and_its_bound(
    factors: tuple[float, ...], bound: float, scaled: tuple[int, ...], whole: int
) -> None:
    found = Constraint("linear", (tuple(enumerate(factors)), "<=", bound)).scaled()
    assert found.data == (tuple(enumerate(scaled)), "<=", whole)
