"""A worker process, from the side of its parent."""

from __future__ import annotations

import contextlib
import pickle
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from typing import Any

from crosslit.sandbox.linux import end_watched, start_watched

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
            words = "-m", "crosslit.workers.child", theirs.fileno()
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
