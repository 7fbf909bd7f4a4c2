"""Limits, interrupts and crashes: kept results, and no processes left running."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosslit import Grid, Limits, load, registry
from crosslit.contract import no_time
from crosslit.contract.run import MAX_SECONDS, Presses, Run, RunStatus, Timing, unexplained
from crosslit.judging.verdict import run_findings
from crosslit.questions.compare import jobs
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner
from crosslit.runs.server import ForkServer


def marked(mark: str) -> list[int]:
    """The processes whose environment holds a mark: all that a test started, with or without parents."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return [*filter(alive, found)]


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def timed(solve: float = 1.0, threads: int = 1, **measured: float) -> Run:
    """A complete run that reports a second of solving."""
    timing = Timing({**no_time(), "solve": solve}, **{"cpu": 1.0, "wall": 1.0, **measured})  # type: ignore[arg-type]
    return Run("some", status="complete", timing=timing, threads=threads)


@pytest.mark.parametrize(
    ("measured", "which"),
    [
        ({}, ""),
        ({"wall": 2.0}, ""),  # it may have waited for a processor anywhere
        ({"wall": 1.3, "cpu": 1.3, "overhead": 0.3}, ""),
        ({"wall": 1.3, "cpu": 1.3, "delayed": 0.3}, "CPU"),  # time spent computing is not waiting
        ({"wall": 20.0, "cpu": 1.3, "delayed": 19.0}, "CPU"),  # also where a busy machine let it wait meanwhile
        ({"wall": 0.8, "cpu": 0.8}, "reported"),
        ({"cpu": 2.0}, "CPU"),
        ({"cpu": 2.0, "threads": 2}, ""),
        ({"solve": 0.0, "cpu": 0.02, "wall": 0.04}, ""),  # or by twenty milliseconds
        ({"solve": 0.01, "cpu": 0.031, "wall": 0.04}, "CPU"),
    ],
)
def test_time_is_unexplained_beyond_a_tenth(measured: dict[str, float], which: str) -> None:
    assert unexplained(timed(**measured))[1] == which


