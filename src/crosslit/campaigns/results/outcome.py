"""What came of one planned run, and on what machine."""

from __future__ import annotations

import datetime
import os
import platform
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from crosslit.campaigns.results import machine
from crosslit.campaigns.spec.plan import PlannedRun
from crosslit.runs.run import Run
from crosslit.sandbox.cgroup import BY_PROC


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """Where and when a run was made, for the reader of its time.

    Args:
        started: in UTC, ISO 8601, to the millisecond.
        load: the machine's load average over the last minute, at the start; the runs beside it count too.
        side_by_side: how many runs were made at a time there.
        carrier: ``local``, or ``dask``.
        host: the machine's name.
        processor: its model, as far as the system tells.
        processors: how many it has for us.
        system: with its release.
        python: its version.
        clock_mhz: the highest clock of a processor, in MHz; 0 where the system does not say.
        governor: of the clock; empty where there is none.
        machine_memory_mb: the memory of the machine, in 2^20 bytes; 0 where the system does not say.
        container: the digest of the image, or at least the kind of container; empty outside of one.
        limits_by: what held the limits: `BY_CGROUP` or `BY_PROC`.
    """

    started: str
    load: float
    side_by_side: int
    carrier: str
    host: str
    processor: str
    processors: int
    system: str
    python: str
    clock_mhz: float = 0.0
    governor: str = ""
    machine_memory_mb: float = 0.0
    container: str = ""
    limits_by: str = BY_PROC


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A run that was made.

    Args:
        key: of the planned run.
        run: what it found, and how it ended.
        circumstances: where and when.
        attempts: how often it was begun: 2 where whoever carried it was lost once.
        lost: how that was lost; empty otherwise.
    """

    key: str
    run: Run
    circumstances: Circumstances
    attempts: int = 1
    lost: str = ""


class Executor(Protocol):
    """Makes runs, here or elsewhere; a context manager that leaves nothing running."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came: runs under way are ended, and not among the outcomes; nothing further is started."""

    @property
    def under_way(self) -> Sequence[PlannedRun]:
        """The runs being made, for the progress."""

    def outcomes(self, planned: Sequence[PlannedRun]) -> Iterator[tuple[PlannedRun, Outcome]]:
        """The runs, each as it ends."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def circumstances(side_by_side: int, carrier: str = "local", limits_by: str = BY_PROC) -> Circumstances:
    """Those of a run that starts now, here."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        load = 0.0
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
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
    """A run that was made and cannot be kept.

    Args:
        planned: the run.
        reason: which of its values cannot be, and why.
    """

    planned: PlannedRun
    reason: str
