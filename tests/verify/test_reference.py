"""The reference is right, by two independent solvers; a disagreement of these is an error."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from crosslit_verify import reference as module
from crosslit_verify.contract_checks import by_rules, floor, sample_puzzles
from crosslit_verify.reference import Oracle, Unanswered, inline

from crosslit import Grid, Nonogram, load, registry
from crosslit.contract import Task
from crosslit.contract.run import Run
from crosslit.kinds import MAX_CELLS, all_kinds


@pytest.fixture
def oracle() -> Iterator[Oracle]:
    with closing(Oracle()) as made:
        yield made


@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_it_agrees_with_brute_force_by_the_rules(kind: str, oracle: Oracle) -> None:
    for specimen in itertools.chain(floor(kind, 2, 3), map(by_rules, sample_puzzles(kind))):
        found = oracle.reference(specimen.puzzle)
        assert (found.solutions, found.complete) == (specimen.solutions, True)
        two = oracle.reference(specimen.puzzle, want=2)
        assert (two.solvable, two.unique) == (found.solvable, found.unique)
        assert two.solutions <= specimen.solutions


@pytest.mark.parametrize(
    ("text", "solutions", "by"),
    [
        ("/".join(["0" * 9] * 9), 256, ("gauss", "polynomial")),
        ("1,1,1,1,1|1,1,1,1,1", 120, ("line", "alignment")),
        ("modular-lights-out:3/0000/0000/0000/0000", 9, ("howell", "modular-chase")),
        (f"{','.join(['1'] * 11)}|{','.join(['1'] * 9)}", 0, ("line", "alignment")),  # SAT would take minutes
    ],
)
def test_two_independent_solvers_find_all_solutions(oracle: Oracle, text: str, solutions: int, by: Any) -> None:
    found = oracle.reference(load(text))
    assert (len(found.solutions), found.by, found.complete) == (solutions, by, True)
    assert not oracle._runner._servers  # which small puzzles do not need


def test_a_kind_without_solvers_is_solved_by_its_rules_up_to_12_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.defaults, "row", lambda *_: module.defaults.ANY)
    monkeypatch.setattr(module.defaults, "turns", lambda *_: [])
    small, large = load("1" * MAX_CELLS), load("1" * (MAX_CELLS + 1))
    found = Oracle().reference(small)
    assert (found.by, found.complete) == (("rules",), True)
    with pytest.raises(Unanswered, match="no backend"):
        Oracle().reference(large)


def test_more_solutions_than_it_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    board, oracle = load("0000/0000/0000/0000"), Oracle()
    monkeypatch.setattr(module, "MAX_SOLUTIONS", 15)
    with pytest.raises(Unanswered, match="more than 15 solutions"):
        oracle.reference(board)
    assert oracle.reference(board, want=2).unique is False
    monkeypatch.setattr(module, "MAX_SOLUTIONS", 16)
    found = oracle.reference(board)
    assert (len(found.solutions), found.complete) == (16, True)


def test_large_puzzles_are_given_to_processes_with_limits() -> None:
    picture = Grid.from_cells([[(row * column) % 3 == 0 for column in range(14)] for row in range(14)])
    with closing(Oracle()) as oracle:
        assert picture in oracle.reference(Nonogram.of(picture), want=2).solutions
        oracle.until = 0.0
        with pytest.raises(Unanswered, match="the time ran out"):
            oracle.reference(Nonogram.of(picture), want=3)


@pytest.mark.parametrize("status", ["timeout", "memory", "error", "gave-up"])
@pytest.mark.parametrize("spec", ["gauss", "polynomial"])
def test_runs_that_did_not_end_are_no_reference(
    monkeypatch: pytest.MonkeyPatch, oracle: Oracle, status: Any, spec: str
) -> None:
    def unfinished(choice: registry.Choice, task: Task, puzzle: Any) -> Run:
        is_broken = choice.spec == spec or choice.encoding is not None
        return (
            Run(choice.spec, status=status, error="why" * (spec == "gauss"))
            if is_broken
            else inline(choice, task, puzzle)
        )

    monkeypatch.setattr(module, "inline", unfinished)
    with pytest.raises(Unanswered, match=f"not decided by .*: {'why' if spec == 'gauss' else status}$"):
        oracle.reference(load("1"))


def test_an_interrupt_is_not_lost(oracle: Oracle) -> None:
    oracle._runner.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        oracle.reference(load("1"))


@pytest.mark.parametrize("kind", list(all_kinds()))
def test_the_solvers_of_a_reference_are_independent(kind: str, oracle: Oracle) -> None:
    for puzzle in sample_puzzles(kind):
        by = oracle.reference(puzzle).by
        choices = [registry.select_one(spec, puzzle) for spec in by if spec != "rules"]
        assert len(choices) != 1
        assert all(not one.trusted_base & other.trusted_base for one, other in itertools.combinations(choices, 2))
