"""The asking side of a Dask cluster, with a client that only keeps what it is given."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import __version__
from crosslit.base.errors import InputError, Unavailable
from crosslit.runs import dask, dask_worker
from crosslit.runs.dask import Cluster, _greet, _perform, _result, _tells_of_loss, _Worker, local_workers

from .test_processes import service


class Client:
    """A client of Dask whose futures never end."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}

    def submit(self, _function: Any, order: Any, **_options: Any) -> Any:
        self.given[order.id] = order
        return self

    def add_done_callback(self, _call: Any) -> None: ...

    def cancel(self, _futures: Any) -> None: ...


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A cluster with one worker of two threads, which stays there."""
    made = Cluster("there", service)
    made._client = Client()
    made._workers = {"a": _Worker("a", "p", 2)}
    monkeypatch.setattr(made, "_look", lambda: iter(()))
    return made


def test_a_worker_gets_as_many_tasks_as_it_has_threads(cluster: Cluster) -> None:
    waiting = ((number, ()) for number in range(5))
    for _ in range(2):
        cluster._hand_out(waiting)
        assert [order.task for order in cluster._client.given.values()] == [0, 1]


def test_a_lost_task_is_given_to_another_worker_once_and_answers_of_no_task_are_none(cluster: Cluster) -> None:
    assert list(cluster._take("none", b"answer")) == []
    lost: list[Any] = []
    for answer in (CancelledError(), None):
        cluster._hand_out(iter([] if lost or cluster._repeated else [("task", ())]))
        lost += cluster._take(next(iter(cluster._attempts)), answer)
        cluster._workers = {"b": _Worker("b", "q", 1)}
    assert [(result.task, result.value) for result in lost] == [("task", None)]
    assert lost[0].lost == ("the worker a was lost", "the worker b was lost")


def test_a_call_ends_when_no_task_is_left_nor_to_be_repeated(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster._repeated.append(("task", ("lost",)))
    monkeypatch.setattr(cluster, "_hand_out", lambda _: None)
    monkeypatch.setattr(cluster, "_halt", lambda: None)
    monkeypatch.setattr("crosslit.runs.dask.POLL_SECONDS", 0.001)
    cluster.on_idle = cluster._repeated.clear
    idle = len(cluster._repeated)
    assert (list(cluster.results([])), idle, len(cluster._repeated)) == ([], 1, 0)


@pytest.mark.parametrize("address", ["local:", "local:0", "local:-1", "local:x", "local:\u0661"])
def test_a_local_cluster_has_a_number_of_workers(address: str) -> None:
    assert (local_workers("local"), local_workers("local:2"), local_workers("tcp://local:2")) == (0, 2, None)
    with pytest.raises(InputError, match="expected local:N"):
        local_workers(address)


@pytest.mark.parametrize(("address", "workers"), [("local", 3), ("local:2", 2), ("local:5", 5)])
def test_a_local_cluster_has_as_many_workers_as_jobs_if_no_number_is_given(address: str, workers: int) -> None:
    assert Cluster(address, service, jobs=3)._jobs == workers


@pytest.mark.parametrize("version", ["0.0.1", "99.0", __version__])
def test_a_worker_of_another_version_is_refused(cluster: Cluster, version: str) -> None:
    cluster._client.run, cluster._ask = None, lambda *_, **__: {"b": ("q", version)}  # type: ignore[method-assign]
    if version == __version__:
        cluster._meet({"b": 1})
        assert cluster._workers["b"] == _Worker("b", "q", 1)
        return
    with pytest.raises(InputError, match=f"the worker b has crosslit {version}, this process has"):
        cluster._meet({"b": 1})


@pytest.mark.parametrize(
    ("state", "status", "wanted"),
    [
        ("executing", "running", True),
        ("long-running", "paused", True),
        ("executing", "closing_gracefully", True),  # it still returns the results of its tasks
        ("executing", "closed", False),
        ("executing", "closing", False),
        ("cancelled", "running", False),
        ("memory", "running", False),
        (None, "running", False),  # the worker does not know the task any more
    ],
)
def test_a_worker_carries_out_its_current_task_while_somebody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, state: str | None, status: str, wanted: bool
) -> None:
    tasks = {} if state is None else {"key": SimpleNamespace(state=state)}
    worker = SimpleNamespace(
        state=SimpleNamespace(tasks=tasks, nthreads=3),
        status=SimpleNamespace(name=status),
        get_current_task=lambda: "key",
    )
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(get_worker=lambda: worker))
    monkeypatch.setattr(dask_worker, "perform", lambda order, threads, wanted: (order, threads, wanted()))
    assert _perform("order") == ("order", 3, wanted)  # type: ignore[arg-type,comparison-overlap]


@pytest.mark.parametrize("ignores", [True, False])
def test_only_the_workers_of_a_local_cluster_ignore_interrupts(ignores: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        assert _greet(ignores) == (dask_worker.PROCESS, __version__)
        assert signal.getsignal(signal.SIGINT) == (signal.SIG_IGN if ignores else before)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (asyncio.CancelledError(), True),
        (concurrent.futures.CancelledError(), True),
        (type("KilledWorker", (Exception,), {})(), True),
        (type("NoValidWorkerError", (Exception,), {})(), True),  # its worker has left before the task could start
        (type("KilledWorkers", (Exception,), {})(), False),
        (OSError("gone"), False),
        (KeyError("x"), False),
    ],
)
def test_a_task_is_lost_with_its_worker_and_not_by_an_error_of_its_own(error: BaseException, lost: bool) -> None:
    def fails() -> None:
        raise error

    assert _result(SimpleNamespace(result=fails)) is error
    assert _tells_of_loss(error) == lost


class Clock:
    """A clock that stands still between two steps of a test."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(dask, "time", made)
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, float | None]]]:
    """The calls of the scheduler by a cluster without a client, with their limits of time; no worker is there."""
    calls: list[tuple[str, float | None]] = []

    def ask(_self: Cluster, call: Any, *_arguments: Any, seconds: float | None = None, **named: Any) -> Any:
        calls.append((call, seconds))
        return (
            there if call == "nthreads" else {address: (f"new {address}", __version__) for address in named["workers"]}
        )

    there: dict[str, int] = {}
    monkeypatch.setattr(Cluster, "_ask", ask)
    monkeypatch.setattr(Cluster, "there", there, raising=False)
    yield calls


