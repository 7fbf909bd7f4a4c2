"""The reference is right, by two independent solvers; a disagreement of these is an error."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any, cast

import pytest
from crosslit_verify import reference as module
from crosslit_verify.contract_checks.subject import by_rules, floor, samples
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered

from crosslit import Grid, LightsOut, load, registry
from crosslit.contract.run import Run
from crosslit.kinds import Row
from tests.conftest import random_board


@pytest.fixture
def oracle() -> Iterator[Oracle]:
    with closing(Oracle()) as made:
        yield made


@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_it_agrees_with_brute_force_by_the_rules(kind: str, oracle: Oracle) -> None:
    for specimen in itertools.chain(floor(kind, 2, 3), samples(kind)):
        found = oracle.reference(specimen.puzzle)
        assert (found.solutions, found.complete) == (specimen.solutions, True)
        two = oracle.reference(specimen.puzzle, want=2)
        assert (two.solvable, two.unique) == (found.solvable, found.unique)
        assert two.solutions <= specimen.solutions


def test_the_fewest_presses(oracle: Oracle) -> None:
    rng = random.Random(2)
    for _ in range(20):
        board = random_board(rng, 2, rng.choice([3, 5]))
        best = min((grid.count() for grid in by_rules(board).solutions), default=None)
        assert oracle.fewest(board).presses == best


def test_many_solutions_are_cross_checked_by_another_native_solver(oracle: Oracle) -> None:
    found = oracle.reference(LightsOut(Grid.from_bits(9, 9, 0)))
    assert (len(found.solutions), found.by) == (256, ("gauss", "polynomial"))
    found = oracle.reference(load("1,1,1,1,1|1,1,1,1,1"))
    assert (len(found.solutions), found.by) == (120, ("line", "alignment"))


def test_more_solutions_than_it_may_hold() -> None:
    board = load("0000/0000/0000/0000")
    with closing(Oracle(max_solutions=15)) as oracle:
        with pytest.raises(Unanswered, match="more than 15 solutions"):
            oracle.reference(board)
        assert oracle.reference(board, want=2).unique is False
    with closing(Oracle(max_solutions=16)) as oracle:
        found = oracle.reference(board)
    assert (len(found.solutions), found.complete) == (16, True)


def test_few_solutions_are_cross_checked_by_sat(oracle: Oracle) -> None:
    found = oracle.reference(LightsOut(Grid.from_bits(6, 8, 0)))
    assert (len(found.solutions), found.by) == (64, ("gauss", "minisat22/chased-shared"))


def test_a_second_search_that_does_not_finish_is_no_agreement(monkeypatch: pytest.MonkeyPatch, oracle: Oracle) -> None:
    honest = module._inline

    def unfinished(choice: registry.Choice, puzzle: object, limit: int) -> object:
        told = honest(choice, puzzle, limit)  # type: ignore[arg-type]
        return Reference(told.solutions, told.complete and choice.spec == "gauss", told.by)

    monkeypatch.setattr(module, "_inline", unfinished)
    for text in ("1", "000/000", "100/000"):
        with pytest.raises(Unanswered, match="polynomial did not finish"):
            oracle.reference(load(text))


def test_large_puzzles_are_given_to_processes_with_limits() -> None:
    picture = Grid.from_cells([[(row * column) % 3 == 0 for column in range(14)] for row in range(14)])
    from crosslit import Nonogram

    with closing(Oracle()) as oracle:
        assert picture in oracle.reference(Nonogram.of(picture), want=2).solutions


@pytest.mark.parametrize("status", ["timeout", "memory", "error", "gave-up"])
def test_a_run_that_did_not_end_is_no_reference(oracle: Oracle, status: Any) -> None:
    board = load("1")
    _end_runs(oracle, status, interrupted=False)
    with pytest.raises(Unanswered, match=f"gauss ended as {status}"):
        oracle._ask(Row(("gauss",), ("gauss",), quick=0), registry.select_one("gauss", board), board, 2)


@pytest.mark.parametrize("status", ["complete", "interrupted"])
def test_an_interrupt_is_not_lost_if_the_run_had_ended(oracle: Oracle, status: Any) -> None:
    board = load("1")
    _end_runs(oracle, status, interrupted=True)
    with pytest.raises(KeyboardInterrupt):
        oracle._ask(Row(("gauss",), ("gauss",), quick=0), registry.select_one("gauss", board), board, 2)


def _end_runs(oracle: Oracle, status: Any, *, interrupted: bool) -> None:
    runs = SimpleNamespace(run=lambda _: Run("gauss", status=status), interrupted=interrupted, __exit__=lambda *_: None)
    oracle._runner = cast(Any, runs)


@pytest.mark.parametrize(("board", "message"), [("1", "on 1: it gives 0"), ("0", "on 0: it gives a solution twice")])
def test_a_wrong_or_repeated_grid_of_a_reference_is_a_bug(board: str, message: str) -> None:
    with pytest.raises(ReferencesDiffer, match=f"gauss is wrong {message}"):
        module._checked("gauss", load(board), [Grid.from_text("0")] * 2, True)


@pytest.mark.parametrize("wrong", ["first", "second"])
def test_the_solver_that_lacks_a_solution_is_wrong(wrong: str) -> None:
    grid = Grid.from_text("1")
    claims = [Reference(frozenset({grid} if name != wrong else ()), True, (name,)) for name in ("first", "second")]
    with pytest.raises(ReferencesDiffer, match=f"^{wrong} is wrong on 1: it lacks 1"):
        module._require_agreement(load("1"), *claims)


def test_unequal_sums_are_noticed_by_two_native_solvers(oracle: Oracle) -> None:
    found = oracle.reference(load(f"{','.join(['1'] * 11)}|{','.join(['1'] * 9)}"))  # SAT would take minutes
    assert (found.solvable, found.by) == (False, ("line", "alignment"))


def test_the_oldest_references_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_KEPT", 2)
    oracle = Oracle()
    for text in ("1", "11", "101", "1"):
        oracle.reference(load(text))
    assert [puzzle.text for puzzle, _ in oracle._known] == ["101", "1"]
