"""The traps of engines of models, each where it would bite."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest
from crosslit_backends.engines.clingo import _aspif
from crosslit_encoders.finite_domain import LinearRows
from crosslit_encoders.nonogram.models import ladder

from crosslit import Nonogram, load
from crosslit.contract import UNKNOWN, GaveUp, Task
from crosslit.registry import select_one
from crosslit.runs.job import drive
from tests.contract.configurations import needs

ENGINES = ["choco", "clingo", "z3", "scip", "exact", "highs", "cbc", "gecode"]


def found(spec: str, text: str, question: str = "solutions") -> list[str]:
    puzzle = load(text)
    choice = select_one(spec, puzzle, question)
    task = Task(question, None, choice.encoding, choice.options)
    return [grid.text for grid in drive(choice.backend, puzzle, task)]


def test_scip_is_right_where_its_pairwise_presolve_is_not() -> None:
    needs("scip")
    assert found("scip", "00/11") == ["11/00"]


@pytest.mark.parametrize(
    "spec",
    ["choco:search=input-order", "choco:search=chs", "gecode:search=input-order", "gecode:search=first-row"],
)
@pytest.mark.parametrize("text", ["11/11", "1,1|1,1", "000/000/000"])
def test_every_search_order_finds_all_solutions(spec: str, text: str) -> None:
    needs(spec.partition(":")[0])
    solutions = found(spec, text)
    assert len(solutions) == len(set(solutions))
    assert set(solutions) == set(found("brute", text))


@pytest.mark.parametrize("name", ENGINES)
def test_the_first_row_has_no_variable_for_every_press(name: str) -> None:
    needs(name)
    with pytest.raises(GaveUp, match="lacks variables for some presses"):
        found(f"{name}/chased-paths", "modular-lights-out:3/12/21", "fewest")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_their_handlers_after_a_run_of_exact(number: signal.Signals) -> None:
    needs("exact")
    received: list[int] = []
    before = signal.signal(number, lambda number, _: received.append(number))
    try:
        found("exact", "10/01")
        signal.raise_signal(number)
    finally:
        signal.signal(number, before)
    assert received == [number]


def test_choco_counts_its_failures() -> None:
    needs("choco")
    board = load("10/00/00")
    choice = select_one("choco:search=input-order", board)
    task = Task(encoding=choice.encoding, options=choice.options)
    assert not list(drive(choice.backend, board, task))
    assert task.stats["failures"] == 4  # one for each first row


@pytest.mark.parametrize(
    ("words", "lineage"),
    [
        ("minizinc --solver gecode -a {mzn}", {"minizinc", "gecode"}),
        ("minizinc --solver Chuffed -a {mzn}", {"minizinc", "chuffed", "cdcl"}),
        ("minizinc --solver cp-sat -a {mzn}", {"minizinc", UNKNOWN}),
        ("my-minizinc {mzn}", {"minizinc", UNKNOWN}),
    ],
)
def test_an_engine_behind_minizinc_is_independent_only_if_it_is_known(words: str, lineage: set[str]) -> None:
    from crosslit_backends.engines.minizinc import command

    assert command("mine", words, "", frozenset()).trusted_base == lineage


def test_a_command_without_all_solutions_does_not_claim_that_there_are_no_more() -> None:
    from crosslit_backends.engines.minizinc import command

    needs("gecode")
    backend = command("one", "minizinc --solver gecode {mzn}", "", frozenset())
    puzzle = load("1,1|1,1")
    task = Task(encoding=select_one("gecode", puzzle).encoding)
    solutions = backend.solutions(puzzle, task)  # type: ignore[attr-defined]
    assert not [*puzzle.violations(next(solutions))]
    with pytest.raises(GaveUp, match="does not claim"):
        next(solutions)


def test_clingo_reads_the_same_rules_of_arrays_and_of_single_constraints() -> None:
    model = ladder(Nonogram([[1, 1], [2], [], [1]], [[1], [2], [1, 1], [1]]))
    assert isinstance(model.constraints, LinearRows)
    single = replace(model, constraints=[*model.constraints])
    assert sorted("".join(_aspif(model, False)).split("\n")) == sorted("".join(_aspif(single, False)).split("\n"))


@pytest.mark.parametrize(
    ("output", "values", "last"),
    [
        ([], [], ""),
        (["x = [1, 0];", "----------", "==========", ""], [[1, 0]], "=========="),
        (
            ["x = [1];", "----------", "x = [0];", "----------", "=====UNKNOWN=====", "", ""],
            [[1], [0]],
            "=====UNKNOWN=====",
        ),
        (["", "=====UNSATISFIABLE====="], [], "=====UNSATISFIABLE====="),
    ],
)
def test_the_last_line_with_words_is_what_minizinc_claims(
    output: list[str], values: list[list[int]], last: str
) -> None:
    from crosslit_backends.engines.minizinc import MiniZinc, command

    backend = command("one", "minizinc --solver gecode {mzn}", "", frozenset())
    assert isinstance(backend, MiniZinc)
    found = backend._read(iter(output))
    for expected in values:
        assert next(found) == expected
    with pytest.raises(StopIteration) as ended:
        next(found)
    assert ended.value.value == last
