"""The byte format between the parent process, the fork server, and the process of one run, and the run's last message.

Control messages (both ways between parent and server) are one letter, a length, and a JSON or pickled body. A run
writes frames of the same outer form to its pipe; its output is never unpickled.

The last message has one strict definition for writing and reading it. A backend sets some of its fields, and could
write to the pipe itself. So the run checks the message before sending it, and the parent process checks it on arrival.
No other data of a run becomes a float, a file or output.
"""

from __future__ import annotations

import json
import mmap
import os
import reprlib
import struct
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crosslit.base.errors import CertificateRejected, InternalError, OneFound
from crosslit.contract import PHASES, Clock, ContractError, GaveUp, Phase, no_time
from crosslit.contract.run import MAX_SECONDS, Limits, RunStatus

# A fixed byte order without padding, so that the sizes below are exact.
HEADER = struct.Struct("<cI")
MAX_MESSAGE = 1 << 30  # maximum bytes of a message from a fork server
MAX_TEXT = 1 << 29  # maximum bytes of a certificate; that of a board of 10,000 x 10,000 has a solution of 10^8
MAX_BATCH = 1 << 20  # maximum bytes of the solutions in one frame, unless a single one is larger
MAX_BOUND = (1 << 63) - 1  # the largest value in a campaign's file
BOUND_FORM = struct.Struct("<Q")
STEP_FORM = struct.Struct("<QQ")
PROGRESS_FORM = struct.Struct(f"<Bd{len(PHASES)}d")
START = b"R"  # to the server: pickled `Order`, with the descriptor of the run's pipe
KILL = b"K"  # to the server: number of the run
READY = b"H"  # from the server, once
ENDED = b"X"  # from the server: how a run ended, JSON

# from a run
SOLUTIONS = b"S"  # progress, then a packed grid, or several in sequence
BOUND = b"B"  # progress, then a bound on the presses
STEP = b"T"  # progress, then cells done and in total
TEXT = b"W"  # progress, then the requested text
PROGRESS = b"P"
END = b"E"  # JSON


@dataclass(frozen=True, kw_only=True)
class Order:
    """A job for a fork server, pickled by the parent process."""

    number: int  # number of the run
    backend: str  # name of its backend
    limits: Limits  # limits of the run, minus the time that its backend used before the run
    job: bytes  # the pickled `Job`; only the process of the run unpickles it, so that it cannot harm the server
    cores: tuple[int, ...] = ()  # the cores to which the run is pinned; empty for all
    max_cores: int = 1  # number of cores that it may use if it is not pinned
    group: str = ""  # path of the control group to create for the run; empty for none
    modules: tuple[str, ...] = ()  # modules that the server imports before the run, unless it has them
    counts_handing: bool = False  # whether the limit of time counts the handing over of solutions


class HandingOver:
    """The time for which a run has handed over answers, in memory that it shares with its server."""

    def __init__(self) -> None:
        self._times = memoryview(mmap.mmap(-1, 16)).cast("d")  # seconds that have ended, and when the rest began or 0

    def begin(self) -> None:
        """Count from now on, unless it is counting."""
        self._times[1] = self._times[1] or time.monotonic()

    def end(self, seconds: float) -> None:
        """Stop counting, and add the seconds as they were measured."""
        self._times[0] += seconds
        self._times[1] = 0.0

    @property
    def seconds(self) -> float:
        """The seconds until now."""
        began = self._times[1]  # read before the sum, which may grow meanwhile: rather too much than too little
        return self._times[0] + (time.monotonic() - began if began else 0.0)


