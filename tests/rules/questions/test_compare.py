"""Comparisons and other questions by runs that are given: the plan, the limits, and what is made of the ends."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest

from crosslit import Grid, Limits, compare, fewest, load
from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract import Certificate, CheckResult, Task
from crosslit.contract.run import Presses, Run, Timing
from crosslit.kinds import Puzzle
from crosslit.questions.compare import STOPPED, certify_number, cross_check, jobs
from crosslit.runs.job import Certify, Job, Solve
from tests.driving import Given, ended

PUZZLE, BOARD = load("1,1|1,1"), load("11/11")  # two solutions, and one
ONE, OTHER = Grid.from_text("10/01"), Grid.from_text("01/10")


def test_all_backends_run_once_before_any_runs_again() -> None:
    planned = jobs(PUZZLE, "line,brute", repeat=2)
    assert [(job.spec, job.repetition) for job in planned] == [("line", 0), ("brute", 0), ("line", 1), ("brute", 1)]
    assert {job.request for job in planned} == {Solve()}
    assert [job.request for job in jobs(BOARD, "gauss,fewest", question="fewest")] == [Solve(question="fewest")] * 2
    for repeat in (0, -1):
        with pytest.raises(ValueError, match=f"^runs are repeated at least once, not {repeat} times$"):
            jobs(PUZZLE, "line", repeat=repeat)


@pytest.mark.parametrize(("is_fewest", "limit"), [(False, 7), (True, None)])
def test_the_limits_are_those_of_each_run_and_the_fewest_presses_have_none_of_solutions(
    monkeypatch: pytest.MonkeyPatch, is_fewest: bool, limit: int | None
) -> None:
    given: list[tuple[Any, ...]] = []

    def isolated(*arguments: Any) -> Any:
        given.append(arguments)
        return nullcontext(Given(ended("complete", Grid.from_text("11/11"))))

    monkeypatch.setattr("crosslit.questions.compare.isolated", isolated)
    comparison = compare(
        BOARD, "fewest,gauss", fewest=is_fewest, limit=7, timeout=3.0, memory_mb=99, repeat=2, side_by_side=4
    )
    assert given == [(None, Limits(limit, 3.0, 99), 4)]
    assert (comparison.presses is not None, len(comparison.runs)) == (is_fewest, 4)


@pytest.mark.parametrize(
    ("options", "is_waited_for"),
    [({}, False), ({"full": True}, True), ({"backends": "line"}, True), ({"repeat": 2}, True), ({"timeout": 9}, True)],
)
def test_slow_backends_are_waited_for_unless_the_defaults_are_asked_once(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], is_waited_for: bool
) -> None:
    monkeypatch.setattr("crosslit.questions.compare.cross_check", lambda *_, full, **__: full)
    runner: Any = Given(ended("complete"))
    assert compare(PUZZLE, runner=runner, **options) == is_waited_for


SUMS = load("1,1|1,0")  # unsolvable, as the sums of its clues show
BODY = {"rows": "2", "columns": "1"}


@pytest.mark.parametrize(
    ("is_certified", "is_right", "evidence", "problems", "uncertified"),
    [
        (False, True, "claimed", [], None),
        (True, True, "certified", [], {}),
        (True, False, "claimed", ["refused-certificate"], {"line": "the check: it is false"}),
    ],
)
def test_a_certificate_and_its_errors_become_part_of_a_comparison(
    is_certified: bool, is_right: bool, evidence: str, problems: list[str], uncertified: dict[str, str] | None
) -> None:
    def make(job: Job) -> Run:
        if isinstance(job.request, Solve):
            return ended("complete")(job)
        if isinstance(job.request, Certify):
            text = Certificate("nonogram-sums", SUMS.id, "unsolvable", 0, BODY).text
            return Run(job.spec, status="complete", text=text)
        if is_right:
            return Run("", status="complete", text=json.dumps(CheckResult("unsolvable", 0, "a check").json()))
        return Run("", status="gave-up", error="it is false")

    runner: Any = Given(make)
    comparison = cross_check(SUMS, jobs(SUMS, "line"), runner, certify=is_certified)
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("unsolvable", evidence)
    assert [finding.problem for finding in comparison.findings] == problems
    assert comparison.uncertified == uncertified


@pytest.mark.parametrize(("puzzle", "number", "limit"), [(BOARD, 1, 2), (PUZZLE, 2, 3), (PUZZLE, 20_000, 10_001)])
def test_a_certificate_of_a_number_needs_one_solution_more(puzzle: Puzzle, number: int, limit: int) -> None:
    runner: Any = Given(ended("timeout"))
    assert certify_number(puzzle, number, runner).limits.solutions == limit


def test_no_certificate_is_made_of_the_fewest_presses() -> None:
    runner: Any = Given(ended("complete", Grid.from_text("11/11")))
    comparison = cross_check(BOARD, jobs(BOARD, "fewest", question="fewest"), runner, certify=True)
    assert (comparison.uncertified, len(runner.asked), comparison.presses is not None) == (None, 1, True)


@pytest.mark.parametrize(
    ("seconds", "status", "grids", "shares", "errors"),
    [
        (0.5, "limit", [ONE, OTHER], [5.0, 5.0, 5.0], [STOPPED, "", ""]),  # five seconds are enough
        (0.5, "complete", [ONE], [5.0, 5.0, 5.0], [STOPPED, "", ""]),
        (2.0, "limit", [ONE, OTHER], [5.0, 5.0, 5.0, 10.0], [STOPPED, "", ""]),
        # one solution decides nothing; `line` and `hybrid` share code, so no verdict stands
        (0.5, "gave-up", [ONE], [5.0, 5.0, 5.0, None], ["", "", ""]),
        (None, "limit", [ONE, OTHER], [5.0, 5.0, 5.0, None], ["", "", ""]),
    ],
)
def test_a_slow_row_is_stopped_some_time_after_two_independent_ones_have_decided(
    seconds: float | None, status: str, grids: list[Grid], shares: list[float | None], errors: list[str]
) -> None:
    def make(job: Job) -> Run:
        if job.spec == "alignment":
            return ended("timeout", is_cpu_timeout=bool(job.limits and job.limits.cpu_timeout))(job)
        return ended(status, *grids, timing=Timing(cpu=seconds or 1))(job)

    runner: Any = Given(make)
    runner.limits = Limits(2, timeout=20.0)  # four times of the first share
    specs = f"alignment,line,{'hybrid' if seconds is None else 'glucose4'}"
    comparison = cross_check(PUZZLE, jobs(PUZZLE, specs), runner, full=False)
    assert [job.limits.cpu_timeout for job in runner.asked] == shares
    assert [run.error for run in comparison.runs] == errors
    runner.asked.clear()
    heard: list[str] = []
    cross_check(PUZZLE, jobs(PUZZLE, specs), runner, on_end=lambda run: heard.append(run.backend))
    assert heard == specs.split(",")
    assert [job.limits for job in runner.asked] == [None] * 3


def test_a_bound_is_reported_when_it_is_better_than_the_last() -> None:
    told = list[int]()
    task = Task(on_bound=told.append)
    for presses in (2, 2, 1, 3):
        task.improve_bound(presses)
    assert (told, task.bound) == ([2, 3], 3)


@pytest.mark.slow
@pytest.mark.usefixtures("isolated_runs")
def test_backends_in_processes_of_their_own_agree() -> None:
    board = load("/".join(["1" * 7] * 7))
    comparison = compare(board, "fewest,cpsat,rc2", fewest=True)
    assert comparison.consistent
    assert comparison.presses == Presses(33, 33, True)
    assert [run.presses for run in comparison.runs] == [Presses(33, 33, True)] * 3
    assert comparison.verdict.evidence == "agreed"


def test_a_kernel_that_is_too_large_is_given_up_with_the_best_found() -> None:
    board = load("/".join(["wrap=torus", *["1" * 33] * 33]))
    comparison = compare(board, "fewest", fewest=True)
    run = comparison.runs[0]
    assert run.status == "gave-up"
    assert "at most 40 connected dimensions" in run.error
    assert run.grids
    assert comparison.verdict.status == "undecided"
    with pytest.raises(GaveUp, match="at most 40 connected dimensions"):
        fewest(board)  # type: ignore[arg-type]


def test_the_question_is_one_of_lights_out() -> None:
    with pytest.raises(SpecError, match="can find the fewest presses of this nonogram puzzle of 1 x 1"):
        compare(load("1|1"), fewest=True)
    comparison = compare(load("1|1"), "cpsat", fewest=True)
    assert comparison.runs[0].error == "the question `fewest` applies only to Lights Out and modular Lights Out"
    comparison = compare(load("1"), "gauss", fewest=True)
    assert comparison.runs[0].error == "cannot find the fewest presses"
