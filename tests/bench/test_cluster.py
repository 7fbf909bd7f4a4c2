"""Campaigns on a Dask cluster: the runs are those of one machine, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from crosslit_bench import cluster, plan
from crosslit_bench.cluster import make_run, remote_runs
from crosslit_bench.results import load
from crosslit_bench.run import local_runs, run_campaign
from crosslit_bench.spec import CampaignSpec

from crosslit.base.errors import InputError, SpecError, Unavailable
from tests.bench.test_run import answers
from tests.core.runs.test_runner import wait_for

distributed = pytest.importorskip("distributed")

TEXT = """
title = "T"
backends = ["gauss", "line", "mine"]
repetitions = 4
[solvers]
mine = "./mine {cnf}"
[[puzzles]]
puzzles = ["10/01", "111/111/111", "1,1|1,1", "1,2|2,1"]
"""
MINE = "#!/bin/sh\nsleep 0.05\necho s UNKNOWN\n"


@pytest.fixture
def spec(tmp_path: Path) -> CampaignSpec:
    (tmp_path / "mine").write_text(MINE, encoding="utf-8")
    (tmp_path / "mine").chmod(0o755)
    (tmp_path / "c.toml").write_text(TEXT, encoding="utf-8")
    return CampaignSpec.read(tmp_path / "c.toml")


class Cluster:
    """A scheduler and two workers, as their commands start them."""

    def __init__(self, folder: Path) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.start(folder, "scheduler", "--port", "0", "--scheduler-file", str(file), "--no-dashboard")
        assert wait_for(file.exists, 60)
        for _ in range(2):
            self.start(folder, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard")
        self.address = str(json.loads(file.read_text(encoding="utf-8"))["address"])

    def start(self, folder: Path, *words: str) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        with (folder / "log").open("ab") as log:
            self.processes.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True))

    def kill(self, index: int) -> None:
        os.killpg(self.processes[index].pid, signal.SIGKILL)
        self.processes[index].wait()


@pytest.fixture
def a_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    for index, process in enumerate(found.processes):
        if process.poll() is None:
            found.kill(index)


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_makes_the_same_runs(
    tmp_path: Path, spec: CampaignSpec, a_cluster: Cluster
) -> None:
    here, there, seen = tmp_path / "here.sqlite", tmp_path / "there.sqlite", list[str]()
    run_campaign(spec, here, local_runs)

    def say(text: str) -> None:
        seen.append(text)
        if text.startswith("8 of "):
            a_cluster.kill(1)

    made = run_campaign(spec, there, partial(remote_runs, address=a_cluster.address), say=say)
    assert (made.new, made.lost, made.interrupted) == (48, 0, False)
    assert answers(there) == answers(here)
    assert any(record["start"] for record in load(there).records if record["backend"].startswith("mine"))
    assert run_campaign(spec, there, partial(remote_runs, address=a_cluster.address)).new == 0


@pytest.mark.slow
def test_a_scheduler_that_goes_ends_the_command_and_keeps_the_runs(
    tmp_path: Path, spec: CampaignSpec, a_cluster: Cluster
) -> None:
    path = tmp_path / "s.sqlite"

    def say(text: str) -> None:
        if text.startswith("8 of "):
            a_cluster.kill(0)

    with pytest.raises(InputError, match="the Dask scheduler is gone; the same command continues"):
        run_campaign(spec, path, partial(remote_runs, address=a_cluster.address), say=say)
    assert load(path).made >= 8


@pytest.mark.slow
def test_without_a_scheduler_or_workers_it_ends_with_one_line(
    tmp_path: Path, spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_WAIT_SECONDS", 1)
    runs = plan.plan(spec, spec.instances()).runs
    with pytest.raises(InputError, match=r"tcp://127.0.0.1:9: no Dask scheduler answers: "):
        next(remote_runs(spec, runs, lambda: None, address="tcp://127.0.0.1:9"))
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as local,
        pytest.raises(InputError, match="there is no worker after 1 seconds"),
    ):
        next(remote_runs(spec, runs, lambda: None, address=local.scheduler_address))


def test_without_dask_it_says_what_to_install(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unavailable, match="--dask needs Dask, which is not installed: pip install "):
        next(remote_runs(spec, [], lambda: None, address="x"))


def test_a_task_is_a_function_from_a_planned_run_to_its_record(
    spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Worker:
        class state:  # noqa: N801
            nthreads = 3

    monkeypatch.setattr(distributed, "get_worker", Worker)
    run = next(run for run in plan.plan(spec, spec.instances()).runs if run.contestant == "line")
    made = make_run(spec, run)
    assert (made.key, made.columns["jobs"]) == (run.key, 3)
    assert made.columns["status"] in ("complete", "limit", "unsupported")
    monkeypatch.setattr(plan, "__version__", "another")
    with pytest.raises(SpecError, match="line or Crosslit is not that of the plan"):
        make_run(spec, run)
    cluster._workers.runner.__exit__()
