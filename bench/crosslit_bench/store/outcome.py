"""The outcome of a planned run: its solutions in stored form, the machine and the circumstances."""

from __future__ import annotations

import datetime
import functools
import hashlib
import os
import platform
import re
import socket
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosslit.base.grid import Grid
from crosslit.base.grids import Grids, pack
from crosslit.base.layout import Layout
from crosslit.contract.run import Run
from crosslit.kinds import Puzzle
from crosslit_bench.plan.campaign import PlannedRun

CONTAINER = "CROSSLIT_CONTAINER"
"""The environment variable for the digest of the container's image, which most containers cannot find out."""

_CPU = Path("/sys/devices/system/cpu/cpu0/cpufreq")
_PODMAN = Path("/run/.containerenv")
_MARKS = {"/.dockerenv": "docker", "/run/.containerenv": "podman", "/.singularity.d": "apptainer"}
_MAX_BYTES = 1 << 20  # a file of the kernel has no size, so reading needs a limit


@functools.cache
def processor() -> str:
    """Return the model of the processor, or its architecture if the model is unknown."""
    return _first(Path("/proc/cpuinfo"), r"model name\s*: *(.*)") or platform.processor() or platform.machine()


@functools.cache
def clock_mhz() -> float:
    """Return the maximum clock rate of the first processor in MHz, or else its current one; 0 if both are unknown."""
    highest = _text(_CPU / "cpuinfo_max_freq").strip()  # in kHz
    if highest.isdecimal():
        return int(highest) / 1000
    return float(_first(Path("/proc/cpuinfo"), r"cpu MHz\s*: *([0-9]+\.?[0-9]*)") or 0)


def governor() -> str:
    """Return the frequency governor of the first processor, such as ``performance``; empty if there is none."""
    return _text(_CPU / "scaling_governor").strip()


@functools.cache
def memory_mb() -> float:
    """Return the memory of the machine in units of 2^20 bytes; 0 if unknown."""
    return float(_first(Path("/proc/meminfo"), r"MemTotal: *([0-9]+) kB") or 0) / 1024


@functools.cache
def container() -> str:
    """Return the digest of the container's image, or the kind of container; empty outside a container."""
    given = os.environ.get(CONTAINER, "").strip() or _first(_PODMAN, r'imageid="(\w+)"')
    return given or next((kind for mark, kind in _MARKS.items() if os.path.exists(mark)), "")


def _first(path: Path, pattern: str) -> str:
    found = re.search(f"^{pattern}$", _text(path), re.MULTILINE)
    return found[1].strip() if found else ""


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return ""


MAX_BYTES = 1 << 27  # packed size of the solutions of one run
MAX_GRIDS = 1 << 22  # solutions of one run: judging small grids takes much more memory than their bytes


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """One or more grids of the same shape, as a row of the table ``answers``."""

    id: str  # a sha256 of their shape, their number and their cells
    rows: int
    columns: int
    count: int
    packed: bytes  # the packed cells of all grids in order, compressed by zlib

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> StoredAnswer:
        """Return the stored form of some grids, at least one."""
        packed = pack(grids)
        layout, count = Layout(grids[0].rows, grids[0].columns, grids[0].states), len(grids)
        key = _digest(layout, count, packed)
        # The fastest level, because this happens between two runs.
        return cls(id=key, rows=layout.rows, columns=layout.columns, count=count, packed=zlib.compress(packed, 1))

    def grids(self, puzzle: Puzzle) -> Grids:
        """Return the grids of a puzzle, whose layout determines the number of states of a cell."""
        layout = Layout(self.rows, self.columns, puzzle.layout.states)
        # Before anything is decompressed: these numbers come from the file.
        if _is_too_large(self.count, layout.size):
            raise ValueError("a run has more solutions than are ever stored")
        inflater = zlib.decompressobj()
        # with a limit: damaged data can decompress to a thousand times its size
        packed = inflater.decompress(self.packed, layout.size * self.count + 1)
        if not inflater.eof or _digest(layout, self.count, packed) != self.id:
            raise ValueError("its solutions are not the ones that were stored")
        layout.require(packed)
        return Grids(layout, packed)