def of_workers(**threads: int) -> Any:
    """A cluster that knows workers, each with a task on each of its threads."""
    made: Any = Cluster("there", service)
    made._client = SimpleNamespace(
        nthreads="nthreads", run="run", cancel=lambda _: None, submit=lambda *_, **__: Client()
    )
    made._workers = {name: _Worker(name, f"old {name}", number) for name, number in threads.items()}
    made.there.update(threads)
    made._last_seen = dask.time.monotonic()
    made._hand_out(iter([(f"{name}{number}", ()) for name, count in threads.items() for number in range(count)]))
    return made


def test_only_the_tasks_of_the_worker_that_has_left_are_lost(clock: Clock, asked: list[Any]) -> None:
    made = of_workers(a=1, b=2)
    del made.there["b"]
    assert list(made._look()) == []
    assert list(made._repeated) == [("b0", ("the worker b was lost",)), ("b1", ("the worker b was lost",))]
    assert [attempt.task for attempt in made._attempts.values()] == ["a0"]
    assert list(made._workers) == ["a"]


def test_a_worker_that_has_lost_a_task_is_greeted_again_at_once(clock: Clock, asked: list[Any]) -> None:
    made = of_workers(a=1, b=1)
    list(made._look())
    assert list(made._take(next(iter(made._attempts)), None)) == []
    assert asked == [("nthreads", None), ("nthreads", None), ("run", dask.WORKER_SECONDS)]
    assert [worker.process for worker in made._workers.values()] == ["old b", "new a"]
    assert (list(made._repeated), len(made._attempts)) == ([("a0", ("the worker a was lost",))], 1)


def test_the_workers_are_asked_for_now_and_then(clock: Clock, asked: list[Any]) -> None:
    made = of_workers(a=1)
    for passed, calls in ((0.0, 1), (dask.REFRESH_SECONDS / 2, 1), (dask.REFRESH_SECONDS / 2, 2), (0.0, 2)):
        clock.now += passed
        list(made._look())
        assert len(asked) == calls


