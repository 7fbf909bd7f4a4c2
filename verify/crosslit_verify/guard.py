"""The guard of a solver under test: it starts the solver, watches its memory, and ends all its processes.

It inherits the processes that the solver leaves behind, in any session. If the parent process ends, so does the solver.
The pipes to the solver belong to the parent process and do not pass through the guard.

For a command it is started as ``python -m crosslit_verify.guard SOCKET BYTES PROCESSES WORD...``; for a function it is
forked from the process that has the function.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from crosslit.runs.linux import (
    children,
    descendants,
    end_children,
    fork_watcher,
    inherit_orphans,
    memory_of,
    own_resident,
    state,
)
from crosslit.runs.sandbox import ChildSignal, ProcessGroup, peak

START = b"S"  # sent with the descriptors of the solver's standard input, output and error
KILL = b"K"

# A compromise: between two checks a solver can exceed its limit by the memory that it touches in this time.
POLL = 0.02  # seconds between two checks of the solver's memory
# Background jobs of a shell script may outlive the script by some milliseconds.
GRACE_SECONDS = 0.25  # seconds for the solver's descendants to end after it
# Without this flag, a solver that is started next would inherit the pipes of the one before. macOS lacks the flag.
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_IDLE = 1.0  # seconds between two checks that the parent process exists


ExecFn = Callable[[Sequence[int], int], NoReturn]
"""The program of a forked process.

