"""Runs on this machine, the lock of the file, and progress messages."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from crosslit_bench.execution import local
from crosslit_bench.execution.local import LocalExecutor, make
from crosslit_bench.plan import campaign as plan
from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun
from crosslit_bench.store import merge as writer_lock
from crosslit_bench.store.merge import Writer, current_writer
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.store import Store

from crosslit import Grid, LightsOut, Nonogram
from crosslit.base.errors import InputError
from crosslit.contract.run import Limits, Run
from crosslit.runs.job import Job
from tests.bench.store.test_store import WHERE, a_run
from tests.conftest import other_processes

LIMITS = Limits(2, 20.0, 1024)
PUZZLES = [
    LightsOut(Grid.from_text("10/01")),
    LightsOut(Grid.from_text("111/111/111")),
    LightsOut(Grid.from_text("1000/0000/0000/0000")),
    Nonogram(((1,), (1,)), ((1,), (1,))),
]


def campaign(*specs: str, **changed: object) -> CampaignSpec:
    known = CampaignSpec(
        name="small",
        title="A small one",
        about="",
        asked="unique",
        limits=LIMITS,
        contestants={"": specs or ("gauss", "line")},
        sources=(),
    )
    return dataclasses.replace(known, **changed)  # type: ignore[arg-type]


def prepared(path: Path, what: CampaignSpec) -> tuple[Store, list[PlannedRun]]:
    instances = [Instance(puzzle=puzzle, family="some", size=puzzle.rows) for puzzle in PUZZLES]
    planned = plan.plan(what, instances)
    store = Store(path, create=True)
    store.prepare(what, instances, planned)
    return store, planned


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_runs_are_kept_as_they_end_unless_they_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(local, "_MAX_BATCH_SECONDS", seconds)
    store, planned = prepared(tmp_path / "s.sqlite", campaign())
    seen: list[tuple[str, int]] = []
    with store, LocalExecutor(campaign(), 2) as executor:

        def saw(one: PlannedRun, run: Run) -> None:
            with Store(store.path) as read:
                seen.append((one.key, len(read.keys())))

        assert make(store, executor, planned, saw).kept == 8
        assert {key for key, _ in seen} == {one.key for one in planned}
        done = {row.values["key"]: row.run.status for row in store.rows()}
        assert sorted(done.values()) == ["complete"] * 3 + ["limit"] + ["unsupported"] * 4
        # a long run is in the file before it is reported
        made = [kept for key, kept in seen if done[key] != "unsupported"]
        assert made == sorted(made)
        assert seconds or made[0] >= 1
        assert make(store, executor, planned).kept == 0


def test_circumstances_are_those_of_the_start(tmp_path: Path) -> None:
    what = campaign("gauss", "polynomial", "first-row")
    store, planned = prepared(tmp_path / "s.sqlite", what)
    with store, LocalExecutor(campaign()) as executor:
        make(store, executor, planned)
        rows = [row for row in store.rows() if row.run.status != "unsupported"]
    # one at a time, in the order of the plan: so their starts are in that order
    assert [row.values["started"] for row in rows] == sorted(row.values["started"] for row in rows)
    assert {row.values["carrier"] for row in rows} == {"local"}
    assert {row.values["host"] for row in rows} == {socket.gethostname()}


def test_what_warms_up_is_short_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, planned = prepared(tmp_path / "s.sqlite", campaign("gauss", "line", limits=Limits(2, 500.0, 1024)))
    limits: list[float] = []
    with store, LocalExecutor(campaign(limits=Limits(2, 500.0, 1024))) as executor:
        real = executor._started

        def started(job: Job) -> None:
            limits.append((job.limits or executor._runner.limits).seconds)
            real(job)

        monkeypatch.setattr(executor._runner, "_on_start", started)
        make(store, executor, planned)
        assert limits[:2] == [local.WARM_UP_SECONDS] * 2
        assert set(limits[2:]) == {500.0}
        assert {row.values["key"] for row in store.rows()} == {one.key for one in planned}


def test_an_interrupt_while_it_warms_up_ends_it_at_once(tmp_path: Path) -> None:
    store, planned = prepared(tmp_path / "s.sqlite", campaign())
    with store, LocalExecutor(campaign()) as executor:
        real = executor._runner._on_start

        def interrupted(job: Job) -> None:
            real(job)
            os.kill(os.getpid(), signal.SIGINT)

        executor._runner._on_start = interrupted
        assert make(store, executor, planned).kept == 0
        assert executor.interrupted
        assert store.keys() == set()


def test_a_store_that_fails_ends_all_running_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, planned = prepared(tmp_path / "s.sqlite", campaign("gauss"))
    handler = signal.getsignal(signal.SIGINT)

    def full(*_: object) -> int:
        raise InputError("s.sqlite", "cannot be written: database or disk is full")

    monkeypatch.setattr(store, "add_all", full)
    with store, pytest.raises(InputError, match="disk is full"), LocalExecutor(campaign(), 2) as executor:
        make(store, executor, planned)
    assert executor._runner._servers._servers == {}
    assert signal.getsignal(signal.SIGINT) is handler


class Replayed:
    """An executor that yields the given runs, then breaks."""

    interrupted = False

    def __enter__(self) -> Replayed:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def outcomes(self, planned: Sequence[PlannedRun]) -> object:
        for one in planned[:3]:
            yield one, Outcome(key=one.key, run=a_run(status="unsupported", grids=[]), circumstances=WHERE)
        yield planned[3], Outcome(key=planned[3].key, run=a_run(), circumstances=WHERE)
        raise InputError("tcp://x", "the scheduler is gone")


def test_what_ended_before_a_carrier_broke_is_kept(tmp_path: Path) -> None:
    store, planned = prepared(tmp_path / "s.sqlite", campaign())
    with store, pytest.raises(InputError, match="the scheduler is gone"):
        make(store, Replayed(), planned)  # type: ignore[arg-type]
    with Store(store.path) as read:
        assert read.keys() == {one.key for one in planned[:4]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return prepared(tmp_path / "s.sqlite", campaign())[0]


def noted(store: Store, **changed: object) -> None:
    record = {**dataclasses.asdict(writer_lock.this_process()), **changed}
    store.change_note(writer_lock.NOTE, lambda _: record)


def test_a_living_process_is_respected_by_another_namespace_of_processes(store: Store) -> None:
    code = """
