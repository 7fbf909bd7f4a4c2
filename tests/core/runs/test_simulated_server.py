"""Whole calls of a runner whose fork servers are simulated in this process: losses, interrupts, ends.

A script is a word for each run. The times are those that a server would record, and no test waits for one.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Limits, load
from crosslit.contract import Clock, no_time
from crosslit.contract.run import Run
from crosslit.judging.verdict import run_findings
from crosslit.questions.compare import jobs
from crosslit.registry import select_one
from crosslit.runs import runner as runner_module
from crosslit.runs import server as server_module
from crosslit.runs.job import Job, Solve
from crosslit.runs.report import Frames
from crosslit.runs.runner import Runner, isolated
from crosslit.runs.server import ForkServer
from crosslit.runs.wire import ENDED, HEADER, SOLUTIONS, End, Order, Pipe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no isolated runs")

BOARD = load("10/01")
SEGV, KILL = -int(signal.SIGSEGV), -int(signal.SIGKILL) if sys.platform != "win32" else 0
END = {"phases": {**no_time(), "solve": 1.0}, "began": 100.0, "ended": 101.0}
RECORD = {
    "code": 0,
    "killed": "",
    "cpu": 1.0,
    "forked": 100.0,
    "exited": 101.0,
    "delayed": 0.0,
    "handed": 0.0,
    "left": 0,
    "memory": 3 << 20,
    "output": "",
    "errors": "",
}
# How a run ends: the fields of its end (None without one), and those of its server's record (None without one).
OUTCOMES: dict[str, tuple[dict[str, Any] | None, dict[str, Any] | None]] = {
    "complete": ({}, {}),
    "slow": ({}, {"exited": 105.0}),  # it waited where it could not report that
    "waits": ({}, {"exited": 105.0, "delayed": 3.9}),  # most of it for a processor
    "late kill": ({}, {"code": KILL}),
    "leaves processes": ({}, {"left": 2}),
    "prints": ({}, {"output": "hello"}),
    "gives up": ({"status": "gave-up", "reason": "enough"}, {}),
    "killed": (None, {"code": KILL}),
    "timeout": (None, {"code": KILL, "killed": "timeout"}),
    "memory": (None, {"code": KILL, "killed": "memory"}),
    "cpu": (None, {"code": KILL, "killed": "cpu"}),
    "crash": (None, {"code": SEGV, "errors": "loading\n\nassertion failed \n"}),
    "exit": (None, {"code": 0}),
    "dies": (None, None),
    "hangs": (None, None),
    "rubbish": (None, None),
    "floods": (None, None),
}


class Simulated(ForkServer):
    """A server that ends every run as its script says, at once or when it is told to kill it."""

    def __init__(self, stage: Stage) -> None:
        self.control, self._other = socket.socketpair()
        self.messages, self.stage = Frames(), stage
        self.is_closed = False

    def start(self, order: Order, descriptor: int) -> None:
        stage = self.stage
        word = stage.script.pop(0) if stage.script else "complete"
        stage.begun.append((order.number, len(stage.servers), len(stage.live)))
        stage.orders.append(order)
        stage.live[order.number] = self
        end, record = OUTCOMES[word]
        pipe = Pipe(os.dup(descriptor), Clock())
        stage.pipes[order.number] = pipe
        try:
            if word == "rubbish":
                os.write(pipe._descriptor, b"?" * 20)
            pipe.bound(7)
            for solution in [b"\x09"] * (8 if word == "floods" else 1):
                pipe.answer(SOLUTIONS, solution)
            if end is not None:
                told = End(**{"status": "complete", **END, **end})
                pipe.end(told.pack(0))
        finally:
            if word == "dies":
                self._other.close()
            elif record is not None:
                self.tell(order.number, record)

    def tell(self, number: int, record: dict[str, Any]) -> None:
        del self.stage.live[number]
        os.close(self.stage.pipes.pop(number)._descriptor)
        body = json.dumps({**RECORD, **record, "number": number}).encode()
        self._other.sendall(HEADER.pack(ENDED, len(body)) + body)

    def interrupt(self, number: int) -> None:
        self.stage.interrupts.append(number)
        if number in self.stage.live and self._other.fileno() >= 0:
            self.tell(number, {"code": KILL, "killed": "interrupted"})

    def close(self, _seconds: float = 0.0) -> None:
        self.is_closed = True
        self.control.close()
        self._other.close()
        for number in [number for number, server in self.stage.live.items() if server is self]:
            del self.stage.live[number]
            os.close(self.stage.pipes.pop(number)._descriptor)


class Stage:
    """What the simulated servers of a test do, and what was asked of them."""

    def __init__(self) -> None:
        self.script: list[str] = []
        self.servers: list[Simulated] = []
        self.begun: list[tuple[int, int, int]] = []  # number of a run, servers until then, other runs at that time
        self.orders: list[Order] = []
        self.live: dict[int, Simulated] = {}
        self.pipes: dict[int, Pipe] = {}
        self.interrupts: list[int] = []
        self.started: list[Job] = []

    def add(self, *_: object) -> Simulated:
        self.servers.append(Simulated(self))
        return self.servers[-1]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage()
    monkeypatch.setattr(server_module, "ForkServer", made.add)
    yield made
    assert not made.live
    assert all(server.is_closed for server in made.servers)


def job(spec: str = "gauss", **more: Any) -> Job:
    return replace(jobs(BOARD, spec)[0], **more)


def carried_out(stage: Stage, script: list[str], sink: Any = None, **options: Any) -> Run:
    stage.script = [*script]
    with Runner(options.pop("limits", Limits()), on_start=stage.started.append, **options) as runner:
        return runner.run(job(), sink)


@pytest.mark.parametrize(
    ("script", "status", "error", "problems"),
    [
        ("complete", "complete", "", []),
        ("gives up", "gave-up", "enough", []),
        ("waits", "complete", "", []),
        ("slow", "complete", "", []),
        ("late kill", "complete", "", []),  # it had reported its end
        ("leaves processes", "complete", "", ["orphaned-process"]),
        ("prints", "complete", "", ["stray-output"]),
        ("timeout", "timeout", "", []),
        ("memory", "memory", "", []),
        ("cpu", "timeout", "the limit of CPU time", []),
        ("crash", "error", "killed by SIGSEGV: assertion failed ", ["error"]),
        ("exit", "error", "exit status 0", ["error"]),
        ("rubbish", "error", "it wrote rubbish where a frame is expected to the pipe of its run", ["error"]),
        ("dies", "lost", "the worker process that started it died", []),
        ("killed", "lost", "killed by SIGKILL", []),
    ],
)
@pytest.mark.parametrize("has_sink", [False, True])
def test_a_run_ends_once_and_keeps_what_it_has_found(
    stage: Stage, script: str, status: str, error: str, problems: list[str], has_sink: bool
) -> None:
    taken: list[bytes] = []
    run = carried_out(stage, [script], (lambda packed: taken.append(packed) is None) if has_sink else None)
    assert (run.status, run.error.strip()) == (status, error.strip())
    assert [finding.problem for finding in run_findings(run)] == problems
    assert (len(stage.begun), len(stage.started)) == (1, 1)
    found = [] if script == "rubbish" else [b"\x09"]
    assert (taken if has_sink else [grid.packed for grid in run.grids]) == found
    assert (run.bound, run.memory_mb) == (7 * len(found), 0.0 if script == "dies" else 3.0)
    assert stage.orders[0].counts_handing == has_sink


def test_what_a_sink_does_not_take_is_no_lost_answer(stage: Stage) -> None:
    run = carried_out(stage, ["floods"], lambda _packed: False)
    assert (run.status, run.error, {*stage.interrupts}) == ("limit", "", {1})
    run = carried_out(stage, ["complete"], lambda _packed: False)
    assert run.status == "limit"


@pytest.mark.parametrize(("cells", "status"), [(450 + 1, "memory"), (1 << 20, "interrupted")])
def test_a_run_ends_when_its_solutions_fill_a_quarter_of_its_memory(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, cells: int, status: str
) -> None:
    """A megabyte has a quarter for solutions; each takes the given share of that and two bytes more."""
    monkeypatch.setattr("crosslit.runs.report._GRID_BYTES", (1 << 18) // 8 - 2 * (status == "interrupted"))
    stage.script = ["floods"]
    with Runner(Limits(memory_mb=1)) as runner:
        runner.on_idle = lambda: setattr(runner, "interrupted", True)
        run = runner.run(job())
    assert (run.status, len(run.grids)) == (status, 8)
    assert run.error == ("its solutions fill the quarter of the memory limit reserved for them" * (status == "memory"))


def test_a_server_that_says_nothing_beyond_the_limit_is_given_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "GRACE_SECONDS", -1000.0)
    stage.script = ["hangs", "complete"]
    with Runner(Limits()) as runner:
        assert [runner.run(job()).status for _ in range(2)] == ["lost", "complete"]
    assert len(stage.servers) == 2


def test_only_the_runs_of_a_server_that_died_are_lost(stage: Stage) -> None:
    stage.script = ["hangs", "dies"]
    with Runner(Limits(), side_by_side=2) as runner:

        def idle() -> None:
            stage.live[1].tell(1, {"code": 1, "killed": "memory"})

        runner.on_idle = idle
        found = [(each.spec, run.status) for each, run in runner.runs([job("gauss"), job("minisat22")])]
    assert found == [("minisat22", "lost"), ("gauss", "memory")]
    assert stage.begun == [(1, 1, 0), (2, 2, 1)]


def test_a_server_that_reports_progress_within_the_limit_is_not_given_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(runner_module, "time", SimpleNamespace(monotonic=lambda: now))
    stage.script = ["hangs"]
    with Runner(Limits(timeout=5.0)) as runner:

        def idle() -> None:
            nonlocal now
            now += 0.6 * (5.0 + runner_module.GRACE_SECONDS)
            if now > 2 * (5.0 + runner_module.GRACE_SECONDS):
                stage.live[1].tell(1, {"killed": "memory"})
            else:
                stage.pipes[1].bound(7)

        runner.on_idle = idle
        assert runner.run(job()).status == "memory"
    assert len(stage.servers) == 1


@pytest.mark.parametrize("side_by_side", [1, 2, 3])
def test_as_many_runs_are_made_at_once_as_may_be(stage: Stage, side_by_side: int) -> None:
    stage.script = ["hangs"] * 3
    with Runner(Limits(), side_by_side) as runner:
        most: list[int] = []

        def idle() -> None:
            most.append(len(stage.live))
            first = min(stage.live)
            stage.live[first].tell(first, {"killed": "memory"})

        runner.on_idle = idle
        assert [run.status for _, run in runner.runs([job()] * 3)] == ["memory"] * 3
    assert max(most) == side_by_side
    assert stage.interrupts == []


@pytest.mark.parametrize(
    ("script", "status", "error"),
    [
        ("hangs", "interrupted", ""),
        ("dies", "lost", "the worker process that started it died"),
        ("killed", "lost", "killed by SIGKILL"),
        ("slow", "complete", ""),
    ],
)
def test_an_interrupt_ends_the_runs_and_starts_no_other(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, script: str, status: str, error: str
) -> None:
    stage.script = [script, "complete"]
    start = Simulated.start

    def interrupted(self: Simulated, order: Order, descriptor: int) -> None:
        runner.interrupted = True
        start(self, order, descriptor)

    monkeypatch.setattr(Simulated, "start", interrupted)
    with Runner(Limits()) as runner:
        found = [(run.status, run.error) for _, run in runner.runs([job(), job()])]
        assert runner.run(job()).status == "interrupted"
    assert found == [(status, error)]
    assert len(stage.begun) == 1


def test_a_consumer_that_leaves_ends_the_runs_that_it_did_not_wait_for(stage: Stage) -> None:
    stage.script = ["complete", "hangs", "complete"]
    with Runner(Limits(), side_by_side=2) as runner:
        runs = runner.runs([job()] * 2)
        next(runs)
        runs.close()
        assert stage.interrupts[-1:] in ([], [2])
        assert not runner._active
        assert runner.run(job()).status == "complete"


def test_progress_is_told_once_and_the_last_one_counts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    start, steps = Simulated.start, list[tuple[int, int]]()

    def stepping(self: Simulated, order: Order, descriptor: int) -> None:
        pipe = Pipe(descriptor, Clock())
        pipe.step(1, 9)
        pipe.step(2, 9)
        start(self, order, descriptor)

    monkeypatch.setattr(Simulated, "start", stepping)
    stage.script = ["hangs"]
    with Runner(Limits()) as runner:
        runner.on_step = lambda done, of: steps.append((done, of))
        runner.on_idle = lambda: setattr(runner, "interrupted", True)
        runner.run(job())
    assert steps == [(2, 9)]


@pytest.mark.parametrize(
    ("options", "limits", "cores"),
    [({}, None, 1), ({"cores": 3}, None, 3), ({"cores": 3}, Limits(timeout=7.0), 3)],
)
def test_the_order_has_the_limits_of_the_job_or_else_of_the_runner(
    stage: Stage, options: dict[str, int], limits: Limits | None, cores: int
) -> None:
    with Runner(Limits(timeout=5.0), group_of=lambda number: f"group {number}", **options) as runner:
        runner.run(job(limits=limits))
        assert runner.run(replace(job("first-row"), repetition=4)).repetition == 4
    first, second = stage.orders
    assert (first.limits.timeout, first.max_cores, first.group) == (limits.timeout if limits else 5.0, cores, "group 1")
    assert (second.number, second.backend, second.group, second.counts_handing) == (2, "first-row", "group 2", False)


# macOS and Windows have no call for it, and there a limit of cores is refused before any run
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process to cores")
def test_a_run_is_pinned_to_the_cores_of_the_limits_or_may_use_those_of_the_runner(stage: Stage) -> None:
    for limits, cores, expected in [(Limits(cores=1), 3, (1, 1)), (Limits(), 3, (3, 0))]:
        with Runner(limits, cores=cores) as runner:
            runner.run(job())
        assert (stage.orders[-1].max_cores, len(stage.orders[-1].cores)) == expected


def test_a_server_that_does_not_start_is_an_error(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from crosslit.base.errors import CrosslitError

    outcomes: list[Callable[[], Any]] = []

    def fails() -> Any:
        raise CrosslitError("no reason given")

    def loaded(*_: object) -> Any:
        return outcomes.pop(0)()

    monkeypatch.setattr(server_module.ForkServers, "loaded", loaded)
    for is_interrupted, status in ((False, "error"), (True, "interrupted")):
        with Runner(Limits()) as runner:

            def interrupted(runner: Runner = runner, value: bool = is_interrupted) -> Any:
                runner.interrupted = value
                return fails()

            outcomes[:] = [interrupted]
            run = runner.run(job())
        assert (run.status, run.error, outcomes) == (status, "no reason given", [])


def test_a_second_interrupt_is_raised_and_the_handler_comes_back(stage: Stage) -> None:
    before = signal.getsignal(signal.SIGINT)
    with Runner(Limits()) as runner:
        with runner.guard(), runner.guard():
            signal.raise_signal(signal.SIGINT)
            assert runner.interrupted
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is before
        runner.interrupted = False
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with runner.guard():  # a command in the background
                signal.raise_signal(signal.SIGINT)
            assert not runner.interrupted
        finally:
            signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_a_runner_of_ones_own_is_raised_when_it_has_ended(stage: Stage) -> None:
    given = Runner(Limits())
    with isolated(given, Limits(timeout=1.0)) as same:
        assert same is given
        same.interrupted = True
    given.__exit__()
    with pytest.raises(KeyboardInterrupt), isolated(None, Limits(timeout=1.0)) as own:
        own.interrupted = True
    with isolated(None, Limits(timeout=1.0)) as own:
        assert own.limits.timeout == 1.0


def test_a_run_that_its_backend_refuses_is_not_started(stage: Stage) -> None:
    refused = Job(choice=replace(select_one("gauss", BOARD), refusal="too large"), puzzle=BOARD, request=Solve())
    with Runner(Limits()) as runner:
        found = [(run.status, run.error) for _, run in runner.runs([refused, job(), refused])]
    assert found == [("unsupported", "too large"), ("complete", ""), ("unsupported", "too large")]
    assert len(stage.begun) == 1
