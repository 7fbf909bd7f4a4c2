"""The engines' own parameters in specs."""

from __future__ import annotations

import pytest

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.contract import GaveUp, Task
from crosslit.formats import read
from tests.contract.configurations import needs

BOARD = read("101/010/101")
ENGINES = {
    "scip": "separating/maxrounds=0",
    "ortools-scip": "separating/maxrounds=0",
    "cpsat": "linearization_level=0",
    "clingo": "eq=0",
    "z3": "relevancy=0",
}


def solutions(spec: str) -> int:
    """The number of solutions that a backend finds."""
    choice = registry.select_one(spec, BOARD)
    return len(list(choice.backend.solutions(BOARD, Task(encoding=choice.encoding, options=choice.options))))


@pytest.mark.parametrize(("engine", "parameter"), ENGINES.items())
def test_a_parameter_reaches_the_engine(engine: str, parameter: str) -> None:
    needs(engine)
    assert solutions(f"{engine}:param.{parameter}") == 1
    with pytest.raises(GaveUp, match="no-such"):
        solutions(f"{engine}:param.no-such=1")


@pytest.mark.parametrize("spec", ["gauss:param.x=1", "highs:param.presolve=off", "scip:param.=1"])
def test_an_engine_without_parameters_refuses_them(spec: str) -> None:
    with pytest.raises(SpecError, match="unknown option"):
        registry.select(spec, BOARD)


def test_an_engine_known_for_wrong_answers_is_left_out_of_all() -> None:
    assert "ortools-scip" not in {choice.backend.name for choice in registry.select("all", BOARD)}
    assert registry.select_one("ortools-scip", BOARD)