Its arguments are the descriptors for input, output and errors, and one for the reason why it cannot start, which closes
when it has started.
"""


@dataclass(frozen=True)
class Bounds:
    """The limits of a solver: resident bytes, and simultaneous processes in addition to its first one."""

    memory: int
    processes: int


class Guard:
    """A loop that starts solvers one after another, and reports how each ended to the other end of a socket.

    The solver inherits ``shared`` bytes of memory by its fork, which do not count for its bounds.
    """

    def __init__(self, control: socket.socket, bounds: Bounds, become: ExecFn, shared: int = 0) -> None:
        self._control, self._bounds, self._become, self._shared = control, bounds, become, shared
        self._parent = os.getppid()
        self._solver: ProcessGroup | None = None
        self._largest = 0
        self._child_signal = ChildSignal()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
        inherit_orphans()

    def serve(self) -> None:
        """Serve until the parent process has ended; then end the solver and all its descendants."""
        try:
            self._serve()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the parent process has ended
        finally:
            self._kill("ended")
            end_children()

    def _serve(self) -> None:
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        # The end of the solver wakes the loop at once; polling would add up to 20 ms to each answer of a short solver.
        waiting.register(self._child_signal, select.POLLIN)
        # An orphan gets another parent, so the number differs. The socket does not show that as
        # surely: a fork of the parent may hold the other end open.
        while os.getppid() == self._parent:
            ready = {descriptor for descriptor, _ in waiting.poll(1000 * (POLL if self._solver else _IDLE))}
            if self._child_signal.fileno() in ready:
                # Cleared before the children are examined: a child that ends after the examination sets it again, so no
                # end is missed.
                self._child_signal.clear()
            if self._solver:
                self._watch(self._solver)
            elif self._child_signal.fileno() in ready:
                self._reap_others()
            # Orders come last, so the end of the previous solver is reported before the next one starts.
            if self._control.fileno() in ready and not self._obey():
                return

    def _obey(self) -> bool:
        try:
            # One byte at a time: descriptors belong to the byte they were sent with, and a longer read could merge two
            # orders.
            letter, descriptors, _, _ = socket.recv_fds(self._control, 1, 3, _CLOSE_ON_EXEC)
        except OSError:
            return False
        if letter == START:
            self._start(descriptors)
        elif letter == KILL:
            self._kill("asked")
        return bool(letter)

    def _start(self, descriptors: Sequence[int]) -> None:
        outcome, report = os.pipe()
        self._largest = 0
        solver = ProcessGroup(lambda: self._be_solver(descriptors, report))
        # If the guard kept the solver's pipes open, the parent would wait for an end of file that never comes.
        for descriptor in (*descriptors, report):
            os.close(descriptor)
        with os.fdopen(outcome, "rb") as problem:  # ends when the solver has started
            # The writing end closes when the solver has started, so this read returns soon.
            reason = problem.read().decode(errors="replace")
        if reason:
            solver.reap()
            self._tell({"failed": reason})
        else:
            self._solver = solver
            self._tell({"started": solver.pid})

    def _be_solver(self, descriptors: Sequence[int], report: int) -> NoReturn:
        """Turn the forked process into the solver."""
        # Python ignores both, and an executed program would inherit that instead of the usual handling.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        # Otherwise the solver could send reports in the guard's name.
        self._control.close()
        self._child_signal.close()
        self._become(descriptors, report)

    def _watch(self, solver: ProcessGroup) -> None:
        """Check the memory of the solver, and report its end."""
        # Checked first: the memory of a process that has ended is 0, and its children are already inherited.
        if solver.has_ended():
            self._conclude(solver)
            return
        self._reap_others()
        # Descendants of the guard, not of the solver: orphans that moved to another session are here too.
        processes = descendants(os.getpid())
        used = memory_of(processes) - self._shared
        self._largest = max(self._largest, used)
        if used > self._bounds.memory:
            self._kill("memory")
        elif len(processes) - 1 > self._bounds.processes:
            self._kill("orphaned-process")

    def _reap_others(self) -> None:
        """Reap inherited processes that have ended by themselves."""
        for child in children(os.getpid()):
            # The solver itself is reaped in `_conclude` only, which needs its exit code and resource usage.
            if self._solver is None or child != self._solver.pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)

    def _kill(self, reason: str) -> None:
        if self._solver:
            self._solver.kill(reason)

    def _conclude(self, solver: ProcessGroup) -> None:
        """End the processes left by a solver that has ended, and report."""
        # A solver that was killed had no opportunity to end its helpers, so they are not held against it.
        left = 0 if solver.killed else self._left_behind(solver)
        code, usage = solver.reap()
        self._solver = None
        end_children()
        # The kernel's peak of a fork begins with the pages that it shared with the guard before it executed the solver.
        if peak(usage) > own_resident(os.getpid()):  # otherwise it is that of the fork
            self._largest = max(self._largest, peak(usage) - self._shared)
        self._tell({"code": code, "killed": solver.killed, "left": left, "memory": self._largest})

    def _left_behind(self, solver: ProcessGroup) -> int:
        """Return the number of processes that outlive the solver by more than a moment."""
        until = time.monotonic() + GRACE_SECONDS
        while True:
            self._reap_others()
            alive = [pid for pid in descendants(os.getpid()) if pid != solver.pid and state(pid)[0] != "Z"]
            if not alive or time.monotonic() > until:
                return len(alive)
            time.sleep(0.005)

    def _tell(self, record: dict[str, Any]) -> None:
        self._control.sendall(json.dumps(record).encode() + b"\n")


def command(words: Sequence[str]) -> ExecFn:
    """Return a program that executes the command; a closed descriptor reports success."""

    def become(descriptors: Sequence[int], report: int) -> NoReturn:
        for target, descriptor in enumerate(descriptors):
            # `dup2` clears close-on-exec in the copy, so exactly these three descriptors survive.
            os.dup2(descriptor, target)
            os.close(descriptor)
        try:
            os.execvp(words[0], list(words))
        except OSError as error:
            os.write(report, (error.strerror or "no reason given").encode())
            raise

    return become


def main() -> None:
    """Guard the command given by the arguments."""
    descriptor, memory, processes, *words = sys.argv[1:]
    fork_watcher(int(descriptor))  # the solver could kill its guard
    bounds = Bounds(int(memory), int(processes))
    gc.disable()
    gc.freeze()  # otherwise garbage collection in every fork would copy the guard's pages
    Guard(socket.socket(fileno=int(descriptor)), bounds, command(words)).serve()


if __name__ == "__main__":
    main()
