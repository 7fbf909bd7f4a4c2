"""The parent process's reading of a run's pipe: all data is checked."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crosslit.base.grids import Grids
from crosslit.base.layout import Layout
from crosslit.contract import PHASES, Phase, no_time
from crosslit.contract.run import MAX_EDGE, MAX_SECONDS, Limits, Timing
from crosslit.runs import wire
from crosslit.runs.job import Job, Solve
from crosslit.runs.wire import MAX_END, MAX_MOMENT, End, unfit

_GRID_BYTES = 160  # memory for a stored and checked solution, in addition to twice its cells
# Processor time for sending, several times that of a slow machine.
_FRAME_CPU = 1e-4  # seconds per frame
_BYTE_CPU = 1e-8  # seconds per byte


class Frames:
    """A splitter of a stream into frames."""

    def __init__(self, longest: Mapping[bytes, int] | None = None) -> None:
        self._buffer = bytearray()
        self._longest = longest  # maximum bytes of each allowed kind; None for any kind with up to `MAX_MESSAGE` bytes

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Return the frames (letter, payload) that are now complete; a ValueError says why these are no frames."""
        buffer = self._buffer
        buffer += data
        frames, start = [], 0
        # The view must be released before `del`: a bytearray cannot be resized while it is viewed. It avoids a copy of
        # all bytes for each frame.
        with memoryview(buffer) as view:
            while len(view) - start >= wire.HEADER.size:
                letter, length = wire.HEADER.unpack_from(view, start)
                max_length = wire.MAX_MESSAGE if self._longest is None else self._longest.get(letter, -1)
                if length > max_length:
                    # rejected by its header, before its content is stored
                    long = f"a frame of {length} bytes where at most {max_length} are expected"
                    raise ValueError("rubbish where a frame is expected" if max_length < 0 else long)
                end = start + wire.HEADER.size + length
                if len(view) < end:
                    break
                frames.append((letter, bytes(view[start + wire.HEADER.size : end])))
                start = end
        # Once for all frames: removing each from the front would move the rest every time.
        del buffer[:start]
        return frames


@dataclass(frozen=True)
class ClockState:
    """The state of a run's clock at a moment: the phase, the moment (`time.monotonic`), seconds by phase."""

    phase: Phase
    moment: float
    seconds: dict[Phase, float]

    @classmethod
    def unpack(cls, payload: bytes) -> ClockState:
        """Return the progress at the head of a payload; a ValueError says why there is none."""
        try:
            phase, moment, *seconds = wire.PROGRESS_FORM.unpack_from(payload)
            name = PHASES[phase]
        except (struct.error, IndexError):
            raise ValueError("a frame without progress") from None
        for number, maximum in ((moment, MAX_MOMENT), *((second, MAX_SECONDS) for second in seconds)):
            if not 0 <= number <= maximum:
                raise unfit("a time", number, f"a number from 0 to {maximum:.0e}")
        return cls(name, moment, dict(zip(PHASES, seconds, strict=True)))


