"""Runs of unlike machines in one file: a warning, and no figure that mixes their times."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from crosslit_bench.cli import run as bench_run
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report import html
from crosslit_bench.results.frame import Results, load
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from tests.bench.reports import BOARD, CORNER, DRAWN, HERE, PICTURE, campaign, named, solved

THERE = dataclasses.replace(HERE, host="node", processor="Other CPU", processors=64)
INSTANCES = [named(BOARD, "A board"), named(PICTURE, "A picture")]


def made(folder: Path, where: Callable[[Instance, str], object], *wrong: str) -> Results:
    def run(instance: Instance, label: str) -> Outcome:
        grid = CORNER if instance.puzzle.id == BOARD.id else DRAWN
        found = solved(1.0, *([] if label in wrong else [grid]))
        place = where(instance, label)
        return Outcome(key="", run=found, circumstances=place)  # type: ignore[arg-type]

    return campaign(folder, INSTANCES, ["gauss", "line"], run)


def by_puzzle(instance: Instance, _: str) -> object:
    return HERE if instance.puzzle.id == BOARD.id else THERE


def test_contestants_are_apart_by_kind_of_machine(tmp_path: Path) -> None:
    results = made(tmp_path, by_puzzle)
    assert [(one.label, one.group) for one in results.contestants] == [
        ("gauss on machine 1", "machine 1"),
        ("gauss on machine 2", "machine 2"),
        ("line on machine 1", "machine 1"),
        ("line on machine 2", "machine 2"),
    ]
    table = results.table()
    # on each puzzle, only the contestants of the machine that it was solved on
    assert {tuple(row) for row in (table.seconds == 1.0).tolist()} == {
        (True, False, True, False),
        (False, True, False, True),
    }
    page = html(results)
    assert "gauss on machine 1" in page
    assert "Other CPU" in page


def test_like_machines_are_not_apart_whatever_their_names_and_their_last_megabytes(tmp_path: Path) -> None:
    other = dataclasses.replace(HERE, host="desk2", machine_memory_mb=32100.5)
    same = dataclasses.replace(HERE, machine_memory_mb=32099.0)
    results = made(tmp_path, lambda instance, _: other if instance.puzzle.id == BOARD.id else same)
    assert [one.label for one in results.contestants] == ["gauss", "line"]


@pytest.mark.parametrize("field", [{"machine_memory_mb": 64000.0}, {"governor": "powersave"}, {"processors": 2}])
def test_memory_governor_and_processors_distinguish_machines(tmp_path: Path, field: dict[str, object]) -> None:
    other = dataclasses.replace(HERE, **field)  # type: ignore[arg-type]
    results = made(tmp_path, lambda instance, _: HERE if instance.puzzle.id == BOARD.id else other)
    assert sorted(results.machines.values()) == ["machine 1", "machine 2"]


def test_a_wrong_answer_on_one_machine_disqualifies_on_all(tmp_path: Path) -> None:
    made(tmp_path, by_puzzle, "line")
    with Store(tmp_path / "results.sqlite") as store:
        found = {one.label: bool(one.disqualified) for one in load(store).by_machine().contestants}
    assert found == {
        "gauss on machine 1": False,
        "gauss on machine 2": False,
        "line on machine 1": True,
        "line on machine 2": True,
    }


def test_a_merge_of_unlike_machines_warns_and_its_table_has_no_median(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, by_puzzle)
    whole = Path("results.sqlite").read_bytes()
    for name, processors in (("one", 4), ("other", 64)):
        Path(f"{name}.sqlite").write_bytes(whole)
        with closing(sqlite3.connect(f"{name}.sqlite")) as database, database:
            database.execute("DELETE FROM runs WHERE processors != ?", (processors,))
    assert bench_run.merge_stores("all.sqlite", ["one.sqlite", "other.sqlite"], False) == 0
    warnings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning: ")]
    assert warnings == [
        "warning: different kinds of machines made the runs, and the report separates their times: machine 1: Other"
        " CPU, 64 processors, 2 runs; machine 2: Some CPU, 4 processors, 2 runs"
    ]
    with Store(Path("all.sqlite")) as store:
        assert [score.seconds for score in campaign_status(store).scores] == [None, None]
    with Store(Path("one.sqlite")) as store:
        assert campaign_status(store).machines == ()
