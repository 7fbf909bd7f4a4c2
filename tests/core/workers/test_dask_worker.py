"""The worker's side of a Dask cluster, without Dask."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from crosslit.runs import dask_worker
from crosslit.runs.dask_worker import TaskOrder, perform
from crosslit.runs.workers import value_of

from .test_processes import importable as importable
from .test_processes import service


def test_an_order_is_carried_out_once_and_only_by_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    order = TaskOrder("1", dask_worker.PROCESS, "test", service, "a")
    try:
        data = perform(order, 1, lambda: True)
        assert data is not None
        assert value_of(data) == "aa"
        assert perform(order, 1, lambda: True) is None
        assert perform(order._replace(id="2", process="another"), 1, lambda: True) is None
    finally:
        assert asyncio.run(dask_worker.end("test"))
    monkeypatch.delattr(dask_worker, "Process")  # for an order of an ended call, none is started
    assert perform(order._replace(id="3"), 1, lambda: True) is None


def test_a_process_that_has_ended_while_it_was_idle_is_replaced() -> None:
    order = TaskOrder("9", dask_worker.PROCESS, "idle", service, "a")
    try:
        assert perform(order, 1, lambda: True) is not None
        (child,) = dask_worker._idle["idle"]
        child._process.kill()
        child._process.wait()
        assert perform(order._replace(id="10"), 1, lambda: True) is not None
    finally:
        assert asyncio.run(dask_worker.end("idle"))


def test_a_task_that_nobody_waits_for_is_ended() -> None:
    order = TaskOrder("4", dask_worker.PROCESS, "other", service, "sleep")
    assert perform(order, 1, lambda: False) is None
    assert not dask_worker._idle["other"]
    assert asyncio.run(dask_worker.end("other"))


def test_the_end_of_a_call_ends_its_tasks_and_keeps_no_process() -> None:
    order = TaskOrder("5", dask_worker.PROCESS, "ending", service, "sleep")
    with ThreadPoolExecutor() as threads:
        begun = threading.Event()
        task = threads.submit(perform, order, 1, lambda: begun.set() or True)
        assert begun.wait(60)
        assert asyncio.run(dask_worker.end("ending"))
        assert task.result(60) is None

    dask_worker._busy["two"] = 1  # another task of the same call
    perform(order._replace(id="7", token="two", task="a"), 1, lambda: True)
    assert dask_worker._busy["two"] == 1
    dask_worker._busy["two"] = 0
    assert asyncio.run(dask_worker.end("two"))

    def over() -> bool:
        dask_worker._over.add("late")
        return True

    assert perform(order._replace(id="8", token="late", task="a"), 1, lambda: True)
    perform(order._replace(id="6", token="late", task="a"), 1, over)
    assert not dask_worker._idle.get("late")


def test_the_orders_of_a_call_share_a_process_and_those_of_another_have_their_own() -> None:
    try:
        found = []
        for number, token in enumerate(["one", "one", "another", "one"]):
            data = perform(TaskOrder(f"shared {number}", dask_worker.PROCESS, token, service, "pid"), 1, lambda: True)
            assert data is not None
            found.append(value_of(data))
        assert found[0] == found[1] == found[3] != found[2]
    finally:
        assert [asyncio.run(dask_worker.end(token)) for token in ("one", "another")] == [True, True]
