"""Constraints on small integers: their meanings, the judgement of wrong engines, and the agreement of right ones."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.files import _ACCEPTS, FileEngine
from crosslit_verify.variants.judging import check, judge
from crosslit_verify.variants.model import Constraint, Variable, Variant, VariantModel, Wrong
from crosslit_verify.variants.points import all_points, is_clear
from crosslit_verify.variants.relations import RELATIONS
from crosslit_verify.variants.session import EngineProcess, VariantSession, VariantSettings
from crosslit_verify.variants.techniques import build, refuting_model, smaller_cases

ENGINES_OF = {"cpsat": "ortools", "choco": "pychoco", "z3": "z3", "cpmpy-ortools": "cpmpy"}
ACCEPTS = frozenset({"int", "linear", "clause", "objective", "all", "if", "iff", *RELATIONS})


def halves(v: list[int]) -> tuple[list[int], list[int]]:
    return v[: len(v) // 2], v[len(v) // 2 :]


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if a * b >= 0 else -1)


def is_cycle(v: Sequence[int]) -> bool:
    node, seen = 0, []
    while 0 <= node < len(v) and node not in seen:
        seen.append(node)
        node = v[node]
    return node == 0 and len(seen) == len(v)


def is_apart(starts: Sequence[int], lengths: Sequence[int]) -> bool:
    tasks = [*zip(starts, lengths, strict=False)]
    return all(a + m <= b or b + n <= a for (a, m), (b, n) in itertools.combinations(tasks, 2))


def is_inverse(first: Sequence[int], second: Sequence[int]) -> bool:
    size = range(len(first))
    return {*first} == {*size} and all(second[first[i]] == i for i in size)


# The same constraints in other words, for comparison with the table.
MEANINGS: dict[str, Callable[[list[int], Any], Any]] = {
    "absolute": lambda v, p: v[0] == abs(v[1]),
    "maximum": lambda v, p: v[0] == max(v[1:]),
    "minimum": lambda v, p: v[0] == min(v[1:]),
    "element": lambda v, p: 0 <= v[0] < len(v) - 2 and v[2:][v[0]] == v[1],
    "lookup": lambda v, p: 0 <= v[0] < len(p) and p[v[0]] == v[1],
    "product": lambda v, p: v[0] == v[1] * v[2],
    "division": lambda v, p: v[0] == truncated(v[1], v[2]),
    "modulus": lambda v, p: v[0] == v[1] - v[2] * truncated(v[1], v[2]),
    "all_different": lambda v, p: len({*v}) == len(v),
    "all_equal": lambda v, p: len({*v}) == 1,
    "count": lambda v, p: v[0] == v[1:].count(p[0]),
    "among": lambda v, p: v[0] == sum(value in p for value in v[1:]),
    "cardinality": lambda v, p: halves(v)[1] == [halves(v)[0].count(value) for value in p],
    "values": lambda v, p: v[0] == len({*v[1:]}),
    "values_or_more": lambda v, p: len({*v[1:]}) >= v[0],
    "values_or_less": lambda v, p: len({*v[1:]}) <= v[0],
    "argmax": lambda v, p: v[0] == v[1:].index(max(v[1:])),
    "increasing": lambda v, p: v == sorted(v) and (not p[0] or len({*v}) == len(v)),
    "decreasing": lambda v, p: v[::-1] == sorted(v) and (not p[0] or len({*v}) == len(v)),
    "no_overlap": is_apart,
    "optional_intervals": lambda v, p: is_apart(
        [*itertools.compress(*halves(v))], [*itertools.compress(p, halves(v)[1])]
    ),
    "cumulative": lambda v, p: all(
        sum(height for start, length, height in zip(v, *p[:2], strict=True) if start <= time < start + length) <= p[2]
        for time in range(-20, 20)
    ),
    "circuit": lambda v, p: is_cycle(v),
    "inverse": lambda v, p: is_inverse(*halves(v)),
    "lex_less": lambda v, p: halves(v)[0] < halves(v)[1],
    "lex_less_eq": lambda v, p: halves(v)[0] <= halves(v)[1],
    "rows": lambda v, p: tuple(v) in p,
    "no_rows": lambda v, p: tuple(v) not in p,
    "member": lambda v, p: v[0] in p,
    "sum_equal": lambda v, p: sum(a * b for a, b in zip(p, v, strict=False)) == p[-1],
    "sum_unequal": lambda v, p: sum(a * b for a, b in zip(p, v, strict=False)) != p[-1],
    "some": lambda v, p: any(a == b for a, b in zip(v, p, strict=True)),
    "every": lambda v, p: [*p] == v,
    "odd": lambda v, p: sum(a == b for a, b in zip(v, p, strict=True)) in (1, 3),
    "at_most_one": lambda v, p: sum(a == b for a, b in zip(v, p, strict=True)) < 2,
    "exactly_one": lambda v, p: sum(a == b for a, b in zip(v, p, strict=True)) == 1,
}


def cases(kind: str, numbers: range, *techniques: str, accepts: frozenset[str] = ACCEPTS) -> Iterator[Variant]:
    for number in numbers:
        case = build(7, number, frozenset({kind, *techniques}), accepts, {})
        if case.model.constraints:
            yield case


def drawn(kind: str) -> list[tuple[VariantModel, Constraint]]:
    return [(case.model, item) for case in cases(kind, range(40)) for item in case.model.constraints]


@pytest.mark.parametrize("kind", sorted(RELATIONS))
def test_a_meaning_is_that_of_the_same_constraint_in_other_words(kind: str) -> None:
    found = set()
    for model, item in drawn(kind):
        own, numbers, mode, views = item.data
        variables = sorted({*own})
        ranges = [range(model.variables[index].low, model.variables[index].high + 1) for index in variables]
        for point in itertools.product(*ranges):
            given = dict(zip(variables, point, strict=True))
            values = [a * given[index] + b for index, (a, b) in zip(own, views, strict=False)]
            is_held = bool(MEANINGS[kind](values, numbers))
            is_on = mode and given[own[-1]] == (0 if mode.endswith("not") else 1)
            expected = is_held == is_on if mode.startswith("iff") else is_held or is_on is False
            assert item.holds(given) == expected
            found.add((mode, is_held))
    assert {is_held for _, is_held in found} == {False, True}
    assert {mode for mode, _ in found} == {"", "if", "if not", "iff", "iff not"}


@pytest.mark.parametrize("kind", sorted(RELATIONS))
@pytest.mark.parametrize("technique", ["form", "objective"])  # all points, or the best one
def test_an_engine_that_ignores_a_constraint_is_caught_and_so_is_one_that_loses_a_point(
    kind: str, technique: str
) -> None:
    caught: dict[str, set[str]] = {"ignores": set(), "loses": set()}
    for case in cases(kind, range(30), technique):
        points = {
            "ignores": all_points(replace(case.model, constraints=())),
            "loses": [point for point in all_points(case.model) if point != case.witnesses[0]],
            "is right": all_points(case.model),
        }
        for fault, own in points.items():
            best = own if case.model.asks_all else own[0] if own else []
            raw = ("OPTIMAL" if own else "INFEASIBLE", best, None, 0)
            wrong = judge(ENGINES["cpsat"], case, [raw])
            if fault == "is right":
                assert wrong is None
            elif wrong is not None:
                caught[fault].add(wrong.problem)
    assert "broken-point" in caught["ignores"]
    assert caught["loses"] & ({"not-optimal"} if technique == "objective" else {"missing-point"})


@pytest.mark.parametrize("kind", sorted(RELATIONS))
def test_smaller_cases_have_their_exact_truth_and_divide_by_no_zero(kind: str) -> None:
    for case in cases(kind, range(2), "objective"):
        smaller = list(smaller_cases(case))
        assert smaller
        for one in smaller:
            check(one)
            assert is_clear(one.model)
            points = all_points(one.model)
            assert [*one.witnesses] == ([points[0]] if points else [None])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENGINES_OF))
def test_engines_state_what_the_constraints_mean(name: str) -> None:
    engine = ENGINES[name]
    if find_spec(engine.package) is None:  # CI has the extra `engines`, but not CPMpy
        pytest.skip(f"{engine.package} is not installed")
    process = EngineProcess(engine, timeout=60.0)
    with contextlib.closing(process):
        for kind in sorted(RELATIONS.keys() & engine.accepts):
            for case in cases(kind, range(8), accepts=engine.accepts):
                for model in singles(case.model):
                    answers = process.solve(model)
                    points = all_points(model)
                    own = Variant("", frozenset({kind}), model, (points[0] if points else None,), points)
                    assert isinstance(answers, list), (model, answers)
                    assert judge(engine, own, answers) is None, engine.source(model)


@pytest.mark.slow
def test_minizinc_states_what_the_constraints_mean(tmp_path: Path) -> None:
    if shutil.which("minizinc") is None:  # CI installs and requires it
        pytest.skip("minizinc is not installed")
    # the definitions of the standard library: Gecode's own cumulative of 6.2 counts tasks of length 0
    command, accepts = ("minizinc", "-G", "std", "--solver", "gecode", "-a"), _ACCEPTS["mzn"] - {"objective"}
    engine, path = FileEngine.of("mine", [*command, "{mzn}"]), tmp_path / "model.mzn"
    for kind in sorted(RELATIONS.keys() & accepts):
        for case in cases(kind, range(5), accepts=accepts):
            source = engine.source(case.model)
            path.write_text(source.partition("model = r'''")[2].partition("'''")[0])
            answer = subprocess.run([*command, path], capture_output=True, text=True, check=True).stdout
            found = [[*map(int, re.findall(r"= (-?\d+);", own))] for own in answer.split("-" * 10)[:-1]]
            assert sorted(found) == sorted(all_points(case.model)), source


def singles(model: VariantModel) -> Iterator[VariantModel]:
    """Models of one constraint; engines have faults of their own if it is conditional or has a variable twice."""
    for item in model.constraints:
        own, _, mode, _ = item.data
        if len({*own}) == len(own) and (not mode or item.kind in ("sum_unequal", "some")):
            yield replace(model, constraints=(item,))


@pytest.mark.slow
def test_a_wrong_statement_is_found_reduced_confirmed_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    own = RELATIONS["maximum"]
    statements = {**own.statements, "ortools": "m.AddMinEquality(v[0], v[1:])"}
    with VariantSession(VariantSettings("cpsat", techniques=("constraints",), cases=100)) as session:
        monkeypatch.setitem(RELATIONS, "maximum", replace(own, statements=statements))
        found = session.run()
    failure = found.failures[0]
    assert failure.techniques == ["maximum"]
    assert "z3-solver" in failure.confirmed
    assert len(failure.case.model.constraints) == 1
    assert "crosslit" not in failure.script
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(failure.script, {})
    assert shown.getvalue().splitlines()[-1].startswith("Wrong in ortools ")
    assert "breaks ['maximum']" in shown.getvalue() or "breaks nothing" in shown.getvalue()


def test_a_missing_point_is_confirmed_only_by_an_engine_that_states_the_constraints() -> None:
    items = (Constraint("argmax", ((0, 0, 1), (), "", ((1, 0),) * 3)),)
    model = VariantModel((Variable("int", 0, 1), Variable("int", 0, 1)), items, asks_all=True)
    wrong = Wrong("missing-point", 0, "", (0, 0))
    assert refuting_model(model, wrong, ENGINES["cpsat"].accepts) is None
    found = refuting_model(model, wrong, ENGINES["z3"].accepts)
    assert found is not None
    assert all_points(found) == [[0, 0]]
