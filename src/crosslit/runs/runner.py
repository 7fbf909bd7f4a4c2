"""Isolated runs under limits: the parent process's side.

One fork server (`crosslit.runs.server`) for each set of engine modules is started on first use and kept for all
runs. The server enforces the limits; this side collects solutions as they come, so that a killed run keeps its
solutions.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import selectors
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

from crosslit.base.errors import CrosslitError, UnenforcedLimit
from crosslit.base.grids import Grids
from crosslit.base.posix import fcntl, isolation_problem, require_isolation
from crosslit.contract import QUESTIONS, Clock
from crosslit.contract.run import Limits, Run, Timing
from crosslit.runs.job import Job, Solve, drive, drive_count
from crosslit.runs.report import RunReport
from crosslit.runs.sandbox import CorePool
from crosslit.runs.server import CHUNK, ForkServer, ForkServers
from crosslit.runs.wire import ENDED, Order, failure

GRACE_SECONDS = 10.0  # time beyond a run's limit until its server is considered dead
Sink = Callable[[bytes], bool]


@dataclass(kw_only=True)
class _Active:
    """A current run."""

    job: Job
    sink: Sink | None  # takes its solutions, if they are not kept in the run
    order: Order
    run: Run
    server: ForkServer
    pipe: int
    report: RunReport
    full: bool = False  # they take more than is allowed
    stopped: bool = False  # its sink stops it
    deadline: float = 0.0  # when its server is considered dead

    def __post_init__(self) -> None:
        self.extend()

    def extend(self) -> None:
        """Expect a sign of life within the limit, which does not count the time in which this process takes data."""
        self.deadline = time.monotonic() + self.order.limits.timeout + GRACE_SECONDS


class Runner:
    """A context manager that runs jobs in separate processes, and leaves no process running.

    No run is repeated. If its server died, or its process was killed from outside, its status is ``lost``: another run
    or the machine may be the cause.

    After an interrupt (Ctrl-C) the current runs are killed and yielded with their solutions, the rest is not started,
    and ``interrupted`` is true.
    """

    def __init__(
        self,
        limits: Limits,  # of each job that has none
        side_by_side: int = 1,  # number of concurrent runs; more than one makes their times unreliable
        on_start: Callable[[Job], None] = lambda _: None,  # called when its server is loaded and its run starts
        fork_first: bool = False,  # fork the first server from this process if possible, see `ForkServers`
        once: bool = False,  # one run for each backend: modules that few puzzles need are not loaded in advance
        group_of: Callable[[int], str] | None = None,  # returns the path of a run's control group, by its number
        cores: int = 1,  # number of processor cores that a run may use, unless its limits say it
    ) -> None:
        require_isolation()
        if side_by_side < 1:
            raise ValueError(f"the number of concurrent runs is at least 1, not {side_by_side}")
        self.interrupted = False
        self.limits = limits
        self.on_step: Callable[[int, int], None] = lambda _done, _of: None  # called with a run's progress
        self.on_idle: Callable[[], object] = lambda: None  # called after a tenth of a second without data
        self._side_by_side = side_by_side
        self._on_start = on_start
        self._group_of = group_of
        self._max_cores = limits.cores or cores
        self._cores = CorePool(limits.cores, side_by_side) if limits.cores else None
        self._servers = ForkServers(fork_first)
        self._once = once
        self._active: dict[int, _Active] = {}
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._servers.close()

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Record an interrupt instead of raising it; a second one raises KeyboardInterrupt.

        Guards may be nested. If interrupts are ignored (a command in the background), they stay ignored.
        """

        def note(_number: int, _frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        ):
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def runs(self, jobs: Iterable[Job], sink: Sink | None = None) -> Generator[tuple[Job, Run], None, None]:
        """Yield the runs, each as it ends; the next job is taken when a run can start.

        A sink takes the solutions instead of the runs, packed and concatenated, as soon as they arrive. The run waits
        for it, and ends as ``limit`` if it returns False.
        """
        waiting = iter(jobs)
        left = True
        with selectors.DefaultSelector() as selector, self.guard():
            try:
                while (left and not self.interrupted) or self._active:
                    while left and not self.interrupted and len(self._active) < self._side_by_side:
                        job = next(waiting, None)
                        if job is None:
                            left = False
                        elif job.refusal is not None:
                            yield job, job.blank("unsupported", job.refusal)
                        else:
                            yield from self._start(job, sink, selector)
                    if self.interrupted:
                        for number, active in self._active.items():
                            active.server.interrupt(number)
                    if self._active:  # otherwise there is nothing to wait for
                        yield from self._step(selector)
            finally:
                for number, active in list(self._active.items()):  # the consumer has stopped, or an error occurred
                    active.server.interrupt(number)
                    self._forget(number, selector)

    def run(self, job: Job, sink: Sink | None = None) -> Run:
        """Return one run, see `runs`; after an interrupt it is not started, and its status says so."""
        return next((run for _, run in list(self.runs([job], sink))), job.blank("interrupted"))

    def _start(self, job: Job, sink: Sink | None, selector: selectors.BaseSelector) -> Iterator[tuple[Job, Run]]:
        limits = job.limits or self.limits
        always, seldom = job.preload
        try:
            server = self._servers.loaded(always, () if self._once else seldom, job.python)
        except CrosslitError as error:  # it did not start
            yield job, job.blank("interrupted" if self.interrupted else "error", str(error))
            return
        self._on_start(job)  # not before: a progress display starts a thread, after which nothing can be forked
        self._number += 1
        run = job.blank()
        backend = job.choice.backend.name if job.choice else ""
        cores = self._cores.take() if self._cores else ()
        group = self._group_of(self._number) if self._group_of else ""
        order = Order(
            number=self._number,
            backend=backend,
            limits=limits,
            job=pickle.dumps(job),
            cores=cores,
            max_cores=self._max_cores,
            group=group,
            modules=always + (() if self._once else seldom),
            # a list of solutions ends when its user expects it; a run that is compared has its own time
            counts_handing=sink is not None,
        )
        ours, theirs = os.pipe()
        if sink is not None:
            _widen(ours)
        os.set_blocking(ours, False)
        report = RunReport(job, limits, sink is None)
        run.grids = report.grids
        active = _Active(job=job, sink=sink, order=order, run=run, server=server, pipe=ours, report=report)
        self._active[self._number] = active
        selector.register(ours, selectors.EVENT_READ, self._number)
        if server.control not in selector.get_map():
            selector.register(server.control, selectors.EVENT_READ, server)
        try:
            server.start(order, theirs)
        except OSError:
            pass  # the server has ended: its end of the socket shows that in the next step
        finally:
            os.close(theirs)

    def _step(self, selector: selectors.BaseSelector) -> Iterator[tuple[Job, Run]]:
        """Process data that arrives within a tenth of a second, and yield the runs that ended."""
        began = time.monotonic()
        ready = selector.select(0.1)
        if not ready:
            self.on_idle()
        for key, _ in ready:
            if isinstance(key.data, ForkServer):
                yield from self._listen(key.data, selector)
            elif key.data in self._active:
                active = self._active[key.data]
                if not _take(active):
                    selector.unregister(active.pipe)
                active.extend()
                if active.report.step is not None:
                    self.on_step(*active.report.step)
                    active.report.step = None
                elif active.stopped or active.report.broken:
                    active.server.interrupt(key.data)
                elif active.report.kept > active.order.limits.memory_mb << 18:
                    active.full = True
                    active.server.interrupt(key.data)
        # This process may have been busy beyond a deadline, with a sink or a consumer. So the time is taken before it
        # listens: then it has received everything that a server sent by then.
        dead = {active.server for active in self._active.values() if began > active.deadline}
        for server in dead:
            yield from self._lost(server, selector)

    def _listen(self, server: ForkServer, selector: selectors.BaseSelector) -> Iterator[tuple[Job, Run]]:
        try:
            data = server.control.recv(CHUNK)
            messages = server.messages.feed(data)
        except (OSError, ValueError):
            data = b""
        if not data:
            yield from self._lost(server, selector)
            return
        for letter, body in messages:
            if letter == ENDED:
                record = json.loads(body)
                active = self._active.get(record["number"])
                if active is None:
                    continue  # its consumer has stopped
                # one read takes everything that its pipe can contain; processes still writing there are not waited for
                _take(active)
                self._forget(record["number"], selector)
                yield active.job, _concluded(active, record)

    def _lost(self, server: ForkServer, selector: selectors.BaseSelector) -> Iterator[tuple[Job, Run]]:
        """Drop a server that died with its runs; the next run starts a new one."""
        selector.unregister(server.control)
        self._servers.drop(server)
        for number, active in list(self._active.items()):
            if active.server is server:
                self._forget(number, selector)
                active.run.status, active.run.error = "lost", "the worker process that started it died"
                active.run.bound = active.report.bound
                yield active.job, active.run

    def _forget(self, number: int, selector: selectors.BaseSelector) -> None:
        active = self._active.pop(number)
        with contextlib.suppress(KeyError):
            selector.unregister(active.pipe)
        os.close(active.pipe)
        if self._cores:
            self._cores.give_back(active.order.cores)


