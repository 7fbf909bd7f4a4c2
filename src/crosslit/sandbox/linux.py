"""What the system tells of processes, and how one makes sure that none stays.

Linux tells in ``/proc``. Elsewhere memory cannot be watched, and only what stays in its process group is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from select import poll
from subprocess import Popen, TimeoutExpired
from typing import TYPE_CHECKING, Any

from crosslit.sandbox.posix import resource

if TYPE_CHECKING:
    from crosslit.sandbox.supervisor import ForkedProgram

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
_PR_SET_CHILD_SUBREAPER = 36
_IDLE = 1.0  # seconds between two looks of a watcher whether the parent process is there
_END_SECONDS = 5.0  # for a watcher to end everything


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def inherit_orphans() -> None:
    """Become the parent of processes whose own parent ends, as far down as they are, to end them."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process with the thread that forked it; a parent that is gone already ends it at once."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def memory_of(pids: Iterable[int]) -> int:
    """Bytes of memory of some processes together: what is resident, and the files in memory that they hold open.

    Memory that two of them share is counted for each; a file is not counted again where it is mapped. It is 0 where the
    system does not tell, and limits cannot see it.
    """
    sizes: dict[tuple[int, int], int] = {}
    devices = _memory_devices()
    total = 0
    for pid in (pids := list(pids)):
        total += own_resident(pid)
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208  (at every look: a Path takes as long again)
                with contextlib.suppress(OSError):
                    seen = os.stat(f"/proc/{pid}/fd/{name}")  # noqa: PTH116
                    if seen.st_dev in devices:
                        sizes[seen.st_dev, seen.st_ino] = seen.st_blocks * 512
    files = sum(sizes.values())
    return total + (max(0, files - sum(map(_mapped_memory, pids))) if files else 0)


@cache
def _memory_devices() -> frozenset[int]:
    """The numbers of the file systems whose files are memory: that of nameless files, and the one for shared memory."""
    found = set()
    with contextlib.suppress(AttributeError, OSError):
        descriptor = os.memfd_create("crosslit")
        found.add(os.fstat(descriptor).st_dev)
        os.close(descriptor)
    with contextlib.suppress(OSError):
        found.add(Path("/dev/shm").stat().st_dev)
    return frozenset(found)


def own_resident(pid: int) -> int:
    """Resident bytes of a process alone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0


def _mapped_memory(pid: int) -> int:
    """Bytes of files in memory that are resident in a process."""
    try:
        return int(Path(f"/proc/{pid}/status").read_text().partition("RssShmem:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return 0


def delayed(pid: int) -> float:
    """Seconds that a process has waited for a processor; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def state(pid: int) -> tuple[str, int]:
    """The state of a process, ``Z`` for one that has ended, and its session."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return words[0], int(words[3])
    except (OSError, IndexError, ValueError):
        return "Z", 0


def children(pid: int) -> list[int]:
    """The processes that a process has started; none where the system does not tell."""
    try:
        return [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, what these have started, and so on; ended ones too."""
    found = children(pid)
    for child in found:  # which grows meanwhile
        found += children(child)
    return found


def end_children(meant: Callable[[int], bool] = lambda _: True) -> list[resource.struct_rusage]:
    """End the children of this process, and what it inherits of theirs; tells what they used.

    Each is tried once: one that changed its user cannot be ended.

    Args:
        meant: which of them; by default all.
    """
    used: list[resource.struct_rusage] = []
    tried: set[int] = set()
    while found := [child for child in children(os.getpid()) if child not in tried and meant(child)]:
        tried.update(found)
        for child in found:  # whose own children are ours once it has ended
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                used.append(os.wait4(child, 0)[2])
    return used


def fork_watcher(control: int) -> None:
    """Split this process in two: the child returns, and the parent stays to end all that the child leaves behind.

    A process can be killed by those it watches over; then what they started would be nobody's. The watcher inherits
    it, since it does nothing that could hold it up, and ends it. It ends the child where the other end of ``control``
    is closed, and at SIGTERM. While the watcher lives, ``control`` is open: its other end reads the end of the stream
    when nothing is left.

    Call it early, in a process with one thread. It does nothing where processes cannot be inherited.

    Args:
        control: descriptor of the socket to the process that started this one.
    """
    if sys.platform != "linux":
        return
    watcher = os.getpid()
    inherit_orphans()
    child = os.fork()
    if child == 0:
        end_with_parent(watcher)
        return
    code = 1
    try:
        _watch(child, control)
        code = 0
    finally:
        os._exit(code)


def _watch(child: int, control: int) -> None:
    awaited = {signal.SIGCHLD, signal.SIGTERM}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    other_end = poll()
    other_end.register(control, 0)  # a closed end is reported unasked
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        received = signal.sigtimedwait(awaited, _IDLE)
        # a while after the other end was closed, the child has had its time to end by itself
        if received.si_signo == signal.SIGTERM if received else other_end.poll(0):
            os.kill(child, signal.SIGKILL)
    end_children()


def new_mark() -> str:
    """A variable for the environment of a process, by which `end_watched` knows what it has started."""
    return f"CROSSLIT_MARK_{os.urandom(8).hex()}"


def end_watched(
    process: Popen[Any] | ForkedProgram, mark: str, seconds: float = 0.0, most: float = _END_SECONDS
) -> None:
    """End a process that has called `fork_watcher`, and all that it started.

    Args:
        process: as it was started or forked: the watcher.
        mark: from `new_mark`, set in its environment. Where the watcher did not end well, because it was killed or
            stopped, all processes that have it in their environment are ended. Empty for one that was forked: then all
            children of this process are ended, for it has inherited them.
        seconds: to wait until it ends by itself.
        most: seconds for each of the two stronger means.
    """
    try:
        process.wait(seconds)
    except TimeoutExpired:
        process.terminate()
        with contextlib.suppress(TimeoutExpired):
            process.wait(most)
        process.kill()
        process.wait()
    if process.returncode and mark:
        _end_marked(mark, most)
    elif process.returncode:
        until = time.monotonic() + most
        end_children(lambda _: time.monotonic() < until)


def _end_marked(mark: str, seconds: float) -> None:
    sought = f"{mark}=".encode()
    until = time.monotonic() + seconds
    ended: set[int] = set()  # a process that is being killed loses its environment before it has ended
    while (found := {pid for pid in _everybody() if sought in _environment(pid)}) or any(map(_runs, ended)):
        ended |= found
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:  # one may wait for a disk
            return
        time.sleep(0.005)


def _runs(pid: int) -> bool:
    return state(pid)[0] != "Z"


def _everybody() -> list[int]:
    try:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    except OSError:
        return []


def _environment(pid: int) -> bytes:
    """What a process had in its environment when it began; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
