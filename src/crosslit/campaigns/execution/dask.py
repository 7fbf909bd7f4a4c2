"""Runs made by the workers of a Dask cluster: the extra ``dask``.

Dask carries orders and answers. On a worker, a run is made by `crosslit.runs.runner.Runner` as anywhere, so that its
limits hold. No run is ever made twice without our knowing: an order names the process of the worker that may begin it,
and that process begins it once; what the scheduler does on its own when a worker is lost ends there. Whoever asks here
gives the runs of a lost worker to another one, once, and says so in the outcome.
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
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

from crosslit._version import __version__
from crosslit.campaigns.execution import dask_worker
from crosslit.campaigns.execution.dask_worker import EXECUTOR, CampaignContext, RunOrder, WorkerReply
from crosslit.campaigns.results.outcome import Circumstances, Outcome, circumstances
from crosslit.campaigns.spec.plan import PlannedRun, chosen
from crosslit.contract import QuestionName
from crosslit.errors import InputError, Unavailable, install_hint
from crosslit.runs.run import Limits, Run
from crosslit.runs.runner import Runner

LOCAL = "local"
CONNECT_SECONDS = 10.0  # for the scheduler to answer
WORKER_SECONDS = 30.0  # without any worker until that is an error
END_SECONDS = 20.0  # for workers to end the runs under way
REFRESH_SECONDS = 0.5  # seconds between two looks at which workers there are
POLL_SECONDS = 0.1  # seconds between two looks for an interrupt

_ALIVE = {"running", "paused", "closing_gracefully"}  # states of a worker that still answers


@dataclass(frozen=True)
class _Greeting:
    """What a worker says of itself."""

    process: str
    threads: int
    version: str


def _greet() -> _Greeting:
    """Run on a worker: who it is."""
    from distributed import get_worker

    return _Greeting(dask_worker.PROCESS, get_worker().state.nthreads, __version__)


def _make(order: RunOrder) -> WorkerReply:
    """Run on a worker: make a run, as long as its task is not cancelled."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(task)
        return state is not None and state.state in ("executing", "long-running") and worker.status.name in _ALIVE

    return dask_worker.make(order, worker.state.nthreads, wanted)


