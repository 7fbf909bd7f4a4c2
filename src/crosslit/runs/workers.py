"""The interface of executors, and the one with processes on this machine."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import queue
import signal
import socket
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any, NamedTuple, Self

from crosslit.base.errors import CrosslitError, InternalError
from crosslit.contract import Backend, registered
from crosslit.runs.linux import end_watched, start_watched

END_SECONDS = 5.0  # time for a process to end its solvers and itself

Service = Callable[[int], AbstractContextManager[Callable[[Any], Any]]]
"""A function of the number of parallel tasks on its machine; it opens a function from a task to its result.

It is pickled, and so are the tasks and the results.
"""


class Process:
    """A process with a service; it ends with its parent, or after ``idle_seconds`` without a task."""

    def __init__(self, service: Service, side_by_side: int, idle_seconds: float | None = None) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            words = "-m", "crosslit.runs.workers", theirs.fileno()
            self._process, self._mark = start_watched(words, theirs.fileno())
        self.connection = Connection(ours.detach())
        self.send((service, side_by_side, idle_seconds))

    @property
    def has_ended(self) -> bool:
        """True if it takes no more tasks."""
        return self._process.poll() is not None

    def send(self, message: Any) -> None:
        """Send a task; if the process has ended, `receive` shows that."""
        data = pickle.dumps(message)
        with contextlib.suppress(OSError):
            self.connection.send_bytes(data)

    def receive(self) -> bytes | None:
        """Wait for the result of a task, for `value_of`; None if the process has ended without one."""
        try:
            return self.connection.recv_bytes()
        except (EOFError, OSError):
            return None

    def end(self) -> str:
        """End the process and all that it has started; return how it ended."""
        self.connection.close()  # it takes this as the request to end
        end_watched(self._process, self._mark, END_SECONDS, END_SECONDS)
        return f"ended with status {self._process.returncode}"


def value_of(data: bytes) -> Any:
    """Return the result of a task, or raise the error that it ended with."""
    kind, text, value = pickle.loads(data)
    if kind is None:
        return value
    # Without its constructor, whose arguments are not those of the finished message.
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    raise error


POLL_SECONDS = 0.1  # seconds between checks for an interrupt


class TaskResult(NamedTuple):
    """The result of a task."""

    task: Any
    value: Any  # None if the task was lost with two workers in turn
    lost: tuple[str, ...] = ()  # how each attempt without a result was lost


def in_order(results: Iterable[TaskResult], waiting: dict[int, TaskResult]) -> Iterator[TaskResult]:
    """Yield the results of tasks that are numbered from 0 by their first item, in order, and last those after a gap.

    ``waiting`` gets the results whose predecessors have not ended.
    """
    following = 0
    for result in results:
        waiting[result.task[0]] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
    for number in sorted(waiting):
        yield waiting.pop(number)


class Executor(ABC):
    """A context manager that lets workers carry out tasks, and leaves nothing running.

    The task of a lost worker goes to another one, once. When ``stop`` returns True, the tasks of workers are abandoned.
    """

    def __init__(self, service: Service, stop: Callable[[], bool] = lambda: False) -> None:
        # Commands of the user are known to this process only.
        self._service: Service = functools.partial(_with_definitions, registered.definitions(), service)
        self._stop, self._stack = stop, ExitStack()
        self.on_idle: Callable[[], object] = lambda: None  # called when no task has ended for a while

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @abstractmethod
    def results(self, tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
        """Yield the results, each as soon as its task ends; a task is taken when a worker is free."""


def _with_definitions(
    backends: Iterable[Backend], service: Service, side_by_side: int
) -> AbstractContextManager[Callable[[Any], Any]]:
    for backend in backends:
        registered.add(backend)
    return service(side_by_side)


class Processes(Executor):
    """An executor with some processes on this machine."""

    def __init__(self, service: Service, jobs: int, stop: Callable[[], bool] = lambda: False) -> None:
        super().__init__(service, stop)
        self._jobs = jobs

    def results(self, tasks: Iterable[Any]) -> Generator[TaskResult, None, None]:
        """Yield the results, each as soon as its task ends."""
        idle: list[Process] = []
        busy: dict[Connection, tuple[Process, Any, tuple[str, ...]]] = {}
        repeated: deque[tuple[Any, tuple[str, ...]]] = deque()
        fresh = ((task, ()) for task in tasks)
        try:
            while not self._stop():
                while len(busy) < self._jobs:
                    following = repeated.popleft() if repeated else next(fresh, None)
                    if following is None:
                        break
                    process = idle.pop() if idle else Process(self._service, self._jobs)
                    process.send(following[0])
                    busy[process.connection] = process, *following
                if not busy:
                    return
                ready = wait(list(busy), POLL_SECONDS)
                if not ready:
                    self.on_idle()
                for connection in ready:
                    process, task, lost = busy[connection]  # type: ignore[index]
                    data = process.receive()
                    del busy[process.connection]
                    if data is not None:
                        idle.append(process)
                        yield TaskResult(task, value_of(data), lost)
                        continue
                    lost = (*lost, f"its process {process.end()}")
                    if len(lost) < 2:
                        repeated.append((task, lost))
                    else:
                        yield TaskResult(task, None, lost)
        finally:
            started = [*idle, *(active for active, *_ in busy.values())]
            for process in started:
                process.connection.close()  # all end at the same time
            for process in started:
                process.end()


def main(descriptor: int) -> None:
    """Open a service, and carry out its tasks until the parent process closes the connection."""
    connection = Connection(descriptor)
    signal.signal(signal.SIGTERM, _end)
    received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # A thread, because the end of the parent has to be noticed during a task too.
    threading.Thread(target=_receive, args=(connection, received), daemon=True).start()
    try:
        service, side_by_side, idle_seconds = pickle.loads(received.get())
        with service(side_by_side) as perform:
            while True:
                try:
                    task = received.get(timeout=idle_seconds)
                except queue.Empty:
                    return
                connection.send_bytes(pickle.dumps((None, "", perform(pickle.loads(task)))))
    except Exception as error:
        kind = type(error) if isinstance(error, CrosslitError | InternalError) else RuntimeError
        text = str(error) if kind is type(error) else f"{type(error).__name__}: {error}"
        with contextlib.suppress(OSError):
            connection.send_bytes(pickle.dumps((kind, text, None)))


def _receive(connection: Connection, received: queue.SimpleQueue[bytes]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            received.put(connection.recv_bytes())
    os.kill(os.getpid(), signal.SIGTERM)


def _end(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not break the cleaning up
    sys.exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
