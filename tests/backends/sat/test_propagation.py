"""Unit propagation by PySAT: never on CaDiCaL after it has solved, where it can report false conflicts.

That is issue 232 of pysathq/pysat. All propagation here uses engines of the MiniSat family.
"""

from __future__ import annotations

from typing import Any

import pytest
from crosslit_backends.nonogram import hybrid
from crosslit_backends.sat import pysat
from crosslit_backends.sat.pysat import refute_by
from pysat.solvers import Solver

from crosslit import load, registry
from crosslit.contract import Task
from crosslit.contract.clauses import CHECKER
from crosslit.judging.certificates import check
from crosslit.kinds import Puzzle
from crosslit.runs.job import drive
from tests.driving import solve_inline

SQUARE = load("1,1,1|1,1,1")  # 6 solutions
BOARD = load("0000/0000/0000/0000")  # 16 solutions
LINES_OF = "2 1,1,3,1|1,2 1,3,1,1"


def test_no_code_propagates_by_cadical_after_solving() -> None:
    assert not CHECKER.startswith("cadical")
    branching = [solver.name for solver in pysat.SOLVERS if solver.branches]
    assert branching
    assert not [name for name in branching if name.startswith("cadical")]
    able = pysat.PySat("cadical999", frozenset(pysat.ABILITIES))
    assert not able.branches


@pytest.fixture
def propagated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The engines that propagated after they had solved; CaDiCaL raises there."""
    engines: list[str] = []
    solved: set[int] = set()
    create, solve, limited, propagate = Solver.new, Solver.solve, Solver.solve_limited, Solver.propagate

    def new(self: Any, *arguments: Any, **options: Any) -> Any:
        solved.discard(id(self))
        return create(self, *arguments, **options)

    def remember(self: Any, *arguments: Any, **options: Any) -> Any:
        solved.add(id(self))
        return solve(self, *arguments, **options)

    def remember_limited(self: Any, *arguments: Any, **options: Any) -> Any:
        solved.add(id(self))
        return limited(self, *arguments, **options)

    def watched(self: Any, *arguments: Any, **options: Any) -> Any:
        if id(self) in solved:
            engines.append(type(self.solver).__name__)
            assert not engines[-1].startswith("Cadical"), "CaDiCaL propagates after it has solved"
        return propagate(self, *arguments, **options)

    monkeypatch.setattr(Solver, "new", new)
    monkeypatch.setattr(Solver, "solve", remember)
    monkeypatch.setattr(Solver, "solve_limited", remember_limited)
    monkeypatch.setattr(Solver, "propagate", watched)
    return engines


def test_the_watch_sees_cadical(propagated: list[str]) -> None:
    with Solver(name="cadical195", bootstrap_with=[[1, 2]]) as solver:
        assert solver.propagate([-1])[0]
        solver.solve()
        with pytest.raises(AssertionError, match="CaDiCaL propagates after it has solved"):
            solver.propagate([-1])
    assert propagated == ["Cadical195"]


@pytest.mark.parametrize("puzzle", [SQUARE, BOARD], ids=["nonogram", "board"])
def test_no_solver_lets_cadical_propagate_after_solving(
    puzzle: Puzzle, propagated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pysat, hybrid):
        monkeypatch.setattr(module, "BLOCKED", 1)
    of_kind = [solver.name for solver in pysat.SOLVERS if solver.name != "ergo"]  # ergo takes seconds
    specs = [
        *of_kind,
        *(f"hybrid:engine={name}:kernel=no" for name in ("cadical153", "cadical195", "cadical300", "minisat22")),
    ]
    expected = 6 if puzzle is SQUARE else 16
    for spec in specs if puzzle is SQUARE else of_kind:
        assert len(solve_inline(spec, puzzle)) == expected, spec
    assert len(set(propagated)) > 5


@pytest.mark.parametrize("question", ["mus", "fewest"])
def test_no_question_lets_cadical_propagate_after_solving(question: Any, propagated: list[str]) -> None:
    puzzle = BOARD if question == "fewest" else load("0,2|2,0") if question == "mus" else SQUARE
    name = "rc2" if question == "fewest" else "cadical195"
    choice = registry.select_one(name, puzzle, question)
    assert list(drive(choice.backend, puzzle, Task(question, encoding=choice.encoding)))
    assert "Cadical195" not in propagated


@pytest.mark.parametrize("prover", ["cadical195", "glucose4"])
@pytest.mark.parametrize(
    ("encoding", "text"),
    [("order", LINES_OF), ("direct", LINES_OF), ("full-cut4", "000/000/000")],
    ids=["nonogram-order", "nonogram-direct", "lights-out-full-cut4"],
)
def test_no_certificate_lets_cadical_propagate_after_solving(
    prover: str, encoding: str, text: str, propagated: list[str]
) -> None:
    puzzle = load(text)
    found = solve_inline("glucose4", puzzle)
    certificate = refute_by(puzzle, Task(), found, prover, encoding)
    assert check(puzzle, certificate).count == len(found)
    assert not propagated
