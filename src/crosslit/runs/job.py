"""The description of a run, what its processes say to each other, and its backend driven there or in this process.

The parent process sends a fork server an `Order` with two descriptors. One is a file whose first page all three map:
there the run keeps its clock, and the parent process asks it to stop. Behind the page the run writes how it ended, as
JSON. The other is a pipe for its answers, packed and concatenated. Records of equal size need no frames: a killed run
has sent whole answers and perhaps a part of one. Nothing that a run writes is unpickled.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import mmap
import os
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid, Layout
from crosslit.base.posix import fcntl
from crosslit.base.records import from_json
from crosslit.contract import PHASES, QUESTIONS, Backend, ContractError, QuestionName, Task, answer_layout
from crosslit.contract.registered import ENCODERS as GROUP
from crosslit.contract.registered import HOMES, Choice
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.kinds import Puzzle

ENCODERS = HOMES[GROUP]  # a module of servers for runs with an encoding, which load them all
MAX_END = 1 << 20  # maximum bytes of an `End` besides its count
MAX_THREADS = 1024
MAX_WORDS = 10_000  # maximum characters of a reason, or of one statistic
MAX_BOUND = (1 << 63) - 1  # the largest value in a campaign's file
_PART = 1 << 20  # bytes of a message read at a time
_LENGTH = struct.Struct("<Q")
CHECKER = ("crosslit.judging.certificates",)  # the modules of the server for checks, which loads no plugin


@dataclass(frozen=True, kw_only=True)
class Solve:
    """A request to a backend to answer a question; `crosslit.contract.Task` describes the other fields."""

    question: QuestionName = "solutions"
    hint: int | None = None  # number of solutions, which must not change the backend's claims; by default the limit
    candidates: Grid | None = None
    batched: bool = False  # answer with `batches` if the backend has them


@dataclass(frozen=True)
class Certify:
    """A request to a backend to write a certificate of these solutions."""

    solutions: Sequence[Grid]


@dataclass(frozen=True)
class CheckCertificate:
    """A request to check the text of a certificate, without a backend."""

    text: str


Request = Solve | Certify | CheckCertificate


@dataclass(frozen=True, kw_only=True)
class Job:
    """The description of one run."""

    choice: Choice | None  # None only for the check of a certificate
    puzzle: Puzzle
    request: Request = Solve()
    limits: Limits | None = None  # by default those of the runner
    repetition: int = 0  # from 0
    python: str = ""  # interpreter of another environment with the same Crosslit; empty for this one

    def __post_init__(self) -> None:
        if (self.choice is None) != isinstance(self.request, CheckCertificate):
            raise ValueError("a job has a backend, unless it checks a certificate")

    @property
    def spec(self) -> str:
        """Spec of the backend; ``check`` for the check of a certificate."""
        return self.choice.spec if self.choice else "check"

    @property
    def backend(self) -> Backend:
        """The backend of a job that has one."""
        assert self.choice is not None
        return self.choice.backend

    @property
    def question(self) -> QuestionName | None:
        """The question to answer, if there is one."""
        return self.request.question if isinstance(self.request, Solve) else None

    @property
    def refusal(self) -> str | None:
        """Why the backend does not support the puzzle."""
        return self.choice.refusal if self.choice else None

    @property
    def preload(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Modules that its fork server loads: always, and unless it is forked from a command for one run."""
        if self.choice is None:
            return CHECKER, ()
        backend = self.choice.backend
        return backend.preload + ((ENCODERS,) if self.choice.encoding else ()), backend.seldom

    def blank(self, status: RunStatus = "error", error: str = "") -> Run:
        """Return its run, without results."""
        run = Run(self.spec, status=status, error=error, repetition=self.repetition)
        if (choice := self.choice) is not None:
            run.encoding = choice.encoding.name if choice.encoding else ""
            run.version, run.trusted_base = choice.version, choice.trusted_base
        return run

    def task(self, limits: Limits, **reports: Any) -> Task:
        """Return the task for its backend, with the clock, the cores and the functions for reports."""
        request = self.request if isinstance(self.request, Solve) else Solve()
        return Task(
            question=request.question,
            max_solutions_hint=limits.solutions if request.hint is None else request.hint,
            encoding=self.choice.encoding if self.choice else None,
            options=self.choice.options if self.choice else {},
            candidates=request.candidates,
            memory_mb=limits.memory_mb,
            **reports,
        )

    @cached_property
    def layout(self) -> Layout | None:
        """The form of the grids that answer it; None if the answer is not grids."""
        question = self.question and QUESTIONS[self.question]
        return answer_layout(question.name, self.puzzle) if question and question.answer == "grids" else None


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
        part, received, _, _ = socket.recv_fds(control, min(length - len(data), _PART), 2)
        descriptors += received
        if not part:
            raise EOFError
        data += part
    return bytes(data), descriptors