def _widen(pipe: int) -> None:
    """Enlarge a pipe to the size of one read, if the system can, to wake up less often for many solutions."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, CHUNK)


def _take(active: _Active) -> bool:
    """Read a run's output, at most the content of a full pipe; return False at the end of the stream."""
    try:
        data = os.read(active.pipe, CHUNK)
    except BlockingIOError:
        return True
    if not data:
        return False
    if active.report.broken or active.stopped:
        return True
    sink, solutions = active.sink, active.report.take(data)
    if sink is not None and solutions:
        active.stopped = not sink(solutions)
    return True


def _concluded(active: _Active, record: dict[str, Any]) -> Run:
    """Return the run, from its own report and its server's record."""
    run, report, end = active.run, active.report, active.report.end
    run.bound, run.text = report.bound, report.text
    run.memory_mb = record["memory"] / 2**20
    run.stray, run.left = record["output"], record["left"]
    if report.broken:
        run.error = report.broken
    elif active.stopped:
        run.status = "limit"
    elif end is not None:
        run.status, run.error = end.status, end.reason
    elif active.full:
        run.status, run.error = "memory", "its solutions fill the quarter of the memory limit reserved for them"
    elif record["killed"] == "cpu":
        limit = active.order.limits.cpu_timeout  # None at the last line of defence
        run.status = "timeout"
        run.error = f"stopped after {limit:.3g} s of CPU time" if limit else "the limit of CPU time"
    elif record["killed"]:
        run.status = record["killed"]
    else:
        # killed from outside: nobody knows why
        run.status, run.error = "lost" if record["code"] == -signal.SIGKILL else "error", _death(record)
    run.timing = report.timing(record)
    if end is not None:
        run.stats, run.threads, run.counted = end.stats, end.threads, end.counted
    return run


