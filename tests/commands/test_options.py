"""Options: the values they take, their messages, completions, and the reasons why runs stopped."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import click
import pytest

from crosslit import Limits
from crosslit.cli.options import SECONDS, KindName, Query, advise_explain, complete_specs, why_stopped
from crosslit.contract.run import Run


@pytest.mark.parametrize("value", ["0", "nan", "inf", "-1", "x", "1e8"])
def test_a_number_of_seconds_is_within_its_bounds(value: str) -> None:
    with pytest.raises(click.BadParameter):
        SECONDS.convert(value, None, None)
    assert [SECONDS.convert(number, None, None) for number in ("0.5", "1e7")] == [0.5, 1e7]


def test_a_kind_of_another_distribution_is_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.cli.options.all_kinds", lambda: ["own", "other"])
    assert KindName(["own"]).convert("other", None, None) == "other"


@pytest.mark.parametrize(
    ("begun", "completed"),
    [
        ("polyn", ["polynomial"]),
        ("line,polyn", ["line,polynomial"]),
        ("line,,howe", ["line,,howell"]),
        ("comman", ["command"]),
        ("nothing", []),
    ],
)
def test_the_last_of_several_specs_is_completed(begun: str, completed: list[str]) -> None:
    context: Any = None
    assert complete_specs(context, context, begun) == completed


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (Run("a", status="timeout"), "a: stopped after 2.5 s (--timeout)"),
        (Run("a", status="timeout", error="b decides it"), "a: b decides it"),
        (Run("a", status="memory"), "a: stopped at 99 MB of memory"),
        (Run("a", status="limit"), "a: stopped at 2, as requested; there may be more"),
        (Run("a", status="gave-up", error="too large"), "a: too large"),
    ],
)
def test_a_run_that_reached_a_limit_names_its_option(run: Run, words: str) -> None:
    assert why_stopped(run, Limits(2, 2.5, 99)) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, None), (1, "1"), (5, "1; 2; 3; 4; 5"), (6, "1; 2; 3; 4; 5; 1 more"), (8, "1; 2; 3; 4; 5; 3 more")],
)
def test_the_first_reasons_why_there_is_no_solution_are_printed(
    capsys: pytest.CaptureFixture[str], number: int, words: str | None
) -> None:
    puzzle: Any = SimpleNamespace(contradictions=lambda: (str(reason) for reason in range(1, number + 1)))
    advise_explain(puzzle)
    advice = "`crosslit explain PUZZLE` says why a puzzle has no solution"
    assert capsys.readouterr().err.splitlines() == [f"crosslit: {line}" for line in (words, advice) if line]


@pytest.mark.parametrize(
    ("what", "name", "shown"),
    [("", "", "a on nonogram"), ("why", "", "a on why of nonogram"), ("why", "heart", "a on why of heart")],
)
def test_the_limits_and_the_progress_of_runs_are_those_of_the_options(
    monkeypatch: pytest.MonkeyPatch, what: str, name: str, shown: str
) -> None:
    given: list[Any] = []
    lines: list[str] = []

    class Opened(nullcontext[None]):
        guard = nullcontext

    def open_runner(*limits: Limits, **more: Any) -> Opened:
        given.append((limits, more))
        return Opened()

    monkeypatch.setattr("crosslit.runs.runner.open_runner", open_runner)
    monkeypatch.setattr("crosslit.cli.output.Progress.says", lambda _, text: lines.append(text))
    query = Query(("1|1", "0|0"), timeout=2.5, memory_mb=99, as_json=False)
    with query.runs(what, solutions=3, cores=4) as (_, progress):
        ((limits, more),) = given
        more.pop("on_start")(SimpleNamespace(spec="a", puzzle=SimpleNamespace(name=name, kind="nonogram")))
        progress.started("last")
    assert (limits, more) == ((Limits(3, 2.5, 99),), {"cores": 4})
    assert lines == [shown, "last"]
    assert query.read().text == "1|1"
    assert [(source, puzzle.text) for source, puzzle in query.read_all()] == [("1|1", "1|1"), ("0|0", "0|0")]
    assert len(Query(("1|1",), timeout=1, as_json=False).read_all(single="--x")) == 1
    with pytest.raises(click.UsageError, match="--x is for one PUZZLE, found 2"):
        query.read_all(single="--x")
