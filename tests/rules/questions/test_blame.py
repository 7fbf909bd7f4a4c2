"""Who is wrong if an answer is: the engine, its encoding, or one of the two."""

from __future__ import annotations

from typing import Any

import pytest

from crosslit import load
from crosslit.contract.run import Run
from crosslit.judging.verdict import Finding
from crosslit.questions.formula import attributed
from crosslit.registry import select
from tests.inline import run_inline


@pytest.mark.parametrize(
    ("encoding", "problem", "says", "end"),
    [("drops", "missing-solution", "forbids", "claims"), ("adds", "wrong-solution", "allows", "gave it: row 1")],
)
def test_an_encoding_that_is_wrong_is_named_and_no_engine(
    planted_environment: dict[str, str], encoding: str, problem: str, says: str, end: str
) -> None:
    puzzle = "1,1|1,1" if encoding == "drops" else "2|1,1,0"
    done = run_inline("compare", puzzle, "--backends", f"glucose4/{encoding},line", "--all", env=planted_environment)
    assert done.returncode == 1
    assert f"wrong: encoding {encoding}: {problem}: " in done.stdout
    reason = f"its formula {says} this grid, as minisat22 finds; glucose4/{encoding} {end}"
    assert f"encoding {encoding}: {problem}: {reason}" in done.stdout
    assert "wrong: glucose4" not in done.stdout


def blame(backend: str, problem: str, witness: str | None = None, puzzle: str = "1,1|1,1") -> str:
    read = load(puzzle)
    (choice,) = select(backend, read, "solutions")
    run = Run(backend, encoding=choice.encoding.name if choice.encoding else "")
    (found,) = attributed(read, [Finding(backend, problem, "", witness)], [run])
    return found.culprit


def test_an_engine_is_wrong_if_the_formula_is_right() -> None:
    assert blame("glucose4", "wrong-solution", "11/00") == "glucose4"
    assert blame("glucose4", "missing-solution", "10/01") == "glucose4"
    assert blame("minisat22", "missing-solution", "10/01") == "minisat22"


@pytest.mark.parametrize("board", ["101/010/111", "wrap=torus/00000/01110/00000/00000/00000"])
def test_the_cells_that_an_encoding_leaves_out_are_judged_too(board: str) -> None:
    read = load(board)
    wrong = "/".join(["1" * read.columns] * read.rows)
    assert blame("glucose4", "wrong-solution", wrong, board) == "glucose4"


@pytest.mark.parametrize(
    ("backend", "problem", "witness", "named"),
    [
        ("cpsat", "missing-solution", "10/01", "cpsat/automaton"),
        ("cpsat:seed=1", "missing-solution", "10/01", "cpsat/automaton:seed=1"),
        ("glucose4", "wrong-count", None, "glucose4/order"),
        ("glucose4", "wrong-solution", "11", "glucose4/order"),
        ("glucose4", "crash", None, "glucose4"),
        ("line", "wrong-solution", "11/00", "line"),
    ],
)
def test_where_nothing_is_proved_both_are_named(backend: str, problem: str, witness: str | None, named: str) -> None:
    assert blame(backend, problem, witness) == named


def test_a_formula_that_cannot_be_made_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise ImportError("gone")

    monkeypatch.setattr("crosslit.questions.formula._allows", fails)
    assert blame("glucose4", "wrong-solution", "11/00") == "glucose4/order"
    (found,) = attributed(load("1|1"), [Finding("mine", "wrong-solution", "", "0")], [Run("mine", encoding="gone")])
    assert found.culprit == "mine/gone"
