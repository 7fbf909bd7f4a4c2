"""Runs by Dask, with a real scheduler and real workers, each in a separate process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from crosslit_bench.execution.campaign import DaskExecutor
from crosslit_bench.execution.local import LocalExecutor
from crosslit_bench.plan import campaign as plan
from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun
from crosslit_bench.store import outcome

from crosslit import Grid, InputError, LightsOut, Nonogram
from crosslit.base.errors import Unavailable
from crosslit.contract.run import Limits
from crosslit.runs import dask as distributed
from crosslit.runs.linux import children, descendants
from tests.dask_cluster import ROOT, Cluster, Have, until
from tests.dask_cluster import have as have

pytest.importorskip("distributed", reason="needs the extra dask")
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.slow,
    pytest.mark.usefixtures("planted"),  # the broken backends, here as on the workers
]

SMALL = [
    LightsOut(Grid.from_text("10/01")),
    LightsOut(Grid.from_text("1000/0000/0000/0000")),
    Nonogram([[1], [1]], [[1], [1]]),
]


@pytest.fixture
def shared(have: Have) -> Cluster:
    """A scheduler with two workers."""
    return have(2)


LIMITS = Limits(2, 20.0, 2048)
QUICK = Limits(2, 0.5, 2048)


def campaign(*specs: str, limits: Limits = LIMITS, **more: object) -> CampaignSpec:
    return CampaignSpec(name="c", title="C", about="", asked="unique", limits=limits, contestants={"": specs}, **more)


def planned(
    *specs: str, limits: Limits, puzzles: Sequence[LightsOut | Nonogram] = SMALL[:1], repetitions: int = 1
) -> list[PlannedRun]:
    instances = [Instance(puzzle=puzzle, family="f", size=2.0) for puzzle in puzzles]
    return plan.plan(campaign(*specs, limits=limits, repetitions=repetitions), instances)


def executor(on: Cluster, limits: Limits = LIMITS, **more: object) -> DaskExecutor:
    return DaskExecutor(on.address, campaign(limits=limits, **more))


def found(outcomes: Sequence[tuple[PlannedRun, outcome.Outcome]]) -> dict[str, tuple[str, str, int]]:
    assert all(one.key == made.key for one, made in outcomes)
    keys = [made.key for _, made in outcomes]
    assert len(keys) == len(set(keys)), "a run was told twice"
    return {made.key: (made.run.status, made.run.digest, len(made.run.grids)) for _, made in outcomes}


def test_dask_finds_what_is_found_here(shared: Cluster) -> None:
    runs = planned("gauss", "first-row", "line", "glucose4", limits=LIMITS, puzzles=SMALL, repetitions=2)
    with LocalExecutor(campaign()) as local:
        here = list(local.outcomes(runs))
    with executor(shared) as dask:
        there = list(dask.outcomes(runs))
    assert found(here) == found(there)
    assert {one.key for one in runs} == set(found(there))
    assert {(made.attempts, made.lost, made.circumstances.carrier) for _, made in there} == {(1, "", "dask")}
    assert {made.circumstances.side_by_side for _, made in there} == {1}


def test_runs_of_a_worker_that_is_killed_are_made_once_more(have: Have) -> None:
    shared = have(3)
    one, *_ = shared.workers
    limits = Limits(2, 1.5, 2048)
    runs = planned("gauss", limits=limits, repetitions=10) + planned("deaf-hang", limits=limits, repetitions=3)

    outcomes: list[tuple[PlannedRun, outcome.Outcome]] = []

    def kill() -> None:
        until(lambda: len(outcomes) == 10 and hanging(one.pid), "a run that hangs on the first worker")
        one.kill()

    with executor(shared, limits) as dask:
        killer = threading.Thread(target=kill)
        killer.start()
        outcomes.extend(dask.outcomes(runs))  # one by one
        killer.join()
    assert set(found(outcomes)) == {run.key for run in runs}
    [(lost, made)] = [(lost, made) for lost, made in outcomes if made.attempts != 1]
    assert (lost.spec, made.attempts, made.run.status) == ("deaf-hang", 2, "timeout")
    assert "was lost" in made.lost


def hanging(worker: int) -> list[int]:
    """The processes of runs of a worker."""
    return [run for child in children(worker) for server in children(child) for run in children(server)]


def test_what_loses_two_workers_is_lost(have: Have) -> None:
    cluster = have(3)
    workers = cluster.workers
    runs = planned("deaf-hang", limits=LIMITS)

    def kill_twice() -> None:
        for _ in range(2):
            until(lambda: any(hanging(worker.pid) for worker in workers), "a run that hangs")
            [victim] = [worker for worker in workers if hanging(worker.pid)]
            victim.kill()
            victim.wait()

    with executor(cluster) as dask:
        killer = threading.Thread(target=kill_twice)
        killer.start()
        [(_, bad)] = dask.outcomes(runs)
        killer.join()
        [(_, good)] = dask.outcomes(planned("gauss", limits=LIMITS))
    assert (bad.run.status, bad.attempts) == ("lost", 2)
    assert "was lost while it made this run, as one before it" in bad.run.error
    assert good.run.status == "complete"


@pytest.mark.parametrize("what", ["interrupt", "leave"])
def test_nothing_stays_on_the_workers(shared: Cluster, what: str) -> None:
    runs = planned("deaf-hang", limits=LIMITS, repetitions=3)
    workers = [process.pid for process in shared.workers]
    moments = []
    with executor(shared) as dask:

        def act() -> None:
            until(lambda: all(map(hanging, workers)), "runs on both workers")
            moments.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        if what == "interrupt":
            actor = threading.Thread(target=act)
            actor.start()
            assert list(dask.outcomes(runs)) == []
            actor.join()
            assert dask.interrupted
            assert time.monotonic() - moments[0] < 60
        else:
            outcomes = dask.outcomes(planned("gauss", limits=LIMITS) + runs)
            with pytest.raises(RuntimeError, match="consumer"):
                for _ in outcomes:
                    raise RuntimeError("the consumer breaks")
            outcomes.close()
        assert not any(map(descendants, workers))


def test_nothing_stays_when_the_asking_process_is_killed(shared: Cluster) -> None:
    workers = [process.pid for process in shared.workers]
    script = (
        "import sys; from tests.bench.execution import test_dask as t\n"
        "runs = t.planned('deaf-hang', limits=t.LIMITS, repetitions=3)\n"
        "with t.DaskExecutor(sys.argv[1], t.campaign()) as c: list(c.outcomes(runs))"
    )
    asking = subprocess.Popen([sys.executable, "-c", script, shared.address], cwd=ROOT, env=shared.environment)
    try:
        until(lambda: all(map(hanging, workers)), "runs on both workers")
    finally:
        asking.kill()
        asking.wait()
    until(lambda: not any(map(hanging, workers)), "the runs to end", 10)


def test_other_versions_make_no_runs(shared: Cluster) -> None:
    import dataclasses

    [run] = planned("gauss", limits=LIMITS)
    other = dataclasses.replace(run, key="0" * 64, version="0.0.7")
    with (
        executor(shared) as dask,
        pytest.raises(
            InputError,
            match=r"worker tcp://\S+ cannot make a planned run: gauss was planned with version 0\.0\.7 and is ",
        ),
    ):
        list(dask.outcomes([other]))


def test_commands_of_a_user_run_on_workers(shared: Cluster, tmp_path: Path) -> None:
    from crosslit import registry
    from crosslit.registry import specs

    command = "./never {cnf}"
    (tmp_path / "never").write_text("#!/bin/sh\necho s UNSATISFIABLE\nexit 20\n", encoding="utf-8")
    (tmp_path / "never").chmod(0o755)
    specs.define("never", command, "test", str(tmp_path))
    try:
        runs = planned("never", limits=LIMITS)
        with executor(shared, solvers={"never": command}, folder=tmp_path) as dask:
            [(_, made)] = dask.outcomes(runs)
        assert (made.run.status, made.run.grids, made.run.error) == ("complete", [], "")
    finally:
        registry.forget("never")


def test_without_workers_it_does_not_wait_for_ever(have: Have, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "WORKER_SECONDS", 1.0)
    with executor(have(0)) as dask, pytest.raises(InputError, match="there has been no worker for 1 seconds"):
        list(dask.outcomes(planned("gauss", limits=LIMITS)))


def test_a_scheduler_that_goes_is_reported(have: Have, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "CONNECT_SECONDS", 4.0)  # also how long it tries to come back
    cluster = have(1)
    [worker] = cluster.workers
    with executor(cluster) as dask:
        threading.Thread(target=lambda: (until(lambda: hanging(worker.pid), "a run"), cluster.scheduler.kill())).start()
        with pytest.raises(InputError, match="the Dask scheduler is gone"):
            list(dask.outcomes(planned("deaf-hang", limits=LIMITS)))
    until(lambda: not hanging(worker.pid), "the run to end")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "udp://x:1", "tcp://127.0.0.1"])
def test_no_scheduler_is_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match=f"^--dask {address}: no Dask scheduler answers: .*$"):
        DaskExecutor(address, campaign()).__enter__()


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unavailable, match=r"pip install 'distributed"):
        DaskExecutor("local", campaign()).__enter__()


def workers_since(before: set[int]) -> list[str]:
    lines = [Path(f"/proc/{pid}/cmdline") for pid in set(children(os.getpid())) - before]
    texts = [line.read_text(encoding="utf-8").replace("\0", " ") for line in lines if line.exists()]
    return [text for text in texts if text and "resource_tracker" not in text]


def test_a_local_cluster_imports_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("multiprocessing", "random", "distributed", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("PYTHONSAFEPATH", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    before = set(children(os.getpid()))
    with DaskExecutor("local", campaign(), jobs=2) as dask:
        assert len(found(list(dask.outcomes(planned("gauss", limits=LIMITS, repetitions=4))))) == 4
        variables = dask._cluster._client.run(lambda: os.environ.get("PYTHONSAFEPATH"))
    until(lambda: not workers_since(before), "the workers to end")
    assert not (tmp_path / "ran").exists()
    # A user's program, started here or by a worker, imports from its own folder.
    assert {*variables.values(), os.environ.get("PYTHONSAFEPATH")} <= {"", None}
