"""Several objectives in turn: their optima, what each engine is told, and how an answer to a later one is judged."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.judging import check, judge
from crosslit_verify.variants.model import Constraint, Renaming, Step, Variable, Variant, VariantModel, Wrong, total
from crosslit_verify.variants.pairs import paired
from crosslit_verify.variants.techniques import build, refuting_model, smaller_cases

from crosslit.contract.family import seeded

SEVERAL = sorted(name for name, engine in ENGINES.items() if "objectives" in engine.accepts)
KINDS = frozenset({"xor", "clause", "objective", "objectives", "steps", "cumulative", "product", "if"})
ROWS = (Constraint("linear", (((0, 1), (1, 1), (2, 1)), "le", 2)), Constraint("linear", (((0, 1), (1, 1)), "ge", 1)))
STEPS = (
    Step(),
    Step(objective=((0, -2), (1, -1), (2, -4)), is_maximised=True),
    Step(((0, 0),), objective=((0, 1), (2, -1))),
    Step(),
)
MODEL = VariantModel((Variable(), Variable(), Variable("int", 0, 5)), ROWS, ((0, 1), (1, 2), (2, 3)), steps=STEPS)
POINTS: list[Any] = [[1, 0, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0]]
VALUES = [1, 6, -1, 1]  # what the engine is asked to find: the second one is maximised
CASE = Variant("1", frozenset({"objectives"}), MODEL, tuple(POINTS))


def every(model: VariantModel) -> list[tuple[int, ...]]:
    return [*itertools.product(*(range(low, high + 1) for _, low, high in model.variables))]


@pytest.mark.parametrize("others", [(), ("objective",), ("objective", "incremental", "flip", "pair"), ("cumulative",)])
def test_the_witness_of_each_step_is_best_for_its_own_objective(others: tuple[str, ...]) -> None:
    own = 0
    for number in range(40):
        case = build(4, number, frozenset({"objectives", *others}), KINDS, {})
        check(case)
        if math.prod(high - low + 1 for _, low, high in case.model.variables) > 300:
            continue
        for place, (step, witness) in enumerate(zip(case.model.steps, case.witnesses, strict=True)):
            terms = case.model.objective_at(place)
            values = [total(terms, point) for point in every(case.model) if not case.model.broken(point, place)]
            assert (None if witness is None else total(terms, witness)) == min(values, default=None)
            own += step.objective is not None
            assert step.objective != ()
    assert own >= 10


def test_an_objective_is_also_the_opposite_one_and_the_first_again() -> None:
    models = [build(4, own, frozenset({"objective", "objectives"}), KINDS, {}).model for own in range(80)]
    opposite = tuple((index, -cost) for index, cost in models[0].objective)
    assert opposite != models[0].objective
    negated = [tuple((index, -cost) for index, cost in model.objective) for model in models]
    found = [
        (step.objective == own, step.is_maximised)
        for model, own in zip(models, negated, strict=True)
        for step in model.steps[1:]
    ]
    assert {*found} == {*itertools.product((False, True), repeat=2)}
    assert {model.steps[-1] == Step() for model in models} == {False, True}
    assert not any(
        build(4, own, frozenset({"objectives"}), KINDS - {"objectives"}, {}).model.has_objectives for own in range(9)
    )


@pytest.mark.parametrize("name", SEVERAL)
def test_one_object_of_an_engine_gets_the_objectives_in_turn(name: str) -> None:
    engine = ENGINES[name]
    if find_spec(engine.package) is None:  # CI has the extra `engines`, but not Exact, highspy and CPMpy
        pytest.skip(f"{engine.package} is not installed")
    script = f"{engine.source(MODEL)}\nprint('\\n' + repr(answers))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    answers = eval(done.stdout.splitlines()[-1])
    assert judge(engine, CASE, answers) is None
    for place, (_, point, objective, *_) in enumerate(answers):
        assert total(MODEL.objective_at(place), [*map(round, map(float, point))]) == total(
            MODEL.objective_at(place), POINTS[place]
        )
        assert objective is None or objective == pytest.approx(VALUES[place])
    assert len(answers) == len(STEPS)


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_each_step_is_judged_by_its_own_objective(step: int) -> None:
    answers = [("OPTIMAL", point, value, 0) for point, value in zip(POINTS, VALUES, strict=True)]
    assert judge(ENGINES["cpsat"], CASE, answers) is None
    worse = [[0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1]][step]
    value = total(MODEL.objective_at(step), worse) * (-1 if STEPS[step].is_maximised else 1)
    for forged, problem in (
        (("OPTIMAL", worse, value, 0), "not-optimal"),
        (("OPTIMAL", POINTS[step], -VALUES[step], 0), "wrong-objective"),
        (("OPTIMAL", POINTS[step], VALUES[step] + 1, 0), "wrong-objective"),
    ):
        wrong = judge(ENGINES["cpsat"], CASE, [*answers[:step], forged, *answers[step + 1 :]])
        assert wrong is not None
        assert (wrong.problem, wrong.step) == (problem, step)
        if problem == "not-optimal":  # another engine is asked for a point as good as the witness
            refuting = refuting_model(MODEL, wrong, frozenset({"linear", "int"}))
            assert refuting is not None
            found = [point for point in every(MODEL) if not refuting.broken(point, 0)]
            best = total(MODEL.objective_at(step), POINTS[step])
            assert found == [
                point
                for point in every(MODEL)
                if not MODEL.broken(point, step) and total(MODEL.objective_at(step), point) <= best
            ]
            report = ENGINES["cpsat"].report(MODEL, wrong, "1")
            assert f"in {dict(MODEL.objective_at(step))}.items()" in report


def test_smaller_cases_have_fewer_objectives_and_shorter_ones() -> None:
    smaller = [*smaller_cases(CASE)]
    for one in smaller:
        check(one)
    kept = [[step.objective for step in one.model.steps] for one in smaller]
    for place, step in enumerate(STEPS):
        for term in step.objective or ():
            shorter = tuple(other for other in step.objective or () if other != term)
            assert [*(one.objective for one in STEPS[:place]), shorter] in [own[: place + 1] for own in kept]
    assert any(len(own) < len(STEPS) for own in kept)


def test_objectives_follow_renamed_and_paired_variables() -> None:
    renamed = CASE.renamed(Renaming((2, 1, 0), {0}))
    check(renamed)
    assert [step.objective for step in renamed.model.steps] == [
        None,
        ((2, 2), (1, -1), (0, -4)),
        ((2, -1), (0, -1)),
        None,
    ]
    for seed in range(9):
        other = paired(seeded("pair", seed, 0), CASE, frozenset({"int"}))
        check(other)
        assert [step.is_maximised for step in other.model.steps] == [step.is_maximised for step in STEPS]
        gaps = {total(other.model.objective_at(1), image or ()) for image in other.witnesses[1:2]}
        assert len(gaps) == 1


def test_an_engine_that_keeps_its_first_objective_is_caught() -> None:
    kept = replace(CASE, model=replace(MODEL, steps=(Step(),) * len(STEPS)))
    assert judge(ENGINES["cpsat"], kept, [("OPTIMAL", POINTS[0], 1, 0)] * 4) is None
    wrong = judge(ENGINES["cpsat"], CASE, [("OPTIMAL", POINTS[0], None, 0)] * 4)
    assert isinstance(wrong, Wrong)
    assert (wrong.problem, wrong.step) == ("not-optimal", 1)