def test_a_cluster_without_a_worker_is_waited_for_and_then_an_error(clock: Clock, asked: list[Any]) -> None:
    made = of_workers(a=1)
    for there, passed in (({}, dask.WORKER_SECONDS), ({"a": 1}, dask.WORKER_SECONDS), ({}, dask.WORKER_SECONDS)):
        made.there.clear()
        made.there.update(there)
        clock.now += passed
        list(made._look())
    clock.now += 1
    with pytest.raises(InputError, match="there has been no worker for 30 seconds; `dask worker ADDRESS` starts one"):
        list(made._look())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a connection gives to Dask, which is simulated; "error" is raised instead of a connection."""
    given: dict[str, Any] = {"error": None, "open": []}

    @contextlib.contextmanager
    def opened(name: str) -> Iterator[str]:
        given["open"].append(name)
        try:
            yield name
        finally:
            given["open"].remove(name)

    def cluster(**options: Any) -> Any:
        given.update(options, safe=os.environ["PYTHONSAFEPATH"])
        return opened("a local scheduler")

    def client(scheduler: str, **options: Any) -> Any:
        if given["error"]:
            raise given["error"]
        given.update(options, scheduler=scheduler, logs=logging.getLogger("distributed").isEnabledFor(logging.ERROR))
        return opened("client")

    def settings(values: dict[str, Any]) -> Any:
        given["settings"] = values
        return opened("settings")

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(LocalCluster=cluster, Client=client))
    monkeypatch.setitem(sys.modules, "dask", SimpleNamespace(config=SimpleNamespace(set=settings)))
    return given


@pytest.mark.parametrize(("address", "is_local"), [("local:2", True), ("tcp://here:1", False)])
@pytest.mark.parametrize("safe", [None, "yes"])
def test_a_connection_has_timeouts_and_no_logs_and_is_closed(
    monkeypatch: pytest.MonkeyPatch, started: dict[str, Any], address: str, is_local: bool, safe: str | None
) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if safe is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", safe)
    halted: list[list[str]] = []
    monkeypatch.setattr(Cluster, "_halt", lambda _: halted.append([*started["open"]]))
    scheduler = ["a local scheduler"] if is_local else []
    level = logging.root.manager.disable
    with Cluster(address, service, jobs=5) as made:
        assert (made._client, started["open"]) == ("client", ["settings", *scheduler, "client"])
        assert os.environ.get("PYTHONSAFEPATH") == safe
        assert not halted
    assert (halted, started["open"]) == ([["settings", *scheduler, "client"]], [])  # the tasks end before the client
    assert (logging.root.manager.disable, started["logs"]) == (level, False)
    assert started["scheduler"] == ("a local scheduler" if is_local else address)
    assert (started["timeout"], started["set_as_default"]) == (dask.CONNECT_SECONDS, False)
    assert started["settings"] == {
        "distributed.comm.timeouts.connect": dask.CONNECT_SECONDS,
        "distributed.admin.large-graph-warning-threshold": "1 GiB",
        "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",
    }
    if is_local:
        local = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": None, "env": {"PYTHONSAFEPATH": safe or ""}}
        local |= {"safe": "1", "scheduler_kwargs": {"dashboard": False}, "silence_logs": logging.CRITICAL}
        assert {name: started[name] for name in local} == local


@pytest.mark.parametrize("error", [OSError("no\nroute"), ValueError("no route"), TypeError("no"), TimeoutError("no")])
def test_a_scheduler_that_does_not_answer_is_reported_in_one_line(started: dict[str, Any], error: Exception) -> None:
    started["error"] = error
    level = logging.root.manager.disable
    words = f"{type(error).__name__} {' '.join(str(error).split())}"
    with pytest.raises(InputError, match=f"^--dask local:1: no Dask scheduler answers: {words}$"):
        Cluster("local:1", service).__enter__()
    assert (started["open"], logging.root.manager.disable) == ([], level)


def test_a_cluster_needs_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(Unavailable, match="a cluster needs Dask: "):
        Cluster("local", service).__enter__()
