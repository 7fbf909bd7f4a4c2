"""One run of a backend: its limits, its answers, how it ended, and its times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from crosslit.base.errors import wrong_type
from crosslit.base.grid import Grid, distinct, pack
from crosslit.base.records import Result
from crosslit.base.text import exact, format_count, format_seconds
from crosslit.contract import Phase, no_time

# the fraction of a run's wall time, or the number of seconds if that is more, that its own report may omit
GAP_SHARE, GAP_SECONDS = 0.1, 0.02
MAX_SECONDS = 1e7  # maximum seconds of a run: four months

# `lost`: the process that started the run died, or the parent process did not read in time; the cause is unknown
RunStatus = Literal[
    "complete", "limit", "one found", "gave-up", "timeout", "memory", "interrupted", "lost", "error", "unsupported"
]
ENDED = frozenset({"complete", "limit", "one found", "gave-up"})  # by itself, so that it could report its times

_LIMITS: dict[str, tuple[Any, str]] = {  # the type and the meaning of each
    "timeout": (int | float, "a limit of time in seconds"),
    "memory_mb": (int, "a limit of memory in whole MB"),
    "solutions": (int | None, "a limit of solutions, or None for all"),
    "cpu_timeout": (int | float | None, "a limit of CPU seconds, or None for no limit"),
    "cores": (int | None, "a number of cores, or None for all"),
}


@dataclass(frozen=True)
class Limits:
    """The limits of a run: a TypeError says that one is not a number, a ValueError that it is out of bounds."""

    solutions: int | None = 2  # stop after this number; None means all
    # Wall time in seconds, from encode to decode. Where runs are compared, handing over solutions does not count.
    timeout: float = 60.0
    memory_mb: int = 4096  # resident, of all its processes, in 2^20 bytes; stored solutions may take a quarter of that
    cpu_timeout: float | None = None  # processor time in seconds of all its processes; None for no limit
    cores: int | None = None  # number of processor cores that it has for itself; None for all, shared

    def __post_init__(self) -> None:
        for name, (kind, meaning) in _LIMITS.items():
            given = getattr(self, name)
            if not isinstance(given, kind):
                raise wrong_type(meaning, given)
            is_time = "timeout" in name
            if given is not None and not (0 < given <= MAX_SECONDS if is_time else given >= 1):
                bounds = f"above 0 and at most {MAX_SECONDS:.0e}" if is_time else "at least 1"
                raise ValueError(f"{meaning} is {bounds}, not {given}")

    @property
    def shortest(self) -> float:
        """The least time in seconds that an unsolved run with one thread has taken: the smaller of its time limits."""
        return self.timeout if self.cpu_timeout is None else min(self.timeout, self.cpu_timeout)

    @property
    def words(self) -> str:
        """A description of the limits of time, memory and cores."""
        times = [f"{format_seconds(self.timeout)} of wall time"]
        if self.cpu_timeout is not None:
            times.append(f"{format_seconds(self.cpu_timeout)} of CPU time of all its processes")
        cores = [f"{format_count(self.cores, 'processor core')} that it shares with no other run"] if self.cores else []
        return ", ".join([*times, f"{self.memory_mb:,} MB of memory", *cores])

    def json(self) -> dict[str, Any]:
        """Return the JSON form; limits without a default are included only if they are set."""
        return {name: value for name, value in vars(self).items() if value is not None or name == "solutions"}


def status_words(status: str, limits: Limits) -> str:
    """Return how a run ended, in words: one that found as many solutions as it was asked for reached no other limit."""
    number = limits.solutions or 0
    return f"{({1: 'one', 2: 'two'}).get(number, f'{number:,}')} found" if status == "limit" else status


@dataclass(frozen=True, repr=False)
class Timing(Result):
    """The times of one run in seconds."""

    phases: dict[Phase, float] = field(default_factory=no_time)  # time in each phase, as the backend reports it
    cpu: float = 0.0  # user and system time of the run's processes, from the operating system
    wall: float = 0.0  # time from the start to the end of its process, measured by the process that started it
    overhead: float = 0.0  # Crosslit's time within `wall`: starting the process, sending solutions, ending it
    delayed: float = 0.0  # time within `wall` of waiting for a processor; 0 if unknown

    @property
    def total(self) -> float:
        """The sum of the phases."""
        return sum(self.phases.values())

    def json(self) -> dict[str, float]:
        """Return the JSON form, to the microsecond."""
        seconds = [*self.phases.items(), ("total", self.total), ("cpu", self.cpu), ("wall", self.wall)]
        return {key: round(value, 6) for key, value in seconds}


@dataclass(frozen=True)
class Presses:
    """Bounds on the fewest presses that clear a board."""

    best: int | None  # the fewest of any solution found; None if there is none
    bound: int | None  # proved lower bound for every solution; None if there is known to be none
    proved: bool  # whether it is decided: no solution has fewer than `best`, or there is none at all

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"best": exact(self.best), "bound": exact(self.bound), "proved": self.proved}


@dataclass(repr=False)
class Run(Result):
    """One backend on one puzzle: its answers, and how it ended."""

    backend: str  # its spec
    encoding: str = ""  # empty for a backend without one
    version: str = ""  # of its engine
    trusted_base: frozenset[str] = frozenset()  # everything on which its correctness rests
    status: RunStatus = "error"  # `complete` is the claim that there are no more solutions than it gave
    grids: Sequence[Grid] = field(default_factory=list)  # its solutions, in order, unchecked
    timing: Timing = Timing()
    threads: int = 1  # as it reports them
    memory_mb: float = 0.0  # the peak resident memory of its process, in 2^20 bytes; 0 without a process
    stats: dict[str, Any] = field(default_factory=dict)  # further statistics of the backend
    error: str = ""  # why it ended, if the status does not say it; otherwise empty
    stray: str = ""  # unexpected text on standard output
    repetition: int = 0  # number of the repetition, from 0
    bound: int = 0  # claimed lower bound on the presses of a solution
    left: int = 0  # number of processes that it left behind when it ended; they were ended then
    counted: int | None = None  # the number of solutions that it claims; None unless requested and answered
    text: str = ""  # the text that it was asked to write (a certificate), unchecked
    is_cpu_timeout: bool = False  # whether the limit of processor time has stopped it, and not that of wall time

    @property
    def digest(self) -> str:
        """The SHA-256 of the packed bytes of its solutions, sorted, each once."""
        import hashlib  # loads OpenSSL, which many commands do not need

        size = len(self.grids[0].packed) if self.grids else 1
        return hashlib.sha256(distinct(pack(self.grids), size)).hexdigest()

    @property
    def presses(self) -> Presses:
        """Its claims about the fewest presses: its best grid, unchecked, and its bound."""
        best = min((grid.count() for grid in self.grids), default=None)
        # The end of `fewest` claims the optimum, and without any solution that there is none: both are None then.
        if self.status == "complete":
            return Presses(best, best, True)
        return Presses(best, self.bound, False)

    def ending(self, limits: Limits) -> str:
        """Return why it ended, in words; its reader may have stopped it without a limit of solutions."""
        words = {
            "timeout": f"stopped after {limits.timeout:g} s",
            "memory": f"stopped at {limits.memory_mb:,} MB of memory",
            "limit": "stopped",
        }
        if limits.solutions:
            words["limit"] += f" at {limits.solutions}, as requested; there may be more"
        return self.error or words.get(self.status, self.status)

    def json(self, fewest: bool = False) -> dict[str, Any]:
        """Return the JSON form; with ``fewest``, including the presses."""
        record: dict[str, Any] = {
            "backend": self.backend,
            "encoding": self.encoding or None,
            "version": self.version,
            "repetition": self.repetition,
            "status": self.status,
            "solutions": len(self.grids),
            "digest": self.digest,
            "seconds": self.timing.json(),
            "memory_mb": round(self.memory_mb, 1),
            "stats": {key: exact(value) for key, value in self.stats.items()},
            "error": self.error or None,
        }
        if self.counted is not None:
            record["count"] = exact(self.counted)
        if fewest:
            record["presses"] = self.presses.json()
        return record


def full_spec(spec: str, encoding: str) -> str:
    """Return the spec of a backend with its encoding named: ``cpsat:seed=1`` and ``xor`` make ``cpsat/xor:seed=1``."""
    head, colon, options = spec.partition(":")
    return f"{head.partition('/')[0]}/{encoding}{colon}{options}" if encoding else spec


def unexplained(run: Run) -> tuple[float, str]:
    """Return the seconds missing in a run's own report, and the measure that shows it, on however busy a machine.

    The backend computed longer than it reports ("CPU"), or reports more time than has passed ("reported").
    """
    # A run that was killed could not report its times, so a gap says nothing about its backend.
    if run.status in ENDED:
        timing = run.timing
        excess = timing.total + timing.overhead - timing.wall
        computed = timing.cpu - timing.overhead - timing.total * run.threads
        gaps = (excess, timing.wall, "reported"), (computed, min(timing.cpu, timing.wall), "CPU")
        for gap, whole, measure in gaps:
            if gap > max(GAP_SECONDS, GAP_SHARE * whole):
                return gap, measure
    return 0.0, ""
