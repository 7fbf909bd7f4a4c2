"""Forked processes under supervision: each leads a session, and is killed and reaped with its process group.

Fork servers, the guard of a solver under test, puzzle generation under a time limit, and questions to plugins use it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable

from crosslit.sandbox.linux import end_with_parent
from crosslit.sandbox.posix import resource

_PEAK_BYTES = 1 if sys.platform == "darwin" else 1024  # of a unit of `ru_maxrss`


class Session:
    """A forked process that leads a session, until it is reaped; it ends with the thread that has forked it.

    Args:
        run: called in the forked process, which then exits without clean-up: that belongs to the parent process.

    Examples:
        >>> session = Session(lambda: os._exit(7))
        >>> while not session.has_ended():
        ...     pass
        >>> session.reap()[0]
        7
    """

    def __init__(self, run: Callable[[], object]) -> None:
        self.killed = ""  # why it was killed first
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking where there are threads: none is relied on
            self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                _lead(parent)
                run()
                code = 0
            finally:
                os._exit(code)

    def kill(self, reason: str = "killed") -> None:
        """Kill it and its process group; the first reason is kept."""
        self.killed = self.killed or reason
        for end in (os.killpg, os.kill):  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)

    def has_ended(self) -> bool:
        """Return whether it has ended."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def reap(self) -> tuple[int, resource.struct_rusage]:
        """End its process group, and return its exit code (negative for a signal) and what it used.

        Raises:
            ChildProcessError: if somebody else has reaped it.
        """
        # while it is not reaped, its group cannot be anybody else's
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        return os.waitstatus_to_exitcode(status), usage


def _lead(parent: int) -> None:
    """Let the forked process lead a session, with the signals as they are in a new process."""
    os.setsid()
    end_with_parent(parent)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def peak(usage: resource.struct_rusage) -> int:
    """Return the largest resident bytes of a process."""
    return usage.ru_maxrss * _PEAK_BYTES


class ChildSignal:
    """A stream for `select` that can be read when a child of this process may have ended."""

    def __init__(self) -> None:
        self._woken, self._wake = socket.socketpair()
        for end in (self._woken, self._wake):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._woken.fileno()

    def clear(self) -> None:
        """Take what has arrived, so that only the next end of a child can be read."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)

    def close(self) -> None:
        """Close it, in a forked process that has no use for it."""
        self._woken.close()
        self._wake.close()
