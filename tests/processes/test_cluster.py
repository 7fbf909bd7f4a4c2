"""Runs on a cluster, and the description of a machine."""

from __future__ import annotations

import logging
import os
import platform
import shlex
import signal
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from crosslit_bench import cluster, machine, plan, results
from crosslit_bench.cluster import make_run, remote_runs
from crosslit_bench.machine import GroupTree, circumstances, delegated
from crosslit_bench.run import local_runs, run_campaign
from crosslit_bench.spec import CampaignLimits, CampaignSpec
from crosslit_bench.store import RUN_COLUMNS, RunRow

from crosslit import Limits, load, registry
from crosslit.base.errors import InputError, SpecError, Unavailable
from crosslit.questions.compare import jobs
from crosslit.registry import define
from crosslit.runs.runner import Runner
from tests.bench.stores import made, unsolved
from tests.bench.test_run import answers
from tests.conftest import executable

# Only the extra `dask` installs it. It is looked for and not imported, which takes a second of every collection.
pytestmark = pytest.mark.skipif(not find_spec("distributed"), reason="Dask is not installed")

TEXT = """
backends = ["gauss", "line", "mine"]
repetitions = 4
solvers.mine = "./mine {cnf}"
puzzles = [{puzzles = ["10/01", "111/111/111", "1,1|1,1", "1,2|2,1"]}]
"""


@pytest.fixture
def spec(tmp_path: Path) -> CampaignSpec:
    executable(tmp_path / "mine", "sleep 0.05\necho s UNKNOWN")
    (tmp_path / "c.toml").write_text(TEXT, encoding="utf-8")
    return CampaignSpec.read(tmp_path / "c.toml")


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_makes_the_same_runs(tmp_path: Path, spec: CampaignSpec) -> None:
    import distributed

    here, there, cut = tmp_path / "here.sqlite", tmp_path / "there.sqlite", tmp_path / "cut.sqlite"
    run_campaign(spec, here, local_runs)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        make, worker = partial(remote_runs, address=local.scheduler_address), local.workers[1].pid
        ends = lambda text: text.startswith("8 of ") and os.kill(worker, signal.SIGKILL)  # noqa: E731
        made = run_campaign(spec, there, make, say=ends)
        assert (made.new, made.lost, made.interrupted) == (48, 0, False)
        assert answers(there) == answers(here)
        assert any(record["start"] for record in results.load(there).records if record["backend"].startswith("mine"))
        assert run_campaign(spec, there, make).new == 0
        with pytest.raises(InputError, match="the Dask scheduler is gone; the same command continues"):
            run_campaign(spec, cut, make, say=lambda text: text.startswith("8 of ") and local.close())
    assert results.load(cut).made >= 8


