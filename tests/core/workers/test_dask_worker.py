"""The worker's side of a Dask cluster, without Dask."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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


class Child:
    """A child process that answers after some looks, or never."""

    def __init__(self, service: Any, side_by_side: int, idle_seconds: float | None = None) -> None:
        self.made = (service, side_by_side, idle_seconds)
        self.has_ended = False
        self.answers: Iterator[bool] = itertools.repeat(True)
        self.sent: list[Any] = []
        self.looks: list[float] = []
        self.while_ending: Callable[[], object] = lambda: None
        self.connection = self
        self.ends = 0
        children.append(self)

    def send(self, task: Any) -> None:
        self.sent.append(task)

    def poll(self, seconds: float) -> bool:
        self.looks.append(seconds)
        return next(self.answers)

    def receive(self) -> bytes | None:
        return f"{self.sent[-1]} done".encode() if self.sent[-1] != "dies" else None

    def end(self) -> None:
        self.ends += 1
        self.while_ending()


children: list[Child] = []


@pytest.fixture
def carry_out(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes | None]:
    """Carry out a task of a call, named by its token, with simulated children; they are in ``children``."""
    monkeypatch.setattr(dask_worker, "Process", Child)
    for name in ("_idle", "_over", "_begun", "_busy"):
        monkeypatch.setattr(dask_worker, name, type(getattr(dask_worker, name))())
    children.clear()
    numbers = itertools.count()

    def perform_one(task: str, token: str = "call", wanted: Callable[[], bool] = lambda: True) -> bytes | None:
        order = TaskOrder(str(next(numbers)), dask_worker.PROCESS, token, service, task)
        return perform(order, 3, wanted)

    return perform_one


def test_a_child_knows_its_service_the_threads_of_the_worker_and_when_to_end(carry_out: Any) -> None:
    assert [carry_out("a"), carry_out("b")] == [b"a done", b"b done"]
    (child,) = children
    assert (child.made, child.sent, child.ends) == ((service, 3, dask_worker.IDLE_SECONDS), ["a", "b"], 0)
    assert set(child.looks) == {dask_worker.POLL_SECONDS}
    assert asyncio.run(dask_worker.end("call"))
    assert child.ends == 1


def test_a_task_is_waited_for_while_it_is_wanted(carry_out: Any) -> None:
    asked: list[int] = []

    def wanted() -> bool:
        if not asked:
            children[-1].answers = iter([False, False, True])
        asked.append(len(children[-1].looks))
        return True

    assert carry_out("a", wanted=wanted) == b"a done"
    assert asked == [0, 1, 2]


@pytest.mark.parametrize("why", ["died", "unwanted", "over", "an error"])
def test_a_child_without_an_answer_is_ended_before_its_task_counts_as_ended(carry_out: Any, why: str) -> None:
    busy: list[int] = []

    def wanted() -> bool:
        children[-1].while_ending = lambda: busy.append(dask_worker._busy["call"])
        if why == "over":
            dask_worker._over.add("call")
        if why == "an error":
            raise ZeroDivisionError
        return why != "unwanted"

    if why == "an error":
        with pytest.raises(ZeroDivisionError):
            carry_out("a", wanted=wanted)
    else:
        data = carry_out("dies" if why == "died" else "a", wanted=wanted)
        assert data == (b"a done" if why == "over" else None)  # it had ended before it could be ended
    assert (busy, dask_worker._busy["call"], children[-1].ends) == ([1], 0, 1)
    assert not dask_worker._idle["call"]


def test_a_child_that_has_ended_is_replaced_and_one_that_has_not_is_not(carry_out: Any) -> None:
    carry_out("a")
    carry_out("b")
    children[0].has_ended = True
    carry_out("c")
    assert [(child.sent, child.ends) for child in children] == [(["a", "b"], 1), (["c"], 0)]


def test_the_end_of_a_call_waits_for_its_own_tasks_only_and_not_for_ever(
    carry_out: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("one", "other"):
        carry_out("a", token)
    dask_worker._busy["other"] = 1
    assert asyncio.run(dask_worker.end("one"))
    assert (*(child.ends for child in children), [*dask_worker._idle]) == (1, 0, ["other"])
    assert (carry_out("b", "one"), carry_out("b", "other")) == (None, b"b done")
    monkeypatch.setattr(dask_worker, "END_SECONDS", 0.0)
    began = time.monotonic()
    assert not asyncio.run(dask_worker.end("other"))
    assert time.monotonic() - began < 60
    assert children[-1].ends == 1


def test_the_end_of_a_call_takes_children_that_become_idle_while_it_waits(
    carry_out: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask_worker._busy["call"] = 1
    late = Child(service, 1)

    async def sleep(_: float) -> None:
        dask_worker._idle["call"], dask_worker._busy["call"] = [late], 0  # type: ignore[list-item]

    monkeypatch.setattr(asyncio, "sleep", sleep)
    assert asyncio.run(dask_worker.end("call"))
    assert (late.ends, [*dask_worker._busy]) == (1, [])
