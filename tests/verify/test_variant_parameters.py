"""Options that engines list themselves: which ones are left out, and which ones a case gets."""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import Any

import pytest
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.model import Variable, VariantModel
from crosslit_verify.variants.parameters import LISTINGS, common_parameters, draw_parameters

UNSAFE = {
    "cpsat": [
        "stop_after_presolve",
        "enumerate_all_solutions",
        "fix_variables_to_their_hinted_value",
        "use_probing_search",
    ],
    "highs": ["output_flag", "pdlp_scaling_mode", "write_solution_style", "log_to_console"],
    "scip": ["lp/checkprimfeas", "misc/outputorigsol", "constraints/linear/checkrelmaxabs", "limits/maxorigsol"],
}
SAFE = {
    "cpsat": ["search_branching", "use_phase_saving", "cut_level"],
    "highs": ["presolve_mode", "mip_allow_restart"],
    "scip": ["presolving/domcol/maxrounds", "conflict/useprop", "constraints/xor/presolusehashing"],
}


@pytest.mark.parametrize("name", LISTINGS)
def test_options_that_change_answers_and_those_of_our_own_list_are_left_out(name: str) -> None:
    own = [*ENGINES[name].options]
    listed = [(key, [1, 2]) for key in (*SAFE[name], *UNSAFE[name], *own)]
    expected = {key: [1, 2] for key in SAFE[name]}
    assert common_parameters(name, own, [lambda _: listed]) == expected
    longer = [*listed, ("presolving/new", [1]), (f"{own[0]}/more", [1]), (f"use_{own[0]}", [1])]
    assert {key for key, _ in listed} & common_parameters(name, own, [lambda _: longer]).keys() == {*SAFE[name]}


def test_two_versions_have_the_options_with_the_same_values_in_both() -> None:
    first, second = [("a", [1]), ("b", [1]), ("c", [1, 2])], [("c", [1, 2]), ("b", [2]), ("d", [1])]
    executes: list[Any] = [lambda _: first, lambda _: second]
    assert common_parameters("cpsat", ["own"], executes) == {"c": [1, 2]}
    assert common_parameters("cpsat", ["own"], [*executes, lambda _: "ImportError: no list"]) == {}


def test_a_case_gets_one_to_five_options_and_mostly_the_same_ones_of_a_longer_list() -> None:
    table: dict[str, list[Any]] = {f"option{index}": [0, 1, 2] for index in range(60)}
    longer = {f"more{index}": [0, 1] for index in range(6)} | dict(reversed(table.items()))
    sizes, names, kept, total = set(), set(), 0, 0
    for seed in range(300):
        drawn = draw_parameters(random.Random(seed), table)
        assert drawn == draw_parameters(random.Random(seed), dict(reversed(table.items())))
        assert all(value in table[name] for name, value in drawn)
        other = draw_parameters(random.Random(seed), longer)
        assert {pair for pair in other if pair[0] in table} <= {*drawn}
        sizes.add(len(drawn))
        names |= {*drawn}
        kept, total = kept + len({*drawn} & {*other}), total + len(drawn)
    assert (sizes, kept / total > 0.8) == ({1, 2, 5}, True)
    assert len(names) > 150
    assert draw_parameters(random.Random(1), {}) == ()


@pytest.mark.parametrize("name", LISTINGS)
def test_every_option_that_an_engine_lists_can_be_set(name: str) -> None:
    engine = ENGINES[name]
    if find_spec(engine.package) is None:  # CI has the extra `engines`, but not Exact, highspy and CPMpy
        pytest.skip(f"{engine.package} is not installed")

    def execute(script: str) -> Any:
        scope: dict[str, Any] = {}
        exec(script, scope)
        return scope["answers"]

    found = common_parameters(name, engine.options, [execute])
    options = tuple((key, value) for key, values in found.items() for value in values)
    assert len(options) > 10
    start, line, _ = engine.source(VariantModel((Variable(),), (), (), options)).partition(engine.option(*options[-1]))
    execute(start + line)
