"""Whole calls of a runner whose fork servers are simulated in this process: losses, interrupts, ends.

A script is a word for each run. The times are those that a server would record, and no test waits for one.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Limits, load
from crosslit.base.errors import CrosslitError
from crosslit.contract import PHASES, no_time
from crosslit.contract.run import MAX_SECONDS, Run, Timing
from crosslit.judging.verdict import run_findings
from crosslit.questions.compare import jobs
from crosslit.runs import runner as runner_module
from crosslit.runs.child import Outbox
from crosslit.runs.job import Job
from crosslit.runs.messages import MAX_BOUND, End, Order, Page, send
from crosslit.runs.runner import Runner, isolated
from crosslit.runs.server import ForkServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no isolated runs")

BOARD, SOLUTION = load("000/000/000"), b"\x09\x00"
SEGV, KILL = -int(signal.SIGSEGV), -int(signal.SIGKILL) if sys.platform != "win32" else 0
RECORD = {"code": 0, "killed": "", "cpu": 1.0, "forked": 100.0, "exited": 101.0, "delayed": 0.0, "handed": 0.0}
RECORD |= {"left": 0, "memory": 3 << 20, "output": "", "error": ""}
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
    "crash": (None, {"code": SEGV, "error": "assertion failed"}),
    "exit": (None, {"code": 0}),
    "dies": (None, None),
    "hangs": (None, None),
    "rubbish": ({}, {}),
    "rubbish, then a kill": (None, {"code": KILL}),
    "no grid": ({}, {}),
    "scribbles": ({}, {}),  # on its page
    "floods": (None, None),  # eight solutions
}


class Simulated(ForkServer):
    """A server that ends every run as its script says, at once or when it is asked to stop it."""

    def __init__(self, stage: Stage, key: tuple[str, tuple[str, ...]], is_forked: bool) -> None:
        self.control, self._other = socket.socketpair()
        self.is_forked = is_forked
        self.stage, self.key, self.is_idle, self.is_closed = stage, key, True, False

    def start(self, order: Order, file: int, pipe: int) -> None:
        stage, self.is_idle = self.stage, False
        word = stage.script.pop(0) if stage.script else "complete"
        stage.begun.append((len(stage.servers), len(stage.live)))
        stage.orders.append(order)
        self.page = page = Page.of_file(file)
        page.seconds[:] = [{**no_time(), "solve": stage.solve}[phase] for phase in PHASES]
        outbox = Outbox(page, pipe)
        outbox.note_bound(7)
        for solution in [b"\x09\x80" if word == "no grid" else SOLUTION] * (8 if word == "floods" else 1):
            outbox.send(solution)
        page.phase, page.moment, page.handed = stage.phase, stage.moment, stage.handed
        if word.startswith("rubbish"):
            os.write(pipe, b"\x09")
        end, record = OUTCOMES[word]
        if end is not None:
            payload = End(**{"status": "complete", "began": 100.0, "ended": 101.0, **end}).pack()
            os.pwrite(file, payload, mmap.PAGESIZE)
            page.end = 2**63 + 5 if word == "scribbles" else len(payload)
        if word == "scribbles":
            page.bound = 2**64 - 1
        stage.live.append(self)
        if word == "dies":
            self._other.close()
        elif record is not None:
            self.tell(record)

    def tell(self, record: dict[str, Any]) -> None:
        self.stage.live.remove(self)
        send(self._other, json.dumps({**RECORD, **record}).encode())

    def record(self, seconds: float) -> dict[str, Any]:
        self.stage.obey()
        return super().record(seconds)

    def close(self, _seconds: float = 0.0) -> str:
        assert not self.is_closed
        self.is_closed = True
        self.control.close()
        self._other.close()
        if self in self.stage.live:
            self.stage.live.remove(self)
        return ""


class Stage:
    """What the simulated servers of a test do, and what was asked of them."""

    def __init__(self) -> None:
        self.script: list[str] = []
        self.servers: list[Simulated] = []
        self.begun: list[tuple[int, int]] = []  # servers at the start of a run, other runs at that time
        self.orders: list[Order] = []
        self.live: list[Simulated] = []
        self.started: list[Job] = []
        self.phase, self.solve, self.moment, self.handed = PHASES.index("solve"), 1.0, 0.0, 0.0  # on the page of a run

    def add(self, modules: tuple[str, ...], is_forked: bool, python: str) -> Simulated:
        self.servers.append(Simulated(self, (python, modules), is_forked))
        return self.servers[-1]

    def end_one(self) -> None:
        """End the first of the current runs."""
        if self.live:
            self.live[0].tell({"killed": "memory"})

    def obey(self) -> None:
        """End the runs that are asked to stop."""
        for server in [*self.live]:
            if server.page.stop and server._other.fileno() >= 0:
                server.tell({"code": KILL, "killed": "interrupted"})


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage()
    monkeypatch.setattr(runner_module, "ForkServer", made.add)
    yield made
    assert not made.live
    assert all(server.is_closed for server in made.servers)


def job(spec: str = "gauss", **more: Any) -> Job:
    return replace(jobs(BOARD, spec)[0], **more)


def carried_out(stage: Stage, script: str, sink: Any = None) -> Run:
    stage.script = [script]
    with Runner(Limits(), on_start=stage.started.append) as runner:
        runner.on_idle = stage.obey
        return runner.run(job(), sink)


@pytest.mark.parametrize(
    ("script", "status", "error", "problems"),
    [
        ("complete", "complete", "", []),
        ("gives up", "gave-up", "enough", []),
        ("waits", "complete", "", []),
        ("scribbles", "complete", "", []),
        ("slow", "complete", "", []),
        ("late kill", "complete", "", []),  # it had reported its end
        ("leaves processes", "complete", "", ["orphaned-process"]),
        ("prints", "complete", "", ["stray-output"]),
        ("timeout", "timeout", "", []),
        ("memory", "memory", "", []),
        ("cpu", "timeout", "the limit of CPU time", []),
        ("crash", "error", "killed by SIGSEGV: assertion failed", ["error"]),
        ("exit", "error", "exit status 0", ["error"]),
        ("rubbish", "error", "it wrote 3 bytes where 2 are expected to the pipe of its run", ["error"]),
        (*("rubbish, then a kill", "error", "it wrote 3 bytes where 2 are expected to the pipe of its run"), ["error"]),
        ("dies", "lost", "the worker process that started it died", []),
        ("killed", "lost", "killed by SIGKILL", []),
    ],
)
@pytest.mark.parametrize("has_sink", [False, True])
def test_a_run_ends_once_and_keeps_what_it_has_found(
    stage: Stage, script: str, status: str, error: str, problems: list[str], has_sink: bool
) -> None:
    taken: list[bytes] = []
    run = carried_out(stage, script, (lambda packed: taken.append(packed) is None) if has_sink else None)
    assert (run.status, run.error) == (status, error)
    assert [finding.problem for finding in run_findings(run)] == problems
    assert (len(stage.begun), len(stage.started)) == (1, 1)
    assert b"".join(taken if has_sink else [grid.packed for grid in run.grids]) == SOLUTION
    assert run.bound == (MAX_BOUND if script == "scribbles" else 7)
    assert run.memory_mb == (0.0 if script == "dies" else 3.0)
    assert stage.orders[0].counts_handing == has_sink


def test_bits_past_the_last_cell_are_no_answer(stage: Stage) -> None:
    run = carried_out(stage, "no grid")
    said = "it wrote the bits past the last cell must be 0 to the pipe of its run"
    assert (run.status, run.error, [*run.grids]) == ("error", said, [])


@pytest.fixture
def timed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Timing]:
    """Return the times of a run from 100 to 104, by what is on its page and by its end, if it is not killed."""

    def run(end: dict[str, float] | None, solve: float, moment: float, handed: float) -> Timing:
        record = {"exited": 104.0, "delayed": 0.5, "handed": handed}
        killed = {"code": KILL, "killed": "timeout"} if end is None else {}
        monkeypatch.setitem(OUTCOMES, "timed", (end, {**record, **killed}))
        stage.solve, stage.moment, stage.handed = solve, moment, handed
        return carried_out(stage, "timed").timing

    return run


@pytest.mark.parametrize(
    ("began", "ended", "handed", "overhead"),
    [
        (100.0, 104.0, 0.0, 0.0),
        (100.25, 103.75, 1.0, 1.5),
        (101.0, 104.0, 0.0, 0.25),  # only a part of the time before a run and after it is not its own
        (100.0, 103.0, 0.0, 0.25),
        (100.0, 104.0, float("nan"), 0.0),
    ],
)
def test_overhead(timed: Callable[..., Timing], began: float, ended: float, handed: float, overhead: float) -> None:
    found = timed({"began": began, "ended": ended}, 1.0, 0.0, handed)
    assert (found.overhead, found.delayed, found.wall) == (overhead, 0.5, 4.0)


@pytest.mark.parametrize(
    ("moment", "before", "handed", "solve", "overhead"),
    [
        (0.0, 0.0, 0.0, 4.0, 0.0),  # its clock was never noted
        (101.0, 0.5, 0.0, 3.5, 0.5),
        (101.0, 0.5, 1.5, 2.5, 1.5),
        (101.0, 0.5, 9.0, 0.5, 3.5),  # it says so of more time than there was
        (105.0, 0.5, 0.0, 0.5, 3.5),  # or names a moment after its end
        (90.0, 0.0, 0.0, 4.0, 0.0),  # or before its start
        (101.0, float("nan"), 0.0, 3.0, 1.0),  # or a time that is none
        (101.0, MAX_SECONDS + 1, 0.0, 3.0, 1.0),
    ],
)
def test_the_time_of_a_killed_run_after_the_last_sign_of_its_clock(
    timed: Callable[..., Timing], moment: float, before: float, handed: float, solve: float, overhead: float
) -> None:
    found = timed(None, before, moment, handed)
    assert (found.phases, found.overhead) == ({**no_time(), "solve": solve}, overhead)


def test_the_time_of_an_unknown_phase_is_that_of_the_last(stage: Stage, timed: Callable[..., Timing]) -> None:
    stage.phase = 99
    assert timed(None, 0.0, 101.0, 0.0).phases == {**no_time(), PHASES[-1]: 3.0}


def test_a_run_that_has_ended_is_not_waited_for(stage: Stage) -> None:
    with Runner(Limits()) as runner:
        runner.on_idle = lambda: pytest.fail("it waits though nothing runs")
        ends = [(runner.run(job()).status, gc.collect(), len([*Path("/dev/fd").iterdir()])) for _ in range(2)]
    assert ends[1][::2] == ("complete", ends[0][2])  # it leaves no file open


@pytest.mark.parametrize(
    ("fork_first", "forked"), [(True, [False, False]), (True, [True, False]), (False, [False] * 3)]
)
def test_a_command_has_one_server_for_all_backends_and_others_one_for_each_set_of_modules(
    stage: Stage, fork_first: bool, forked: list[bool]
) -> None:
    given = [jobs(load("1|1"), spec)[0] for spec in ("line", "hybrid", "line")]
    given.insert(0 if fork_first and not forked[0] else 3, replace(given[0], python="another"))
    with Runner(Limits(), fork_first=fork_first) as runner:
        for each in given:
            runner.run(each)
    assert [server.is_forked for server in stage.servers] == forked


@pytest.mark.parametrize("once", [False, True])
def test_modules_that_few_puzzles_need_are_loaded_before_a_run_unless_it_is_the_only_one(
    stage: Stage, once: bool
) -> None:
    (given,) = jobs(load("1|1"), "hybrid")
    with Runner(Limits(), once=once) as runner:
        runner.run(given)
    assert stage.orders[0].modules == given.backend.preload + (() if once else given.backend.seldom)


def test_what_a_sink_does_not_take_is_no_lost_answer(stage: Stage) -> None:
    run = carried_out(stage, "floods", lambda _packed: False)
    assert (run.status, run.error) == ("limit", "")


@pytest.mark.parametrize("status", ["memory", "interrupted"])
def test_a_run_ends_when_its_solutions_fill_a_quarter_of_its_memory(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Four megabytes have one for solutions; each takes an eighth of that, or four bytes more."""
    monkeypatch.setattr("crosslit.runs.runner._GRID_BYTES", (1 << 20) // 8 - 4 * (status == "interrupted"))
    stage.script = ["floods"]
    with Runner(Limits(memory_mb=4)) as runner:
        runner.on_idle = lambda: (stage.obey(), setattr(runner, "interrupted", True))
        run = runner.run(job())
    assert (run.status, len(run.grids)) == (status, 8)
    assert run.error == ("its solutions fill the quarter of the memory limit reserved for them" * (status == "memory"))


def test_a_server_that_says_nothing_beyond_the_limit_is_given_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "GRACE_SECONDS", -1000.0)
    stage.script = ["hangs", "complete"]
    with Runner(Limits()) as runner:
        assert [runner.run(job()).status for _ in range(2)] == ["lost", "complete"]
    assert len(stage.servers) == 2


