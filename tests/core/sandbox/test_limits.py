"""Limits of CPU time, and the cores of a run: enforcement and accounting."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosslit import Limits, load, registry
from crosslit.base.errors import Unavailable
from crosslit.contract.run import Run
from crosslit.questions.compare import jobs
from crosslit.registry.specs import define
from crosslit.runs.linux import cpu_of
from crosslit.runs.runner import Runner
from crosslit.runs.sandbox import CorePool, ProcessGroup, free_cores

# CPU time and cores are read from /proc, which only Linux has.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are known by /proc")

BUSY = "import time\nuntil = time.process_time() + {}\nwhile time.process_time() < until: pass"


@pytest.fixture
def command(tmp_path: Path) -> Iterator[str]:
    """Return the name of a backend that a test defines by a shell command."""
    yield "under-test"
    if registry.defined("under-test") is not None:
        registry.forget("under-test")


def made(name: str, script: str, limits: Limits, runs: int = 1) -> list[Run]:
    define(name, f"sh -c '{script}'", "test")
    puzzles = [load("/".join(["1" * side] * side)) for side in range(1, runs + 1)]
    with Runner(limits, side_by_side=runs) as runner:
        return [run for _, run in runner.runs([job for puzzle in puzzles for job in jobs(puzzle, name)])]


@pytest.mark.slow
def test_cpu_time_of_all_processes_of_a_run_counts_together(command: str) -> None:
    # none of these processes takes long: only their sum does
    loop = 'while true; do sh -c "i=0; while [ \\$i -lt 5000 ]; do i=\\$((i+1)); done"; done'
    (run,) = made(command, loop, Limits(timeout=60, cpu_timeout=0.2))
    assert (run.status, run.error) == ("timeout", "stopped after 0.2 s of CPU time")
    assert 0.2 <= run.timing.cpu < 5


def test_waiting_takes_no_cpu_time(command: str) -> None:
    (run,) = made(command, "sleep 0.6; exit 3", Limits(timeout=60, cpu_timeout=0.5))
    assert run.status == "error"
    assert "exit status 3" in run.error


def test_runs_at_the_same_time_have_different_cores(command: str, tmp_path: Path) -> None:
    usable = len(os.sched_getaffinity(0))
    if usable < 2:
        pytest.skip("two runs need two cores")  # on one core, the second run is refused, which another test shows
    here = shlex.quote(str(tmp_path)).replace("'", '"')  # the script is in single quotes
    both = f"cd {here}; touch $$; while [ $(ls | wc -l) -lt 2 ]; do sleep 0.05; done"  # each waits for the other
    script = f"{both}; grep Cpus_allowed_list /proc/self/status >&2; exit 3"
    cores = [int(re.findall("[0-9]+", run.error)[-1]) for run in made(command, script, Limits(cores=1), runs=2)]
    assert len(set(cores)) == 2


def test_more_runs_than_cores_are_refused() -> None:
    usable = len(os.sched_getaffinity(0))
    with pytest.raises(Unavailable) as refused:
        Runner(Limits(cores=2), side_by_side=usable)
    need = f"{usable} parallel runs of 2 need" if usable > 1 else "a run needs"
    assert str(refused.value) == f"cores = 2: {need} {2 * usable} processor cores, found {usable}"


def test_cores_are_handed_out_once() -> None:
    usable = os.sched_getaffinity(0)
    pool = CorePool(1, len(usable))
    taken = [pool.take() for _ in usable]
    assert {core for cores in taken for core in cores} == usable
    pool.give_back(taken[0])
    assert pool.take() == taken[0]


def test_cpu_time_of_an_ended_child_stays_with_its_parent() -> None:
    before = cpu_of([os.getpid()])
    session = ProcessGroup(lambda: exec(BUSY.format(0.1)))
    while not session.has_ended():
        time.sleep(0.01)
    session.reap()
    assert cpu_of([os.getpid()]) >= before + 0.08


@pytest.mark.parametrize(
    ("running", "usable", "free"),
    [("1/90", 4, 4), ("3/90", 4, 2), ("4/90", 4, 1), ("9/90", 4, 1), (None, 4, 1), ("1/90", None, 1)],
)
def test_the_free_cores(running: str | None, usable: int | None, free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs too; a system that does not tell has one."""

    def loads(_: Path, encoding: str) -> str:
        if running is None:
            raise FileNotFoundError(encoding)
        return f"0.10 0.20 0.30 {running} 4711"

    monkeypatch.setattr(Path, "read_text", loads)
    if usable is None:
        monkeypatch.delattr(os, "sched_getaffinity")
    else:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(usable)))
    assert free_cores() == free
