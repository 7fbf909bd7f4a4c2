"""Information about processes on systems without ``/proc``, such as macOS: the functions of `linux`, by psutil."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

_TABLE_SECONDS = 0.1  # age up to which a table of all processes is used: it takes milliseconds, and a look every 20 ms
_table: tuple[float, dict[int, int]] = (-_TABLE_SECONDS, {})


def _parents() -> dict[int, int]:
    """Return the parent of every process, as it was at most a moment ago; now, if a child of this one has ended."""
    global _table
    try:  # an ended child is reaped soon, and its session is then forgotten
        is_now = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        is_now = False
    if is_now or time.monotonic() - _table[0] > _TABLE_SECONDS:
        _table = time.monotonic(), {process.pid: process.info["ppid"] for process in psutil.process_iter(["ppid"])}
    return _table[1]


def own_resident(pid: int) -> int:
    """Return the resident bytes of a single process; 0 if unknown."""
    with suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


def cpu_of(pids: Iterable[int]) -> float:
    """Return the seconds of processor time of some processes; that of their ended children is unknown."""
    seconds = 0.0
    for pid in pids:
        with suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            seconds += times.user + times.system
    return seconds


def state(pid: int) -> tuple[str, int]:
    """Return the state of a process, ``Z`` for one that has ended, and its session."""
    try:
        has_ended = psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        return "Z" if has_ended else "R", os.getsid(pid)
    except (psutil.Error, OSError):
        return "Z", 0


def children(pid: int) -> list[int]:
    """Return the children of a process, and what those that have ended left behind in their sessions.

    Only Linux lets a process inherit its orphans; elsewhere the session shows where they come from.
    """
    found = []
    for child, parent in (table := _parents()).items():
        with suppress(psutil.Error):
            # Read again: since the table was made, it may have ended, and its number belong to another process.
            if parent == pid and psutil.Process(child).ppid() == pid:
                found.append(child)
    ended = {child for child in found if state(child)[0] == "Z"}
    return found + [orphan for orphan in table if ended - {orphan} and _session(orphan) in ended - {orphan}]


def _session(pid: int) -> int:
    with suppress(OSError):
        return os.getsid(pid)
    return 0


def everybody() -> list[int]:
    """Return all processes."""
    return [*psutil.pids()]


def environment(pid: int) -> bytes:
    """Return the environment of a process; empty for one that has ended, or belongs to another user."""
    with suppress(psutil.Error, OSError):
        return os.fsencode("\0".join(f"{name}={value}" for name, value in psutil.Process(pid).environ().items()))
    return b""
