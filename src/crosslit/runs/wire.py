"""The byte format between the parent process, the fork server, and the process of one run.

Control messages (both ways between parent and server) are one letter, a length, and a JSON or pickled body. A run
writes frames of the same outer form to its pipe; its output is never unpickled.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from dataclasses import dataclass
from zlib import crc32

from crosslit.contract import PHASES, Clock
from crosslit.numbers import format_count
from crosslit.runs.run import Limits

# A fixed byte order without padding, so that the sizes below are exact.
HEADER = struct.Struct("<cI")
MAX_MESSAGE = 1 << 30  # maximum bytes of a message from a fork server
MAX_TEXT = 1 << 29  # maximum bytes of a certificate; that of a board of 10,000 x 10,000 has a solution of 10^8
MAX_BATCH = 1 << 20  # maximum bytes of the solutions in one frame, unless a single one is larger
MAX_BOUND = (1 << 63) - 1  # the largest value in a campaign's file
BOUND_FORM = struct.Struct("<Q")
STEP_FORM = struct.Struct("<QQ")
_END_BYTES = 1 << 12  # bytes at both ends of a frame in its checksum
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


class Tally:
    """The number of answers of a run and a CRC-32 of their frames, computed at both ends of its pipe.

    If the two ends differ, Crosslit has lost or changed something on the way, and the backend must not be blamed. What
    the run was asked, the pickled `Job`, is compared too.
    """

    def __init__(self, job: bytes) -> None:
        self.number = 0
        self._digest = crc32(job)  # against mistakes, not attacks: five times as fast as SHA-256

    def add(self, frame: bytes) -> None:
        """Add the answers in one frame to the checksum: its first and last bytes."""
        # the CRC of all bytes of 2^20 solutions of a 39 x 39 board took 15% of the time to list them
        ends = frame if len(frame) <= 2 * _END_BYTES else frame[:_END_BYTES] + frame[-_END_BYTES:]
        self._digest = crc32(ends, self._digest)

    def words(self, counted: int | None) -> str:
        """Return the tally as text; if the answer is a number of solutions, that is included."""
        if counted is None:
            return f"{format_count(self.number, 'answer')} (CRC-32 {self._digest:08x})"
        whole = counted.to_bytes(counted.bit_length() // 8 + 1, "little")
        return f"a number (CRC-32 {crc32(whole, self._digest):08x})"


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

    def __init__(self, descriptor: int, clock: Clock, job: bytes = b"", handing: HandingOver | None = None) -> None:
        self.tally = Tally(job)
        self._descriptor = descriptor
        self._clock = clock
        self._handing = handing or HandingOver()
        self.waited = 0.0  # see `End`

    def hold(self, seconds: float) -> None:
        """Add the seconds for which a solution was held, from its arrival until the backend continues."""
        self.waited += seconds
        self._handing.end(seconds)

    def answer(self, letter: bytes, payload: bytes) -> None:
        """Send the requested text, or some solutions, which the caller counts in the tally."""
        self.tally.add(payload)
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
