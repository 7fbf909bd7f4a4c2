"""The fork server: a small process with an engine loaded, which forks one process for each run and holds its limits.

Started as ``python -m crosslit.worker SOCKET MODULE,...``, one for each set of modules. It ends when the other end of
the socket closes, and takes every run with it. It stands outside of the runs: an engine that never returns to Python is
killed all the same.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import selectors
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from crosslit import registry, running
from crosslit.frames import ENDED, HEADER, KILL, READY, START, Order
from crosslit.processes import children, delayed, end_children, fork_watcher, inherit_orphans, resident, state

POLL = 0.02  # seconds between two looks at the memory of the runs
KEPT = 2000  # bytes of what a run prints
PART = 1 << 20  # bytes of a message to take at a time


@dataclass
class _Live:
    """One run that has not been reaped."""

    pid: int
    order: Order
    forked: float
    output: IO[bytes]
    errors: IO[bytes]
    killed: str = ""
    largest: int = 0

    def kill(self, reason: str) -> None:
        self.killed = self.killed or reason
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # it may not have become the leader of its group yet


class Server:
    """Forks runs, watches them, and tells how each ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._live: dict[int, _Live] = {}
        self._woken, wake = socket.socketpair()
        for end in (self._woken, wake):
            end.setblocking(False)
        self._wake = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Until the other end closes."""
        self._send(READY, {})
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(self._patience()):
                    if key.fileobj is self._control:
                        if not self._obey():
                            return
                    else:
                        with contextlib.suppress(BlockingIOError):
                            self._woken.recv(4096)
                self._reap()
                self._watch()

    def end(self) -> None:
        """Kill what still runs."""
        for run in self._live.values():
            run.kill("interrupted")

    def _patience(self) -> float | None:
        if not self._live:
            return None
        now = time.monotonic()
        deadlines = [run.forked + run.order.limits.seconds - now for run in self._live.values()]
        return max(0.0, min(POLL, *deadlines))

    def _obey(self) -> bool:
        header, descriptors = _receive(self._control, HEADER.size)
        if len(header) < HEADER.size:
            return False
        letter, length = HEADER.unpack(header)
        body, _ = _receive(self._control, length)
        if len(body) < length:
            return False
        if letter == START:
            self._fork(pickle.loads(body), descriptors[0])
        elif letter == KILL:
            run = self._live.get(int(body))
            if run is not None:
                run.kill("interrupted")
        return True

    def _fork(self, order: Order, descriptor: int) -> None:
        # the run inherits both files; they outlive it, and are closed when it is reaped
        output = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115
        errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115
        forked = time.monotonic()
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            running.run_and_exit(order, server, descriptor, output.fileno(), errors.fileno())
        os.close(descriptor)
        self._live[order.number] = _Live(pid, order, forked, output, errors)

    def _reap(self) -> None:
        for number, run in list(self._live.items()):
            if os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            exited = time.monotonic()
            waited, left = delayed(run.pid), self._left_behind(run)
            # while the leader is not reaped, its group cannot be anybody else's: end what it left behind
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(run.pid, signal.SIGKILL)
            _, status, usage = os.wait4(run.pid, 0)
            # a run that was killed has not waited for what it started: its processes are ours now
            used = [usage, *end_children(partial(_is_of, session=run.pid))]
            del self._live[number]
            scale = 1 if sys.platform == "darwin" else 1024
            record = {
                "number": number,
                "code": os.waitstatus_to_exitcode(status),
                "killed": run.killed,
                "cpu": sum(each.ru_utime + each.ru_stime for each in used),
                "forked": run.forked,
                "exited": exited,
                "delayed": waited,
                "left": left,
                "memory": max(run.largest, *(each.ru_maxrss * scale for each in used)),
                "output": _kept(run.output),
                "errors": _kept(run.errors),
            }
            self._send(ENDED, record)
        if not self._live:
            end_children()  # what left the group of its run

    def _left_behind(self, run: _Live) -> int:
        """How many processes outlive a run; of those that left its session, only where it runs alone."""
        owned = {other.pid for other in self._live.values()}
        inherited = (state(child) for child in children(os.getpid()) if child not in owned)
        return sum(letter != "Z" and (len(owned) == 1 or session == run.pid) for letter, session in inherited)

    def _watch(self) -> None:
        now = time.monotonic()
        for run in self._live.values():
            if now >= run.forked + run.order.limits.seconds:
                run.kill("timeout")
            else:
                run.largest = max(run.largest, resident(run.pid))
                if run.largest > run.order.limits.memory_mb << 20:
                    run.kill("memory")

    def _send(self, letter: bytes, record: dict[str, Any]) -> None:
        body = json.dumps(record).encode()
        self._control.sendall(HEADER.pack(letter, len(body)) + body)


def _is_of(pid: int, session: int) -> bool:
    try:
        return os.getsid(pid) == session
    except ProcessLookupError:
        return False


def _receive(control: socket.socket, length: int) -> tuple[bytes, list[int]]:
    """So many bytes, fewer only at the end of the stream, and the descriptors that came with them."""
    data, descriptors = bytearray(), []
    while len(data) < length:
        part, received, _, _ = socket.recv_fds(control, min(length - len(data), PART), 1)
        descriptors += received
        if not part:
            break
        data += part
    return bytes(data), descriptors


def _kept(file: IO[bytes]) -> str:
    """The first bytes of a file, which is closed."""
    with file:
        file.seek(0)
        return file.read(KEPT).decode(errors="replace")


def main() -> None:
    """Load the modules, say so, and serve."""
    descriptor, modules = int(sys.argv[1]), sys.argv[2]
    fork_watcher(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process decides what an interrupt means
    inherit_orphans()  # what a run leaves behind, to end it
    registry.all_backends()
    if modules:
        registry.all_encodings()
        for module in modules.split(","):
            with contextlib.suppress(ImportError):  # the run that needs it will say so
                importlib.import_module(module)
    gc.collect()
    gc.freeze()  # or the collector of every run would copy the server's pages
    server = Server(socket.socket(fileno=descriptor))
    try:
        server.serve()
    finally:
        server.end()


if __name__ == "__main__":
    main()
