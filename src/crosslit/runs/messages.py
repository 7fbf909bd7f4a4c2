"""Messages between the processes of a run.

The parent process sends a fork server an `Order` with two descriptors. One is a file whose first page all three map:
there the run keeps its clock, and the parent process asks it to stop. Behind the page the run writes how it ended, as
JSON. The other is a pipe for its answers, packed and concatenated. Records of equal size need no frames: a killed run
has sent whole answers and perhaps a part of one. Nothing that a run writes is unpickled.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from crosslit.base.posix import fcntl
from crosslit.base.records import from_json
from crosslit.contract import PHASES
from crosslit.contract.run import Limits

MAX_END = 1 << 20  # maximum bytes of an `End` besides its count
MAX_THREADS = 1024
MAX_WORDS = 10_000  # maximum characters of a reason, or of one statistic
MAX_BOUND = (1 << 63) - 1  # the largest value in a campaign's file
_PART = 1 << 20  # bytes of a message read at a time
_FILES = 2  # descriptors that an order brings
_QUARTER = 1 << 18  # bytes of a megabyte of memory
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, kw_only=True)
class Order:
    """A job for a fork server, pickled by the parent process."""

    limits: Limits
    job: bytes  # the pickled `Job`; only the process of the run unpickles it, so that it cannot harm the server
    cores: tuple[int, ...] = ()  # the cores to which the run is pinned; empty for all
    max_cores: int = 1  # number of cores that it may use if it is not pinned
    group: str = ""  # path of the control group to create for the run; empty for none
    modules: tuple[str, ...] = ()  # modules that the server imports before the run, unless it has them
    counts_handing: bool = False  # whether the limit of time counts the handing over of solutions


def max_bytes(limits: Limits) -> int:
    """Return the bytes of memory for the answers of a run in the parent process, a quarter of its limit."""
    return limits.memory_mb * _QUARTER


def send(control: socket.socket, body: bytes, descriptors: Sequence[int] = ()) -> None:
    """Send a message with some descriptors, which travel with its first byte."""
    message = _LENGTH.pack(len(body)) + body
    sent = socket.send_fds(control, [message], descriptors)
    control.sendall(memoryview(message)[sent:])


def receive(control: socket.socket) -> tuple[bytes, list[int]]:
    """Return the next message and its descriptors; an EOFError says that the other end is closed."""
    head, descriptors = _read(control, _LENGTH.size)
    return _read(control, *_LENGTH.unpack(head))[0], descriptors


def _read(control: socket.socket, length: int) -> tuple[bytes, list[int]]:
    data, descriptors = bytearray(), list[int]()
    while len(data) < length:
        part, received, _, _ = socket.recv_fds(control, min(length - len(data), _PART), _FILES)
        descriptors += received
        if not part:
            raise EOFError
        data += part
    return bytes(data), descriptors


class Page(ctypes.Structure):
    """The numbers that a run shares while it computes, and the request to stop it."""

    _fields_ = (
        ("stop", ctypes.c_bool),
        ("phase", ctypes.c_uint32),  # its clock: the phase, when it was noted (`time.monotonic`; 0: never), and seconds
        ("moment", ctypes.c_double),
        ("seconds", ctypes.c_double * len(PHASES)),
        ("handed", ctypes.c_double),  # seconds of handing over answers that have ended, and when the rest began or 0
        ("since", ctypes.c_double),
        ("bound", ctypes.c_uint64),
        ("done", ctypes.c_uint64),  # cells, and in total
        ("of", ctypes.c_uint64),
        ("sent", ctypes.c_uint64),  # bytes of answers
        ("end", ctypes.c_uint64),  # bytes of its end, behind the page
    )

    @classmethod
    def of_file(cls, descriptor: int) -> Page:
        """Map the first page of a file of `new_file`."""
        return cls.from_buffer(mmap.mmap(descriptor, mmap.PAGESIZE))

    @property
    def handing(self) -> float:
        """The seconds of handing over answers until now."""
        since = self.since  # read before the sum, which may grow meanwhile: rather too much than too little
        return float(self.handed + (time.monotonic() - since if since else 0.0))


def new_file() -> int:
    """Return the descriptor of a file for a `Page` and an `End`."""
    if sys.platform == "linux":
        descriptor = os.memfd_create("crosslit", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, mmap.PAGESIZE)
        # Access to a mapped page whose file has been cut would kill the parent process.
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        os.lseek(descriptor, mmap.PAGESIZE, os.SEEK_SET)  # a backend that writes to every descriptor spares the page
        return descriptor
    with tempfile.TemporaryFile(prefix="crosslit-") as file:
        file.truncate(mmap.PAGESIZE)
        return os.dup(file.fileno())


@dataclass(frozen=True)
class End:
    """The end of a run, reported by the run itself."""

    # Only the server can know of a timeout or a kill, and only the parent process of an interrupt or a lost run.
    status: Literal["complete", "limit", "one found", "gave-up", "memory", "error", "unsupported"]
    reason: str = ""  # why, if the status does not say it
    counted: str = ""  # the number of solutions counted, in hexadecimal, which has no limit of digits; "" for none
    stats: Mapping[str, Any] = field(default_factory=dict)  # whole numbers up to 2^53, finite ones, words, {"log2": k}
    threads: int = 1  # on which it computed, from 1 to `MAX_THREADS`
    began: float = 0.0  # when its clock was started (`time.monotonic`)
    ended: float = 0.0  # when it wrote this

    def pack(self) -> bytes:
        """Return it as JSON; a ValueError says what `unpack` would not accept."""
        payload = json.dumps(asdict(self), allow_nan=False).encode()
        if len(payload) - len(self.counted) > MAX_END:
            raise ValueError(f"{len(payload)} bytes of statistics where at most {MAX_END} fit")
        self.unpack(payload)
        return payload

    @classmethod
    def unpack(cls, payload: bytes) -> End:
        """Return the end in some bytes; a ValueError says what is wrong."""
        try:
            end = from_json(cls, json.loads(payload))
            int(end.counted or "0", 16)
        except RecursionError:
            raise ValueError("an end of too many levels") from None
        if not 1 <= end.threads <= MAX_THREADS:
            raise ValueError(f"threads {end.threads} where a whole number from 1 to {MAX_THREADS} is expected")
        return end
