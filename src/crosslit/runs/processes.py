"""Information about processes from the system, and functions that leave no process behind.

Linux has it in ``/proc``. On other systems, psutil has it, and processes that leave their session are not found.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import IO, Any, NoReturn

from crosslit.base.errors import UnenforcedLimit
from crosslit.base.posix import isolation_problem, resource

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
_PR_SET_CHILD_SUBREAPER = 36
_STREAMS = (0, 1, 2)  # descriptors of the standard streams
_NO_OPTIONS = 0  # of wait(2): wait for the end
_POLL = 0.002  # seconds between two looks: a server usually ends within milliseconds
_MARK_BYTES = 8  # random bytes of a mark: enough that no two processes share one
_IDLE = 1.0  # seconds between a watcher's checks that the parent process exists
_END_SECONDS = 5.0  # for a watcher to end everything
_CHANGE_SECONDS = 0.5  # for a process to change to another program
_SIGNALS = [*map(int, signal.valid_signals())]  # a list, because the set takes a fifth of a millisecond


def _words(pid: int, file: str, after: bytes = b"") -> list[bytes]:
    """Return the words of a file about a process, after the last occurrence of some text; none if unknown."""
    try:
        # Bytes, which the name of a program may be. At every look: a Path and a buffer take four times as long.
        with open(f"/proc/{pid}/{file}", "rb", buffering=0) as opened:  # noqa: PTH123
            text = opened.read()
    except OSError:
        return []
    return (text.rpartition(after)[2] if after else text).split()


def _threads(pid: int) -> list[str]:
    """Return the numbers of the threads of a process; none if it has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return []


def own_resident(pid: int) -> int:
    """Return the resident bytes of a single process."""
    return _second_number(pid, "statm") * resource.getpagesize()


