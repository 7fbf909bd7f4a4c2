"""The bytes that pass between the process that asks, the fork server, and the process of one run.

Control messages (both ways between asker and server) are one letter, a length, and a JSON or pickled body. A run writes
frames of the same outer form to a pipe of its own; nothing that a run writes is ever unpickled.
"""

from __future__ import annotations

import json
import os
import struct
import time
from dataclasses import dataclass
from typing import Any

from crosslit.contract import PHASES, Backend, Clock, Options, Phase, Question
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle
from crosslit.records import Limits

CHECKER = ("crosslit.certificates",)  # the modules of the server for checks, which loads no plugin
HEADER = struct.Struct("<cI")
LONGEST = 1 << 30  # bytes of one frame; more is rubbish, not a grid
_BOUND = struct.Struct("<Q")
_STEP = struct.Struct("<QQ")
_LARGEST = (1 << 64) - 1
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


@dataclass(frozen=True)
class Order:
    """What a run is to do: pickled by the asking process, its own parent, and by nobody else."""

    number: int
    backend: str
    encoding: tuple[str, str, str] | None
    options: Options
    puzzle: Puzzle
    question: Question
    limits: Limits
    definition: Backend | None = None  # where a user has defined it: the server knows only what is registered
    hint: int | None = None
    target: Grid | None = None
    among: Grid | None = None
    certify: tuple[Grid, ...] | None = None  # write a certificate of these solutions, instead of searching
    check: str | None = None  # check this certificate instead
    batched: bool = False  # whether to answer by the backend's ``batches``, if it has them
    skip: int = 0  # how many solutions they leave out at the head


@dataclass(frozen=True)
class Progress:
    """How far a run's clock was at a moment: the present phase, the moment (`time.monotonic`), seconds by phase."""

    phase: Phase
    moment: float
    seconds: dict[Phase, float]

    @classmethod
    def unpack(cls, payload: bytes) -> tuple[Progress, bytes]:
        """The progress at the head of a payload, and what follows it.

        Raises:
            ValueError: if it is none.
        """
        try:
            phase, moment, *seconds = _PROGRESS.unpack_from(payload)
            return cls(PHASES[phase], moment, dict(zip(PHASES, seconds, strict=True))), payload[_PROGRESS.size :]
        except (struct.error, IndexError):
            raise ValueError("a frame without progress") from None


def unpack_bound(payload: bytes) -> int:
    """The bound that follows the progress of a frame.

    Raises:
        ValueError: if it is none.
    """
    try:
        return int(_BOUND.unpack(payload)[0])
    except struct.error:
        raise ValueError("a frame without a bound") from None


def unpack_step(payload: bytes) -> tuple[int, int]:
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
        self.telling = 0.0  # seconds spent on saying which phase begins

    def solution(self, packed: bytes) -> None:
        """Hand over one solution."""
        self._write(SOLUTION, self._progress() + packed)

    def text(self, text: str) -> None:
        """Hand over what was to be written."""
        self._write(TEXT, self._progress() + text.encode())

    def batch(self, packed: bytes) -> None:
        """Hand over some solutions at once."""
        self._write(MANY, self._progress() + packed)

    def bound(self, presses: int) -> None:
        """Hand over a better bound, in the middle of a phase."""
        self._clock.lap()
        self._write(BOUND, self._progress() + _BOUND.pack(min(presses, _LARGEST)))

    def step(self, done: int, of: int) -> None:
        """Say how far it is, in the middle of a phase."""
        self._clock.lap()
        self._write(STEP, self._progress() + _STEP.pack(done, of))

    def progress(self) -> None:
        """Say which phase begins."""
        began = time.perf_counter()
        self._write(PROGRESS, self._progress())
        self.telling += time.perf_counter() - began

    def end(self, record: dict[str, Any]) -> None:
        """Say how the run ended; nothing may follow."""
        self._write(END, json.dumps(record).encode())

    def _progress(self) -> bytes:
        phase = PHASES.index(self._clock.phase)
        return _PROGRESS.pack(phase, time.monotonic(), *self._clock.seconds.values())

    def _write(self, letter: bytes, payload: bytes) -> None:
        data = memoryview(HEADER.pack(letter, len(payload)) + payload)
        while data:
            data = data[os.write(self._descriptor, data) :]


class Frames:
    """Cuts what arrives from a stream into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The frames (letter, payload) that are whole now.

        Raises:
            ValueError: if a length is absurd, so that this is no stream of frames.
        """
        buffer = self._buffer
        buffer += data
        frames, at = [], 0
        with memoryview(buffer) as view:
            while len(view) - at >= HEADER.size:
                letter, length = HEADER.unpack_from(view, at)
                if length > LONGEST:
                    raise ValueError("rubbish where a frame is due")
                end = at + HEADER.size + length
                if len(view) < end:
                    break
                frames.append((letter, bytes(view[at + HEADER.size : end])))
                at = end
        del buffer[:at]
        return frames
