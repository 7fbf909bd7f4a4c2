"""The bytes that pass between the process that asks, the fork server, and the process of one run.

Control messages (both ways between asker and server) are one letter, a length, and a JSON or pickled body. A run writes
frames of the same outer form to a pipe of its own; nothing that a run writes is ever unpickled.
"""

from __future__ import annotations

import os
import struct
import time
from dataclasses import dataclass

from crosslit.contract import PHASES, Clock
from crosslit.runs.run import Limits

HEADER = struct.Struct("<cI")
MAX_MESSAGE = 1 << 30  # bytes of a message from a fork server
MAX_TEXT = 1 << 29  # bytes of a certificate; that of a board of 10,000 x 10,000 holds a solution in 10^8
MAX_BATCH = 1 << 20  # bytes of the solutions in one frame, unless one of them has more
MAX_BOUND = (1 << 63) - 1  # what a campaign's file can hold
BOUND_FORM = struct.Struct("<Q")
STEP_FORM = struct.Struct("<QQ")
PROGRESS_FORM = struct.Struct(f"<Bd{len(PHASES)}d")


START = b"R"  # to the server: pickled `Order`, with the descriptor of the run's pipe
KILL = b"K"  # to the server: number of the run
READY = b"H"  # from the server, once
ENDED = b"X"  # from the server: how a run ended, JSON

# from a run
SOLUTION = b"S"  # progress, then the packed grid
MANY = b"M"  # progress, then some packed grids, one after the other
BOUND = b"B"  # progress, then a bound on the presses
STEP = b"T"  # progress, then how much is done of how much
TEXT = b"W"  # progress, then what it was to write
PROGRESS = b"P"
END = b"E"  # JSON


@dataclass(frozen=True, kw_only=True)
class Order:
    """A job for a fork server, pickled by the parent process.

    Args:
        number: of the run.
        backend: its name.
        limits: of the run, less the time that its backend has used before.
        job: the `Job`, pickled: only the process of the run reads it, so that nothing in it can harm the server.
        cores: that the run is pinned to; empty for all.
        group: path of the control group to make for the run; empty for none.
    """

    number: int
    backend: str
    limits: Limits
    job: bytes
    cores: tuple[int, ...] = ()
    group: str = ""


class Pipe:
    """Where the process of one run writes its frames; a write is whole, and waits while the reader is behind."""

    def __init__(self, descriptor: int, clock: Clock) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self.waited = 0.0  # seconds: see `End`

    def hold(self, seconds: float) -> None:
        """Count for how long a solution was held, from when the backend gave it until it is asked to go on."""
        self.waited += seconds

    def solution(self, packed: bytes) -> None:
        """Hand over one solution."""
        self._write(SOLUTION, self._progress() + packed)

    def text(self, text: bytes) -> None:
        """Hand over what was to be written."""
        self._write(TEXT, self._progress() + text)

    def batch(self, packed: bytes, size: int) -> None:
        """Hand over some solutions at once, of ``size`` bytes each."""
        most = max(1, MAX_BATCH // size) * size
        for at in range(0, len(packed), most):
            self._write(MANY, self._progress() + packed[at : at + most])

    def bound(self, presses: int) -> None:
        """Hand over a better bound, in the middle of a phase."""
        self._tell(BOUND, BOUND_FORM.pack(min(presses, MAX_BOUND)))

    def step(self, done: int, of: int) -> None:
        """Say how far it is, in the middle of a phase."""
        self._tell(STEP, STEP_FORM.pack(done, of))

    def progress(self) -> None:
        """Say which phase begins."""
        self._tell(PROGRESS)

    def end(self, payload: bytes) -> None:
        """Say how the run ended, by a packed `End`; nothing may follow."""
        self._write(END, payload)

    def _tell(self, letter: bytes, rest: bytes = b"") -> None:
        """Write in the middle of a search, whose clock stands still meanwhile: the reader may be busy."""
        began = time.perf_counter()
        running = self._clock.pause()
        self._write(letter, self._progress() + rest)
        self.waited += time.perf_counter() - began
        if running:
            self._clock.resume()

    def _progress(self) -> bytes:
        phase = PHASES.index(self._clock.phase)
        return PROGRESS_FORM.pack(phase, time.monotonic(), *self._clock.seconds.values())

    def _write(self, letter: bytes, payload: bytes) -> None:
        data = memoryview(HEADER.pack(letter, len(payload)) + payload)
        while data:
            data = data[os.write(self._descriptor, data) :]


def max_text(limits: Limits) -> int:
    """How many bytes a run may write as its text: of the limit of memory, the quarter that is meant for its answers."""
    return min(MAX_TEXT, limits.memory_mb << 18)