@pytest.mark.slow
def test_without_a_scheduler_it_ends_with_one_line(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_WAIT_SECONDS", 1)
    with pytest.raises(InputError, match=r"tcp://127.0.0.1:9: no Dask scheduler answers: "):
        next(remote_runs(spec, [], lambda: None, address="tcp://127.0.0.1:9"))


def test_without_dask_it_says_what_to_install(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unavailable, match="--dask needs Dask, which is not installed: pip install "):
        next(remote_runs(spec, [], lambda: None, address="x"))


def test_every_run_of_a_cluster_can_be_stored_at_once(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    runs, flushed = plan.plan(spec, spec.instances()).runs, list[None]()

    def make(_: CampaignSpec, run: plan.PlannedRun) -> RunRow:
        if run.key == runs[0].key:
            raise distributed.KilledWorker(run.key, SimpleNamespace(address="gone"), 1)
        return made(run, unsolved(), jobs=2)

    monkeypatch.setattr(cluster, "make_run", make)
    monkeypatch.setattr(cluster, "_WAIT_SECONDS", 5)
    logging.getLogger("distributed").setLevel(logging.INFO)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as local:
        some = [*remote_runs(spec, runs, lambda: flushed.append(None), address=local.scheduler_address)]
    assert Counter((one.columns["status"], one.columns["jobs"]) for one in some) == {("lost", 1): 1, ("timeout", 2): 47}
    assert len(flushed) == 48
    assert logging.getLogger("distributed").level == logging.CRITICAL  # the log of a worker is no output


def test_a_cluster_pins_no_run_to_cores(spec: CampaignSpec) -> None:
    pinned = replace(spec, limits=CampaignLimits(cores=1))
    with pytest.raises(InputError, match=r"limits\.cores: works only without --dask"):
        next(remote_runs(pinned, [], lambda: None, address="x"))


def test_a_worker_with_other_software_makes_no_run(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    (run, *_) = plan.plan(spec, spec.instances()).runs
    monkeypatch.setattr(plan, "__version__", "another")
    with pytest.raises(SpecError, match=f"{run.contestant} or Crosslit is not that of the plan"):
        make_run(spec, run)


def test_a_worker_makes_runs_as_this_machine_does(spec: CampaignSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("distributed.get_worker", lambda: SimpleNamespace(state=SimpleNamespace(nthreads=2)))
    runs = [run for run in plan.plan(spec, spec.instances()).runs if run.puzzle.text == "1,2|2,1"]
    runs = sorted(runs, key=lambda run: (run.contestant, run.repetition))[4:]  # without those of gauss
    registry.forget("mine")  # as in the process of a worker
    columns = [make_run(spec, run).columns for run in runs]
    assert [(one["status"], one["jobs"]) for one in columns] == [("complete", 2)] * 4 + [("gave-up", 2)] * 4
    starts = [one["start"] for one in columns]
    assert starts[:4] == [None] * 4
    assert starts[4:] == [max(0.05, starts[4])] * 4  # measured once
    before, other = cluster._workers.runner, replace(spec, limits=CampaignLimits(timeout=9.0))
    assert before._servers
    make_run(other, replace(runs[0], key=plan.key_of(runs[0], other)))
    assert (before._servers, cluster._workers.runner.limits) == ([], other.run_limits)
    cluster._workers.runner.__exit__()  # otherwise Python warns at the end of the tests


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="control groups are of Linux")


def test_the_machine_is_described_by_columns_of_the_store() -> None:
    found = circumstances(3)
    assert found.keys() < RUN_COLUMNS.keys()
    assert (found["jobs"], found["limits_by"]) == (3, "rlimit and /proc (cgroup v2 not delegated)")
    assert found["processors"] >= 1
    assert found["processor"]


FILES = {
    "/proc/mounts": "proc /proc proc rw 0 0\nnone /sys/fs/cgroup cgroup2 rw 0 0\n",
    "/proc/self/cgroup": "2:memory:/b\n0::/user/a\n",
    "/proc/cpuinfo": "processor\t: 0\nmodel name\t: A CPU\ncpu MHz\t\t: 2400.5\n",
    "/proc/meminfo": "MemFree: 1 kB\nMemTotal:    2048 kB\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3000000\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
}


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("none", ("A CPU", 3000.0, "performance", 2.0)),
        ("cpufreq", ("A CPU", 2400.5, "", 2.0)),
        ("/", (platform.processor() or platform.machine(), 0.0, "", 0.0)),
        ("/proc/", (platform.processor() or platform.machine(), 3000.0, "performance", 0.0)),
    ],
)
def test_linux_describes_the_machine_in_files(
    missing: str, expected: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_text(path: Path, *_: object, **__: object) -> str:
        if missing in str(path):
            raise FileNotFoundError
        return FILES[str(path)]

    monkeypatch.setattr(Path, "read_text", read_text)
    monkeypatch.setattr(machine, "_machine", machine._machine.__wrapped__)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.5, 2.5, 3.5))
    found = circumstances(1)
    assert found["machine_load"] == 1.5
    assert tuple(found[name] for name in ("processor", "clock_mhz", "governor", "machine_memory_mb")) == expected
    if "/" not in missing:
        assert machine.own_group() == Path("/sys/fs/cgroup/user/a")
        monkeypatch.setitem(FILES, "/proc/self/cgroup", "2:memory:/b\n")
        assert delegated() is None


@needs_linux
def test_a_group_without_the_controllers_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu io\n", encoding="utf-8")
    with pytest.raises(OSError, match="no controller memory in "):
        GroupTree(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]


@needs_linux
def test_a_delegated_group_is_entered_and_left(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n", encoding="utf-8")
    tree, own, process = GroupTree(tmp_path), tmp_path / f"crosslit-{os.getpid()}", str(os.getpid())
    assert (own / "cgroup.procs").read_text(encoding="utf-8") == process
    assert (tmp_path / "cgroup.subtree_control").read_text(encoding="utf-8") == "+memory"
    assert tree.path(3) == f"{own}-run-3"
    (own / "cgroup.procs").unlink()  # the kernel's groups can be removed with their files
    tree.close()
    assert ((tmp_path / "cgroup.procs").read_text(encoding="utf-8"), own.exists()) == (process, False)


@needs_linux
def test_the_kernel_ends_a_run_that_needs_more_memory_than_its_group_may() -> None:
    tree = delegated()
    if tree is None:
        # Only systemd or root can delegate the controller; elsewhere the limit is polled, which other tests show.
        pytest.skip("no cgroup v2 with a controller of memory is delegated here")
    script = "bytes([1]) * (200 << 20); import time; time.sleep(60)"
    define("under-test", f'{shlex.quote(sys.executable)} -c "{script}"', "test")
    with closing(tree), Runner(Limits(timeout=20, memory_mb=100), group_of=tree.path) as runner:
        run = runner.run(*jobs(load("1,1|1,1"), "under-test"))
    assert run.status == "memory"