async def _ignore_interrupts() -> None:
    """Run on a worker of our own, in its main thread: Ctrl-C at the terminal is for whoever asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(kw_only=True)
class _Worker:
    """A worker, as far as it is known here; until it has greeted, its process is not."""

    address: str
    threads: int
    process: str = ""
    greeting: Any = None  # the future; it goes when nobody holds it


@dataclass(kw_only=True)
class _Attempt:
    """A run that was given to a worker."""

    planned: PlannedRun
    number: int
    before: str  # how an earlier attempt was lost
    worker: _Worker
    started: Circumstances
    future: Any = None


class DaskExecutor:
    """Makes runs on the workers of a Dask cluster; see `crosslit.campaigns.results.outcome.Executor`.

    A worker gets no more runs than it has threads, and new workers are used as they come. A worker that is lost, with
    the run that it was making, loses that run to another one, once; a run that loses two workers has the status
    ``lost``. A worker makes only runs of what was planned: where its versions differ, the campaign ends.

    Args:
        address: of a scheduler, as in ``tcp://HOST:PORT``; ``local`` starts one, and workers, on this machine.
        question: that is asked.
        limits: of each run.
        solvers: commands that are backends, by name; workers need them in the same place.
        folder: where those begin that are relative paths.
        jobs: how many workers ``local`` starts, of one thread each.
    """

    def __init__(
        self,
        address: str,
        question: QuestionName,
        limits: Limits,
        solvers: Mapping[str, str] = MappingProxyType({}),
        folder: Path | str = "",
        jobs: int = 1,
    ) -> None:
        self._origin, self._address, self._jobs = f"--dask {address}", address, jobs
        self._facts = CampaignContext(
            token="", question=question, limits=limits, solvers=dict(solvers), folder=str(folder)
        )
        self._note = Runner(limits, jobs)  # never runs anything here: it notes an interrupt as every runner does
        self._stack = contextlib.ExitStack()
        self._client: Any = None
        self._workers: dict[str, _Worker] = {}
        self._greeting: dict[str, _Worker] = {}  # by the key of the future
        self._attempts: dict[str, _Attempt] = {}
        self._waiting: deque[tuple[PlannedRun, int, str]] = deque()
        self._arrived: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._look_again = self._last_seen = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came."""
        return self._note.interrupted

    @property
    def under_way(self) -> Sequence[PlannedRun]:
        """The runs that workers have."""
        return [attempt.planned for attempt in list(self._attempts.values())]

    def __enter__(self) -> Self:
        """Connect.

        Raises:
            Unavailable: if Dask is not installed.
            InputError: if there is no such scheduler.
        """
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
            stack.enter_context(_quiet())
            stack.enter_context(dask.config.set(settings))
            stack.enter_context(self._note.guard())  # over the keeping too: an interrupt must not lose an outcome
            failed = ""
            try:
                scheduler = stack.enter_context(self._local()) if self._address == LOCAL else self._address
                connect: Any = distributed.Client
                self._client = stack.enter_context(connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False))
            except (OSError, ValueError, TypeError, TimeoutError) as error:
                failed = _line(error)
            if failed:
                gc.collect()  # a half-made client is closed now: while another one starts, it would wait for itself
                raise InputError(self._origin, f"no scheduler of Dask answers there: {failed}")
            stack.callback(self._halt)
            self._stack = stack.pop_all()
        return self

    def _local(self) -> Any:
        import distributed

        start: Any = distributed.LocalCluster
        # without a limit of memory: runs have their own, and are no part of the worker's process
        return start(
            n_workers=self._jobs,
            threads_per_worker=1,
            memory_limit=None,
            dashboard_address="127.0.0.1:0",  # without one it would be a fixed port, which may be taken
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """The runs, each as it ends.

        Raises:
            InputError: if the scheduler goes, no worker is there, or one has other versions than were planned.
        """
        self._facts = dataclasses.replace(self._facts, token=uuid.uuid4().hex)
        self._waiting = deque((run, 1, "") for run in planned)
        self._look_again, self._last_seen = 0.0, time.monotonic()
        try:
            while self._waiting or self._attempts:
                if self.interrupted:
                    while not self._arrived.empty():  # has ended before
                        yield from self._take(*self._arrived.get())
                    return
                yield from self._look()
                self._hand_out()
                with contextlib.suppress(queue.Empty):
                    yield from self._take(*self._arrived.get(timeout=POLL_SECONDS))
        finally:
            self._halt()

    def _look(self) -> Iterator[tuple[PlannedRun, Outcome]]:
        """See who came, and who is gone with what it had."""
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
                yield from self._lose(key, f"the worker {address} was lost")
        for address, threads in there.items():
            if address not in self._workers:
                self._meet(address, threads)

    def _meet(self, address: str, threads: int) -> None:
        key = f"crosslit hello {uuid.uuid4().hex}"
        worker = self._workers[address] = self._greeting[key] = _Worker(address=address, threads=threads)
        worker.greeting = self._submit(key, address, _greet)

    def _submit(self, key: str, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        future = self._client.submit(
            function, *arguments, key=key, workers=[address], allow_other_workers=False, retries=0, pure=False
        )
        future.add_done_callback(lambda ended: self._arrived.put((ended.key, _result(ended))))
        return future

    def _hand_out(self) -> None:
        """Give every worker that has greeted a run for each of its threads that has none."""
        busy = Counter(attempt.worker.address for attempt in self._attempts.values())
        for worker in self._workers.values():
            while worker.process and self._waiting and busy[worker.address] < worker.threads:
                planned, number, before = self._waiting.popleft()
                id_, started = f"{planned.key} {uuid.uuid4().hex}", circumstances(worker.threads, EXECUTOR)
                order = RunOrder(id=id_, process=worker.process, planned=planned, facts=self._facts)
                attempt = _Attempt(planned=planned, number=number, before=before, worker=worker, started=started)
                self._attempts[order.id] = attempt
                attempt.future = self._submit(order.id, worker.address, _make, order)
                busy[worker.address] += 1

    def _take(self, key: str, answer: Any) -> Iterator[tuple[PlannedRun, Outcome]]:
        """Take in what has come."""
        if key in self._greeting:
            self._met(self._greeting.pop(key), answer)
        elif key in self._attempts:
            attempt = self._attempts[key]
            if isinstance(answer, WorkerReply) and answer.differs:
                raise InputError(self._origin, f"the worker {attempt.worker.address} cannot make it: {answer.differs}")
            outcome = answer.whole() if isinstance(answer, WorkerReply) else None
            if outcome is not None and outcome.run.status != "interrupted":
                del self._attempts[key]
                yield attempt.planned, dataclasses.replace(outcome, attempts=attempt.number, lost=attempt.before)
            else:
                yield from self._not_made(key, attempt, answer)

    def _met(self, worker: _Worker, answer: Any) -> None:
        """A worker has greeted, or failed to."""
        if isinstance(answer, _Greeting):
            if answer.version != __version__:
                why = f"it has crosslit {answer.version}, here it is {__version__}"
                raise InputError(self._origin, f"the worker {worker.address} would make other runs: {why}")
            worker.process, worker.threads = answer.process, answer.threads
            if self._address == LOCAL:
                self._ask(self._client.run, _ignore_interrupts, workers=[worker.address], on_error="ignore")
        elif _tells_of_loss(answer):
            self._workers.pop(worker.address, None)
        else:
            why = f"has no crosslit like this one: {_line(answer)}"
            raise InputError(self._origin, f"the worker {worker.address} {why}")

    def _not_made(self, key: str, attempt: _Attempt, answer: Any) -> Iterator[tuple[PlannedRun, Outcome]]:
        """A run came to nothing: its worker was lost, unless the worker has told what is wrong."""
        if self.interrupted:
            return
        address = attempt.worker.address
        if isinstance(answer, BaseException) and not _tells_of_loss(answer):
            raise InputError(self._origin, f"the worker {address} failed: {_line(answer)}")
        self._workers.pop(address, None)  # if it is there, it is another process now: it is to greet again
        self._look_again = 0.0
        yield from self._look()  # the scheduler may be gone itself
        if key in self._attempts:
            yield from self._lose(key, f"the worker {address} was lost")

    def _lose(self, key: str, why: str) -> Iterator[tuple[PlannedRun, Outcome]]:
        """Give a lost run to another worker; the second time it is lost for good, and was nobody's proven fault."""
        attempt = self._attempts.pop(key)
        self._client.cancel([attempt.future])
        if attempt.number == 1:
            self._waiting.appendleft((attempt.planned, 2, why))
            return
        planned, question = attempt.planned, self._facts.question
        choice = chosen(planned.spec, planned.puzzle, question)
        encoding = choice.encoding.name if choice.encoding else ""
        run = Run(choice.spec, encoding, choice.version, choice.trusted_base, "lost", repetition=planned.repetition)
        run.error = f"{why} while it made this run, as one before it: {attempt.before}"
        unknown = dataclasses.replace(
            attempt.started, load=0.0, host=attempt.worker.address, processor="", processors=0, system="", python=""
        )
        made = Outcome(key=planned.key, run=run, circumstances=unknown, attempts=attempt.number, lost=attempt.before)
        yield planned, made

    def _ask(self, call: Callable[..., Any], *arguments: Any, seconds: float = CONNECT_SECONDS, **named: Any) -> Any:
        """Ask the scheduler, and not for ever."""

        async def asked() -> Any:
            return await call(*arguments, **named)

        try:
            return self._client.sync(asked, callback_timeout=seconds)
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(self._origin, f"the scheduler of Dask is gone: {_line(error)}") from None

    def _halt(self) -> None:
        """End what is under way, and what keeps workers warm."""
        attempts, workers = list(self._attempts.values()), list(self._workers)
        self._attempts.clear()
        self._waiting.clear()
        self._workers.clear()
        self._greeting.clear()
        if not self._facts.token:
            return
        token, self._facts = self._facts.token, dataclasses.replace(self._facts, token="")
        with contextlib.suppress(InputError):  # the scheduler is gone: workers see to it that they end
            self._ask(self._client.cancel, [attempt.future for attempt in attempts])
            self._ask(self._client.run, dask_worker.end, token, workers=workers, on_error="ignore", seconds=END_SECONDS)


def _result(future: Any) -> Any:
    """What a future brings, an error included."""
    try:
        return future.result()
    except BaseException as error:
        return error


def _tells_of_loss(error: BaseException) -> bool:
    """Whether a task ended because its worker did, or because somebody has restarted the cluster."""
    cancelled = asyncio.CancelledError, concurrent.futures.CancelledError
    return isinstance(error, cancelled) or type(error).__name__ in ("KilledWorker", "NoValidWorkerError")


def _line(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__} {error}".split())[:300]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what Dask logs of workers that come and go: what matters of it is told as an error, or in the outcome."""
    import distributed  # sets up its loggers

    names = [
        distributed.__name__,
        *(name for name in logging.root.manager.loggerDict if name.startswith("distributed.")),
    ]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
