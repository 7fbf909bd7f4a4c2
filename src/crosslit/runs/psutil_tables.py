"""Information about processes on systems without ``/proc``, such as macOS: the functions of `processes`, by psutil."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

import psutil


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


def state(pid: int) -> str:
    """Return the state of a process, ``Z`` for one that has ended."""
    with suppress(psutil.Error):
        return "Z" if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE else "R"
    return "Z"


def children(pid: int) -> list[int]:
    """Return the children of a process, and what those that have ended left behind in their sessions.

    Only Linux lets a process inherit its orphans; elsewhere the session shows where they come from.
    """
    found = []
    with suppress(psutil.Error):
        found = [child.pid for child in psutil.Process(pid).children()]
    ended = {child for child in found if state(child) == "Z"}
    return found + [other for other in psutil.pids() if other not in ended and _session(other) in ended]


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


def environment(pid: int) -> bytes:
    """Return the environment of a process; empty for one that has ended, or belongs to another user."""
    with suppress(psutil.Error, OSError):
        return os.fsencode("\0".join(f"{name}={value}" for name, value in psutil.Process(pid).environ().items()))
    return b""
