"""Control groups of Linux (cgroup v2) for runs, if the group of this process is delegated to its user.

The kernel then limits the memory of all processes of a run together and counts their processor time, even if their
parents end. Otherwise the same limits are enforced by reading ``/proc`` and by rlimits. ``systemd-run --user --scope -p
Delegate=yes COMMAND`` starts a command in a delegated group. Interface: Linux, admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

BY_CGROUP = "cgroup v2"
BY_PROC = "rlimit and /proc (cgroup v2 not delegated)"

# A killed process leaves its group only when the kernel has torn it down, which takes long if it waits for a disk.
_END_SECONDS = 5.0  # time for the kernel to end the remaining processes of a group


class GroupTree:
    """The group of this process, with a subgroup for each run.

    This process moves into a subgroup too, because a group that limits others must not contain processes.

    Args:
        parent: the folder of the group of this process.
        controllers: the controllers that must be available there.

    Raises:
        OSError: if the group is not delegated, or contains other processes.
    """

    def __init__(self, parent: Path, controllers: tuple[str, ...] = ("memory",)) -> None:
        # Checked before anything is created, so that a system without delegation is left as it was.
        missing = set(controllers) - set((parent / "cgroup.controllers").read_text().split())
        if missing:
            raise OSError(f"no controller {', '.join(sorted(missing))} in {parent}")
        self._parent, self._own = parent, parent / f"crosslit-{os.getpid()}"
        self._own.mkdir()
        try:
            # This order is the kernel's rule: controllers can only be passed on by a group that contains no process.
            (self._own / "cgroup.procs").write_text(str(os.getpid()))
            if controllers:
                (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))
        except OSError:
            self.close()
            raise

    def path(self, number: int) -> str:
        """Return the path of the group of a run, for `RunGroup`."""
        # A sibling of this process's group, since that one contains a process and so cannot limit a subgroup.
        return f"{self._own}-run-{number}"

    def close(self) -> None:
        """Move this process back, and remove its group."""
        with suppress(OSError):
            (self._parent / "cgroup.procs").write_text(str(os.getpid()))
        with suppress(OSError):
            self._own.rmdir()


class RunGroup:
    """The group of one run, with a memory limit if the controller is available.

    Args:
        path: path of the group to create.
        memory: memory limit in bytes.

    Raises:
        OSError: if the group cannot be created.
    """

    def __init__(self, path: str, memory: int) -> None:
        self._path = Path(path)
        self._path.mkdir()
        # Without the limit on swap, a run could exceed its memory there, slowly. With `memory.oom.group` the kernel
        # kills the whole run: otherwise it would pick one process, and the rest might go on with wrong results.
        for name, value in (("memory.max", memory), ("memory.swap.max", 0), ("memory.oom.group", 1)):
            # Kernels without swap accounting have no `memory.swap.max`.
            if (self._path / name).exists():
                (self._path / name).write_text(str(value))

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
            (self._path / "cgroup.kill").write_text("1")
        until = time.monotonic() + _END_SECONDS
        while self._path.exists() and time.monotonic() < until:
            try:
                self._path.rmdir()
            except OSError:  # busy until its last process has ended
                time.sleep(0.002)


def _number(file: Path, key: str) -> int:
    try:
        words = file.read_text().split()
        # These files have lines "key value"; a value is never equal to a key, so one flat list of words is enough.
        return int(words[words.index(key) + 1])
    except (OSError, ValueError, IndexError):
        return 0


def enter(group: str) -> None:
    """Move this process, and so all its future children, into the group of a run."""
    # 0 stands for the writing process.
    Path(group, "cgroup.procs").write_text("0")


def own_group() -> Path:
    """Return the folder of the group of this process.

    Raises:
        OSError: if there is no cgroup v2.
    """
    places = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if " cgroup2 " in line]
    # Version 2 has the single line "0::PATH" there; the lines of version 1 have other numbers and controllers.
    names = [line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")]
    if not places or not names:
        raise OSError("no cgroup v2")
    return Path(places[0], names[0].lstrip("/"))


def delegated() -> GroupTree | None:
    """Return the group of this process if it is delegated, so that runs can have subgroups; otherwise None."""
    try:
        return GroupTree(own_group())
    except OSError:
        return None
