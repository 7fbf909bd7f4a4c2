"""The process that stands between: it starts the solver under test, watches its memory, and ends all that it started.

It inherits what the solver leaves behind, wherever that went. When the asking process is gone, so is the solver. What
the solver reads and writes does not pass through here: the pipes are the asking process's own.

Started as ``python -m crosslit.sandbox.guard SOCKET BYTES PROCESSES WORD...`` for a command; for a function it
is forked from the process that has it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from select import POLLIN, poll
from typing import Any, NoReturn

from crosslit.sandbox.linux import (
    children,
    descendants,
    end_children,
    end_with_parent,
    fork_watcher,
    inherit_orphans,
    memory_of,
    own_resident,
    state,
)

START = b"S"  # with the descriptors that are to be its standard input, output and error
KILL = b"K"

POLL = 0.02  # seconds between two looks at the memory of the solver
PATIENCE = 0.25  # seconds for what the solver started to end after it
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_IDLE = 1.0  # seconds between two looks whether the asking process is there


Become = Callable[[Sequence[int], int], NoReturn]
"""What the forked process does: its descriptors for input, output and errors, and one on which it tells why it cannot
begin, which closes when it has begun."""


@dataclass(frozen=True)
class Bounds:
    """What a solver may use: resident bytes, and processes beside its first one, at a time."""

    memory: int
    processes: int


class Guard:
    """Starts solvers, one after another, and tells how each ended.

    Args:
        control: the socket to the asking process.
        bounds: of the solver and what it starts, together.
        become: what the forked process does.
        shared: bytes of memory that the solver has from its fork; not held against it.
    """

    def __init__(self, control: socket.socket, bounds: Bounds, become: Become, shared: int = 0) -> None:
        self._control, self._bounds, self._become, self._shared = control, bounds, become, shared
        self._parent = os.getppid()
        self._pid = 0
        self._killed = ""
        self._largest = 0
        self._woken, wake = socket.socketpair()
        for end in (self._woken, wake):
            end.setblocking(False)
        self._wake = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process decides what an interrupt means
        inherit_orphans()

    def serve(self) -> None:
        """Until the asking process is gone."""
        waiting = poll()
        waiting.register(self._control, POLLIN)
        waiting.register(self._woken, POLLIN)
        while os.getppid() == self._parent:
            ready = {descriptor for descriptor, _ in waiting.poll(1000 * (POLL if self._pid else _IDLE))}
            if self._woken.fileno() in ready:
                with contextlib.suppress(BlockingIOError):
                    self._woken.recv(4096)
            if self._pid:
                self._watch()
            elif self._woken.fileno() in ready:
                self._reap_others()
            if self._control.fileno() in ready and not self._obey():
                return

    def end(self) -> None:
        """End the solver and all that it started."""
        if self._pid:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)
        end_children()

    def _obey(self) -> bool:
        try:
            letter, descriptors, _, _ = socket.recv_fds(self._control, 1, 3, _CLOSE_ON_EXEC)
        except OSError:
            return False
        if letter == START:
            self._start(descriptors)
        elif letter == KILL:
            self._kill("asked")
        return bool(letter)

    def _start(self, descriptors: Sequence[int]) -> None:
        told, tell = os.pipe()
        guard = os.getpid()
        self._killed, self._largest = "", 0
        pid = os.fork()
        if pid == 0:
            self._be_solver(guard, descriptors, tell)
        for descriptor in (*descriptors, tell):
            os.close(descriptor)
        with os.fdopen(told, "rb") as problem:  # ends when the solver has begun
            reason = problem.read().decode(errors="replace")
        self._pid = pid
        if reason:
            os.waitpid(pid, 0)
            self._pid = 0
            self._tell({"failed": reason})
        else:
            self._tell({"started": pid})

    def _be_solver(self, guard: int, descriptors: Sequence[int], tell: int) -> NoReturn:
        """In the forked process: shut it in, and let it become the solver."""
        try:
            os.setsid()
            end_with_parent(guard)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for end in (self._control, self._woken, self._wake):
                end.close()
            self._become(descriptors, tell)
        finally:
            os._exit(127)

    def _watch(self) -> None:
        """Look at the memory of the solver, and tell if it ended."""
        if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            self._conclude()
            return
        self._reap_others()
        processes = descendants(os.getpid())
        used = memory_of(processes) - self._shared
        self._largest = max(self._largest, used)
        if used > self._bounds.memory:
            self._kill("memory")
        elif len(processes) - 1 > self._bounds.processes:
            self._kill("left-behind")

    def _reap_others(self) -> None:
        """Forget what was inherited and has ended by itself."""
        for child in children(os.getpid()):
            if child != self._pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)

    def _kill(self, reason: str) -> None:
        if self._pid:
            self._killed = self._killed or reason
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def _conclude(self) -> None:
        """The solver has ended: end what it left behind, and tell."""
        left = 0 if self._killed else self._left_behind()
        # while it is not reaped, its group cannot be anybody else's
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._pid, 0)
        self._pid = 0
        end_children()
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if peak > own_resident(os.getpid()):  # else it is that of the fork
            self._largest = max(self._largest, peak - self._shared)
        code = os.waitstatus_to_exitcode(status)
        self._tell({"code": code, "killed": self._killed, "left": left, "memory": self._largest})

    def _left_behind(self) -> int:
        """How many processes outlive the solver by more than a moment."""
        until = time.monotonic() + PATIENCE
        while True:
            self._reap_others()
            alive = [pid for pid in descendants(os.getpid()) if pid != self._pid and state(pid)[0] != "Z"]
            if not alive or time.monotonic() > until:
                return len(alive)
            time.sleep(0.005)

    def _tell(self, record: dict[str, Any]) -> None:
        self._control.sendall(json.dumps(record).encode() + b"\n")


def command(words: Sequence[str]) -> Become:
    """What becomes the command; how it begins is told by the end of what it tells on."""

    def become(descriptors: Sequence[int], tell: int) -> NoReturn:
        for target, descriptor in enumerate(descriptors):
            os.dup2(descriptor, target)
            os.close(descriptor)
        try:
            os.execvp(words[0], list(words))
        except OSError as error:
            os.write(tell, (error.strerror or "no reason given").encode())
            raise

    return become


def main() -> None:
    """Guard the command that the arguments say."""
    descriptor, memory, processes, *words = sys.argv[1:]
    fork_watcher(int(descriptor))  # the solver could kill its guard
    bounds = Bounds(int(memory), int(processes))
    gc.disable()
    gc.freeze()  # or the collector of every fork would copy the guard's pages
    guard = Guard(socket.socket(fileno=int(descriptor)), bounds, command(words))
    try:
        guard.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the asking process is gone
    finally:
        guard.end()


if __name__ == "__main__":
    main()
