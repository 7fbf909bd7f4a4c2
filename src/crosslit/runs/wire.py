"""The bytes that pass between the process that asks, the fork server, and the process of one run.

Control messages (both ways between asker and server) are one letter, a length, and a JSON or pickled body. A run writes
frames of the same outer form to a pipe of its own; nothing that a run writes is ever unpickled.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from crosslit.contract import PHASES, Clock, Phase, no_time
from crosslit.runs.end import MAX_MOMENT, End, checked, max_end, unfit
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import MAX_SECONDS, Limits, Timing

HEADER = struct.Struct("<cI")
MAX_MESSAGE = 1 << 30  # bytes of a message from a fork server
MAX_TEXT = 1 << 29  # bytes of a certificate; that of a board of 10,000 x 10,000 holds a solution in 10^8
MAX_BATCH = 1 << 20  # bytes of the solutions in one frame, unless one of them has more
MAX_BOUND = (1 << 63) - 1  # what a campaign's file can hold
_OVERHEAD = 0.25  # seconds that starting a run, or ending it, may take of its time without being its own
# Processor time that handing over may take of a run, each several times what it takes on a slow machine.
_FRAME_CPU = 1e-4  # seconds for a frame
_BYTE_CPU = 1e-8  # seconds for a byte
_BOUND = struct.Struct("<Q")
_STEP = struct.Struct("<QQ")
_PROGRESS = struct.Struct(f"<Bd{len(PHASES)}d")


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
    """

    number: int
    backend: str
    limits: Limits
    job: bytes


@dataclass(frozen=True)
class Progress:
    """How far a run's clock was at a moment: the present phase, the moment (`time.monotonic`), seconds by phase."""

    phase: Phase
    moment: float
    seconds: dict[Phase, float]

    @classmethod
    def unpack(cls, payload: bytes) -> tuple[Progress, memoryview]:
        """The progress at the head of a payload, and what follows it.

        Raises:
            ValueError: if it is none.
        """
        try:
            phase, moment, *seconds = _PROGRESS.unpack_from(payload)
            name = PHASES[phase]
        except (struct.error, IndexError):
            raise ValueError("a frame without progress") from None
        for number in seconds:
            checked("seconds", number, MAX_SECONDS)
        progress = cls(name, checked("a moment", moment, MAX_MOMENT), dict(zip(PHASES, seconds, strict=True)))
        return progress, memoryview(payload)[_PROGRESS.size :]


def unpack_bound(payload: bytes | memoryview) -> int:
    """The bound that follows the progress of a frame.

    Raises:
        ValueError: if it is none.
    """
    try:
        bound = int(_BOUND.unpack(payload)[0])
    except struct.error:
        raise ValueError("a frame without a bound") from None
    if bound > MAX_BOUND:
        raise unfit("the bound", bound, f"a number up to {MAX_BOUND}")
    return bound


def unpack_step(payload: bytes | memoryview) -> tuple[int, int]:
    """How much is done of how much, as it follows the progress of a frame.

    Raises:
        ValueError: if it does not.
    """
    try:
        done, of = _STEP.unpack(payload)
    except struct.error:
        raise ValueError("a frame without a step") from None
    return int(done), int(of)


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
        self._tell(BOUND, _BOUND.pack(min(presses, MAX_BOUND)))

    def step(self, done: int, of: int) -> None:
        """Say how far it is, in the middle of a phase."""
        self._tell(STEP, _STEP.pack(done, of))

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
        return _PROGRESS.pack(phase, time.monotonic(), *self._clock.seconds.values())

    def _write(self, letter: bytes, payload: bytes) -> None:
        data = memoryview(HEADER.pack(letter, len(payload)) + payload)
        while data:
            data = data[os.write(self._descriptor, data) :]