class Page(ctypes.Structure):
    """The numbers that a run shares while it computes, and the request to stop it."""

    _fields_ = (
        ("stop", ctypes.c_uint32),
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
        os.lseek(descriptor, 0, os.SEEK_END)  # a backend that writes to every descriptor spares the page
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


# receives the seconds for which a solution was held; not kept in the task, where a backend could change them
Hold = Callable[[float], None]


def drive(
    backend: Backend, puzzle: Puzzle, task: Task, hold: Hold = lambda _seconds: None
) -> Generator[Grid, None, None]:
    """Yield a backend's solutions, timed in ``task.clock``, and free the backend at the end, even after an error.

    If the backend's iterator ends, it claims that there are no more solutions, or, for a question about the fewest, no
    better ones. A ContractError says that it yielded something else than grids of the puzzle's shape; the caller checks
    the rules. ``hold`` is called for each solution with the seconds from its arrival until the backend continues.
    """
    layout = answer_layout(task.question, puzzle)

    def check(grid: object) -> None:
        if not isinstance(grid, Grid):
            raise ContractError(f"it yielded {type(grid).__name__} where a Grid is expected: {grid!r:.60}")
        if not layout.admits(grid):
            raise ContractError(f"it yielded {_form(grid)} where {_form(layout)} is expected")

    return _handed(_method(backend, task), puzzle, task, hold, check)


def drive_batches(
    backend: Backend, puzzle: Puzzle, task: Task, hold: Hold = lambda _seconds: None
) -> Generator[bytes, None, None]:
    """Yield the batches of a backend with `crosslit.contract.Backend.batches`, as `drive` does solutions."""
    size = puzzle.layout.size

    def check(packed: object) -> None:
        if not isinstance(packed, bytes) or not packed or len(packed) % size:
            raise ContractError(f"it yielded {packed!r:.40} where grids of {size} bytes each are expected")

    return _handed(backend.batches, puzzle, task, hold, check)


def _handed(
    answer: Callable[[Puzzle, Task], Any], puzzle: Puzzle, task: Task, hold: Hold, check: Callable[[object], None]
) -> Generator[Any, None, None]:
    clock = task.clock
    clock.resume()
    solutions = answer(puzzle, task)
    # Only a generator hands over each solution when it is found, and can be closed to free the engine.
    if not isinstance(solutions, Generator):
        raise ContractError(f"it answered with {type(solutions).__name__} where a generator of Grids is expected")
    try:
        for grid in solutions:
            clock.pause()
            handed = clock.paused_at
            check(grid)
            try:
                yield grid
            finally:  # including the last solution, at which the consumer stops
                continues = time.perf_counter()
                hold(continues - handed)
            clock.resume(continues)  # no gap: between millions of solutions, it would be a tenth of the time
    finally:
        clock.resume()
        solutions.close()
        clock.pause()


def drive_count(backend: Backend, puzzle: Puzzle, task: Task) -> int:
    """Return the number of solutions that the backend claims, timed in ``task.clock``."""
    answer = _method(backend, task)
    task.clock.resume()
    try:
        number = answer(puzzle, task)
    finally:
        task.clock.pause()
    if type(number) is not int or number < 0:
        raise ContractError(f"it counted {number!r:.60} where a whole number of solutions is expected")
    bits = puzzle.layout.bits
    if number > 1 << bits:  # no puzzle has more grids
        cells = puzzle.rows * puzzle.columns
        raise ContractError(f"it counted more than 2^{bits} solutions of a puzzle of {cells} cells")
    return number


def _form(grid: Grid | Layout) -> str:
    states = "" if grid.states == 2 else f" of {grid.states} states"
    return f"a {grid.rows} x {grid.columns} grid{states}"


def _method(backend: Backend, task: Task) -> Any:
    if not backend.answers(task.question):
        raise ContractError(f"{backend.name} does not answer {task.question!r}")
    return getattr(backend, task.question)


T = TypeVar("T")
_open: set[Generator[Any, None, None]] = set()  # searches started and not yet ended by a caller


@contextmanager
def closing_at_exit(search: Generator[T, None, None]) -> Iterator[Generator[T, None, None]]:
    """Close a search at the end of a block, or when Python exits: once modules are gone, no engine can be freed."""
    _open.add(search)
    try:
        yield search
        if search not in _open:
            # A generator that is closed ends silently, which here would be the claim that there are no more solutions.
            raise GaveUp("the search was closed because Python exits")
    finally:
        _open.discard(search)
        search.close()


@atexit.register
def _close_open() -> None:
    while _open:
        with suppress(ValueError):  # a thread is running it
            _open.pop().close()
