"""The reference is right, by two independent solvers; a disagreement of these is an error."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import closing, nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
from crosslit_verify import reference as module
from crosslit_verify.contract_checks.specimens import by_rules, floor, samples
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered

from crosslit import Grid, LightsOut, load, registry
from crosslit.contract.run import Limits, Run
from crosslit.kinds import Row, all_kinds
from crosslit.kinds.rules import MAX_CELLS
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


def test_many_solutions_are_cross_checked_by_another_native_solver(oracle: Oracle) -> None:
    found = oracle.reference(LightsOut(Grid.from_bits(9, 9, 0)))
    assert (len(found.solutions), found.by) == (256, ("gauss", "polynomial"))
    found = oracle.reference(load("1,1,1,1,1|1,1,1,1,1"))
    assert (len(found.solutions), found.by) == (120, ("line", "alignment"))


def test_a_kind_without_solvers_is_solved_by_its_rules_up_to_12_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_team(*_: Any) -> Any:
        raise Unanswered("no team")

    monkeypatch.setattr(module.defaults, "row", lambda *_: module.defaults.ANY)
    monkeypatch.setattr(module, "team", no_team)
    small, large = load("1" * MAX_CELLS), load("1" * (MAX_CELLS + 1))
    assert Oracle().reference(small).by == ("rules",)
    with pytest.raises(Unanswered, match="no team"):
        Oracle().reference(large)


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
    honest = module.inline

    def unfinished(choice: registry.Choice, puzzle: object, limit: int) -> object:
        told = honest(choice, puzzle, limit)  # type: ignore[arg-type]
        return Reference(told.solutions, told.complete and choice.spec == "gauss", told.by)

    monkeypatch.setattr(module, "inline", unfinished)
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
        module.checked("gauss", load(board), [Grid.from_text("0")] * 2, True)


@pytest.mark.parametrize("wrong", ["first", "second"])
def test_the_solver_that_lacks_a_solution_is_wrong(wrong: str) -> None:
    grid = Grid.from_text("1")
    claims = [Reference(frozenset({grid} if name != wrong else ()), True, (name,)) for name in ("first", "second")]
    with pytest.raises(ReferencesDiffer, match=f"^{wrong} is wrong on 1: it lacks 1"):
        module.require_agreement(load("1"), *claims)


def test_unequal_sums_are_noticed_by_two_native_solvers(oracle: Oracle) -> None:
    found = oracle.reference(load(f"{','.join(['1'] * 11)}|{','.join(['1'] * 9)}"))  # SAT would take minutes
    assert (found.solvable, found.by) == (False, ("line", "alignment"))


def test_references_are_forgotten_at_some_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 2)
    oracle = Oracle()
    first = oracle.reference(load("1"))
    assert oracle.reference(load("1")) is first
    for text in ("11", "101"):
        oracle.reference(load(text))
    assert oracle.reference(load("1")) is not first


@pytest.mark.parametrize(
    ("grids", "complete", "solvable", "unique", "presses"),
    [
        ([], True, False, False, None),
        ([], False, False, False, None),
        (["110"], True, True, True, 2),
        (["110"], False, True, False, None),
        (["111", "100", "110"], True, True, False, 1),
    ],
)
def test_claims_follow_from_the_solutions_only_if_these_are_all(
    grids: list[str], complete: bool, solvable: bool, unique: bool, presses: int | None
) -> None:
    found = Reference(frozenset(map(Grid.from_text, grids)), complete, ("x",))
    assert (found.solvable, found.unique, found.presses) == (solvable, unique, presses)


@pytest.mark.parametrize(
    ("rows", "columns", "by"),
    [
        (6, 6, ("gauss", "polynomial")),
        (4, 9, ("gauss", "polynomial")),
        (1, 37, ("gauss", "minisat22/chased-shared")),
        (5, 8, ("gauss", "minisat22/chased-shared")),
    ],
)
def test_a_native_solver_cross_checks_up_to_a_number_of_cells(
    oracle: Oracle, rows: int, columns: int, by: tuple[str, ...]
) -> None:
    assert oracle.reference(LightsOut(Grid.from_bits(rows, columns, 1))).by == by


@pytest.mark.parametrize(
    ("limit", "number", "complete"), [(15, 15, False), (16, 16, False), (17, 16, True), (None, 16, True)]
)
def test_a_search_is_complete_if_it_ends_before_its_limit(limit: int | None, number: int, complete: bool) -> None:
    board = load("0000/0000/0000/0000")
    found = module.inline(registry.select_one("gauss", board), board, limit)
    assert (len(found.solutions), found.complete, found.by) == (number, complete, ("gauss",))


@pytest.mark.parametrize(("kept", "remembered"), [(16, True), (15, False)])
def test_references_of_many_solutions_are_not_kept(
    monkeypatch: pytest.MonkeyPatch, kept: int, remembered: bool
) -> None:
    monkeypatch.setattr(module, "MAX_KEPT_SOLUTIONS", kept)
    board, oracle = load("0000/0000/0000/0000"), Oracle()
    first = oracle.reference(board)
    assert (oracle.reference(board) is first) == remembered
    assert not oracle.reference(board, want=2).complete  # another question


class Runs:
    """A runner that notes its jobs, and whose runs end as complete."""

    made: list[Runs]

    def __init__(self, limits: Limits) -> None:
        self.limits, self.jobs, self.interrupted, self.ended = limits, list[Any](), False, 0
        self.made.append(self)

    def run(self, job: Any) -> Run:
        self.jobs.append(job)
        return Run(job.spec, status="limit", grids=[Grid.from_text("1")])

    def __exit__(self, *_: object) -> None:
        self.ended += 1


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Runs]:
    monkeypatch.setattr(Runs, "made", [], raising=False)
    monkeypatch.setattr("crosslit.runs.runner.Runner", Runs)
    return Runs.made


@pytest.mark.parametrize(
    ("cells", "left", "seconds"),
    [
        (0, 100.0, module.SECONDS),
        (0, 2 * module.SECONDS, module.SECONDS),
        (0, 4.0, 2.0),  # a run that lacked a processor is repeated
        (0, module._START_SECONDS, module._START_SECONDS / 2),
        (0, module._START_SECONDS - 0.1, None),  # too little for the first one
        (1, -1.0, 0.0),  # in this process
    ],
)
def test_a_puzzle_beyond_a_number_of_cells_has_a_process_and_half_of_the_time_that_is_left(
    oracle: Oracle, runs: list[Runs], cells: int, left: float, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, row = load("1"), Row(("gauss",), ("gauss",), quick=cells)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    oracle.until = left
    choice = registry.select_one("gauss", board)
    if seconds is None:
        with pytest.raises(Unanswered, match="the time ran out"):
            oracle._ask(row, choice, board, 7)
        assert not runs
        return
    found = oracle._ask(row, choice, board, 7)
    assert (found.solutions, found.complete) == ({Grid.from_text("1")}, bool(cells))
    assert [[(job.limits.solutions, job.limits.timeout) for job in each.jobs] for each in runs] == (
        [] if cells else [[(7, seconds)]]
    )


def test_one_runner_has_all_runs_until_the_end_of_time_and_is_closed_once(
    oracle: Oracle, runs: list[Runs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    board, row = load("1"), Row(("gauss",), ("gauss",), quick=0)
    for left in (100.0, 0.5, 0.5):
        oracle.until = left
        oracle._ask(row, registry.select_one("gauss", board), board, 2)
    oracle.until = -0.1
    with pytest.raises(Unanswered, match="the time ran out"):
        oracle._ask(row, registry.select_one("gauss", board), board, 2)
    (runner,) = runs
    assert (len(runner.jobs), runner.ended) == (3, 0)
    oracle.close()
    oracle.close()
    assert runner.ended == 1


def test_an_encoding_has_its_own_number_of_cells_in_this_process(oracle: Oracle, runs: list[Runs]) -> None:
    board = load("1")
    oracle._ask(Row(("glucose4",), quick=0, quick_formula=1), registry.select_one("glucose4", board), board, 2)
    assert not runs
    oracle._ask(Row(("glucose4",), quick=1, quick_formula=0), registry.select_one("glucose4", board), board, 2)
    assert len(runs) == 1


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
