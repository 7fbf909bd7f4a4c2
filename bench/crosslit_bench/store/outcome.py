"""The outcome of a planned run, with the machine and the circumstances."""

from __future__ import annotations

import datetime
import os
import platform
import socket
from dataclasses import dataclass

from crosslit.runs.run import Run
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store import machine

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
        processor=machine.processor(),
        processors=available,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        clock_mhz=machine.clock_mhz(),
        governor=machine.governor(),
        machine_memory_mb=machine.memory_mb(),
        container=machine.container(),
        limits_by=limits_by,
    )


@dataclass(frozen=True)
class RejectedRun:
    """A finished run that cannot be stored."""

    planned: PlannedRun
    reason: str  # the invalid value, and why it is invalid
