"""Runs on the workers of a Dask cluster (the extra ``dask``).

Dask transports orders and replies. On a worker, `crosslit.runs.runner.Runner` makes the runs under their limits, as
everywhere. No run is repeated silently: an order names the worker process that may start it, and that process starts it
only once, so a retry by Dask's scheduler has no effect. When a worker is lost, `DaskExecutor` gives its runs to another
one, once, and records this in the outcome.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import gc
import logging
import queue
import signal
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from crosslit._version import __version__
from crosslit.errors import InputError, Unavailable, install_hint
from crosslit.runs.run import Run
from crosslit.runs.runner import Runner
from crosslit_bench.execution import dask_worker
from crosslit_bench.execution.dask_worker import EXECUTOR, RunOrder, WorkerReply
from crosslit_bench.execution.local import Executor
from crosslit_bench.plan.campaign import CampaignSpec
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store.outcome import Outcome, circumstances

LOCAL = "local"
CONNECT_SECONDS = 10.0  # timeout of a call to the scheduler
WORKER_SECONDS = 30.0  # time without any worker that is an error, and for a worker to load Crosslit
END_SECONDS = 20.0  # time for the workers to end their runs
REFRESH_SECONDS = 0.5  # seconds between updates of the list of workers
POLL_SECONDS = 0.1  # seconds between checks for an interrupt

_ALIVE = {"running", "paused", "closing_gracefully"}  # states in which a worker still returns results


def _greet(ignore_interrupts: bool) -> tuple[str, str]:
    """Return the process and the version of this worker; runs in its main thread."""
    if ignore_interrupts:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return dask_worker.PROCESS, __version__


def _make(order: RunOrder) -> WorkerReply:
    """Make a run, unless its task is cancelled; runs on a worker."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(task)
        return state is not None and state.state in ("executing", "long-running") and worker.status.name in _ALIVE

    return dask_worker.make(order, worker.state.nthreads, wanted)


class _Worker(NamedTuple):
    address: str
    process: str
    threads: int


class _Attempt(NamedTuple):
    planned: PlannedRun
    before: str  # how the first attempt was lost; empty for the first one
    worker: _Worker
    future: Any


