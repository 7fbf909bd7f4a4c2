"""The checks of the contract on synthetic answers, each with one error that only one check finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from crosslit_verify.contract_checks.checks import CheckedBackend, CheckOutcome, check, configurations
from crosslit_verify.contract_checks.specimens import Size, by_rules, puzzles, sample_puzzles

from crosslit import Grid
from crosslit.base.errors import SpecError
from crosslit.contract import registered
from crosslit.contract.run import Limits, Run
from crosslit.kinds import find_kind
from crosslit.runs.job import Job
from tests.conftest import all_grids
from tests.contract.executor import execute

Answer = Callable[[Job, list[Grid]], Run]


def outcomes(answer: Answer) -> dict[str, CheckOutcome]:
    """All checks on boards by name, of a backend whose answer is made of a job and all solutions."""

    def execute(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        for job in jobs:
            yield job, answer(job, sorted(by_rules(job.puzzle).solutions, key=Grid.count))

    (configuration,) = configurations("gauss", ["lights-out"])
    return {outcome.check: outcome for outcome in check(configuration, execute, "quick")}


def failed(name: str, answer: Answer) -> str:
    """The words of a check, which must fail."""
    outcome = outcomes(answer)[name]
    assert outcome.status == "failed"
    return outcome.detail


@pytest.mark.parametrize("kind", ["lights-out", "nonogram"])
def test_the_truth_is_that_of_the_rule_checker(kind: str) -> None:
    for puzzle in sample_puzzles(kind):
        grids = all_grids(puzzle.rows, puzzle.columns)
        assert by_rules(puzzle).solutions == {grid for grid in grids if not any(puzzle.violations(grid))}, puzzle.text


def test_claims_are_counted() -> None:
    found = outcomes(lambda *_: Run("a", status="gave-up"))
    assert (found["answers right"].status, found["answers right"].detail) == ("passed", "61 puzzles, 0 completely")


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

    def answer(job: Job, solutions: list[Grid]) -> Run:
        asked[job.puzzle.text] += 1
        return Run("a", status="complete", grids=solutions[:: -1 if asked[job.puzzle.text] % 2 else 1])

    assert failed("is repeatable", answer).startswith("the same task gave other solutions, or another order")


def test_a_wrong_solution_before_the_limit_is_found() -> None:
    def answer(job: Job, solutions: list[Grid]) -> Run:
        wrong = Grid.from_bits(job.puzzle.rows, job.puzzle.columns, solutions[0].bits ^ 1 if solutions else 0)
        is_limited = job.limits is not None and job.limits.solutions
        return Run("a", status="limit", grids=[wrong]) if is_limited else Run("a", status="complete", grids=solutions)

    assert failed("stops on request", answer).startswith("wrong-solution: ")


@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        ("quick", {(1, 3): 8, (2, 2): 16, (3, 3): 17}),
        ("usual", {(1, 1): 2, (1, 2): 4, (2, 1): 4, (1, 3): 8, (2, 2): 16, (2, 3): 64, (3, 3): 171}),
        ("full", {(1, 1): 2, (1, 2): 4, (2, 1): 4, (1, 3): 8, (2, 2): 16, (2, 3): 64, (3, 3): 512}),
    ],
)
def test_the_puzzles_of_each_size_are_of_many_shapes(size: Size, shapes: dict[tuple[int, int], int]) -> None:
    found, number = puzzles("lights-out", size), sum(shapes.values())
    assert Counter((each.rows, each.columns) for each in found[:number]) == shapes
    larger = find_kind("lights-out").larger_samples()[: {"quick": 0, "usual": 2, "full": 4}[size]]
    assert found[number:] == [*sample_puzzles("lights-out")[:: 3 if size == "quick" else 1], *larger]


@pytest.mark.parametrize("wrong_times", [0, 2, 3])
def test_one_of_three_runs_has_to_tell_its_time(wrong_times: int) -> None:
    (configuration,) = configurations("gauss", ["lights-out"])
    timed: list[Run] = []

    def late(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        for job, run in execute(jobs):
            if len(jobs) == 3 and {each.puzzle for each in jobs} == {job.puzzle}:
                timed.append(run)
                more = 100.0 if len(timed) <= wrong_times else 0.0
                run = replace(run, timing=replace(run.timing, wall=run.timing.wall + more))
            yield job, run

    results = {result.check: result for result in check(configuration, late, "quick")}
    assert (results["reports its time"].status, len(timed)) == ("failed" if wrong_times == 3 else "passed", 3)


def test_runs_that_stop_early_and_runs_with_a_hint_want_one_and_two_solutions() -> None:
    (configuration,) = configurations("gauss", ["lights-out"])
    wanted: list[Any] = []

    def noting(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        wanted.extend((job.limits and job.limits.solutions, getattr(job.request, "hint", None)) for job in jobs)
        yield from execute(jobs)

    assert {result.status for result in check(configuration, noting, "quick")} == {"passed", "skipped"}
    assert sorted(map(str, {*wanted} - {(None, None)})) == ["(1, None)", "(2, None)", "(None, 1)", "(None, 2)"]


@pytest.mark.parametrize(("status", "timeouts"), [("timeout", 1), ("error", 0)])
def test_after_a_run_that_did_not_end_well_no_other_is_awaited(status: Any, timeouts: int) -> None:
    def broken_second(jobs: Sequence[Job]) -> Generator[tuple[Job, Run], None, None]:
        for number, job in enumerate(jobs):
            yield job, Run("a", status=status if number == 1 else "complete")

    (configuration,) = configurations("gauss", ["lights-out"])
    subject = CheckedBackend(configuration, broken_second, "quick", Limits())
    found = subject.run(puzzles("lights-out", "quick")[:4])
    assert ([run.status for _, run in found], subject.timeouts) == (["complete", status], timeouts)


@pytest.mark.parametrize(("text", "problem"), [("", ""), ("no", ""), ("", "broken")])
def test_a_puzzle_is_asked_if_the_backend_does_not_refuse_it(
    monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    (configuration, *_), (puzzle, *_) = configurations("cadical195", ["lights-out"]), sample_puzzles("lights-out")
    monkeypatch.setattr(registered, "refusal", lambda *_: registered.Reply(text, problem))
    subject = CheckedBackend(configuration, execute, "quick", Limits())
    assert subject.suits(puzzle) == (text == problem == "")
    assert subject.faults == ({"refusal": (puzzle, problem)} if problem else {})
