"""Whole calls of a cluster whose scheduler and workers are simulated in this process: orders, losses, results, ends."""

from __future__ import annotations

import asyncio
import pickle
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import pytest

from crosslit import __version__
from crosslit.base.errors import InputError
from crosslit.runs import dask, dask_worker
from crosslit.runs.dask import Cluster

from .test_processes import service


class KilledWorker(Exception):
    """What Dask raises when a worker has died too often."""


class Future:
    """A future that has ended when it is made."""

    def __init__(self, key: str, outcome: Any) -> None:
        self.key, self._outcome = key, outcome

    def result(self) -> Any:
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        call(self)


class Done:
    """The result of a call that may be awaited or not."""

    def __await__(self) -> Any:
        return iter(())


class Scheduler:
    """A scheduler and client; a task is a letter for its outcome, which may depend on the number of the attempt."""

    def __init__(self, workers: dict[str, int], versions: dict[str, Any]) -> None:
        self.workers, self.versions = workers, versions
        self.orders: list[str] = []  # task and worker
        self.attempts: Counter[Any] = Counter()
        self.ended: list[Any] = []
        self.cancelled = 0
        self.most: Counter[str] = Counter()

    def sync(self, function: Callable[[], Any], callback_timeout: float) -> Any:
        assert callback_timeout > 0
        return asyncio.run(function())

    async def nthreads(self) -> dict[str, int]:
        return dict(self.workers)

    async def run(self, function: Any, *arguments: Any, workers: list[str], on_error: str) -> dict[str, Any]:
        if function is dask_worker.end:
            self.ended.append((sorted(workers), on_error))
            return {}
        assert on_error == "return"
        known = {address: (f"process of {address}", __version__) for address in workers}
        return {address: self.versions.get(address, answer) for address, answer in known.items()}

    def cancel(self, futures: list[Any]) -> Any:
        self.cancelled += len(futures)
        return Done()

    def submit(self, _function: Any, order: Any, *, key: str, workers: list[str], **options: Any) -> Future:
        assert (key, options) == (order.id, {"allow_other_workers": False, "retries": 0, "pure": False})
        (address,) = workers
        assert order.process == f"process of {address}"
        self.orders.append(f"{order.task}@{address}")
        self.attempts[order.task] += 1
        return Future(key, self._outcome(order.task, address))

    def _outcome(self, task: str, address: str) -> Any:
        attempt = self.attempts[task]
        packed = pickle.dumps((None, "", f"{task} done"))
        if task.startswith("gone") and (attempt == 1 or task.endswith("twice")):
            self.workers.pop(address, None)  # the worker has left with the task
            self.workers[f"{address}'"] = 1
            return CancelledError()
        return {
            "killed once": packed if attempt > 1 else KilledWorker("x"),
            "killed twice": KilledWorker("x"),
            "dies": None,
            "dies once": packed if attempt > 1 else None,
            "error": pickle.dumps((InputError, "a bad puzzle", None)),
            "raises": ZeroDivisionError("in\nthe worker"),
        }.get(task, packed)


