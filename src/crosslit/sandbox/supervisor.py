"""Forked processes under supervision: each leads a session, and is killed and reaped with its process group.

This module is used by fork servers, the guard of a solver under test, puzzle generation under a time limit, and
questions to plugins. `ForkedProgram` is for a process that must outlive this one for a moment to clean up.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from subprocess import TimeoutExpired
from typing import NoReturn

from crosslit.sandbox.linux import end_with_parent, inherit_orphans, own_resident
from crosslit.sandbox.posix import require_isolation, resource

# resident bytes up to which a process may fork into a program: a run's memory limit should cover only the run
MAX_FORKED_BYTES = 64 << 20

_PEAK_BYTES = 1 if sys.platform == "darwin" else 1024  # bytes in a unit of `ru_maxrss`


class Session:
    """A forked process that leads a session, until it is reaped; it ends with the thread that forked it.

    It calls ``run``, and exits without clean-up, because that belongs to the parent.
    """

    def __init__(self, run: Callable[[], object]) -> None:
        require_isolation()
        self.killed = ""  # why it was killed first
        # Asked before the fork: afterwards the parent may have ended, and `os.getppid` would name its heir.
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads: none of them is needed
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
        """Kill the process and its group; the first reason is kept."""
        self.killed = self.killed or reason
        for end in (os.killpg, os.kill):  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                # The number cannot belong to another process: this one keeps it until `reap`.
                end(self.pid, signal.SIGKILL)

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        # `WNOWAIT` leaves the process unreaped, so that its number stays valid for `kill` and `/proc`.
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def reap(self) -> tuple[int, resource.struct_rusage]:
        """End its process group, and return its exit code (negative for a signal) and resource usage."""
        # until it is reaped, its group id cannot be reused
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        return os.waitstatus_to_exitcode(status), usage


def _lead(parent: int) -> None:
    """Make the forked process lead a session, with the signal handlers of a new process."""
    os.setsid()
    end_with_parent(parent)
    signal.set_wakeup_fd(-1)
    # The server ignores SIGINT, and a fork keeps that; a run should behave as if it had been started from a shell.
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    # An engine of several gigabytes that crashes would fill the disk, and its wall time, with a core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class ForkedProgram:
    """A program that is forked from this process, instead of starting a second interpreter.

    It has a session, the signal handlers of a new process, and none of this process's streams and files except standard
    error and the descriptor ``kept``. If it is killed, this process inherits its children. It has the methods of
    ``subprocess.Popen`` that `crosslit.sandbox.linux.end_watched` needs. Use it only if `is_possible` returns True, and
    before any run: it inherits the state of this process. It calls ``run``, and exits without clean-up.
    """

    def __init__(self, run: Callable[[], object], kept: int, errors: int) -> None:
        self.returncode: int | None = None
        inherit_orphans()
        # until the other process leads a session, an interrupt at the terminal reaches both: it must not run our
        # handlers
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _become(run, kept, errors, before)
        finally:
            # The parent gets its pending signals now, in its own handlers.
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @staticmethod
    def is_possible() -> bool:
        """Return whether this process has one thread and little memory, and can inherit orphans."""
        try:
            threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208  (a Path takes longer)
        except OSError:
            return False
        # A fork has only the calling thread: a lock held by another thread would stay locked in it for ever.
        return sys.platform == "linux" and threads == 1 and 0 < own_resident(os.getpid()) <= MAX_FORKED_BYTES

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, at most ``timeout`` seconds, and return its exit code, negative for a signal."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            # `waitpid` has no timeout, so poll; the program usually ends within milliseconds.
            pid, status = os.waitpid(self.pid, 0 if deadline is None else os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif deadline is not None and time.monotonic() > deadline:
                raise TimeoutExpired("a forked program", timeout or 0.0)
            else:
                time.sleep(0.001)
        return self.returncode

    def terminate(self) -> None:
        """Request its end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)


def _become(run: Callable[[], object], kept: int, errors: int, mask: Iterable[int]) -> NoReturn:
    """Make the forked process look like a new interpreter."""
    code = 1
    try:
        gc.freeze()  # finalizing objects of the other process would close descriptors that are ours now
        os.setsid()
        signal.set_wakeup_fd(-1)
        for signal_number in signal.valid_signals():
            # Handlers in Python belong to the command; ignored signals stay ignored, as across an exec.
            if callable(signal.getsignal(signal_number)):
                signal.signal(signal_number, signal.SIG_DFL)
        # The command may have installed hooks that write to its own streams.
        sys.unraisablehook, sys.excepthook = sys.__unraisablehook__, sys.__excepthook__
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((nowhere, nowhere, errors)):
            os.dup2(descriptor, number)
        # An open pipe or lock of the command would otherwise live as long as this program.
        os.closerange(3, kept)
        os.closerange(kept + 1, max(1024, os.sysconf("SC_OPEN_MAX")))
        for number, name in enumerate(("stdin", "stdout", "stderr")):  # with empty buffers
            mode = "w" if number else "r"
            # The old objects may hold text that the command has yet to write; it would be printed twice.
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115
        if not sys.flags.safe_path:
            del sys.path[:1]  # the script's folder or the working directory, which may contain anything
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run()
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def peak(usage: resource.struct_rusage) -> int:
    """Return the peak resident bytes of a process."""
    return usage.ru_maxrss * _PEAK_BYTES


class ChildSignal:
    """A stream for `select` that becomes readable when a child of this process may have ended."""

    def __init__(self) -> None:
        self._woken, self._wake = socket.socketpair()
        for end in (self._woken, self._wake):
            # A full socket must not block the signal handler; a lost notification does no harm if another is pending.
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        # The wakeup descriptor is written to only for signals with a handler, even one that does nothing.
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._woken.fileno()

    def clear(self) -> None:
        """Discard pending notifications, so that only the next end of a child makes it readable."""
        with contextlib.suppress(BlockingIOError):
            # One read is enough: a byte that remains wakes the loop once more for nothing.
            self._woken.recv(4096)

    def close(self) -> None:
        """Close it, in a forked process that does not need it."""
        self._woken.close()
        self._wake.close()
