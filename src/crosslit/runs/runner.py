"""Isolated runs under limits: the parent process's side.

Each concurrent run has a fork server (`crosslit.runs.server`), which is started on first use and kept for later runs
with the same engine modules. The server enforces the limits; this side collects solutions as they come, so that a
killed run keeps its solutions.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import select
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Self

from crosslit.base.errors import CrosslitError, UnenforcedLimit
from crosslit.base.grid import Grids, Layout
from crosslit.base.posix import fcntl, isolation_problem, require_isolation
from crosslit.contract import QUESTIONS, Clock, answer_layout
from crosslit.contract.run import Limits, Run, Timing
from crosslit.runs.drive import drive, drive_count, failure
from crosslit.runs.job import Job, Solve
from crosslit.runs.messages import MAX_BOUND, End, Order, Page, max_bytes, new_file
from crosslit.runs.resources import CorePool
from crosslit.runs.server import ForkServer, cause_of_death, timing_of

GRACE_SECONDS = 10.0  # time beyond a run's limit until its server is considered dead
CLOSE_SECONDS = 5.0  # for a server to end by itself, or to end a run
_CHUNK = 1 << 20  # bytes read at once
_IDLE_MILLISECONDS = 100  # without data, until `on_idle` is called
_GRID_BYTES = 160  # memory for a stored and checked solution, in addition to twice its cells
Sink = Callable[[bytes], bool]


@dataclass(kw_only=True, eq=False)
class _Active:
    """A current run."""

    job: Job
    limits: Limits
    run: Run
    server: ForkServer
    file: int  # descriptors of its file and its pipe
    pipe: int
    sink: Sink | None  # takes its solutions, if they are not kept in the run
    cores: tuple[int, ...]
    buffer: bytearray = field(default_factory=bytearray)  # the start of a solution, or of the text
    arrived: int = 0  # bytes of answers
    is_open: bool = True  # whether the pipe may have more
    problem: str = ""  # what is wrong with its answers
    is_full: bool = False  # they take more than is allowed
    is_stopped: bool = False  # its sink stops it
    deadline: float = 0.0  # when its server is considered dead

    def __post_init__(self) -> None:
        self.page = Page.of_file(self.file)
        self.extend()

    def extend(self) -> None:
        """Expect a sign of life within the limit, which does not count the time in which this process takes data."""
        self.deadline = time.monotonic() + self.limits.timeout + GRACE_SECONDS

    def take(self) -> None:
        """Read its answers, at most the content of a full pipe."""
        try:
            data = os.read(self.pipe, _CHUNK)
        except BlockingIOError:
            return
        self.is_open = bool(data)
        self.arrived += len(data)
        if self.problem or self.is_stopped:
            return
        self.buffer += data
        if (layout := self.job.layout) is None:
            self.is_full = len(self.buffer) > max_bytes(self.limits)
        elif whole := len(self.buffer) // layout.size * layout.size:
            packed = bytes(self.buffer[:whole])
            del self.buffer[:whole]
            self._deliver(packed, layout)
        if self.is_stopped or self.is_full or self.problem:
            self.page.stop = True

    def _deliver(self, packed: bytes, layout: Layout) -> None:
        if self.sink is not None:
            self.is_stopped = not self.sink(packed)
            return
        grids = self.run.grids
        assert isinstance(grids, Grids)
        try:
            layout.require(packed)
        except ValueError as error:
            # No exception: the solutions that it has handed over stay, since each is checked by the rules anyway.
            self.problem = f"it wrote {error} to the pipe of its run"
            return
        grids.extend(packed)
        self.is_full = len(grids) * (2 * layout.size + _GRID_BYTES) > max_bytes(self.limits)

    def concluded(self, record: dict[str, Any]) -> Run:
        """Return the run, from its own report and its server's record."""
        self.take()  # everything that its pipe can contain; processes still writing there are not waited for
        run, page, killed, end, text = self.run, self.page, record["killed"], None, ""
        is_whole = not page.end or self.is_stopped or self.is_full or self.arrived == page.sent
        try:
            if not is_whole or self.arrived > page.sent:
                raise ValueError(f"{self.arrived} bytes where {page.sent} are expected")
            text = self.buffer.decode() if self.job.layout is None else ""
            size = min(page.end, os.fstat(self.file).st_size)  # a damaged run can write any number to its page
            end = End.unpack(os.pread(self.file, size, mmap.PAGESIZE)) if size else None
        except ValueError as error:
            self.problem = self.problem or f"it wrote {error} to the pipe of its run"
        run.memory_mb, run.left, run.stray = record["memory"] / 2**20, record["left"], record["output"]
        run.timing = timing_of(page, record, end)
        if self.problem:
            run.error = self.problem
        elif self.is_stopped:
            run.status = "limit"
        elif end is not None:
            run.status, run.error, run.text = end.status, end.reason, text
        elif self.is_full:
            run.status, run.error = "memory", "its solutions fill the quarter of the memory limit reserved for them"
        elif killed == "cpu":
            limit = self.limits.cpu_timeout  # None at the last line of defence
            run.status, run.is_cpu_timeout = "timeout", True
            run.error = f"stopped after {limit:.3g} s of CPU time" if limit else "the limit of CPU time"
        elif killed:
            run.status = killed
        else:
            # killed from outside: nobody knows why
            run.status, run.error = "lost" if record["code"] == -signal.SIGKILL else "error", cause_of_death(record)
        if end is not None:
            run.stats, run.threads = dict(end.stats), end.threads
            run.counted = int(end.counted, 16) if end.counted else None
        return run


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
        fork_first: bool = False,  # fork the first server from this process if possible, see `_server`
        once: bool = False,  # one run for each backend: modules that few puzzles need are loaded when it needs them
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
        self._servers: list[ForkServer] = []
        self._forks = self._defers = fork_first
        self._once = once
        self._active: list[_Active] = []
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._servers:
            self._servers.pop().close(CLOSE_SECONDS)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Record an interrupt instead of raising it; a second one raises KeyboardInterrupt.

        Guards may be nested. If interrupts are ignored (a command in the background), they stay ignored.
        """

        def note(_number: int, _frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
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
        with self.guard():
            try:
                while (left and not self.interrupted) or self._active:
                    while left and not self.interrupted and len(self._active) < self._side_by_side:
                        job = next(waiting, None)
                        if job is None:
                            left = False
                        elif job.refusal is not None:
                            yield job, job.blank("unsupported", job.refusal)
                        else:
                            yield from self._start(job, sink)
                    if self.interrupted:
                        for active in self._active:
                            active.page.stop = True
                    if self._active:  # otherwise there is nothing to wait for
                        yield from self._step()
            finally:  # the consumer has stopped, or an error occurred
                for active in self._active:
                    active.is_stopped, active.page.stop = True, True
                while self._active:
                    self._ended(self._active[0], CLOSE_SECONDS)

    def run(self, job: Job, sink: Sink | None = None) -> Run:
        """Return one run, see `runs`; after an interrupt it is not started, and its status says so."""
        return next((run for _, run in list(self.runs([job], sink))), job.blank("interrupted"))

    def _server(self, job: Job, modules: tuple[str, ...]) -> ForkServer:
        """Return an idle server for a job, started if there is none; a CrosslitError says why it does not start.

        In a command, modules wait for an order with them, so that one server serves all backends: another takes 0.2 s
        to start. Only the first one is forked: later ones would inherit too much state, and when a forked one is
        killed, all children of this process are ended.
        """
        is_deferred = self._defers and not job.python and job.choice is not None
        key = job.python, () if is_deferred else modules
        for server in self._servers:
            if server.is_idle and server.key == key:
                return server
        # Cleared even if the start fails, so that only the very first server is ever forked.
        is_forked, self._forks = self._forks and not job.python, False
        self._servers.append(ForkServer(key[1], is_forked, job.python))
        return self._servers[-1]

    def _start(self, job: Job, sink: Sink | None) -> Iterator[tuple[Job, Run]]:
        limits = job.limits or self.limits
        modules = job.modules(self._once)
        try:
            server = self._server(job, modules)
        except CrosslitError as error:  # it did not start
            yield job, job.blank("interrupted" if self.interrupted else "error", str(error))
            return
        self._on_start(job)  # not before: a progress display starts a thread, after which nothing can be forked
        self._number += 1
        run = job.blank()
        if job.layout is not None:
            run.grids = Grids(job.layout)
        cores = self._cores.take() if self._cores else ()
        order = Order(
            limits=limits,
            job=pickle.dumps(job),
            cores=cores,
            max_cores=self._max_cores,
            group=self._group_of(self._number) if self._group_of else "",
            modules=modules,
            # a list of solutions ends when its user expects it; a run that is compared has its own time
            counts_handing=sink is not None,
        )
        ours, theirs = os.pipe()
        if sink is not None:
            with contextlib.suppress(AttributeError, OSError):  # to wake up less often, if the system can
                fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, _CHUNK)
        os.set_blocking(ours, False)
        active = _Active(
            job=job, limits=limits, run=run, server=server, file=new_file(), pipe=ours, sink=sink, cores=cores
        )
        self._active.append(active)
        with contextlib.suppress(OSError):  # the server has ended: its end of the socket shows that in the next step
            server.start(order, active.file, theirs)
        os.close(theirs)

    def _step(self) -> Iterator[tuple[Job, Run]]:
        """Process data that arrives within a tenth of a second, and yield the runs that ended."""
        began = time.monotonic()
        poll = select.poll()
        for active in self._active:
            poll.register(active.server.control, select.POLLIN)
            if active.is_open:
                poll.register(active.pipe, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(_IDLE_MILLISECONDS)}
        if not ready:
            self.on_idle()
        for active in [*self._active]:
            if active.pipe in ready:
                active.take()
                active.extend()
            if active.page.of:
                self.on_step(active.page.done, active.page.of)
            # This process may have been busy beyond a deadline, with a sink or a consumer. So the time is taken before
            # it listens: then it has received everything that a server sent by then.
            if active.server.control.fileno() in ready:
                yield active.job, self._ended(active, CLOSE_SECONDS)
            elif began > active.deadline:
                yield active.job, self._ended(active, 0.0)

    def _ended(self, active: _Active, seconds: float) -> Run:
        """Return a run that ends within some seconds; otherwise it is lost with its server."""
        try:
            run = active.concluded(active.server.record(seconds))
        except (EOFError, OSError):
            reason = active.server.close()
            self._servers.remove(active.server)
            run, died = active.run, "the worker process that started it died"
            run.status, run.error = "lost", f"{died}: {reason}" if reason else died
        run.bound = min(active.page.bound, MAX_BOUND)
        self._active.remove(active)
        os.close(active.pipe)
        os.close(active.file)
        if self._cores:
            self._cores.give_back(active.cores)
        return run


def open_runner(limits: Limits, *arguments: Any, in_process: bool = False, **options: Any) -> Runner:
    """Return a runner; with ``in_process``, one for runs in this process if the system has no isolated ones."""
    if in_process and isolation_problem():
        return InProcessRunner(limits)
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


class InProcessRunner(Runner):
    """A runner in this process, which answers questions with the default backends."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.interrupted, self._servers = limits, False, []
        warnings.warn("limits of time and memory have no effect on this system", UnenforcedLimit, stacklevel=1)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Do nothing: an interrupt is raised at once."""
        yield

    def runs(self, jobs: Iterable[Job], _sink: Sink | None = None) -> Generator[tuple[Job, Run], None, None]:
        """Yield the runs, one after another."""
        yield from ((job, self.run(job)) for job in jobs)

    def run(self, job: Job, _sink: Sink | None = None) -> Run:
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
                run.grids = grids = Grids(answer_layout(job.request.question, job.puzzle))
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
        run.stats, run.threads, run.bound = dict(task.stats), max(1, task.threads), task.bound
        return run
