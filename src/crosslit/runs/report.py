"""What a run writes to its pipe, as the process that asks reads it: nothing is believed unchecked."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crosslit.contract import PHASES, Phase, no_time
from crosslit.grid import Grid
from crosslit.runs import wire
from crosslit.runs.end import MAX_END, MAX_MOMENT, End, unfit
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import MAX_SECONDS, Limits, Timing

_GRID_BYTES = 450  # of memory for a solution that is kept and judged, beside its cells
_OVERHEAD = 0.25  # seconds that starting a run, or ending it, may take of its time without being its own
# Processor time that handing over may take of a run, each several times what it takes on a slow machine.
_FRAME_CPU = 1e-4  # seconds for a frame
_BYTE_CPU = 1e-8  # seconds for a byte


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
            while len(view) - at >= wire.HEADER.size:
                letter, length = wire.HEADER.unpack_from(view, at)
                most = wire.MAX_MESSAGE if self._longest is None else self._longest.get(letter, -1)
                if length > most:
                    # refused by its header: what it promises is never held
                    long = f"a frame of {length} bytes where at most {most} are expected"
                    raise ValueError("rubbish where a frame is expected" if most < 0 else long)
                end = at + wire.HEADER.size + length
                if len(view) < end:
                    break
                frames.append((letter, bytes(view[at + wire.HEADER.size : end])))
                at = end
        del buffer[:at]
        return frames


@dataclass(frozen=True)
class Progress:
    """How far a run's clock was at a moment: the present phase, the moment (`time.monotonic`), seconds by phase."""

    phase: Phase
    moment: float
    seconds: dict[Phase, float]

    @classmethod
    def unpack(cls, payload: bytes) -> Progress:
        """The progress at the head of a payload.

        Raises:
            ValueError: if it is none.
        """
        try:
            phase, moment, *seconds = wire.PROGRESS_FORM.unpack_from(payload)
            name = PHASES[phase]
        except (struct.error, IndexError):
            raise ValueError("a frame without progress") from None
        for number, most in ((moment, MAX_MOMENT), *((second, MAX_SECONDS) for second in seconds)):
            if not 0 <= number <= most:
                raise unfit("a time", number, f"a number from 0 to {most:.0e}")
        return cls(name, moment, dict(zip(PHASES, seconds, strict=True)))


class Report:
    """What a run has written so far: anything but the frames that its job allows is refused.

    Args:
        job: of the run.
        limits: of the run.
        keeps: whether its solutions are kept in ``grids``.
    """

    def __init__(self, job: Job, limits: Limits, keeps: bool = True) -> None:
        self.progress: Progress | None = None
        self.end: End | None = None
        self.broken = ""
        self.frames = 0  # that have arrived whole
        self.size = 0  # bytes that have arrived
        self.kept = 0  # bytes of memory that its answers take
        self.grids: list[Grid] = []
        self.bound = 0
        self.text = ""
        self.step: tuple[int, int] | None = None  # how much is done of how much
        self._keeps = keeps
        self._asked = job.asked
        self._cells = job.cells_to_count
        self._shape = job.shape
        self._grid = 0  # bytes of a solution
        head = wire.PROGRESS_FORM.size
        longest = {
            wire.PROGRESS: head,
            wire.BOUND: head + wire.BOUND_FORM.size,
            wire.STEP: head + wire.STEP_FORM.size,
            wire.END: MAX_END + self._cells // 4,
        }
        if not isinstance(job.request, Solve):
            longest[wire.TEXT] = head + wire.max_text(limits)
        elif self._shape is not None:
            rows, columns = self._shape
            self._grid = (rows * columns + 7) // 8
            longest[wire.SOLUTION] = head + self._grid
            if job.request.batched:
                longest[wire.MANY] = head + max(wire.MAX_BATCH, self._grid)
        self._cut = Frames(longest)

    def take(self, data: bytes) -> bytes:
        """Take in what has arrived, and return the solutions in it, packed, one after the other.

        Where it is nothing that such a run writes, ``broken`` says what, and nothing behind it is taken.
        """
        arrived: list[bytes] = []
        try:
            self._read(data, arrived)
            if self._keeps and self._shape is not None and arrived:
                size = self._grid
                packed = [each[at : at + size] for each in arrived for at in range(0, len(each), size)]
                self.kept += len(packed) * (size + _GRID_BYTES)
                self.grids += [Grid(*self._shape, each) for each in packed]
        except ValueError as error:
            self.broken = f"it wrote {error} to the pipe of its run"
        return b"".join(arrived)

    def _read(self, data: bytes, arrived: list[bytes]) -> None:
        self.size += len(data)
        for letter, payload in self._cut.feed(data):
            self.frames += 1
            if self.end is not None:
                raise ValueError("more after its end")
            if letter == wire.END:
                self.end = End.unpack(payload, self._cells)
                continue
            self.progress = Progress.unpack(payload)
            rest = payload[wire.PROGRESS_FORM.size :]
            if letter in (wire.SOLUTION, wire.MANY):
                whole = not len(rest) % self._grid if letter == wire.MANY else len(rest) == self._grid
                if not (whole and rest):
                    raise ValueError(f"{len(rest)} bytes where solutions of {self._grid} each are expected")
                arrived.append(rest)
            elif letter == wire.TEXT:
                self._note_text(rest)
            elif letter != wire.PROGRESS:
                self._note_numbers(letter, rest)

    def _note_numbers(self, letter: bytes, rest: bytes) -> None:
        try:
            if letter == wire.STEP:
                self.step = wire.STEP_FORM.unpack(rest)  # thousands may come at once, and the last one says all
                return
            (bound,) = wire.BOUND_FORM.unpack(rest)
        except struct.error:
            raise ValueError("a frame without its numbers") from None
        if bound > wire.MAX_BOUND:
            raise unfit("the bound", bound, f"a number up to {wire.MAX_BOUND}")
        self.bound = max(self.bound, bound)

    def _note_text(self, rest: bytes) -> None:
        if self.text:
            raise ValueError("a second text")
        try:
            self.text = rest.decode()
        except UnicodeDecodeError:
            raise ValueError("a text that is no UTF-8") from None
        self.kept += len(rest)

    def timing(self, record: Mapping[str, Any]) -> Timing:
        """Return the times of the run: its own account, within what its server measured.

        Args:
            record: of its server: when it forked the run and saw its end, and the processor time between.
        """
        timing, asked = self._timing(record), self._asked
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
