"""What the system tells of processes, and how one makes sure that none stays.

Linux tells in ``/proc``. Elsewhere memory cannot be watched, and only what stays in its process group is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
_PR_SET_CHILD_SUBREAPER = 36


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


def resident(pid: int) -> int:
    """Resident bytes of a process and its descendants; 0 where the system does not tell, and limits cannot see them."""
    return own_resident(pid) + sum(own_resident(descendant) for descendant in descendants(pid))


def own_resident(pid: int) -> int:
    """Resident bytes of a process alone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
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
