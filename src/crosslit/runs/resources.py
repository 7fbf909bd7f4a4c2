"""Processor cores that a run has for itself, and control groups of Linux for its memory and processor time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from crosslit.base.errors import Unavailable
from crosslit.runs.processes import wait_until


class CorePool:
    """Cores of this machine, handed out to parallel runs.

    `Unavailable` says that there are too few, or that the system cannot pin a process.
    """

    def __init__(self, each: int, runs: int) -> None:
        if not hasattr(os, "sched_setaffinity"):
            raise Unavailable("cores: this system cannot pin a run to processor cores")
        # The affinity, not `os.cpu_count`: a container or batch system may allow only some of the cores.
        usable = _by_sharing(os.sched_getaffinity(0))
        if each * runs > len(usable):
            parallel = f"{runs} parallel runs of {each} need" if runs > 1 else "a run needs"
            raise Unavailable(f"cores = {each}: {parallel} {each * runs} processor cores, found {len(usable)}")
        self._free = [tuple(usable[first : first + each]) for first in range(0, each * runs, each)]

    def take(self) -> tuple[int, ...]:
        """Return the cores of a run that starts."""
        return self._free.pop(0)

    def give_back(self, cores: tuple[int, ...]) -> None:
        """Take back the cores of a run that has ended."""
        self._free.append(cores)


def free_cores() -> int:
    """Return the number of usable cores on which nothing runs now, at least 1; 1 if the system does not tell it."""
    try:
        running = int(Path("/proc/loadavg").read_text("utf-8").split()[3].partition("/")[0])  # this process too
        return max(1, len(os.sched_getaffinity(0)) - running + 1)
    except (OSError, AttributeError):
        return 1


def _by_sharing(cores: set[int]) -> list[int]:
    """Return the cores, sorted so that those that share a physical core with an earlier one come last."""
    found: list[str] = []
    earlier = {}
    for core in sorted(cores):
        try:
            siblings = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text("utf-8")
        except OSError:
            # Some virtual machines and containers hide the topology: every core then counts as a physical one.
            siblings = str(core)
        earlier[core] = found.count(siblings)
        found.append(siblings)
    # Two runs on one physical core slow each other down, so second threads are used only if nothing else is free.
    return sorted(earlier, key=lambda core: earlier[core])


# A killed process leaves its group only when the kernel has torn it down, which takes long if it waits for a disk.
_END_SECONDS = 5.0  # time for the kernel to end the remaining processes of a group


class RunGroup:
    """The group of one run, with a memory limit in bytes if the controller is available."""

    def __init__(self, path: str, memory: int) -> None:
        self._path = Path(path)
        self._path.mkdir()
        # Without the limit on swap, a run could exceed its memory there, slowly. With `memory.oom.group` the kernel
        # kills the whole run: otherwise it would pick one process, and the rest might go on with wrong results.
        for name, value in (("memory.max", memory), ("memory.swap.max", 0), ("memory.oom.group", 1)):
            # Kernels without swap accounting have no `memory.swap.max`.
            if (self._path / name).exists():
                (self._path / name).write_text(str(value), encoding="utf-8")

    def cpu(self) -> float:
        """Return the processor time in seconds of all processes that were ever in it."""
        # This includes children that nobody waited for, which the sum over `/proc` misses.
        return _number(self._path / "cpu.stat", "usage_usec") / 1e6

    def is_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process of the group for exceeding the memory limit."""
        return _number(self._path / "memory.events", "oom_kill") > 0

    def close(self) -> None:
        """End all processes in the group, and remove it."""
        with contextlib.suppress(OSError):
            # One write kills all members at once, so none can fork between the listing and the kill. It needs Linux
            # 5.14.
            (self._path / "cgroup.kill").write_text("1", encoding="utf-8")

        def is_gone() -> bool:
            with contextlib.suppress(OSError):  # busy until its last process has ended
                self._path.rmdir()
            return not self._path.exists()

        wait_until(is_gone, _END_SECONDS)


def _number(file: Path, key: str) -> int:
    try:
        words = file.read_text(encoding="utf-8").split()
        # These files have lines "key value"; a value is never equal to a key, so one flat list of words is enough.
        return int(words[words.index(key) + 1])
    except (OSError, ValueError, IndexError):
        return 0


def enter(group: str) -> None:
    """Move this process, and so all its future children, into the group of a run."""
    # 0 stands for the writing process.
    Path(group, "cgroup.procs").write_text("0", encoding="utf-8")
