"""The checks of the contract on synthetic answers, each with one error that only one check finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from crosslit_verify.contract_checks.checks import CHECKS, check, configurations
from crosslit_verify.contract_checks.subject import (
    CheckedBackend,
    CheckOutcome,
    Size,
    by_rules,
    sample_puzzles,
    small_samples,
    some_samples,
    specimens,
)

from crosslit import Grid
from crosslit.base.errors import SpecError
from crosslit.contract import registered
from crosslit.contract.run import Run
from crosslit.runs.job import Job
from tests.conftest import all_grids
from tests.contract.executor import execute

Answer = Callable[[Job, list[Grid], int | None], Run]


def failed(spec: str, name: str, answer: Answer) -> str:
    """The words of a check on boards, which must fail; an answer is made of a job, all solutions, and the limit."""

    def execute(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        for job in jobs:
            yield job, answer(job, sorted(by_rules(job.puzzle).solutions, key=Grid.count), limit)

    (configuration,) = configurations(spec, ["lights-out"])
    results = {result.check: result for result in check(configuration, execute, "quick")}
    assert results[name].status == "failed"
    return results[name].detail


@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_the_truth_is_that_of_the_rule_checker(kind: str) -> None:
    for puzzle in sample_puzzles(kind):
        grids = all_grids(puzzle.rows, puzzle.columns)
        assert by_rules(puzzle).solutions == {grid for grid in grids if not any(puzzle.violations(grid))}, puzzle.text


def test_no_solution_at_all_is_a_wrong_claim_of_the_fewest_presses() -> None:
    detail = failed("fewest", "finds the fewest presses", lambda *_: Run("a", status="complete"))
    assert detail == "it wrongly claims the fewest presses"


def test_a_bound_above_the_fewest_presses_is_wrong() -> None:
    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        best = solutions[:1]
        return Run("a", status="complete", grids=best, bound=best[0].count() + 1 if best else 0)

    assert failed("fewest", "finds the fewest presses", answer).startswith("it claims that every solution has")


def test_a_solution_given_twice_is_found() -> None:
    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        return Run("a", status="complete", grids=[*solutions, *solutions[:1]])

    assert failed("gauss", "no solution twice", answer) == "it gave a solution more than once"


def test_who_claims_that_there_is_none_does_not_stop_when_enough() -> None:
    detail = failed("gauss", "stops on request", lambda *_: Run("a", status="complete"))
    assert detail == "it ended before it gave 1"


def test_completeness_is_not_checked_where_no_run_claims_it() -> None:
    (configuration,) = configurations("gauss", ["lights-out"])

    def gives_up(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        yield from ((job, Run("a", status="gave-up")) for job in jobs)

    results = {result.check: result for result in check(configuration, gives_up, "quick")}
    assert (results["complete"].status, results["complete"].detail) == ("skipped", "no run claimed to be complete")


@pytest.mark.parametrize(
    ("spec", "kinds", "message"),
    [
        ("line", ["lights-out"], "does not solve lights-out puzzles"),
        ("gauss", [], "it names no backend that can be checked"),
    ],
)
def test_a_backend_that_cannot_be_checked_is_refused_with_the_reason(spec: str, kinds: list[str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        configurations(spec, kinds)


def test_another_order_is_not_the_same_again() -> None:
    asked: Counter[str] = Counter()

    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        asked[job.puzzle.text] += 1
        return Run("a", status="complete", grids=solutions[:: -1 if asked[job.puzzle.text] % 2 else 1])

    assert failed("gauss", "is repeatable", answer).startswith("the same task gave other solutions, or another order")


def test_a_wrong_solution_before_the_limit_is_found() -> None:
    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        wrong = Grid.from_bits(job.puzzle.rows, job.puzzle.columns, solutions[0].bits ^ 1 if solutions else 0)
        return Run("a", status="limit", grids=[wrong]) if limit else Run("a", status="complete", grids=solutions)

    assert failed("gauss", "stops on request", answer) == "wrong or repeated solutions"


@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        ("quick", {(1, 3): 8, (2, 2): 16, (3, 3): 17}),
        ("usual", {(1, 1): 2, (1, 2): 4, (2, 1): 4, (1, 3): 8, (2, 2): 16, (2, 3): 64, (3, 3): 171}),
        ("full", {(1, 1): 2, (1, 2): 4, (2, 1): 4, (1, 3): 8, (2, 2): 16, (2, 3): 64, (3, 3): 512}),
    ],
)
def test_the_puzzles_of_each_size_are_of_many_shapes(size: Size, shapes: dict[tuple[int, int], int]) -> None:
    found, samples = specimens("lights-out", size), some_samples("lights-out", size)
    assert tuple(found[len(found) - len(samples) :]) == samples
    given = found[: len(found) - len(samples)]
    assert Counter((each.puzzle.rows, each.puzzle.columns) for each in given) == shapes
    small, step = small_samples("lights-out", size), 3 if size == "quick" else 1
    assert [each.puzzle for each in samples] == [*sample_puzzles("lights-out")[::step]]
    own = [each for each in sample_puzzles("lights-out")[::step] if each.layout.bits < 10]
    assert [each.puzzle for each in small[len(small) - len(own) :]] == own
    numbers = Counter((each.puzzle.rows, each.puzzle.columns) for each in small[: len(small) - len(own)])
    assert numbers == {(2, 2): -(-16 // (3 * step)), (2, 3): -(-64 // (11 * step)), (3, 3): -(-512 // (61 * step))}


@pytest.mark.parametrize("wrong_times", [0, 2, 3])
def test_one_of_three_runs_has_to_tell_its_time(wrong_times: int) -> None:
    (configuration,) = configurations("gauss", ["lights-out"])
    timed: list[Run] = []

    def late(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        for job, run in execute(jobs, limit):
            if len(jobs) == 3 and {each.puzzle for each in jobs} == {job.puzzle}:
                timed.append(run)
                more = 100.0 if len(timed) <= wrong_times else 0.0
                run = replace(run, timing=replace(run.timing, wall=run.timing.wall + more))
            yield job, run

    results = {result.check: result for result in check(configuration, late, "quick")}
    assert (results["reports its time"].status, len(timed)) == ("failed" if wrong_times == 3 else "passed", 3)


def test_runs_that_stop_early_and_runs_with_a_hint_want_one_and_two_solutions() -> None:
    (configuration,) = configurations("gauss", ["lights-out"])
    wanted: list[tuple[int | None, int | None]] = []

    def noting(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        wanted.extend((limit, job.request.hint) for job in jobs)
        yield from execute(jobs, limit)

    assert all(result.status == "passed" for result in check(configuration, noting, "quick") if "s on" in result.check)
    assert sorted(map(str, {*wanted} - {(None, None)})) == ["(1, None)", "(2, None)", "(None, 1)", "(None, 2)"]


@pytest.mark.parametrize(("status", "is_late"), [("timeout", True), ("error", False)])
def test_after_a_run_that_did_not_end_well_no_other_is_awaited(status: Any, is_late: bool) -> None:
    def broken_second(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        for number, job in enumerate(jobs):
            yield job, Run("a", status=status if number == 1 else "complete")

    (configuration,) = configurations("gauss", ["lights-out"])
    subject = CheckedBackend(configuration, broken_second, "quick")
    found = subject.run(specimens("lights-out", "quick")[:4])
    assert ([run.status for _, run in found], subject.late) == (["complete", status], is_late)


ANSWERS = [registered.Reply(*words) for words in (("", ""), ("no", ""), ("", "broken"))]


@pytest.mark.parametrize("encoding", range(3))
@pytest.mark.parametrize("backend", range(3))
def test_a_puzzle_is_asked_if_neither_the_backend_nor_its_encoding_refuses_it(
    monkeypatch: pytest.MonkeyPatch, backend: int, encoding: int
) -> None:
    configuration, *_ = configurations("cadical195", ["lights-out"])
    answers = iter([ANSWERS[backend], ANSWERS[encoding]])
    monkeypatch.setattr(registered, "refusal", lambda *_: next(answers))
    subject, puzzle = CheckedBackend(configuration, execute, "quick"), sample_puzzles("lights-out")[0]
    assert [subject.suits(puzzle) for _ in range(2)] == [backend == encoding == 0] * 2
    assert subject.unasked == ((puzzle, "broken") if 2 in (backend, encoding) else None)


@pytest.mark.parametrize(("kind", "spec"), [("lights-out", "fewest"), ("nonogram", "cadical195")])
def test_contradictions_that_lie_fail_their_check(kind: str, spec: str) -> None:
    """The first right answer left out, a constraint too many or too few in each, or a bound too high."""
    name = next(name for name, _, asked in CHECKS if asked == "mus")
    (configuration,) = [each for each in configurations(spec, [kind]) if "mus" in each.questions]

    def altered(change: Callable[[Run], None]) -> CheckOutcome:
        def lie(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
            for job, run in execute(jobs, limit):
                if job.question == "mus" and run.grids:
                    change(run)
                yield job, run

        return next(result for result in check(configuration, lie, "quick") if result.check == name)

    def flip(grid: Grid) -> Grid:
        return Grid.from_bits(grid.rows, grid.columns, grid.bits ^ 1)

    assert altered(lambda run: None).status == "passed"
    for change in (
        lambda run: run.grids.clear(),
        lambda run: run.grids.append(flip(run.grids[-1])),
        lambda run: setattr(run, "grids", [flip(grid) for grid in run.grids]),
        lambda run: setattr(run, "bound", run.bound + 1),
    ):
        assert altered(change).status == "failed"