import sys
from pathlib import Path
from crosslit_bench.store.store import Store
from crosslit_bench.store.merge import current_writer
with Store(Path(sys.argv[1])) as store:
    print(current_writer(store))
"""
    with store, writer_lock.writer_lock(store):
        assert str(writer_lock.this_process()) in other_processes(sys.executable, "-c", code, str(store.path))


def test_a_living_process_is_respected(store: Store) -> None:
    with store, subprocess.Popen(["sleep", "60"]) as other:
        noted(store, pid=other.pid, began=writer_lock._began(other.pid))
        assert current_writer(store) == Writer(
            writer_lock.this_process().host, other.pid, writer_lock._began(other.pid)
        )
        with pytest.raises(InputError, match=f"process {other.pid} is writing to it"), writer_lock.writer_lock(store):
            pass
        other.kill()
        time.sleep(0.05)
        while writer_lock._began(other.pid) and not writer_lock._began(other.pid).startswith("dead"):
            time.sleep(0.01)
        # dead, though nobody has waited for it yet
        with writer_lock.writer_lock(store):
            assert current_writer(store) == writer_lock.this_process()


def test_a_number_that_another_process_has_now_is_no_sign_of_life(store: Store) -> None:
    with store:
        noted(store, pid=os.getppid(), began="1 of another time")
        assert current_writer(store) is None


def test_a_process_elsewhere_lives_as_long_as_the_file_changes(store: Store) -> None:
    with store:
        noted(store, host="node7", pid=1)
        with pytest.raises(InputError, match="process 1 on node7 is writing to it"), writer_lock.writer_lock(store):
            pass
        long_ago = time.time() - 3600
        os.utime(store.path, (long_ago, long_ago))
        assert current_writer(store) is None
        with writer_lock.writer_lock(store):
            assert current_writer(store) == writer_lock.this_process()
