"""Processor cores for parallel runs: each run has cores that no other run uses."""

from __future__ import annotations

import os
from pathlib import Path

from crosslit.base.errors import Unavailable


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
    place: dict[str, int] = {}
    keys = {}
    for core in sorted(cores):
        try:
            siblings = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text("utf-8")
        except OSError:
            # Some virtual machines and containers hide the topology: every core then counts as a physical one.
            siblings = str(core)
        keys[core] = place[siblings] = place.get(siblings, -1) + 1
    # Two runs on one physical core slow each other down, so second threads are used only if nothing else is free.
    return sorted(cores, key=lambda core: (keys[core], core))
