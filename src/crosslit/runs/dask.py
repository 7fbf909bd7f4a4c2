"""An executor on the workers of a Dask cluster (the extra ``dask``).

Dask transports orders and results. No task is repeated silently: an order names the worker process that may start it,
and that process starts it only once, so a retry by Dask's scheduler has no effect. When a worker is lost, `Cluster`
gives its tasks to another one, once, and says so in the result.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gc
import logging
import os
import queue
import signal
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from crosslit.base.errors import CrosslitError, InputError, Unavailable, install_hint
from crosslit.base.version import __version__
from crosslit.runs import dask_worker
from crosslit.runs.dask_worker import TaskOrder
from crosslit.runs.workers import POLL_SECONDS, Executor, Service, TaskResult, value_of

_LOCAL = "local"
CONNECT_SECONDS = 10.0  # timeout of a call to the scheduler
WORKER_SECONDS = 30.0  # time without any worker that is an error, and for a worker to load Crosslit
END_SECONDS = 20.0  # time for the workers to end their tasks
REFRESH_SECONDS = 0.5  # seconds between updates of the list of workers

_SAFE_PATH = "PYTHONSAFEPATH"  # if not empty, Python does not import from the working directory

_ALIVE = {"running", "paused", "closing_gracefully"}  # states in which a worker still returns results


def local_workers(address: str) -> int | None:
    """Return the N of ``local:N``, 0 for ``local``, and None for another address."""
    name, colon, number = address.partition(":")
    if name != _LOCAL:
        return None
    if colon and not (number.isascii() and number.isdecimal() and int(number)):
        raise InputError(f"--dask {address}", "expected local:N, with a number of workers")
    return int(number or 0)


def _greet(ignore_interrupts: bool) -> tuple[str, str]:
    """Return the process and the version of this worker; runs in its main thread."""
    if ignore_interrupts:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return dask_worker.PROCESS, __version__


def _perform(order: TaskOrder) -> bytes | None:
    """Carry out a task, unless it is cancelled; runs on a worker."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(task)
        return state is not None and state.state in ("executing", "long-running") and worker.status.name in _ALIVE

    return dask_worker.perform(order, worker.state.nthreads, wanted)


class _Worker(NamedTuple):
    address: str
    process: str
    threads: int


class _SentTask(NamedTuple):
    task: Any
    lost: tuple[str, ...]  # how earlier attempts were lost
    worker: _Worker
    future: Any


