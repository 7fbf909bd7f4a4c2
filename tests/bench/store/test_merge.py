"""Merging files of results, and the lock of the process that writes to one."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.plan.campaign import CampaignSpec, PlannedRun, puzzles_of_share
from crosslit_bench.store import merge as module
from crosslit_bench.store.merge import (
    NOTE,
    MergeCount,
    Writer,
    current_writer,
    merge,
    refuse_others,
    this_process,
    writer_lock,
)
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from crosslit.base.errors import InputError
from crosslit.contract.run import Limits
from tests.bench.store.test_store import CAMPAIGN, INSTANCES, PICTURE, WHERE, a_run, ask, planned
from tests.bench.synthetic import add

A, B = planned("a" * 64), planned("b" * 64, PICTURE, 1, 3)


def filled(
    path: Path, made: Sequence[PlannedRun] = (), about: CampaignSpec = CAMPAIGN, plan: Any = (A, B), **run: Any
) -> Path:
    """A file of results with some of its runs."""
    with Store(path, create=True) as store:
        store.prepare(about, INSTANCES, plan)
        for one in made:
            found = a_run(**{"grids": [], "status": "timeout", **run})
            assert add(store, one, Outcome(key=one.key, run=found, circumstances=WHERE))
    return path


def ended() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


HERE = dataclasses.asdict(this_process())


@pytest.mark.parametrize(
    ("changed", "age", "is_alive"),
    [
        ({}, 1e6, True),
        ({"began": "another time"}, 0.0, False),  # another process with the same number
        ({"pid": 0}, 0.0, False),  # replaced by that of a process that has ended
        ({"host": "elsewhere", "pid": 1}, 0.0, True),
        ({"host": "elsewhere", "pid": 1}, module._SILENCE_SECONDS + 2 * CAMPAIGN.limits.seconds - 5, True),
        ({"host": "elsewhere", "pid": 1}, module._SILENCE_SECONDS + 2 * CAMPAIGN.limits.seconds + 5, False),
    ],
)
def test_a_writer_is_alive_if_its_process_is_or_if_the_file_has_changed_of_late(
    tmp_path: Path, changed: dict[str, Any], age: float, is_alive: bool
) -> None:
    note = {**HERE, **changed}
    note["pid"] = note["pid"] or ended()
    path = filled(tmp_path / "a.sqlite")
    with Store(path, write=True) as store:
        store.change_note(NOTE, lambda _: note)
        os.utime(path, (time.time() - age,) * 2)
        assert current_writer(store) == (Writer(**note) if is_alive else None)
        if not is_alive or note == HERE:
            refuse_others(note, store)
            return
        with pytest.raises(InputError, match="process 1 on elsewhere is writing to it"), writer_lock(store):
            pass
        assert store.note(NOTE) == note


def test_a_file_without_a_campaign_is_waited_for_ten_minutes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    note = {**HERE, "host": "elsewhere"}
    with Store(path, create=True) as store:
        for age, is_alive in ((module._SILENCE_SECONDS - 5, True), (module._SILENCE_SECONDS + 5, False)):
            os.utime(path, (time.time() - age,) * 2)
            assert (module._alive(note, store) is not None) == is_alive


def test_the_lock_is_a_note_of_this_process_until_it_ends(tmp_path: Path) -> None:
    with Store(filled(tmp_path / "a.sqlite"), write=True) as store:
        assert current_writer(store) is None
        with writer_lock(store), writer_lock(store):
            assert current_writer(store) == this_process()
        assert store.note(NOTE) is None
        other = {**HERE, "host": "elsewhere"}
        with writer_lock(store):
            store.change_note(NOTE, lambda _: other)  # another machine has taken it for dead
        assert store.note(NOTE) == other


def test_another_process_of_this_machine_is_named_by_its_number(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        note = dataclasses.asdict(Writer(HERE["host"], process.pid, module._began(process.pid)))
        with (
            Store(filled(tmp_path / "a.sqlite")) as store,
            pytest.raises(InputError, match=f"process {process.pid} is writing to it"),
        ):
            refuse_others(note, store)
    finally:
        process.communicate(b"\n")


@pytest.mark.parametrize(
    "note",
    [
        {"host": "x", "pid": 0, "began": ""},
        {"host": "x", "pid": module._MAX_PID + 1, "began": ""},
        {"host": "x", "pid": "1", "began": ""},
        {"host": 1, "pid": 1, "began": ""},
        {"host": "x", "pid": 1},
        [1],
        "x",
    ],
)
def test_a_damaged_note_of_a_writer_is_reported(tmp_path: Path, note: Any) -> None:
    with (
        Store(filled(tmp_path / "a.sqlite")) as store,
        pytest.raises(InputError, match="note of its writer is damaged"),
    ):
        module._alive(note, store)
    with Store(tmp_path / "a.sqlite") as store:
        assert module._alive({**HERE, "host": "x", "pid": module._MAX_PID}, store) is not None
        assert module._alive(None, store) is None


OTHER: dict[str, Any] = {
    "asked": "all",
    "limits": Limits(2, 8.0, 512),
    "repetitions": 3,
    "seeds": (3,),
    "seed": 6,
    "contestants": {"native": ("gauss",)},
    "solvers": {"mine": "./another {cnf}"},
    "title": "Another",
    "about": "To see it.",
    "text": "another",
}


@pytest.mark.parametrize("name", module._SAME)
def test_files_of_campaigns_that_differ_in_any_way_are_not_merged(tmp_path: Path, name: str) -> None:
    one = filled(tmp_path / "one.sqlite", [A])
    other = filled(tmp_path / "other.sqlite", [B], dataclasses.replace(CAMPAIGN, **{name: OTHER[name]}))
    word = {"asked": "task", "contestants": "backends"}.get(name, name)
    for target in (one, tmp_path / "new.sqlite"):
        message = f"^{other}: belongs to another campaign: different {word} than in {one}$"
        with pytest.raises(InputError, match=message):
            merge(target, [one, other])
    assert ask(one, "SELECT count(*) FROM runs") == [(1,)]
    assert not (tmp_path / "new.sqlite").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.sqlite", "other.sqlite"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([A], "has other runs than .*: puzzles or backends differed when it was planned"),
        ([A, dataclasses.replace(B, key="c" * 64)], "has other runs than "),
        ([A, dataclasses.replace(B, key="c" * 64, version="9.16")], "has runs of .* 9.16, .* of 9.15"),
        ([A, dataclasses.replace(B, key="c" * 64, version="")], r"has runs of .* \(not available\), .* of 9.15"),
        ([A, dataclasses.replace(B, key="c" * 64, content="x")], "has runs of .* with different files than "),
    ],
)
def test_files_with_other_plans_are_not_merged(tmp_path: Path, plan: list[PlannedRun], message: str) -> None:
    one, other = filled(tmp_path / "one.sqlite"), filled(tmp_path / "other.sqlite", plan=plan)
    with pytest.raises(InputError, match=f"^{other}: {message}"):
        merge(one, [other])
    record = "json_set(value, '$.crosslit', '0.1') WHERE name = 'campaign'"
    ask(other, f"UPDATE about SET value = {record}")
    with pytest.raises(InputError, match=r"was planned by Crosslit 0\.1, .* by "):
        merge(one, [other])


@pytest.mark.parametrize(
    ("shards", "kept"),
    [(((1, 2), (2, 2)), None), (((1, 2), (1, 2)), (1, 2)), ((None, None), None), (((1, 2), None), None)],
)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_merge_has_all_runs_once_and_those_of_the_target_or_of_the_first_count(
    tmp_path: Path, shards: tuple[Any, Any], kept: Any, is_new: bool
) -> None:
    abouts = [dataclasses.replace(CAMPAIGN, shard=shard) for shard in shards]
    one = filled(tmp_path / "one.sqlite", [A], abouts[0], threads=5)
    other = filled(tmp_path / "other.sqlite", [A, B], abouts[1], threads=6)
    target = tmp_path / "new.sqlite" if is_new else one
    counts = merge(target, [one, other, other])
    assert counts == [*[MergeCount(one, 1, 0)] * is_new, MergeCount(other, 1, 1)]
    with Store(target) as store:
        assert [row.run.threads for row in store.rows()] == [5, 6]
        assert store.about.shard == kept
        assert store.note(NOTE) is None
    assert merge(target, [target, other]) == [MergeCount(other, 0, 2)]


def test_a_merge_of_nothing_is_refused(tmp_path: Path) -> None:
    one = filled(tmp_path / "one.sqlite", [A])
    for target, sources, message in (
        (one, [], "nothing to merge into it"),
        (tmp_path / "none.sqlite", [tmp_path / "none.sqlite"], "no such file of results"),
        (tmp_path / "no folder" / "a.sqlite", [one], "No such file"),
    ):
        with pytest.raises(InputError, match=message):
            merge(target, sources)
    assert merge(one, [one]) == []


def test_an_error_in_the_last_file_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one.sqlite", [A]), filled(tmp_path / "other.sqlite", [B], status="complete")
    ask(other, "UPDATE runs SET threads = -1")
    third = filled(tmp_path / "third.sqlite", [B])
    with pytest.raises(InputError, match=r"other\.sqlite: cannot be read: threads: "):
        merge(one, [third, other])
    assert ask(one, "SELECT count(*) FROM runs") == [(1,)]


def test_a_new_plan_replaces_the_puzzles_of_the_old_one(tmp_path: Path) -> None:
    with Store(filled(tmp_path / "a.sqlite"), write=True) as store:
        assert store.instances() == INSTANCES
        store.prepare(CAMPAIGN, INSTANCES[1:], [B])
        assert (store.instances(), store.plan()) == (INSTANCES[1:], [B])


@pytest.mark.parametrize("shard", [None, (1, 2), (2, 2)])
def test_a_store_of_a_shard_is_due_the_runs_of_its_puzzles(tmp_path: Path, shard: Any) -> None:
    with Store(filled(tmp_path / "a.sqlite", about=dataclasses.replace(CAMPAIGN, shard=shard))) as store:
        due = {run.puzzle.id for run in store.due()}
        ids = [instance.puzzle.id for instance in store.instances()]
        assert due == (set(puzzles_of_share(ids, *shard)) if shard else {*ids})
        assert len(store.due()) == len(due)


def test_a_run_on_another_puzzle_than_planned_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.sqlite", [A, B])
    ask(path, f"UPDATE runs SET puzzle = '{PICTURE.id}'")
    with Store(path) as store, pytest.raises(InputError, match="a run is on another puzzle than planned"):
        list(store.rows())
