"""Runs that are not kept are always reported: those that cannot be, and those that were lost."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from crosslit_bench.cli import run as bench_run
from crosslit_bench.execution.campaign import ExecutionOptions
from crosslit_bench.plan.campaign import PlannedRun
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from crosslit import Grid
from crosslit.contract import no_time
from crosslit.contract.run import Run, Timing
from tests.bench.store.test_store import WHERE, a_run, planned, store
from tests.bench.synthetic import add

__all__ = ["store"]  # a fixture

NAN = float("nan")
LOCAL = ExecutionOptions(jobs=1, dask=None)
CAMPAIGN = """
backends = ["gauss", "polynomial", "brute"]
[[puzzles]]
puzzles = ["10/01", "111/111/111"]
"""


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"timing": Timing({**no_time(), "load": NAN})}, "load: expected a number from 0 to 1e+15, found nan"),
        ({"timing": Timing(no_time(), cpu=float("inf"))}, "cpu: expected a number from 0 to 1e+15, found inf"),
        ({"timing": Timing({**no_time(), "load": -1.0})}, "load: expected a number from 0 to 1e+15, found -1.0"),
        ({"timing": Timing({"solve": 1.0})}, "there is no 'encode'"),
        ({"memory_mb": "much"}, "memory_mb: expected a number from 0 to 1e+15, found 'much'"),
        ({"threads": 10**30}, "threads: expected a whole number from 0 to 9223372036854775807, found a huge number"),
        ({"threads": 10**5000}, "threads: expected a whole number from 0 to 9223372036854775807, found a huge number"),
        ({"bound": 2**70}, "bound: expected a whole number from 0 to 9223372036854775807, found a huge number"),
        ({"bound": -1}, "bound: expected a whole number from 0 to 9223372036854775807, found -1"),
        ({"status": "<b>"}, "status: expected one of complete, error, gave-up, "),
        ({"stats": [1]}, "'list' object has no attribute 'items'"),
        ({"version": 3}, "version: expected a text, found 3"),
        ({"grids": [Grid.from_text("1")]}, "solutions: expected grids of 2 x 2, found 1 x 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_run_that_cannot_be_kept_is_named_and_the_others_are_kept(
    store: Store, changed: dict[str, Any], told: str
) -> None:
    odd = Outcome(key="a" * 64, run=dataclasses.replace(a_run(), **changed), circumstances=WHERE)
    good = Outcome(key="b" * 64, run=a_run(status="timeout", grids=[]), circumstances=WHERE)
    made = [(planned("a" * 64), odd), (planned("b" * 64), good)]
    new, unkept = store.add_all(made)
    assert new == 1
    assert [one.planned.key for one in unkept] == ["a" * 64]
    assert unkept[0].reason.startswith(told[:100])
    assert store.keys() == {"b" * 64}


@pytest.mark.parametrize("field", ["version", "error", "stray"])
def test_half_a_character_does_not_keep_a_run_out(store: Store, field: str) -> None:
    odd = a_run(**{field: "x\ud800", "stats": {"k\ud800": "v\ud800"}})
    assert add(store, planned("a" * 64), Outcome(key="a" * 64, run=odd, circumstances=WHERE))
    (row,) = store.rows()
    assert getattr(row.run, field) == "x?"
    assert row.run.stats == {"k?": "v?"}


class Carried:
    """An executor whose runs end as a function of the planned run returns."""

    interrupted = False

    def __init__(self, end: Callable[[PlannedRun], Run]) -> None:
        self._end = end

    def __enter__(self) -> Carried:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def outcomes(self, planned: Sequence[PlannedRun]) -> Iterator[tuple[PlannedRun, Outcome]]:
        for one in planned:
            yield one, Outcome(key=one.key, run=self._end(one), circumstances=WHERE)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Make a campaign whose runs time out, or end as given for their contestant."""
    monkeypatch.chdir(tmp_path)
    Path("c.toml").write_text(CAMPAIGN, encoding="utf-8")

    def made(as_json: bool = False, resume: bool = False, **ends: Run) -> int:
        other = Run("x", status="timeout", timing=Timing())
        executor = Carried(lambda one: ends.get(one.contestant, other))
        monkeypatch.setattr(ExecutionOptions, "executor", lambda *_: executor)
        with click.Context(click.Command("run")):
            if resume:
                return bench_run.run_file("c.sqlite", None, LOCAL, None, as_json)
            return bench_run.run_file("c.toml", None, LOCAL, None, as_json)

    return made


def test_runs_that_cannot_be_kept_are_listed_and_counted(
    bench: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    odd = Run("x", status="complete", timing=Timing({**no_time(), "solve": NAN}))
    assert bench(polynomial=odd) == 1
    first, second, *_, last = capsys.readouterr().out.splitlines()
    said = {first, second}
    why = "solve: expected a number from 0 to 1e+15, found nan"
    assert said == {f"not stored: polynomial on {name}: {why}" for name in ("10/01", "111/111/111")}
    assert last.startswith("4 runs, 4 new; 2 runs could not be stored; 0 wrong answers; ")
    assert bench(as_json=True, polynomial=odd) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["planned"] == told["made"] + len(told["unkept"]) == 6
    assert {one["contestant"] for one in told["unkept"]} == {"polynomial"}


def test_lost_runs_are_counted_and_made_again(bench: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(brute=Run("x", status="lost", error="the process that started it died")) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("4 runs, 4 new; 2 runs lost, `crosslit bench run c.sqlite` repeats them; 0 wrong answers; ")
    assert bench(as_json=True, resume=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["made"], told["new"], told["lost"], told["statuses"]) == (6, 2, 0, {"timeout": 6})
