"""The machine of a run: its description, and the control groups that limit its runs.

``systemd-run --user --scope -p Delegate=yes COMMAND`` starts a command in a delegated control group, which may have a
subgroup for each run. Interface: Linux, admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import datetime
import functools
import os
import platform
import re
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from crosslit_bench.plan import crosslit_version


def circumstances(jobs: int, groups: GroupTree | None = None) -> dict[str, Any]:
    """Return the machine and its state when a run starts, beside others: columns of the store."""
    load = 0.0
    with suppress(OSError):
        load = os.getloadavg()[0]  # over the last minute
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        "machine_load": load,
        "jobs": jobs,
        "limits_by": "cgroup v2" if groups else "rlimit and /proc (cgroup v2 not delegated)",
        "processors": available,
        **_machine(),
    }


@functools.cache
def _machine() -> dict[str, Any]:
    def first(path: str, pattern: str) -> str:
        with suppress(OSError):
            found = re.search(pattern, Path(path).read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
            return found[1].strip() if found else ""
        return ""

    frequency = "/sys/devices/system/cpu/cpu0/cpufreq/"
    clock = float(first(f"{frequency}cpuinfo_max_freq", r"(\d+)") or 0) / 1000
    return {
        "crosslit": crosslit_version(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "host": socket.gethostname(),
        "processor": first("/proc/cpuinfo", r"^model name\s*: *(.*)$") or platform.processor() or platform.machine(),
        "clock_mhz": clock or float(first("/proc/cpuinfo", r"^cpu MHz\s*: *([0-9.]+)$") or 0),
        "governor": first(f"{frequency}scaling_governor", r"(\w+)"),
        "machine_memory_mb": float(first("/proc/meminfo", r"^MemTotal: *(\d+) kB$") or 0) / 1024,
        "container": os.environ.get("CROSSLIT_CONTAINER", "").strip(),
    }


class GroupTree:
    """The group of this process, with a subgroup for each run; an OSError if it is not delegated.

    This process moves into a subgroup too, because a group that limits others must not contain processes.
    """

    def __init__(self, parent: Path) -> None:
        # Checked before anything is created, so that a system without delegation is left as it was.
        if "memory" not in (parent / "cgroup.controllers").read_text("utf-8").split():
            raise OSError(f"no controller memory in {parent}")
        self._parent, self._own = parent, parent / f"crosslit-{os.getpid()}"
        self._own.mkdir()
        try:
            # This order is the kernel's rule: a controller can only be passed on by a group that contains no process.
            (self._own / "cgroup.procs").write_text(str(os.getpid()), "utf-8")
            (parent / "cgroup.subtree_control").write_text("+memory", "utf-8")
        except OSError:
            self.close()
            raise

    def path(self, number: int) -> str:
        """Return the path of the group of a run, for `crosslit.runs.runner.Runner`."""
        # A sibling of this process's group, since that one contains a process and so cannot limit a subgroup.
        return f"{self._own}-run-{number}"

    def close(self) -> None:
        """Move this process back, and remove its group."""
        with suppress(OSError):
            (self._parent / "cgroup.procs").write_text(str(os.getpid()), "utf-8")
        with suppress(OSError):
            self._own.rmdir()


def own_group() -> Path:
    """Return the folder of the group of this process."""
    places = [line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines() if " cgroup2 " in line]
    # Version 2 has the single line "0::PATH" there; the lines of version 1 have other numbers and controllers.
    lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    names = [line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
    if not (places and names):
        raise OSError("no cgroup v2")
    return Path(places[0], names[0])


def delegated() -> GroupTree | None:
    """Return the group of this process if it is delegated, so that runs can have subgroups; otherwise None."""
    try:
        return GroupTree(own_group())
    except OSError:
        return None
