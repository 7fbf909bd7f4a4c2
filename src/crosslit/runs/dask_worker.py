"""The worker's side of a Dask cluster: each order is carried out once, by the process that it names.

It does not depend on Dask: `crosslit.runs.dask` delivers the orders. A task is carried out in a child process, which
can be ended.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from crosslit.runs.workers import Process, Service

END_SECONDS = 10.0  # time for the current tasks to end
POLL_SECONDS = 0.2  # seconds between checks for cancelled tasks
IDLE_SECONDS = 60.0  # seconds without a task after which a child process ends

PROCESS = uuid.uuid4().hex  # identifies this process, as a later one may get its address


class TaskOrder(NamedTuple):
    """The order to carry out a task, addressed to one process; the token identifies a call of `Cluster.results`."""

    id: str
    process: str
    token: str
    service: Service
    task: Any


_idle: dict[str, list[Process]] = {}  # by token
_busy: Counter[str] = Counter()  # number of current tasks, by token
_over: set[str] = set()  # tokens of ended calls, whose late orders are rejected
_begun: set[str] = set()  # ids of orders that were started
_lock = threading.Lock()


def perform(order: TaskOrder, threads: int, wanted: Callable[[], bool]) -> bytes | None:
    """Carry out a task, and return its packed result for `value_of`.

    None if the order is for another process, was started before, or is not ``wanted`` any more, and if its child
    process died. ``threads`` tasks are carried out in parallel.
    """
    with _lock:
        if order.process != PROCESS or order.id in _begun or order.token in _over:
            return None
        # Noted before the task starts: a repeated order must be rejected even if the first one fails.
        _begun.add(order.id)
        _busy[order.token] += 1
        idle = _idle.setdefault(order.token, [])
        child = idle.pop() if idle else None
    data, is_kept = None, False
    try:
        # Child processes hold engines in memory, and the worker may belong to a cluster that others use.
        if child is not None and child.has_ended:
            child.end()
            child = None
        child = child or Process(order.service, threads, IDLE_SECONDS)
        child.send(order.task)
        # The process that asked may die without a message.
        while order.token not in _over and wanted():
            if child.connection.poll(POLL_SECONDS):
                data = child.receive()
                break
    finally:
        with _lock:
            if child is not None and data is not None and order.token not in _over:
                idle.append(child)
                is_kept = True
        if child is not None and not is_kept:
            child.end()
        with _lock:
            _busy[order.token] -= 1
    return data


async def end(token: str) -> bool:
    """End the tasks and child processes of a call in this process; return whether they have ended."""
    until = time.monotonic() + END_SECONDS
    while True:
        with _lock:
            _over.add(token)
            children = _idle.pop(token, [])
        for child in children:
            # In another thread, since a blocked event loop would stop the worker's messages.
            await asyncio.to_thread(child.end)
        if not _busy[token]:
            del _busy[token]
            return True
        if time.monotonic() > until:
            return False
        await asyncio.sleep(POLL_SECONDS / 4)
