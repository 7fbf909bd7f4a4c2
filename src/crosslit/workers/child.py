"""A worker process: ``python -m crosslit.workers.child DESCRIPTOR``."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
from multiprocessing.connection import Connection
from types import FrameType

from crosslit.base.errors import CrosslitError, InternalError


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