def called(monkeypatch: pytest.MonkeyPatch, workers: dict[str, int], tasks: list[str], **given: Any) -> Any:
    """The scheduler after a call, the results, and the message of its error."""
    monkeypatch.setattr(dask, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(dask, "REFRESH_SECONDS", 0.0)
    monkeypatch.setattr(dask, "WORKER_SECONDS", given.pop("patience", 30.0))
    cluster = Cluster("there", service, stop=given.pop("stop", lambda: False))
    cluster.on_idle = given.pop("on_idle", lambda: None)
    scheduler = cluster._client = Scheduler(workers, given.pop("versions", {}))
    assert not given
    results, message = [], ""
    try:
        for result in cluster.results(tasks):
            lost = f", lost {len(result.lost)}: {result.lost[0]}" if result.lost else ""
            results.append(f"{result.task}: {result.value}{lost}")
    except InputError as error:
        message = str(error)
    assert not (cluster._attempts or cluster._repeated or cluster._workers or cluster._token)
    return scheduler, results, message


LOST = "the worker a was lost"


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([], []),
        (["1"], ["1: 1 done"]),
        ([*"12345"], [f"{number}: {number} done" for number in range(1, 6)]),
        (["killed once", "2"], ["2: 2 done", f"killed once: killed once done, lost 1: {LOST}"]),
        (["killed twice", "2"], ["2: 2 done", f"killed twice: None, lost 2: {LOST}"]),
        (["dies", "2"], ["2: 2 done", f"dies: None, lost 2: {LOST}"]),
        (["dies once"], [f"dies once: dies once done, lost 1: {LOST}"]),
        (["gone"], [f"gone: gone done, lost 1: {LOST}"]),
        (["gone twice", "2"], ["2: 2 done", f"gone twice: None, lost 2: {LOST}"]),
    ],
)
def test_every_task_has_one_result_with_its_losses(
    monkeypatch: pytest.MonkeyPatch, tasks: list[str], expected: list[str]
) -> None:
    scheduler, results, message = called(monkeypatch, {"a": 1}, tasks)
    assert (sorted(results), message) == (expected, "")
    lost = sum(", lost" in text for text in results)
    assert scheduler.cancelled == sum(int(text.split("lost ")[1][0]) for text in results if "lost " in text)
    assert len(scheduler.orders) == len(tasks) + lost
    ((workers, on_error),) = scheduler.ended  # all workers are told that the call has ended
    assert (workers, on_error) == (sorted(scheduler.workers), "ignore")


def test_tasks_are_taken_as_threads_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []

    def tasks() -> Any:
        for number in range(6):
            taken.append(len(scheduler.orders))
            yield str(number)

    scheduler = Scheduler({}, {})
    monkeypatch.setattr(f"{__name__}.Scheduler", lambda *_: scheduler)
    scheduler.workers = {"a": 1, "b": 2}
    _, results, _ = called(monkeypatch, {}, tasks())
    assert sorted(results) == [f"{number}: {number} done" for number in range(6)]
    assert Counter(order[2:] for order in scheduler.orders[:3]) == {"a": 1, "b": 2}
    assert taken == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("workers", "tasks", "given", "message", "results"),
    [
        ({"a": 1}, ["error"], {}, "the worker a: a bad puzzle", []),
        ({"a": 1}, ["1", "raises"], {}, "the worker a failed: ZeroDivisionError in the worker", ["1: 1 done"]),
        ({"a": 1}, ["1"], {"versions": {"a": ("p", "0.1")}}, f"has crosslit 0.1, this process has {__version__}", []),
        ({"a": 1}, ["1"], {"versions": {"a": ImportError("no crosslit")}}, "cannot load this version of crosslit", []),
        ({}, ["1"], {"patience": -1.0}, "there has been no worker for", []),
        # a worker that has gone while it was greeted is no error, and another one takes the task
        ({"a": 1, "b": 1}, ["1"], {"versions": {"a": OSError("gone")}}, "", ["1: 1 done"]),
    ],
)
def test_what_ends_a_call(
    monkeypatch: pytest.MonkeyPatch,
    workers: dict[str, int],
    tasks: list[str],
    given: dict[str, Any],
    message: str,
    results: list[str],
) -> None:
    _, found, told = called(monkeypatch, workers, tasks, **given)
    assert found == results
    assert (message in told) if message else not told
    assert told.startswith("--dask there: ") or not message


def test_after_a_stop_only_what_has_ended_is_yielded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    _, results, message = called(monkeypatch, {"a": 4}, [*"123456"], stop=stop)
    assert (sorted(results), message) == ([f"{number}: {number} done" for number in range(1, 6)], "")
    assert called(monkeypatch, {"a": 2}, ["1"], stop=lambda: True)[1:] == ([], "")


def test_a_call_waits_for_the_first_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    workers: dict[str, int] = {}
    _, results, message = called(monkeypatch, workers, ["1"], on_idle=lambda: workers.update(late=1))
    assert (results, message) == (["1: 1 done"], "")
