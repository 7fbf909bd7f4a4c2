"""Dense rows around a planted point, and pairs of models that must agree."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from crosslit_verify.variants import session as module
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.forms import Builder, Unclear
from crosslit_verify.variants.judging import check, improved
from crosslit_verify.variants.model import Constraint, Step, Variable, Variant, VariantModel, total
from crosslit_verify.variants.pairs import dense_rows, paired
from crosslit_verify.variants.session import VariantSession, VariantSettings
from crosslit_verify.variants.techniques import build

from crosslit.contract.family import seeded

MIP = ENGINES["highs"].accepts


def cases(*techniques: str, count: int = 40) -> list[Variant]:
    found = []
    for number in range(count):
        try:
            found.append(build(2, number, frozenset(techniques), MIP, {}))
        except Unclear:
            continue
    return found


@pytest.mark.parametrize("accepts", [frozenset({"int"}), frozenset({"real"}), frozenset({"int", "real"})])
def test_the_planted_point_satisfies_dense_rows_of_decimals(accepts: frozenset[str]) -> None:
    places, kinds, senses = set(), set(), set()
    for seed in range(60):
        builder, objective = Builder(3), [(0, 5)]
        rows = [*dense_rows(random.Random(seed), builder, [1, 0, 1], accepts, objective)]
        model = VariantModel(tuple(builder.variables), tuple(rows), tuple(objective))
        assert not model.broken(builder.point([1, 0, 1]), 0)
        assert [index for index, _ in objective] == [0, *range(3, len(builder.variables))]
        kinds |= {variable.kind for variable in builder.variables[3:]}
        senses |= {row.data[1] for row in rows}
        places |= {Fraction(factor).denominator for row in rows for _, factor in row.data[0]}
    assert (sorted(kinds), sorted(senses)) == (sorted(accepts), ["eq", "ge", "le"])
    assert {1, 10, 100} <= places <= {1, 2, 4, 5, 10, 20, 25, 50, 100}


def test_dense_rows_replace_most_of_the_puzzle_and_only_one_solution_is_known() -> None:
    found = cases("dense", "objective")
    assert all(case.is_planted for case in found)
    assert sum(case.witnesses[0] is not None for case in found) > len(found) / 2
    assert any(variable.kind == "real" for case in found for variable in case.model.variables)
    assert not any(case.is_planted for case in cases("objective", count=9))
    assert {case.model.variables[row.variables[0]].kind for case in found for row in case.model.constraints} == {"bool"}


@pytest.mark.parametrize("techniques", [("numeric", "objective", "incremental"), ("dense", "objective"), ("form",)])
def test_a_point_satisfies_the_paired_model_exactly_if_it_satisfies_its_own(
    techniques: tuple[str, ...],
) -> None:
    rng, kept = random.Random(1), 0
    for number, case in enumerate(cases(*techniques)):
        variables = case.model.variables
        for _ in range(4):
            point = [
                value if rng.random() < 0.9 else low
                for value, (_, low, _) in zip(
                    case.witnesses[0] or [high for *_, high in variables], variables, strict=True
                )
            ]
            one = replace(case, witnesses=(point,) * len(case.model.steps))
            other = paired(seeded("pair", 2, number), one, MIP)
            for step in range(len(case.model.steps)):
                image = other.witnesses[step]
                assert image is not None
                assert bool(other.model.broken(image, step)) == bool(case.model.broken(point, step))
                kept += not case.model.broken(point, step)
    assert kept > 20


def test_an_objective_of_a_pair_differs_by_a_constant_and_hints_move_too() -> None:
    rows = (Constraint("linear", (((0, 1), (1, 2)), "le", 9)), Constraint("clause", (3,)))
    variables = (Variable("int", 0, 5), Variable("real", 0, 5), Variable())
    model = VariantModel(variables, rows, ((0, 3), (1, -1)), steps=(Step(((2, 1),), ((0, 2), (2, 1))),))
    for seed in range(9):
        gaps = set()
        for point in ([2, 1, 1], [0, 5, 1], [5, 2, 1]):
            other = paired(random.Random(seed), Variant("1", frozenset(), model, (point,)), MIP)
            image = other.witnesses[0]
            assert image is not None
            gaps.add(total(other.model.objective, image) - total(model.objective, point))
            hints = [image[index] - value for index, value in other.model.steps[0].hint]
            assert sorted(hints) == sorted([point[0] - 2, point[2] - 1])
        assert len(gaps) == 1


PLANTED = Variant(
    "1", frozenset(), VariantModel((Variable(), Variable()), (Constraint("clause", (1, 2)),), ((0, 1), (1, 2))), (None,)
)


@pytest.mark.parametrize(
    ("known", "raw", "expected"),
    [
        (None, [("sat", [0, 1], None, 0)], [0, 1]),
        ((0, 1), [("sat", [1, 0], None, 0)], [1, 0]),
        ((1, 0), [("sat", [0, 1], None, 0)], (1, 0)),  # worse
        ((1, 1), [("sat", [0, 0], None, 0)], (1, 1)),  # broken
        (None, [("unsat", [], None, 0)], None),
        ((1, 1), "hang: late", (1, 1)),
    ],
)
def test_only_a_better_point_that_satisfies_the_model_is_a_witness(known: Any, raw: Any, expected: Any) -> None:
    assert improved(replace(PLANTED, witnesses=(known,)), raw).witnesses == (expected,)


def test_a_model_called_infeasible_is_refuted_by_the_point_of_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    class Process:
        version = "engine 1"

        def __init__(self, *_: Any) -> None:
            self.models: list[VariantModel] = []

        def solve(self, model: VariantModel) -> list[Any]:
            self.models.append(model)
            return [("sat", [1, 0], None, 0)] if len(self.models) == 1 else [("unsat", [], None, 0)]

        def close(self) -> None:
            pass

    def built(_seed: int, _number: int, techniques: frozenset[str], *_: Any) -> Variant:
        case = replace(PLANTED, is_planted=True)
        return paired(seeded("pair", 0, 1), case, frozenset()) if "pair" in techniques else case

    monkeypatch.setattr(module, "EngineProcess", Process)
    monkeypatch.setattr(module, "build", built)
    with VariantSession(VariantSettings("minisat22")) as session:
        case = session._build(1, frozenset({"pair"}))
        wrong = session._judged(case)
    check(case)
    assert wrong is not None
    assert (wrong.problem, sorted(wrong.point)) == ("wrong-infeasible", [0, 1])