def wait_for(condition: object, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")


class Started:
    """A running command, whose processes have a mark in their environment."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.mark = f"CROSSLIT_TEST_MARK={random.SystemRandom().getrandbits(64):x}"
        key, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crosslit", *arguments],
            env={**environment, key: value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_until_hanging(self, number: int) -> None:
        """Wait until there are this number of processes for half a second."""

        def hangs() -> bool:
            before = set(marked(self.mark))
            time.sleep(0.5)
            return len(before) == number and before == set(marked(self.mark))

        assert wait_for(hangs, 60)

    def nothing_left(self) -> bool:
        return wait_for(lambda: not marked(self.mark), 30)


@needs_proc
def test_an_interrupt_ends_everything_and_keeps_what_was_found(planted_environment: dict[str, str]) -> None:
    words = "compare 1111/1111/1111/1111 --backends gauss,native-hang,deaf-hang --timeout 300 --json"
    hanging = Started(planted_environment, *words.split())
    hanging.wait_until_hanging(4)  # the command, its fork server with a watcher, and a run that computes
    os.killpg(hanging.process.pid, signal.SIGINT)  # as the terminal does: to the whole foreground group
    output, errors = hanging.process.communicate(timeout=60)  # the runs would take a quarter of an hour
    assert hanging.process.returncode == 130
    comparison = json.loads(output)
    statuses = {run["backend"]: (run["status"], run["solutions"]) for run in comparison["runs"]}
    assert statuses == {"gauss": ("limit", 2), "native-hang": ("interrupted", 1)}
    assert "Traceback" not in errors
    assert hanging.nothing_left()


@needs_proc
@pytest.mark.parametrize("name", ["kills-its-server", "kills-its-watcher"])
def test_what_a_run_started_that_kills_those_above_it_is_ended(planted_environment: dict[str, str], name: str) -> None:
    started = Started(planted_environment, "compare", "10/01", "--backends", name, "--timeout", "5")
    output, _ = started.process.communicate(timeout=60)
    assert "died" in output
    assert started.nothing_left()


def test_cores_are_given_back() -> None:
    with Runner(Limits(cores=1)) as runner:
        assert [run.status for _, run in runner.runs(jobs(load("10/01"), "gauss") * 3)] == ["complete"] * 3


def test_a_batch_that_ends_at_the_limit_may_be_the_last() -> None:
    (job,) = jobs(load("111/111"), "gauss")
    with Runner(Limits()) as runner:
        found = [runner.run(replace(job, request=Solve(batched=True), limits=Limits(limit))) for limit in (3, 4)]
    assert [(run.status, len(run.grids)) for run in found] == [("limit", 3), ("complete", 4)]


TOO_LOW = [("solutions", 0), ("timeout", 0), ("memory_mb", 0), ("cpu_timeout", 0.0), ("cores", 0)]
TOO_HIGH = [*(("timeout", value) for value in (float("nan"), float("inf"), MAX_SECONDS + 1)), ("cpu_timeout", 1e8)]
NO_NUMBER = [("solutions", 2.0), ("timeout", "5"), ("memory_mb", 1.5), ("cpu_timeout", "1"), ("cores", 0.5)]


@pytest.mark.parametrize(("name", "value"), [*TOO_LOW, *TOO_HIGH, *NO_NUMBER])
def test_limits_are_positive_numbers_that_a_run_can_reach(name: str, value: Any) -> None:
    with pytest.raises(TypeError if (name, value) in NO_NUMBER else ValueError):
        Limits(**{name: value})


@pytest.mark.parametrize(
    "limits", [Limits(1, MAX_SECONDS, 1, MAX_SECONDS, 1), Limits(None, 1e-9, 1 << 40, 1e-9), Limits()]
)
def test_limits_may_be_as_low_and_as_high_as_this(limits: Limits) -> None:
    assert limits.json().items() <= vars(limits).items()
    assert Limits(**limits.json()) == limits
    assert set(limits.json()) >= {"solutions", "timeout", "memory_mb"}


@pytest.mark.parametrize(
    ("cpu_timeout", "cores", "shortest", "words"),
    [
        (1.0, 1, 1.0, "2 s of wall time, 1 s of CPU time of all its processes, 4,096 MB of memory, 1 processor core"),
        (3.0, 2, 2.0, "2 s of wall time, 3 s of CPU time of all its processes, 4,096 MB of memory, 2 processor cores"),
    ],
)
def test_limits_in_words(cpu_timeout: float | None, cores: int | None, shortest: float, words: str) -> None:
    limits = Limits(timeout=2.0, cpu_timeout=cpu_timeout, cores=cores)
    assert limits.shortest == shortest
    assert limits.words == words + (" that it shares with no other run" if cores else "")


@pytest.mark.parametrize(
    ("status", "grids", "bound", "presses"),
    [
        ("complete", ["110", "100"], 0, Presses(1, 1, True)),
        ("complete", [], 5, Presses(None, None, True)),
        ("timeout", ["110", "100"], 1, Presses(1, 1, False)),
        ("limit", [], 5, Presses(None, 5, False)),
    ],
)
def test_what_a_run_claims_of_the_fewest_presses(
    status: RunStatus, grids: list[str], bound: int, presses: Presses
) -> None:
    run = Run("x", status=status, grids=[Grid.from_text(text) for text in grids], bound=bound)
    assert run.presses == presses
    assert run.json(fewest=True)["presses"] == presses.json()
    assert "presses" not in run.json()


def test_the_json_of_a_run_leaves_out_only_a_count_that_was_not_asked_for() -> None:
    record = Run("x", counted=0, stats={"many": 1 << 80}, memory_mb=1.26).json()
    assert (record["count"], record["encoding"], record["error"], record["memory_mb"]) == (0, None, None, 1.3)
    assert "count" not in Run("x").json()
    timing = Timing({**no_time(), "solve": 1.23456789}, cpu=2.0, wall=3.0)
    assert timing.json() == {**no_time(), "solve": 1.234568, "total": 1.234568, "cpu": 2.0, "wall": 3.0}


def test_many_solutions_stream_whole() -> None:
    with Runner(Limits(solutions=None)) as runner:
        ((_, run),) = runner.runs(jobs(load("/".join(["0" * 17] * 16)), "gauss"))
    assert run.status == "complete"
    assert len(set(run.grids)) == len(run.grids) == 2 ** run.stats["nullity"]


@pytest.mark.usefixtures("planted")
def test_a_run_whose_solutions_nobody_takes_has_done_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load("/".join(["0" * 1000] * 1000))
    start = ForkServer.start

    def started(self: ForkServer, *order: Any) -> None:
        start(self, *order)
        time.sleep(2.5)  # in which nobody reads from the pipe

    monkeypatch.setattr(ForkServer, "start", started)
    choice = registry.select_one("same-again", board)
    with Runner(Limits(solutions=None, timeout=2.0)) as runner:
        run = runner.run(Job(choice=choice, puzzle=board, request=Solve()))
    assert run.status == "complete"  # the limit is for its own time
    assert run.timing.overhead > 2
    assert not run_findings(run)
