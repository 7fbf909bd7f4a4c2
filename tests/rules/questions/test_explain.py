"""Explanations and single solutions from runs that are given: what is asked, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from crosslit import Grid, Limits, explain, fewest, solutions, solve
from crosslit.base.errors import GaveUp, SpecError, WrongSolution
from crosslit.contract.run import Run, RunStatus
from tests.driving import Script, Scripted

PUZZLE = "1,1|1,1"  # two solutions
ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))
LINES = Grid.from_text("1010")  # of 0,2|2,0: row 1 and column 1
LIGHTS = Grid.from_text("11")  # of the board 10: every press toggles both, and one is lit


def scripted(*runs: Script, interrupted: bool = False) -> Any:
    """Return a runner of given runs, perhaps after an interrupt."""
    runner = Scripted(*runs)
    runner.interrupted = interrupted
    return runner


@pytest.mark.parametrize(
    ("run", "interrupted", "status", "found"),
    [
        (("limit", [ONE, OTHER]), False, "multiple", [OTHER, ONE]),
        (("timeout", [ONE, OTHER]), True, "multiple", [OTHER, ONE]),
        (("complete", [ONE]), False, "unique", [ONE]),
        (("complete", [ONE, WRONG]), False, "undecided", [ONE]),
        (("complete", [WRONG]), False, "undecided", []),
        (("complete", [ONE]), True, "unique", [ONE]),
        (("limit", [ONE, WRONG]), False, "undecided", [ONE]),
        (("timeout", []), False, "undecided", []),
    ],
)
def test_two_solutions_or_the_end_of_a_search_explain_a_puzzle(
    run: Script, interrupted: bool, status: str, found: list[Grid]
) -> None:
    runner = scripted(*[run] * 12, interrupted=interrupted)  # backends are asked in turns
    explained = explain(PUZZLE, runner=runner)
    assert (explained.status, [*explained.solutions], explained.contradiction) == (status, found, None)
    assert explained.run is not None
    assert {finding.problem for finding in explained.findings} == ({"wrong-solution"} if WRONG in run[1] else set())
    assert {job.limits.solutions for job in runner.asked} == {2}
    differing = Grid.from_text("11/11") if len(found) == 2 else None
    assert (explained.differing, explained.lines, explained.lights) == (differing, [], None)
    record = explained.json()
    assert record["grids"] == [grid.text for grid in found]
    assert (record["differing"], record["sums"]) == (differing and differing.text, None)


def test_a_board_without_a_solution_has_lights_that_contradict_each_other() -> None:
    explained = explain("10", runner=scripted(("complete", []), ("complete", [LIGHTS])))
    assert (explained.status, explained.lights, explained.lines) == ("unsolvable", LIGHTS, [])
    assert explained.findings == []
    assert (explained.json()["lights"], explained.json()["lines"]) == ("11", [])


def test_lines_of_clues_that_contradict_each_other_are_confirmed_by_another_backend() -> None:
    runner = scripted(("complete", []), ("complete", [LINES]), ("complete", [LINES]))
    explained = explain("0,2|2,0", "minisat22", runner=runner)
    assert (explained.lights, explained.lines) == (None, ["row 1: 0", "column 1: 2"])
    _, first, second = runner.asked
    assert (first.spec, first.question, first.request.candidates) == ("minisat22", "mus", None)
    assert (second.spec != "minisat22", second.question, second.request.candidates) == (True, "mus", LINES)


def test_the_backend_that_is_named_finds_the_contradiction() -> None:
    runner = scripted(("complete", []), ("timeout", []))
    assert explain("0,2|2,0", "minisat22", runner=runner).status == "unsolvable"
    assert [job.spec for job in runner.asked[1:]] == ["minisat22"]  # nothing was found that another could confirm
    runner = scripted()
    with pytest.raises(SpecError):
        explain("0,2|2,0", "fewest", runner=runner)
    assert runner.asked == []


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("2,1|1,1", (3, 2)),
        ("2,2|1,1", (4, 2)),
        ("0,2|2,0", None),  # no arrangement, and equal sums
        ("9,1|1,1", None),  # a clue that is too long says more than the sums
        ("10", None),
    ],
)
def test_different_sums_of_clues_need_no_run(text: str, sums: tuple[int, int] | None) -> None:
    runner = scripted(("complete", []), ("complete", []))
    explained = explain(text, runner=runner)
    assert (explained.status, explained.sums, explained.run is None) == ("unsolvable", sums, sums is not None)
    assert len(runner.asked) == (2 if sums is None else 0)
    assert explained.json()["sums"] == (None if sums is None else {"rows": sums[0], "columns": sums[1]})


def test_an_answer_is_not_confirmed_after_an_interrupt() -> None:
    runner = scripted(("complete", []))
    find = runner.run

    def run(job: Any) -> Any:
        runner.interrupted = job.question == "mus"
        return find(job) if job.question == "solutions" else Run(job.spec, status="complete", grids=[LINES])

    runner.run = run
    explained = explain("0,2|2,0", runner=runner)
    assert explained.contradiction is not None
    assert (explained.contradiction.chosen, len(explained.contradiction.by)) == (LINES, 1)


def drive_with(monkeypatch: pytest.MonkeyPatch, *grids: Grid) -> None:
    """Let every backend in this process give these grids."""

    def drive(*_: object) -> Iterator[Grid]:
        yield from grids

    monkeypatch.setattr("crosslit.questions.solve.drive", drive)


def test_the_best_of_improving_solutions_has_the_fewest_presses(monkeypatch: pytest.MonkeyPatch) -> None:
    four, two, also_two = (Grid.from_text(text) for text in ("11/11/00", "10/00/01", "01/00/10"))
    for grids, best in (([four, two], two), ([two, four], two), ([two, also_two], two), ([], None)):
        drive_with(monkeypatch, *grids)
        assert fewest("11/11/11") == best


def test_no_more_solutions_are_handed_out_than_wanted_and_each_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    drive_with(monkeypatch, ONE, OTHER, WRONG)
    assert [*solutions(PUZZLE, limit=1)] == [ONE]
    assert [*solutions(PUZZLE, limit=2)] == [ONE, OTHER]
    with pytest.raises(WrongSolution, match=r"^line gave 11/00: row 1 has blocks 2, its clue is 1$"):
        [*solutions(PUZZLE, "line")]
    assert solve(PUZZLE) == ONE


def isolated_runs_by(monkeypatch: pytest.MonkeyPatch, runner: Any) -> list[Limits]:
    """Let runs with a timeout be made by a runner, and return the limits for which it is asked."""
    given = list[Limits]()

    def isolated(_: None, limits: Limits) -> Any:
        given.append(limits)
        return nullcontext(runner)

    monkeypatch.setattr("crosslit.runs.runner.isolated", isolated)
    return given


@pytest.mark.parametrize("status", ["complete", "limit", "one found", "timeout", "memory", "gave-up", "error"])
def test_with_a_timeout_a_run_that_did_not_end_by_itself_gives_up_after_its_solutions(
    monkeypatch: pytest.MonkeyPatch, status: RunStatus
) -> None:
    given = isolated_runs_by(monkeypatch, Scripted((status, [ONE])))
    found = solutions(PUZZLE, "line", limit=3, timeout=2.5)
    assert next(found) == ONE
    assert given == [Limits(3, 2.5)]
    if status in ("complete", "limit", "one found"):
        assert next(found, None) is None
    else:
        with pytest.raises(GaveUp, match=rf"^line: ({status}|stopped a.*)$"):
            next(found)


def test_an_error_of_a_run_is_in_the_result() -> None:
    failed: Script = ("error", [])
    explained = explain(PUZZLE, runner=scripted(failed))
    assert (explained.status, [finding.problem for finding in explained.findings]) == ("undecided", ["error"])
    explained = explain("0,2|2,0", runner=scripted(("complete", []), failed))
    assert [finding.problem for finding in explained.findings] == ["error"]
    assert explained.json()["contradiction"]["size"] is None


@pytest.mark.parametrize(
    ("ask", "limits", "question"), [(solve, Limits(1, 2.5), "solutions"), (fewest, Limits(None, 2.5), "fewest")]
)
def test_a_run_with_a_timeout_is_asked_for_what_is_wanted(
    monkeypatch: pytest.MonkeyPatch, ask: Any, limits: Limits, question: str
) -> None:
    runner = Scripted(("complete", [Grid.from_text("11/11")]))
    given = isolated_runs_by(monkeypatch, runner)
    assert ask("11/11", timeout=2.5) == Grid.from_text("11/11")
    assert (given, [job.question for job in runner.asked]) == ([limits], [question])