def test_no_server_is_given_up_because_this_process_was_busy(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(runner_module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def busy(_: object) -> bool:
        now[0] += 1000.0
        return True

    stage.script = ["hangs", "hangs"]
    with Runner(Limits(), side_by_side=2) as runner:
        runner.on_idle = stage.end_one
        # the second run ends while this process is busy with the first
        found = [run.status for _, run in runner.runs([job()] * 2, busy) if busy(run) and not stage.end_one()]
    assert found == ["memory", "memory"]


@pytest.mark.parametrize("side_by_side", [1, 2, 3])
def test_as_many_runs_are_made_at_once_as_may_be(stage: Stage, side_by_side: int) -> None:
    stage.script = ["hangs"] * 3
    with Runner(Limits(), side_by_side) as runner:
        runner.on_idle = stage.end_one
        assert [run.status for _, run in runner.runs([job()] * 3)] == ["memory"] * 3
    assert max(stage.begun) == (side_by_side, side_by_side - 1)


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

    def interrupted(self: Simulated, *order: Any) -> None:
        runner.interrupted = True
        start(self, *order)

    monkeypatch.setattr(Simulated, "start", interrupted)
    with Runner(Limits()) as runner:
        runner.on_idle = stage.obey
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
        assert not stage.live
        assert runner.run(job()).status == "complete"


def test_the_last_progress_is_told(stage: Stage) -> None:
    steps = list[tuple[int, int]]()
    stage.script = ["hangs"]
    with Runner(Limits()) as runner:
        runner.on_step = lambda done, of: steps.append((done, of))

        def idle() -> None:
            page = stage.live[0].page
            page.done, page.of = page.done + 1, 9
            runner.interrupted = page.done >= 3
            stage.obey()

        runner.on_idle = idle
        runner.run(job())
    assert [*dict.fromkeys(steps)][:3] == [(1, 9), (2, 9), (3, 9)]


@pytest.mark.parametrize(
    ("options", "limits", "cores"), [({}, None, 1), ({"cores": 3}, None, 3), ({"cores": 3}, Limits(timeout=7.0), 3)]
)
def test_the_order_has_the_limits_of_the_job_or_else_of_the_runner(
    stage: Stage, options: dict[str, int], limits: Limits | None, cores: int
) -> None:
    with Runner(Limits(timeout=5.0), group_of=lambda number: f"group {number}", **options) as runner:
        runner.run(job(limits=limits))
        assert runner.run(replace(job("first-row"), repetition=4)).repetition == 4
    first, second = stage.orders
    assert (first.limits.timeout, first.max_cores, first.group) == (limits.timeout if limits else 5.0, cores, "group 1")
    assert (second.group, second.counts_handing) == ("group 2", False)


# macOS and Windows have no call for it, and there a limit of cores is refused before any run
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process to cores")
def test_a_run_is_pinned_to_the_cores_of_the_limits_or_may_use_those_of_the_runner(stage: Stage) -> None:
    for limits, cores, expected in [(Limits(cores=1), 3, (1, 1)), (Limits(), 3, (3, 0))]:
        with Runner(limits, cores=cores) as runner:
            runner.run(job())
        assert (stage.orders[-1].max_cores, len(stage.orders[-1].cores)) == expected


@pytest.mark.parametrize(("is_interrupted", "status"), [(False, "error"), (True, "interrupted")])
def test_a_run_whose_server_does_not_start_has_its_reason(
    monkeypatch: pytest.MonkeyPatch, is_interrupted: bool, status: str
) -> None:
    def fails(*_: object) -> Any:
        runner.interrupted = is_interrupted
        raise CrosslitError("no reason given")

    monkeypatch.setattr(runner_module, "ForkServer", fails)
    with Runner(Limits()) as runner:
        run = runner.run(job())
    assert (run.status, run.error) == (status, "no reason given")


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