class Frames:
    """Cuts what arrives from a stream into frames.

    Args:
        longest: how many bytes a frame of each kind may have, where no other kind may come; by default any may, of up
            to `MAX_MESSAGE` bytes.
    """

    def __init__(self, longest: Mapping[bytes, int] | None = None) -> None:
        self._buffer = bytearray()
        self._longest = longest

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The frames (letter, payload) that are whole now.

        Raises:
            ValueError: if a kind or a length cannot be, so that this is no stream of frames.
        """
        buffer = self._buffer
        buffer += data
        frames, at = [], 0
        with memoryview(buffer) as view:
            while len(view) - at >= HEADER.size:
                letter, length = HEADER.unpack_from(view, at)
                most = MAX_MESSAGE if self._longest is None else self._longest.get(letter, -1)
                if length > most:
                    # refused by its header: what it promises is never held
                    long = f"a frame of {length} bytes where at most {most} are due"
                    raise ValueError("rubbish where a frame is due" if most < 0 else long)
                end = at + HEADER.size + length
                if len(view) < end:
                    break
                frames.append((letter, bytes(view[at + HEADER.size : end])))
                at = end
        del buffer[:at]
        return frames


class Report:
    """What a run writes, as it arrives: anything but the frames that its job allows is refused.

    Args:
        job: of the run.
        limits: of the run.
    """

    def __init__(self, job: Job, limits: Limits) -> None:
        self.progress: Progress | None = None
        self.end: End | None = None
        self.frames = 0  # that have arrived whole
        self.size = 0  # bytes that have arrived
        self._cells = job.cells_to_count
        self._grid = 0  # bytes of a solution
        head = _PROGRESS.size
        longest = {PROGRESS: head, BOUND: head + _BOUND.size, STEP: head + _STEP.size, END: max_end(self._cells)}
        if not isinstance(job.request, Solve):
            longest[TEXT] = head + max_text(limits)
        elif job.shape is not None:
            rows, columns = job.shape
            self._grid = (rows * columns + 7) // 8
            longest[SOLUTION] = head + self._grid
            if job.request.batched:
                longest[MANY] = head + max(MAX_BATCH, self._grid)
        self._cut = Frames(longest)

    def read(self, data: bytes) -> Iterator[tuple[bytes, memoryview]]:
        """Yield letter and content, behind the progress, of each frame but the end.

        Raises:
            ValueError: if it is nothing that such a run writes; says what.
        """
        self.size += len(data)
        for letter, payload in self._cut.feed(data):
            self.frames += 1
            if self.end is not None:
                raise ValueError("more after its end")
            if letter == END:
                self.end = End.unpack(payload, self._cells)
                continue
            self.progress, rest = Progress.unpack(payload)
            whole = not len(rest) % self._grid if letter == MANY else len(rest) == self._grid
            if letter in (SOLUTION, MANY) and not (whole and len(rest)):
                raise ValueError(f"{len(rest)} bytes where solutions of {self._grid} each are due")
            yield letter, rest

    def timing(self, record: Mapping[str, Any], asked: float) -> Timing:
        """Return the times of the run: its own account, within what its server measured.

        Args:
            record: of its server: when it forked the run and saw its end, and the processor time between.
            asked: seconds that its backend has worked before, when it was asked about the puzzle.
        """
        timing = self._timing(record)
        phases: dict[Phase, float] = {**timing.phases, "solve": timing.phases["solve"] + asked}
        return replace(timing, phases=phases, cpu=timing.cpu + asked, wall=timing.wall + asked)

    def _timing(self, record: Mapping[str, Any]) -> Timing:
        forked, exited, cpu, end = record["forked"], record["exited"], record["cpu"], self.end
        wall = exited - forked
        if end is not None:
            # the run tells when it began and ended; only so much of the time outside is believed to be ours
            overhead = min(end.began - forked, _OVERHEAD) + min(exited - end.ended, _OVERHEAD)
            total, waited = sum(end.phases.values()), end.waited
            # a run that waits uses no processor, nor does it wait for one: processor time beyond its phases, and beyond
            # what handing over takes, leaves so much less time in which it can have waited for its reader
            handing = self.frames * _FRAME_CPU + self.size * _BYTE_CPU
            busy = cpu - overhead - total * end.threads - handing
            if busy > 0:
                waited = min(waited, max(0.0, wall - record["delayed"] - overhead - total - busy))
            overhead += waited
            return Timing(end.phases, cpu, wall, overhead, record["delayed"])
        if self.progress is None:
            return Timing({**no_time(), "solve": wall}, cpu, wall, 0.0)
        seconds = dict(self.progress.seconds)
        seconds[self.progress.phase] += max(0.0, exited - max(forked, self.progress.moment))
        return Timing(seconds, cpu, wall, wall - sum(seconds.values()))


def max_text(limits: Limits) -> int:
    """How many bytes a run may write as its text: of the limit of memory, the quarter that is meant for its answers."""
    return min(MAX_TEXT, limits.memory_mb << 18)