def storable(run: Run) -> tuple[Run, StoredAnswer | None]:
    """Return a run with its solutions in stored form; without solutions, and with an error, if they are too many."""
    if not run.grids:
        return run, None
    if _is_too_large(count := len(run.grids), len(run.grids[0].packed)):
        why = f"its {count} solutions exceed the {MAX_BYTES >> 20} MB or {MAX_GRIDS} that are stored for a run"
        return replace(run, status="memory", error=why, grids=[]), None
    return run, StoredAnswer.of(run.grids)


def _is_too_large(count: int, size: int) -> bool:
    return count > MAX_GRIDS or count * size > MAX_BYTES


def check_shapes(puzzle: Puzzle, grids: Sequence[Grid]) -> None:
    """Reject grids whose shape or number of states is not their puzzle's."""
    for grid in grids[:1] if isinstance(grids, Grids) else grids:  # packed grids share one shape
        if not puzzle.layout.admits(grid):
            found, states = f"{grid.rows} x {grid.columns}", f" with {grid.states} states" if grid.states > 2 else ""
            raise ValueError(f"solutions: expected grids of {puzzle.rows} x {puzzle.columns}, found {found}{states}")


def check_solutions(puzzle: Puzzle, grids: Sequence[Grid], count: int) -> None:
    """Reject stored solutions whose number or shape is not their run's."""
    if len(grids) != count:
        raise ValueError(f"a run has {count} solutions, and {len(grids)} of them are stored")
    check_shapes(puzzle, grids)


def _digest(layout: Layout, count: int, packed: bytes) -> str:
    """Return the sha256 of some grids, including their layout, because grids of several layouts have the same bytes."""
    states = b" x %d" % layout.states if layout.states > 2 else b""  # earlier versions stored only Boolean cells
    return hashlib.sha256(b"%d x %d%s, %d: " % (layout.rows, layout.columns, states, count) + packed).hexdigest()


BY_CGROUP = "cgroup v2"
BY_PROC = "rlimit and /proc (cgroup v2 not delegated)"


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """The machine and the conditions of a run, to interpret its times."""

    started: str  # start in UTC, ISO 8601, to the millisecond
    load: float  # the machine's load average over the minute before the start, including parallel runs
    side_by_side: int
    carrier: str  # ``local`` or ``dask``
    host: str  # name of the machine
    processor: str  # model of the processor, if known
    processors: int  # number of processors that this process may use
    system: str
    python: str
    clock_mhz: float = 0.0  # maximum clock rate of the first processor, in MHz; 0 if unknown
    governor: str = ""  # frequency governor; empty if there is none
    machine_memory_mb: float = 0.0  # memory of the machine, in 2^20 bytes; 0 if unknown
    container: str = ""  # digest of the container's image, or the kind of container; empty outside a container
    limits_by: str = BY_PROC  # means by which the limits were enforced: `BY_CGROUP` or `BY_PROC`


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a planned run."""

    key: str
    run: Run
    circumstances: Circumstances
    attempts: int = 1  # number of attempts; 2 if the worker of the first one was lost
    lost: str = ""  # how that worker was lost; empty otherwise


def circumstances(side_by_side: int, carrier: str = "local", limits_by: str = BY_PROC) -> Circumstances:
    """Return the circumstances of a run that starts now in this process."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        load = 0.0
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    # The processors that this process may use: in a container or a batch job these are fewer than the machine has.
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Circumstances(
        started=now,
        load=load,
        side_by_side=side_by_side,
        carrier=carrier,
        host=socket.gethostname(),
        processor=processor(),
        processors=available,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        clock_mhz=clock_mhz(),
        governor=governor(),
        machine_memory_mb=memory_mb(),
        container=container(),
        limits_by=limits_by,
    )


@dataclass(frozen=True)
class RejectedRun:
    """A finished run that cannot be stored."""

    planned: PlannedRun
    reason: str  # the invalid value, and why it is invalid

    def __str__(self) -> str:
        puzzle = self.planned.puzzle
        return f"{self.planned.contestant} on {puzzle.name or puzzle.id[:12]}: {self.reason}"
