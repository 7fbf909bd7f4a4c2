"""The control group of a run (cgroup v2 of Linux), if there is a delegated group in which to create it.

The kernel then limits the memory of all processes of a run together and counts their processor time, even if their
parents end. Otherwise the same limits are enforced by reading ``/proc`` and by rlimits. Interface: Linux,
admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

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
        with suppress(OSError):
            # One write kills all members at once, so none can fork between the listing and the kill. It needs Linux
            # 5.14.
            (self._path / "cgroup.kill").write_text("1", encoding="utf-8")
        until = time.monotonic() + _END_SECONDS
        while self._path.exists() and time.monotonic() < until:
            try:
                self._path.rmdir()
            except OSError:  # busy until its last process has ended
                time.sleep(0.002)


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