class DaskExecutor(Executor):
    """An executor on a Dask cluster.

    A worker gets at most as many runs as it has threads, and new workers are used as they join. The run of a lost
    worker goes to another one, once; a run that loses two workers has the status ``lost``. The campaign ends if the
    versions of a worker differ from the plan.

    The address is that of a scheduler, ``tcp://HOST:PORT``; ``local`` starts one with ``jobs`` single-threaded workers
    on this machine. Workers need the campaign's commands in the same place.
    """

    def __init__(self, address: str, campaign: CampaignSpec, jobs: int = 1) -> None:
        self._origin, self._address, self._jobs = f"--dask {address}", address, jobs
        self._campaign = dataclasses.replace(campaign, sources=(), text="", software=None)  # goes with every order
        self._token = ""  # identifies a call of `outcomes`
        super().__init__(Runner(campaign.limits, jobs))  # makes no runs here, only handles Ctrl-C
        self._client: Any = None
        self._workers: dict[str, _Worker] = {}
        self._attempts: dict[str, _Attempt] = {}  # by the key of the task
        self._waiting: deque[tuple[PlannedRun, str]] = deque()  # with how an earlier attempt was lost
        self._arrived: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._look_again = self._last_seen = 0.0

    def __enter__(self) -> Self:
        """Connect to the scheduler."""
        try:
            import dask
            import distributed
        except ImportError:
            raise Unavailable(f"runs on a cluster need Dask: {install_hint('dask')}") from None
        settings = {
            "distributed.comm.timeouts.connect": CONNECT_SECONDS,
            "distributed.admin.large-graph-warning-threshold": "1 GiB",  # a puzzle may be large
        }
        with contextlib.ExitStack() as stack:
            # Dask logs workers that join and leave: errors and outcomes report the losses that matter.
            stack.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.CRITICAL)
            stack.enter_context(dask.config.set(settings))
            stack.enter_context(self._runner.guard())  # until results are stored: an interrupt must not lose one
            failed = ""
            try:
                scheduler = stack.enter_context(self._local()) if self._address == LOCAL else self._address
                connect: Any = distributed.Client
                self._client = stack.enter_context(connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False))
            except (OSError, ValueError, TypeError, TimeoutError) as error:
                failed = _line(error)
            if failed:
                gc.collect()  # closes the failed client now: the start of a later client would wait for it
                raise InputError(self._origin, f"no Dask scheduler answers: {failed}")
            stack.callback(self._halt)
            self._stack = stack.pop_all()
        return self

    def _local(self) -> Any:
        import distributed

        start: Any = distributed.LocalCluster
        # no memory limit for workers: runs are separate processes with their own limits
        return start(
            n_workers=self._jobs,
            threads_per_worker=1,
            memory_limit=None,
            dashboard_address="127.0.0.1:0",  # any free port, as the default one may be taken
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """Yield the runs with their outcomes, each as soon as it ends."""
        self._token = uuid.uuid4().hex
        self._waiting = deque((run, "") for run in planned)
        self._look_again, self._last_seen = 0.0, time.monotonic()
        try:
            while self._waiting or self._attempts:
                if self.interrupted:
                    while not self._arrived.empty():  # runs that ended before the interrupt
                        yield from self._take(*self._arrived.get())
                    return
                yield from self._look()
                self._hand_out()
                try:
                    arrived = self._arrived.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    self.on_idle()
                else:
                    yield from self._take(*arrived)
        finally:
            self._halt()

    def _look(self) -> Iterator[tuple[PlannedRun, Outcome]]:
        """Update the list of workers; yield runs that are lost with a worker."""
        if time.monotonic() < self._look_again:
            return
        self._look_again = time.monotonic() + REFRESH_SECONDS
        there: dict[str, int] = self._ask(self._client.nthreads)
        if there:
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > WORKER_SECONDS:
            why = f"there has been no worker for {WORKER_SECONDS:.0f} seconds; `dask worker ADDRESS` starts one"
            raise InputError(self._origin, why)
        for address in self._workers.keys() - there.keys():
            del self._workers[address]
            for key in [key for key, attempt in self._attempts.items() if attempt.worker.address == address]:
                yield from self._lose(key)
        if new := [*there.keys() - self._workers.keys()]:
            self._meet({address: there[address] for address in new})

    def _meet(self, threads: Mapping[str, int]) -> None:
        """Check the version of new workers, and record their processes: a later one may get the same address."""
        arguments = self._client.run, _greet, self._address == LOCAL
        found = self._ask(*arguments, workers=[*threads], on_error="return", seconds=WORKER_SECONDS)
        for address, answer in found.items():
            if isinstance(answer, BaseException):
                if not isinstance(answer, OSError):  # otherwise it has gone already
                    why = f"cannot load this version of crosslit: {_line(answer)}"
                    raise InputError(self._origin, f"the worker {address} {why}")
                continue
            process, version = answer
            if version != __version__:
                why = f"has crosslit {version}, this process has {__version__}"
                raise InputError(self._origin, f"the worker {address} {why}")
            self._workers[address] = _Worker(address, process, threads[address])

    def _hand_out(self) -> None:
        """Give a run to each idle thread of the workers."""
        busy = Counter(attempt.worker.address for attempt in self._attempts.values())
        for worker in self._workers.values():
            for _ in range(min(worker.threads - busy[worker.address], len(self._waiting))):
                planned, before = self._waiting.popleft()
                id_ = f"{planned.key} {uuid.uuid4().hex}"
                order = RunOrder(id_, worker.process, self._token, planned, self._campaign)
                options = {"workers": [worker.address], "allow_other_workers": False, "retries": 0, "pure": False}
                future = self._client.submit(_make, order, key=order.id, **options)
                self._attempts[order.id] = _Attempt(planned, before, worker, future)
                # Called in Dask's thread, so it only puts the result into a queue.
                future.add_done_callback(lambda ended: self._arrived.put((ended.key, _result(ended))))

    def _take(self, key: str, answer: Any) -> Iterator[tuple[PlannedRun, Outcome]]:
        """Process the result of a task: a reply, or an exception."""
        if key not in self._attempts:
            return
        planned, before, worker, _ = self._attempts[key]
        if isinstance(answer, WorkerReply):
            if answer.differs:
                why = f"the worker {worker.address} cannot make a planned run: {answer.differs}"
                raise InputError(self._origin, why)
            outcome = answer.whole(planned.puzzle)
            if outcome is not None and outcome.run.status != "interrupted":
                del self._attempts[key]
                yield planned, dataclasses.replace(outcome, attempts=2 if before else 1, lost=before)
                return
        elif not _tells_of_loss(answer) and not self.interrupted:
            raise InputError(self._origin, f"the worker {worker.address} failed: {_line(answer)}")
        if not self.interrupted:
            self._workers.pop(worker.address, None)  # a worker there is now another process, and has to be greeted
            self._look_again = 0.0
            yield from self._look()  # raises if the scheduler is gone too
            if key in self._attempts:
                yield from self._lose(key)

    def _lose(self, key: str) -> Iterator[tuple[PlannedRun, Outcome]]:
        """Give a lost run to another worker; the second time, yield it as lost, without blaming its backend."""
        planned, before, worker, future = self._attempts.pop(key)
        self._client.cancel([future])
        why = f"the worker {worker.address} was lost"
        if not before:
            self._waiting.appendleft((planned, why))
            return
        run = Run(planned.spec, status="lost", repetition=planned.repetition)
        run.error = f"{why} while it made this run, as one before it: {before}"
        here = circumstances(worker.threads, EXECUTOR)
        yield planned, Outcome(key=planned.key, run=run, circumstances=here, attempts=2, lost=before)

    def _ask(self, call: Callable[..., Any], *arguments: Any, seconds: float = CONNECT_SECONDS, **named: Any) -> Any:
        """Call the scheduler, with a timeout."""

        async def asked() -> Any:
            return await call(*arguments, **named)

        try:
            return self._client.sync(asked, callback_timeout=seconds)
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(self._origin, f"the Dask scheduler is gone: {_line(error)}") from None

    def _halt(self) -> None:
        """End the current runs and the workers' fork servers."""
        attempts, workers = list(self._attempts.values()), list(self._workers)
        self._attempts.clear()
        self._waiting.clear()
        self._workers.clear()
        token, self._token = self._token, ""
        if not token:
            return
        with contextlib.suppress(InputError):  # if the scheduler is gone, the workers notice and end the runs
            self._ask(self._client.cancel, [attempt.future for attempt in attempts])
            self._ask(self._client.run, dask_worker.end, token, workers=workers, on_error="ignore", seconds=END_SECONDS)


def _result(future: Any) -> Any:
    """Return the result of a future, or the exception that it raises."""
    try:
        return future.result()
    except BaseException as error:
        return error


def _tells_of_loss(error: BaseException) -> bool:
    """Return whether a task failed because its worker ended or the cluster was restarted."""
    cancelled = asyncio.CancelledError, concurrent.futures.CancelledError
    return isinstance(error, cancelled) or type(error).__name__ in ("KilledWorker", "NoValidWorkerError")


def _line(error: BaseException) -> str:
    """Return an error on one line."""
    return " ".join(f"{type(error).__name__} {error}".split())[:300]