class Cluster(Executor):
    """An executor on a Dask cluster.

    A worker gets at most as many tasks as it has threads, and new workers are used as they join. The versions of
    Crosslit here and there must be equal.

    The address is that of a scheduler, ``tcp://HOST:PORT``; ``local:N`` starts one with N single-threaded workers
    on this machine. Workers need the user's commands in the same place.
    """

    def __init__(self, address: str, service: Service, jobs: int = 1, stop: Callable[[], bool] = lambda: False) -> None:
        super().__init__(service, stop)
        self._origin, self._address = f"--dask {address}", address
        workers = local_workers(address)
        self._is_local, self._jobs = workers is not None, workers or jobs
        self._token = ""  # identifies a call of `results`
        self._client: Any = None
        self._workers: dict[str, _Worker] = {}
        self._attempts: dict[str, _SentTask] = {}  # by the key of the Dask task
        self._repeated: deque[tuple[Any, tuple[str, ...]]] = deque()
        self._arrived: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._look_again = self._last_seen = 0.0

    def __enter__(self) -> Self:
        """Connect to the scheduler."""
        try:
            import dask
            import distributed
        except ImportError:
            raise Unavailable(f"a cluster needs Dask: {install_hint('dask')}") from None
        settings = {
            "distributed.comm.timeouts.connect": CONNECT_SECONDS,
            "distributed.admin.large-graph-warning-threshold": "1 GiB",  # a task may be large
            f"distributed.nanny.pre-spawn-environ.{_SAFE_PATH}": "1",
        }
        with contextlib.ExitStack() as stack:
            # Dask logs workers that join and leave: errors and results report the losses that matter.
            stack.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.CRITICAL)
            stack.enter_context(dask.config.set(settings))
            failed = ""
            try:
                scheduler = stack.enter_context(self._local()) if self._is_local else self._address
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
        given = os.environ.get(_SAFE_PATH)
        # Its processes start as `python -c`, which would import a `random.py` of the working directory.
        os.environ[_SAFE_PATH] = "1"
        try:
            # no memory limit for workers: solvers are separate processes with their own limits
            return start(
                env={_SAFE_PATH: given or ""},  # of a worker that runs: a user's program imports from its own folder
                n_workers=self._jobs,
                threads_per_worker=1,
                memory_limit=None,
                dashboard_address="127.0.0.1:0",  # any free port, as the default one may be taken
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        finally:
            os.environ.pop(_SAFE_PATH)
            if given is not None:
                os.environ[_SAFE_PATH] = given

    def results(self, tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
        """Yield the results, each as soon as its task ends."""
        self._token = uuid.uuid4().hex
        self._look_again, self._last_seen = 0.0, time.monotonic()
        waiting: Iterator[tuple[Any, tuple[str, ...]]] = ((task, ()) for task in tasks)
        try:
            while not self._stop():
                yield from self._look()
                self._hand_out(waiting)
                if self._workers and not (self._attempts or self._repeated):
                    return
                try:
                    arrived = self._arrived.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    self.on_idle()
                else:
                    yield from self._take(*arrived)
            while not self._arrived.empty():  # tasks that ended before the stop
                yield from self._take(*self._arrived.get())
        finally:
            self._halt()

    def _look(self) -> Iterator[TaskResult]:
        """Update the list of workers; yield tasks that are lost with a worker."""
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
        arguments = self._client.run, _greet, self._is_local
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

    def _hand_out(self, waiting: Iterator[tuple[Any, tuple[str, ...]]]) -> None:
        """Give a task to each idle thread of the workers."""
        busy = Counter(attempt.worker.address for attempt in self._attempts.values())
        for worker in self._workers.values():
            for _ in range(worker.threads - busy[worker.address]):
                following = self._repeated.popleft() if self._repeated else next(waiting, None)
                if following is None:
                    return
                order = TaskOrder(uuid.uuid4().hex, worker.process, self._token, self._service, following[0])
                options = {"workers": [worker.address], "allow_other_workers": False, "retries": 0, "pure": False}
                future = self._client.submit(_perform, order, key=order.id, **options)
                self._attempts[order.id] = _SentTask(*following, worker, future)
                # Called in Dask's thread, so it only puts the result into a queue.
                future.add_done_callback(lambda ended: self._arrived.put((ended.key, _result(ended))))

    def _take(self, key: str, answer: Any) -> Iterator[TaskResult]:
        """Process the answer of a worker: a packed result, an error, or None if its child process died."""
        if key not in self._attempts:
            return
        task, lost, worker, _ = self._attempts[key]
        if isinstance(answer, bytes):
            del self._attempts[key]
            try:
                yield TaskResult(task, value_of(answer), lost)
            except (CrosslitError, RuntimeError) as error:
                raise InputError(self._origin, f"the worker {worker.address}: {error}") from None
        elif answer is not None and not _tells_of_loss(answer):
            raise InputError(self._origin, f"the worker {worker.address} failed: {_line(answer)}")
        elif not self._stop():
            self._workers.pop(worker.address, None)  # a worker there is now another process, and has to be greeted
            self._look_again = 0.0
            yield from self._look()  # raises if the scheduler is gone too
            if key in self._attempts:
                yield from self._lose(key)

    def _lose(self, key: str) -> Iterator[TaskResult]:
        """Give a lost task to another worker; the second time, yield it as lost."""
        task, lost, worker, future = self._attempts.pop(key)
        self._client.cancel([future])
        lost = (*lost, f"the worker {worker.address} was lost")
        if len(lost) < 2:
            self._repeated.append((task, lost))
        else:
            yield TaskResult(task, None, lost)

    def _ask(self, call: Callable[..., Any], *arguments: Any, seconds: float = CONNECT_SECONDS, **named: Any) -> Any:
        """Call the scheduler, with a timeout."""

        async def asked() -> Any:
            return await call(*arguments, **named)

        try:
            return self._client.sync(asked, callback_timeout=seconds)
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(self._origin, f"the Dask scheduler is gone: {_line(error)}") from None

    def _halt(self) -> None:
        """End the current tasks and the processes of the workers."""
        attempts, workers = list(self._attempts.values()), list(self._workers)
        self._attempts.clear()
        self._repeated.clear()
        self._workers.clear()
        token, self._token = self._token, ""
        if not token:
            return
        with contextlib.suppress(InputError):  # if the scheduler is gone, the workers notice and end the tasks
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
