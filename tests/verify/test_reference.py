"""The reference is right, by two independent solvers; a disagreement of these is an error."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import closing, nullcontext
from typing import Any

import pytest
from crosslit_verify import reference as module
from crosslit_verify.contract_checks.specimens import by_rules, floor, samples
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered

from crosslit import Grid, Nonogram, load, registry
from crosslit.kinds import all_kinds
from crosslit.registry import defaults
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


ONES = "{}|{}".format(",".join(["1"] * 11), ",".join(["1"] * 9))


@pytest.mark.parametrize(
    ("text", "number", "by"),
    [
        ("/".join(["0" * 9] * 9), 256, ("gauss", "polynomial")),  # many solutions
        ("/".join(["0" * 8] * 6), 64, ("gauss", "minisat22/chased-shared")),
        ("/".join(["1" + "0" * 5] + ["0" * 6] * 5), 1, ("gauss", "polynomial")),  # 36 cells
        ("1" + "0" * 36, 1, ("gauss", "minisat22/chased-shared")),
        ("1,1,1,1,1|1,1,1,1,1", 120, ("line", "alignment")),
        (ONES, 0, ("line", "alignment")),  # unequal sums, for which SAT would take minutes
    ],
)
def test_a_native_solver_cross_checks_small_puzzles_and_many_solutions_and_sat_others(
    oracle: Oracle, text: str, number: int, by: tuple[str, ...]
) -> None:
    found = oracle.reference(load(text))
    assert (len(found.solutions), found.by) == (number, by)


def test_more_solutions_than_it_may_hold() -> None:
    board = load("0000/0000/0000/0000")
    with closing(Oracle(max_solutions=15)) as oracle:
        with pytest.raises(Unanswered, match="more than 15 solutions"):
            oracle.reference(board)
        assert oracle.reference(board, want=2).unique is False
    with closing(Oracle(max_solutions=16)) as oracle:
        found = oracle.reference(board)
    assert (len(found.solutions), found.complete) == (16, True)


def test_a_second_search_that_does_not_finish_is_no_agreement(monkeypatch: pytest.MonkeyPatch, oracle: Oracle) -> None:
    honest = module.inline

    def unfinished(choice: registry.Choice, puzzle: Any, limit: int) -> Reference:
        found = honest(choice, puzzle, limit)
        return Reference(found.solutions, found.complete and choice.spec == "gauss", found.by)

    monkeypatch.setattr(module, "inline", unfinished)
    for text in ("1", "000/000", "100/000"):
        with pytest.raises(Unanswered, match="polynomial did not finish"):
            oracle.reference(load(text))


def test_large_puzzles_are_given_to_processes_that_end_with_the_time(oracle: Oracle) -> None:
    puzzle = Nonogram.of(Grid.from_cells([[(row * column) % 3 == 0 for column in range(14)] for row in range(14)]))
    assert oracle.reference(puzzle, want=2).solvable
    oracle.until = 0.0
    with pytest.raises(Unanswered, match="the time ran out"):
        oracle.reference(puzzle)


@pytest.mark.parametrize(("board", "message"), [("1", "on 1: it gives 0"), ("0", "on 0: it gives a solution twice")])
def test_a_wrong_or_repeated_grid_of_a_reference_is_a_bug(board: str, message: str) -> None:
    with pytest.raises(ReferencesDiffer, match=f"gauss is wrong {message}"):
        module.checked("gauss", load(board), [Grid.from_text("0")] * 2, True)


def test_references_are_kept_up_to_some_number(monkeypatch: pytest.MonkeyPatch, oracle: Oracle) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 2)
    monkeypatch.setattr(module, "MAX_KEPT_SOLUTIONS", 15)
    first = oracle.reference(load("1"))
    assert oracle.reference(load("1")) is first
    many = load("0000/0000/0000/0000")
    assert oracle.reference(many) is not oracle.reference(many)
    monkeypatch.setattr(module, "MAX_KEPT_SOLUTIONS", 16)
    assert oracle.reference(many) is oracle.reference(many)
    oracle.reference(load("101"))
    assert oracle.reference(load("1")) is not first


@pytest.mark.parametrize("kind", list(all_kinds()))
def test_the_solvers_of_a_reference_are_independent(kind: str) -> None:
    for specimen in samples(kind):
        first, few, many = module.team(defaults.row(specimen.puzzle, "verify"), specimen.puzzle)
        for check in (few, many):
            assert check is None or not check.trusted_base & first.trusted_base
        assert many is None or many.encoding is None
        assert few is None or few.encoding is not None or few == many


def test_a_search_for_the_fewest_presses_that_differs_is_a_bug(monkeypatch: pytest.MonkeyPatch, oracle: Oracle) -> None:
    board = load("110/100/000")
    assert oracle.fewest(board).presses == 1
    for wrong in ("110/000/000", "111/000/000", None):
        grids = frozenset([Grid.from_text(wrong)] if wrong else [])
        monkeypatch.setattr(module, "inline", lambda *_, grids=grids: Reference(grids, True, ("fewest",)))
        presses = wrong.count("1") if wrong else None
        with pytest.raises(ReferencesDiffer, match=f"^fewest says {presses} presses for .*, gauss and polynomial 1$"):
            oracle.fewest(board)


@pytest.mark.parametrize(
    ("first", "other", "complete", "message"),
    [
        ("ab", "ab", True, ""),
        ("ab", "ab", False, "did not finish"),
        ("ab", "a", False, "two is wrong on .*: it lacks 01"),  # though it did not finish, as it found fewer
        ("a", "ab", False, "one is wrong on .*: it lacks 01"),
        ("", "", True, ""),
    ],
)
def test_two_searches_agree_if_both_have_all_solutions(first: str, other: str, complete: bool, message: str) -> None:
    grids = {"a": Grid.from_text("10"), "b": Grid.from_text("01")}
    claims = [frozenset(grids[name] for name in names) for names in (first, other)]
    references = Reference(claims[0], True, ("one",)), Reference(claims[1], complete, ("two",))
    expected: Any = pytest.raises((ReferencesDiffer, Unanswered), match=message) if message else nullcontext()
    with expected:
        module.require_agreement(load("11"), *references)