def cpu_of(pids: Iterable[int]) -> float:
    """Return the seconds of processor time of some processes and of children that they waited for; 0 if unknown."""
    # utime, stime, cutime, cstime of proc(5)
    ticks = sum(int(word) for pid in pids for word in _words(pid, "stat", b")")[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def delayed(pid: int) -> float:
    """Return the seconds that a process has waited for a processor; 0 if unknown."""
    return _second_number(pid, "schedstat") / 1e9


def _second_number(pid: int, file: str) -> int:
    words = _words(pid, file)
    return int(words[1]) if words else 0


def state(pid: int) -> str:
    """Return the state of a process, ``Z`` for one that has ended."""
    words = _words(pid, "stat", b")")  # the name of the program stands in parentheses and may contain any
    return words[0].decode() if words else "Z"


def children(pid: int) -> list[int]:
    """Return the children of a process; none if unknown."""
    # Each thread has a list of the children that it forked, so all threads have to be read.
    return [int(word) for thread in _threads(pid) for word in _words(pid, f"task/{thread}/children")]


def _everybody() -> list[int]:
    try:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    except OSError:
        return []


def _environment(pid: int) -> bytes:
    """Return the environment with which a process started; empty if it cannot be read."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


if sys.platform != "linux" and not isolation_problem():
    try:
        from psutil import pids as _everybody

        from crosslit.runs.psutil_tables import children, own_resident, state
        from crosslit.runs.psutil_tables import cpu_of as cpu_of
        from crosslit.runs.psutil_tables import environment as _environment
    except ImportError:
        message = "limits of memory and CPU time have no effect without psutil: pip install psutil"
        warnings.warn(message, UnenforcedLimit, stacklevel=1)


def memory_of(pids: Iterable[int]) -> int:
    """Return the resident bytes of some processes; memory shared by two of them counts for each; 0 if unknown."""
    return sum(map(own_resident, pids))


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process, including those that have ended."""
    found = children(pid)
    for child in found:  # the list grows during the loop
        found += children(child)
    return found


@cache
def _libc() -> ctypes.CDLL:
    # The functions of the C library that is already loaded; no name of a file, which differs between systems.
    return ctypes.CDLL(None)


def close_all_but(*kept: int) -> None:
    """Close all descriptors of this process but some, and the three standard streams."""
    for below, above in pairwise([*_STREAMS, *sorted(kept), os.sysconf("SC_OPEN_MAX")]):
        os.closerange(below + 1, above)


def wait_until(is_over: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds, or some seconds have passed; return whether it holds."""
    until = time.monotonic() + seconds
    while not (holds := is_over()) and time.monotonic() < until:
        time.sleep(_POLL)
    return holds


def inherit_orphans() -> None:
    """Become the parent of all descendants whose parents end, in order to end them."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, True)


def end_with_parent() -> None:
    """Let the kernel end this process with the thread that forked it."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_children() -> list[resource.struct_rusage]:
    """End the children of this process and what it inherits from them, each by one try; return what they used."""
    used: list[resource.struct_rusage] = []
    tried: set[int] = set()
    while found := [child for child in children(os.getpid()) if child not in tried]:
        # One that changed its user cannot be killed, and stays in the list; trying it again would never end.
        tried.update(found)
        for child in found:  # its children become ours once it has ended
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                # Waiting before the next listing: a child that still ends has not yet passed on its own children.
                used.append(os.wait4(child, _NO_OPTIONS)[2])
    return used


def fork_watcher(control: int) -> None:
    """Split this process in two: the child returns, and the parent waits to end all the child's descendants.

    A supervised process can kill its supervisor, whose children the watcher then inherits and ends. It ends the child
    when the other end of the socket ``control`` is closed, and at SIGTERM. An end of file at the other end means that
    nothing is left. Call it in a process with one thread. Where processes cannot be inherited, it does nothing.
    """
    if sys.platform != "linux":
        return
    inherit_orphans()
    # Blocked signals stay pending for `sigtimedwait`, so none is lost before the wait.
    awaited = {signal.SIGCHLD, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        end_with_parent()
        return
    _watch(child, control, awaited)
    os._exit(0)


def _watch(child: int, control: int, awaited: set[signal.Signals]) -> None:
    other_end = select.poll()
    other_end.register(control, select.POLLHUP)
    # `WNOWAIT` leaves the child to `end_children`, which reaps it with everything inherited from it.
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        received = signal.sigtimedwait(awaited, _IDLE)
        # the other end was closed a while ago, so the child has had time to end by itself
        if received.si_signo == signal.SIGTERM if received else other_end.poll(0):
            os.kill(child, signal.SIGKILL)
    end_children()


def start_watched(
    words: Iterable[object], control: int, errors: IO[bytes] | int = DEVNULL, python: str = ""
) -> tuple[Popen[bytes], str]:
    """Start Python with these words and one end of a socket; return the process and its mark, for `end_watched`."""
    mark = os.urandom(_MARK_BYTES).hex()
    process = Popen(
        # `-P` keeps the working directory off the import path: a file `random.py` there would replace a module.
        [python or sys.executable, "-P", *map(str, words)],
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=errors,
        pass_fds=[control],
        # All its descendants inherit the mark, so `end_watched` finds them even without their ancestors.
        env={**os.environ, f"CROSSLIT_MARK_{mark}": ""},
        start_new_session=True,  # an interrupt at the terminal reaches only this process
    )
    return process, mark


def end_watched(
    process: Popen[Any] | ForkedProgram, mark: str, seconds: float = 0.0, grace_seconds: float = _END_SECONDS
) -> None:
    """End a process that has called `fork_watcher`, and all its descendants.

    It has some ``seconds`` to end by itself, then ``grace_seconds`` after SIGTERM, and again for the processes that it
    leaves. If the watcher was killed or stopped, all processes with the ``mark`` of `start_watched` are ended; for a
    forked process, which has none, all children of this process, because it has inherited them.
    """

    def has_ended() -> bool:
        return process.poll() is not None

    # The watcher understands SIGTERM: it ends everything and then itself, so its exit status shows success.
    for number, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, grace_seconds)):
        wait_until(has_ended, patience)
        process.send_signal(number)  # nothing if it has ended
    wait_until(has_ended, float("inf"))
    # Status 0 is the watcher's promise that nothing is left, which saves a walk over all of `/proc`.
    if process.returncode:
        if mark:
            _end_marked(mark, grace_seconds)
        else:
            end_children()


def _end_marked(mark: str, seconds: float) -> None:
    # A program can delete the variable from its environment, but `/proc` keeps showing the block it started with. It
    # shows none while a process changes to another program, so none may be found for some time.
    sought = f"CROSSLIT_MARK_{mark}=".encode()
    earliest = time.monotonic() + _CHANGE_SECONDS
    ended: set[int] = set()  # a process that is being killed loses its environment before it has ended

    def is_over() -> bool:
        found = {pid for pid in _everybody() if sought in _environment(pid)}
        ended.update(found)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return not found and time.monotonic() > earliest and all(state(pid) == "Z" for pid in ended)

    wait_until(is_over, seconds)  # a process may wait for a disk


def fork(run: Callable[[], object]) -> int:
    """Fork a process that leads a session, with the signal handlers of a new process; return its number.

    It calls ``run``, and exits without clean-up, because that belongs to this process. ``run`` must need no other
    thread.
    """
    # until it leads a session, an interrupt at the terminal reaches both: it must not run our handlers
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads: none is needed
            pid = os.fork()
        if pid == 0:
            _begin(run, before)
    finally:
        # The parent gets its pending signals now, in its own handlers.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid


def _begin(run: Callable[[], object], mask: Iterable[int]) -> NoReturn:
    code = 1
    try:
        gc.freeze()  # finalizing objects of the other process would close descriptors that are ours now
        os.setsid()
        for number in _SIGNALS:
            # Handlers in Python belong to the other process; ignored signals stay ignored, as across an exec.
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run()
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


# resident bytes up to which a process may fork into a program: a run's memory limit should cover only the run
MAX_FORKED_BYTES = 64 << 20


class ForkedProgram:
    """A program that is forked from this process, instead of starting a second interpreter.

    It has none of this process's streams and files except standard error and the descriptor ``kept``, and this process
    inherits its children if it is killed. Use it only if `is_possible` returns True, and before any run. Without
    ``kept`` it has all files, is always possible, and this process inherits nothing. Its methods are those of
    ``subprocess.Popen``.
    """

    def __init__(self, run: Callable[[], object], kept: int | None = None, errors: int | None = None) -> None:
        self.returncode: int | None = None
        if kept is not None:
            inherit_orphans()

        def begin() -> None:
            _detach(kept, errors)
            run()

        self.pid = fork(begin)

    @staticmethod
    def is_possible() -> bool:
        """Return whether this process has one thread and little memory, and can inherit orphans."""
        # A fork has only the calling thread: a lock held by another thread would stay locked in it for ever.
        has_one_thread = len(_threads(os.getpid())) == 1
        return sys.platform == "linux" and has_one_thread and own_resident(os.getpid()) <= MAX_FORKED_BYTES

    def poll(self) -> int | None:
        """Return its exit code, negative for a signal; None while it runs."""
        if self.returncode is None and (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            self.returncode = os.waitstatus_to_exitcode(ended[1])
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def _detach(kept: int | None, errors: int | None) -> None:
    """Make the forked process look like a new interpreter."""
    # The command may have installed hooks that write to its own streams.
    sys.unraisablehook, sys.excepthook = sys.__unraisablehook__, sys.__excepthook__
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number, descriptor in enumerate((nowhere, nowhere, nowhere if errors is None else errors)):
        os.dup2(descriptor, number)
    for number, name in enumerate(("stdin", "stdout", "stderr")):  # with empty buffers
        mode = "w" if number else "r"
        # The old objects may hold text that the command has yet to write; it would be printed twice.
        setattr(sys, name, open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115
    if kept is not None:
        # An open pipe or lock of the command would otherwise live as long as this program.
        close_all_but(kept)
        if not sys.flags.safe_path:
            del sys.path[0]  # the script's folder or the working directory, which may contain anything


class ProcessGroup:
    """A process made by `crosslit.runs.processes.fork`, until it is reaped; it ends with the thread that forked it."""

    def __init__(self, run: Callable[[], object]) -> None:
        self.killed = ""  # why it was killed first

        def begin() -> None:
            end_with_parent()
            # An engine of several gigabytes that crashes would fill the disk, and its wall time, with a core file.
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            run()

        self.pid = fork(begin)

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
        _, status, usage = os.wait4(self.pid, _NO_OPTIONS)
        return os.waitstatus_to_exitcode(status), usage


class ProgramGroup(ProcessGroup):
    """A program as the leader of a session, started without a copy of this process, which takes a third of the time.

    It does not end with the thread that started it. An OSError if it cannot be executed.
    """

    def __init__(self, words: Sequence[str], streams: Sequence[int]) -> None:
        self.killed = ""
        stdin, stdout, stderr = streams
        self._program = Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
        self._program.returncode = 0  # not for Popen to wait for: `reap` does
        self.pid = self._program.pid
