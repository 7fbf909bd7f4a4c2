"""The control group of the process that runs a campaign, with a subgroup for each run.

``systemd-run --user --scope -p Delegate=yes COMMAND`` starts a command in a delegated group. Interface: Linux,
admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class GroupTree:
    """The group of this process, with a subgroup for each run; an OSError if it is not delegated.

    This process moves into a subgroup too, because a group that limits others must not contain processes.
    """

    def __init__(self, parent: Path, controllers: tuple[str, ...] = ("memory",)) -> None:
        # Checked before anything is created, so that a system without delegation is left as it was.
        missing = set(controllers) - set((parent / "cgroup.controllers").read_text("utf-8").split())
        if missing:
            raise OSError(f"no controller {', '.join(sorted(missing))} in {parent}")
        self._parent, self._own = parent, parent / f"crosslit-{os.getpid()}"
        self._own.mkdir()
        try:
            # This order is the kernel's rule: controllers can only be passed on by a group that contains no process.
            (self._own / "cgroup.procs").write_text(str(os.getpid()), "utf-8")
            if controllers:
                (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers), "utf-8")
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
    names = [line[3:] for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines() if line.startswith("0::")]
    if not places or not names:
        raise OSError("no cgroup v2")
    return Path(places[0], names[0].lstrip("/"))


def delegated() -> GroupTree | None:
    """Return the group of this process if it is delegated, so that runs can have subgroups; otherwise None."""
    try:
        return GroupTree(own_group())
    except OSError:
        return None