class Pipe:
    """The pipe to which the process of one run writes frames; a write is complete, and waits for the reader."""

    def __init__(self, descriptor: int, clock: Clock, handing: HandingOver | None = None) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._handing = handing or HandingOver()
        self.waited = 0.0  # see `End`

    def hold(self, seconds: float) -> None:
        """Add the seconds for which a solution was held, from its arrival until the backend continues."""
        self.waited += seconds
        self._handing.end(seconds)

    def answer(self, letter: bytes, payload: bytes) -> None:
        """Send the requested text, or some solutions."""
        self._write(letter, self._progress() + payload)

    def batch(self, packed: bytes, size: int) -> None:
        """Send solutions at once, of ``size`` bytes each."""
        step = max(1, MAX_BATCH // size) * size
        for start in range(0, len(packed), step):
            self.answer(SOLUTIONS, packed[start : start + step])

    def bound(self, presses: int) -> None:
        """Send a better bound, within a phase."""
        self._tell(BOUND, BOUND_FORM.pack(min(presses, MAX_BOUND)))

    def step(self, done: int, of: int) -> None:
        """Send the progress within a phase."""
        self._tell(STEP, STEP_FORM.pack(done, of))

    def progress(self) -> None:
        """Report the start of a phase."""
        self._tell(PROGRESS)

    def end(self, payload: bytes) -> None:
        """Report how the run ended, by a packed `End`; nothing may follow."""
        self._write(END, payload)

    def _tell(self, letter: bytes, rest: bytes = b"") -> None:
        """Write during a search, whose clock is paused meanwhile: the reader may be busy."""
        began = time.perf_counter()
        running = self._clock.pause()
        self._write(letter, self._progress() + rest)
        self.hold(time.perf_counter() - began)
        if running:
            self._clock.resume()

    def _progress(self) -> bytes:
        phase = PHASES.index(self._clock.phase)
        # Every frame carries the clock, so a run that is killed has reported its times up to its last frame.
        return PROGRESS_FORM.pack(phase, time.monotonic(), *self._clock.seconds.values())

    def _write(self, letter: bytes, payload: bytes) -> None:
        self._handing.begin()
        data = memoryview(HEADER.pack(letter, len(payload)) + payload)
        while data:
            # The pipe may accept only a part. The run writes without a thread or buffer, so that a solution has left it
            # when the backend continues, and survives a kill.
            data = data[os.write(self._descriptor, data) :]


def max_text(limits: Limits) -> int:
    """Return the maximum bytes of a run's text: the quarter of the memory limit reserved for its answers."""
    return min(MAX_TEXT, limits.memory_mb << 18)


MAX_END = 1 << 20  # maximum bytes, plus a quarter of the cells for the hexadecimal digits of a count
MAX_THREADS = 1024
MAX_WORDS = 10_000  # maximum characters of a reason, or of one statistic
MAX_MOMENT = 1e12  # maximum value of `time.monotonic`
# Up to here a float holds every whole number, and so does any reader of JSON.
_MAX_NUMBER = 1 << 53  # maximum value of a statistic; `numbers.exact` writes larger ones in words

# Only the server can know of a timeout or a kill, and only the parent process of an interrupt or a lost run.
_CLAIMS = frozenset({"complete", "limit", "one found", "gave-up", "memory", "error", "unsupported"})


@dataclass(frozen=True)
class End:
    """The last message of a run."""

    status: RunStatus  # one that a run can know
    reason: str = ""  # why, if the status does not say it
    counted: int | None = None  # the number of solutions counted; None unless requested
    stats: dict[str, Any] = field(default_factory=dict)  # whole numbers up to 2^53, finite ones, words, {"log2": k}
    threads: int = 1  # on which it computed, from 1 to `MAX_THREADS`
    phases: dict[Phase, float] = field(default_factory=no_time)  # seconds in each phase
    waited: float = 0.0  # seconds in which the backend waited while solutions and other frames were written
    began: float = 0.0  # when its clock was started (`time.monotonic`)
    ended: float = 0.0  # when it wrote this message

    def pack(self, cells: int) -> bytes:
        """Return it as the payload of a frame; a ValueError says what `unpack` would not accept.

        A count is at most 2^cells, see `crosslit.runs.job.Job.cells_to_count`.
        """
        counted = None if self.counted is None else hex(self.counted)  # unlike decimal digits, without a limit
        payload = json.dumps({**asdict(self), "counted": counted}).encode()
        if len(payload) > (max_bytes := MAX_END + cells // 4):
            raise ValueError(f"{len(payload)} bytes of statistics where at most {max_bytes} fit")
        # The run checks with the same function as the parent, so a backend's mistake is reported as an error of the
        # backend, and not as rubbish in its pipe.
        self.unpack(payload, cells)
        return payload

    @classmethod
    def unpack(cls, payload: bytes, cells: int) -> End:
        """Return the end in a payload, which may be any bytes; a ValueError says what is invalid."""
        try:
            record = json.loads(payload)  # NaN and infinities are rejected below, with the name of their field
        except (ValueError, RecursionError):
            raise ValueError("an end that is not JSON") from None
        # Exactly these fields: an unknown one could only come from something other than `pack`.
        if not isinstance(record, dict) or record.keys() != cls.__dataclass_fields__.keys():
            raise ValueError("an end with other fields than it must have")
        if not isinstance(record["status"], str) or record["status"] not in _CLAIMS:
            raise unfit("the status", record["status"], f"one of {', '.join(sorted(_CLAIMS))}")
        stats, phases, threads = record["stats"], record["phases"], record["threads"]
        if not isinstance(stats, dict):
            raise unfit("stats", stats, "an object")
        if not isinstance(phases, dict) or phases.keys() != set(PHASES):
            raise unfit("phases", phases, f"seconds of {', '.join(PHASES)}")
        # `type` and not `isinstance`, which accepts True.
        if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
            raise unfit("threads", threads, f"a whole number from 1 to {MAX_THREADS}")
        return cls(
            record["status"],  # type: ignore[arg-type]
            _words("the reason", record["reason"]),
            _count(record["counted"], cells),
            {_words("a name", key): _statistic(value) for key, value in stats.items()},
            threads,
            {phase: checked("seconds", phases[phase], MAX_SECONDS) for phase in PHASES},
            checked("seconds", record["waited"], MAX_SECONDS),
            checked("a moment", record["began"], MAX_MOMENT),
            checked("a moment", record["ended"], MAX_MOMENT),
        )


def failure(error: Exception) -> tuple[RunStatus, str]:
    """Return the status of a run that an exception has ended, and the reason."""
    match error:
        case GaveUp() | CertificateRejected() | InternalError():  # none is a mistake of the backend
            return "one found" if isinstance(error, OneFound) else "gave-up", str(error)
        case MemoryError():
            # The memory limit is polled and raises nothing: this allocation was larger than the system grants.
            return "memory", "the allocation failed"
        case ImportError():
            return "unsupported", f"cannot be imported: {error}"
        case ContractError():
            return "error", str(error)
    return "error", f"{type(error).__name__}: {error}{_place(error)}"


def _place(error: Exception) -> str:
    """Return the place in the code where an error was raised."""
    trace = error.__traceback__
    # The innermost frame: the outer ones are Crosslit's for every run.
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""


def unfit(name: str, value: object, due: str) -> ValueError:
    """Return the error for a value that is not as expected."""
    # reprlib, because repr may fail on deeply nested or very long values
    return ValueError(f"{name} {reprlib.repr(value)} where {due} is expected")


def checked(name: str, value: object, maximum: float) -> float:
    """Return a number from 0 to ``maximum``, or raise a ValueError with its name."""
    # one comparison rejects NaN and infinities too, and accepts whole numbers too large for a float
    if type(value) not in (int, float) or not 0 <= value <= maximum:  # type: ignore[operator]
        raise unfit(name, value, f"a number from 0 to {maximum:.0e}")
    return float(value)  # type: ignore[arg-type]


def _words(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_WORDS:
        raise unfit(name, value, f"text of at most {MAX_WORDS} characters")
    return value.encode(errors="replace").decode()  # the name of a file in it may not be valid text


def _count(value: object, cells: int) -> int | None:
    if value is None:
        return None
    try:
        # Hexadecimal takes linear time. Decimal takes quadratic time, and Python refuses more than 4,300 digits.
        number = int(value, 16)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number <= 1 << cells:
        raise unfit("the count", value, f"a whole number from 0 to 2^{cells}")
    return int(number)


def _statistic(value: object) -> int | float | str | dict[str, int] | None:
    if isinstance(value, str):
        return _words("a statistic", value)
    if isinstance(value, dict) and value.keys() == {"log2"}:
        return {"log2": int(checked("log2", value["log2"], _MAX_NUMBER))}
    if value is None or (isinstance(value, int) and abs(value) <= _MAX_NUMBER):
        return value
    if isinstance(value, float) and abs(value) <= sys.float_info.max:
        return value
    raise unfit("the statistic", value, "text or a finite number")