class RunReport:
    """The output of a run so far; frames that its job does not allow are rejected."""

    def __init__(self, job: Job, limits: Limits, keeps: bool = True) -> None:
        self.progress: ClockState | None = None
        self.end: End | None = None
        self.broken = ""
        self.frames = 0  # complete frames received
        self.size = 0  # bytes received
        self.kept = 0  # bytes of memory that its answers take
        self.bound = 0
        self.text = ""
        self.step: tuple[int, int] | None = None  # cells done, and cells in total
        self._keeps = keeps
        self._cells = job.cells_to_count
        self._layout = job.layout
        self.grids = Grids(self._layout or Layout(1, 1))
        self._grid = 0  # bytes of a solution
        head = wire.PROGRESS_FORM.size
        # A kind of frame that this job has no use for is not in the table, so it is rejected by its first byte.
        longest = {
            wire.PROGRESS: head,
            wire.BOUND: head + wire.BOUND_FORM.size,
            wire.STEP: head + wire.STEP_FORM.size,
            wire.END: MAX_END + self._cells // 4,
        }
        if not isinstance(job.request, Solve):
            longest[wire.TEXT] = head + wire.max_text(limits)
        elif self._layout is not None:
            self._grid = self._layout.size
            longest[wire.SOLUTIONS] = head + max(wire.MAX_BATCH * job.request.batched, self._grid)
        self._cut = Frames(longest)

    def take(self, data: bytes) -> bytes:
        """Return the solutions in received bytes; if no run writes such bytes, ``broken`` says why."""
        arrived: list[bytes] = []
        try:
            self._read(data, arrived)
            if self._keeps and self._layout is not None and arrived:
                packed = b"".join(arrived)
                self._layout.require(packed)
                self.grids.extend(packed)
                self.kept = len(self.grids) * (2 * self._grid + _GRID_BYTES)
        except ValueError as error:
            # No exception: the solutions that it has handed over stay, since each is checked by the rules anyway.
            self.broken = f"it wrote {error} to the pipe of its run"
        return b"".join(arrived)

    def _read(self, data: bytes, arrived: list[bytes]) -> None:
        self.size += len(data)
        for letter, payload in self._cut.feed(data):
            self.frames += 1
            # The end carries the claim; accepting solutions after it would let a run contradict itself.
            if self.end is not None:
                raise ValueError("more after its end")
            if letter == wire.END:
                self.end = End.unpack(payload, self._cells)
                continue
            self.progress = ClockState.unpack(payload)
            rest = payload[wire.PROGRESS_FORM.size :]
            if letter == wire.SOLUTIONS:
                if not rest or len(rest) % self._grid:
                    raise ValueError(f"{len(rest)} bytes where solutions of {self._grid} each are expected")
                arrived.append(rest)
            elif letter == wire.TEXT:
                self._note_text(rest)
            elif letter != wire.PROGRESS:
                self._note_numbers(letter, rest)

    def _note_numbers(self, letter: bytes, rest: bytes) -> None:
        try:
            if letter == wire.STEP:
                self.step = wire.STEP_FORM.unpack(rest)  # thousands may arrive at once, and the last one is enough
                return
            (bound,) = wire.BOUND_FORM.unpack(rest)
        except struct.error:
            raise ValueError("a frame without its numbers") from None
        if bound > wire.MAX_BOUND:
            raise unfit("the bound", bound, f"a number up to {wire.MAX_BOUND}")
        # Bounds are proved, so a weaker one that comes later takes nothing back.
        self.bound = max(self.bound, bound)

    def _note_text(self, rest: bytes) -> None:
        if self.text:
            raise ValueError("a second text")
        try:
            self.text = rest.decode()
        except UnicodeDecodeError:
            raise ValueError("a text that is not UTF-8") from None
        self.kept += len(rest)

    def timing(self, record: Mapping[str, Any]) -> Timing:
        """Return the times of the run: its own report, within the times that its server has recorded."""
        forked, exited, cpu, end = record["forked"], record["exited"], record["cpu"], self.end
        wall = exited - forked
        if end is not None:
            # the run reports when it started and ended; only a limited part of the time outside is accepted as overhead
            overhead = min(end.began - forked, MAX_EDGE) + min(exited - end.ended, MAX_EDGE)
            total, waited = sum(end.phases.values()), end.waited
            # a run that waits for its reader uses no processor: processor time beyond its phases, and beyond that for
            # sending, reduces the time in which it can have waited
            handing = self.frames * _FRAME_CPU + self.size * _BYTE_CPU
            busy = cpu - overhead - total * end.threads - handing
            if busy > 0:
                waited = min(waited, max(0.0, wall - record["delayed"] - overhead - total - busy))
            return Timing(end.phases, cpu, wall, overhead + waited, record["delayed"], waited)
        if self.progress is None:
            return Timing({**no_time(), "solve": wall}, cpu, wall, 0.0)
        seconds = dict(self.progress.seconds)
        # A killed run reports no end. The phase that it was in is charged with the time since its last frame, without
        # that in which the frame waited for its reader.
        since = min(exited - self.progress.moment, wall - record["handed"] - sum(seconds.values()))
        seconds[self.progress.phase] += max(0.0, min(since, wall))
        return Timing(seconds, cpu, wall, wall - sum(seconds.values()), handed=record["handed"])