def _death(record: dict[str, Any]) -> str:
    """Return why a process ended without reporting its end."""
    code, lines = record["code"], record["errors"].strip().splitlines()
    why = f"exit status {code}"
    if code < 0:
        with contextlib.suppress(ValueError):
            why = f"killed by {signal.Signals(-code).name}"
    return f"{why}: {lines[-1]}" if lines else why


def open_runner(limits: Limits, *arguments: Any, in_process: bool = False, **options: Any) -> Runner:
    """Return a runner; with ``in_process``, one for runs in this process if the system has no isolated ones."""
    if in_process and isolation_problem():
        return InProcessRunner(limits)  # type: ignore[return-value]  # the part of it that such commands use
    return Runner(limits, *arguments, **options)


@contextmanager
def isolated(
    runner: Runner | None, limits: Limits, side_by_side: int = 1, in_process: bool = False
) -> Iterator[Runner]:
    """Yield the given runner, whose owner handles interrupts, or a new one, which raises them when it has ended."""
    if runner is not None:
        yield runner
        return
    with open_runner(limits, side_by_side, in_process=in_process) as own:
        yield own
    if own.interrupted:
        raise KeyboardInterrupt


class InProcessRunner:
    """The part of `crosslit.runs.runner.Runner` that answers questions with the default backends."""

    interrupted = False  # an interrupt is raised at once

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        warnings.warn("limits of time and memory have no effect on this system", UnenforcedLimit, stacklevel=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def guard(self) -> nullcontext[None]:
        """Return a context that does nothing."""
        return nullcontext()

    def runs(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Run]]:
        """Yield the runs, one after another."""
        return ((job, self.run(job)) for job in jobs)

    def run(self, job: Job) -> Run:
        """Return one run."""
        if job.refusal is not None or job.choice is None or not isinstance(job.request, Solve):
            return job.blank("unsupported", job.refusal or "it needs an isolated run")
        limits, run, clock = job.limits or self.limits, job.blank("complete"), Clock()
        task = job.task(limits, clock=clock)
        began, used = time.perf_counter(), time.process_time()
        try:
            if QUESTIONS[job.request.question].answer == "number":
                run.counted = drive_count(job.choice.backend, job.puzzle, task)
            else:
                run.grids = grids = Grids(job.layout or job.puzzle.layout)
                with closing(drive(job.choice.backend, job.puzzle, task)) as found:
                    for grid in found:
                        grids.extend(grid.packed)
                        if len(grids) == limits.solutions:
                            run.status = "limit"
                            break
        except Exception as error:
            run.status, run.error = failure(error)
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        run.timing = Timing(dict(clock.seconds), cpu, wall, wall - sum(clock.seconds.values()))
        run.stats, run.threads = dict(task.stats), max(1, task.threads)
        return run
