"""The process of one run, forked by the server into a new session, with only its own files open."""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import pickle
import sys
import time
from typing import Any

from crosslit.base.errors import CertificateRejected
from crosslit.base.posix import resource
from crosslit.base.text import exact, shorten
from crosslit.contract import PHASES, QUESTIONS, Clock, ContractError, GaveUp, Task
from crosslit.contract.run import MAX_SECONDS, RunStatus
from crosslit.kinds import Puzzle
from crosslit.runs.drive import drive, drive_batches, drive_count, failure
from crosslit.runs.job import Certify, CheckCertificate, Job, Solve
from crosslit.runs.messages import MAX_BOUND, MAX_WORDS, End, Order, Page, max_bytes
from crosslit.runs.processes import close_all_but, inherit_orphans
from crosslit.runs.resources import enter

# maximum size of a file written by a run: a backend that prints without end must not fill the disk
_FILE_SIZE = 1 << 30
_MAX_CORES = 1024  # on which it may compute


def carry_out(order: Order, page: Page, file: int, pipe: int, output: int, errors: int) -> None:
    """Carry out an order, in the process that `crosslit.runs.processes.ProcessGroup` has forked for it.

    The descriptors are those of the file with the page, of the pipe, and of the files for standard output and standard
    error.
    """
    try:
        if order.group:
            # First of all, so that everything the run allocates and starts is counted in its group.
            enter(order.group)
        inherit_orphans()  # the processes that it starts count as its own
        os.dup2(output, 1)
        os.dup2(errors, 2)
        close_all_but(file, pipe)  # the rest belongs to the server: a backend must not be able to speak in its name
        _limit(resource.RLIMIT_FSIZE, _FILE_SIZE)
        # a last line of defence, in case the server has ended
        _limit(resource.RLIMIT_CPU, math.ceil(order.limits.timeout * _MAX_CORES))
        if order.cores:
            os.sched_setaffinity(0, order.cores)
        run(order, page, file, pipe)
    except BaseException as error:
        # `sys.stderr` may be what failed, so write to the descriptor; the server reports the last line of this file.
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        raise
    finally:
        with contextlib.suppress(Exception):
            # `os._exit` follows and flushes nothing. Text here is a finding, since an engine should not print.
            sys.stdout.flush()


def _limit(resource_kind: int, maximum: int) -> None:
    """Limit this process; a lower limit stays, because only a privileged process may raise it."""
    limits = [limit for limit in resource.getrlimit(resource_kind) if limit != resource.RLIM_INFINITY]
    maximum = min([maximum, *limits])
    # at the soft limit the kernel sends a signal that names the reason, at the hard limit it just kills the process
    resource.setrlimit(resource_kind, (maximum - 1, maximum))


def run(order: Order, page: Page, file: int, pipe: int) -> None:
    """Carry out the job: send its answers to the pipe, and write its end behind the page."""
    # Safe: the pickle comes from the parent process, whose user started all this. Loaded here and not in the server, so
    # that a plugin's class cannot run code there.
    job: Job = pickle.loads(order.job)
    if job.choice is None or "command" not in job.backend.groups:  # whose programs may have such threads
        # If NumPy is loaded only now, its threads would compute beside the clock.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    outbox = Outbox(page, pipe)
    reports: dict[str, Any] = {"on_bound": outbox.note_bound, "on_progress": outbox.note_progress}
    task = job.task(order.limits, clock=outbox.clock, cores=order.max_cores, **reports)
    status: Any
    status, reason, counted = "complete", "", ""
    # Monotonic time has the same zero in all processes of a machine, so server and parent can compare.
    began = time.monotonic()
    try:
        if not isinstance(job.request, Solve):
            _send_text(job, task, max_bytes(order.limits), outbox)
        elif QUESTIONS[job.request.question].answer == "number":
            counted = hex(drive_count(job.backend, job.puzzle, task))
        elif job.request.batched and job.backend.answers("batches"):
            status = _send_batches(job, task, order.limits.solutions, outbox)
        else:
            status = _send_solutions(job, task, order.limits.solutions, outbox)
    except Exception as error:
        status, reason = failure(error)
    try:
        # In its own block: the backend can store any object in its task and clock, and converting it may fail.
        outbox.note_clock()
        if not all(0 <= seconds <= MAX_SECONDS for seconds in page.seconds):
            raise ValueError(f"seconds {[*page.seconds]}")
        stats = {_cut(str(key)): _cut(exact(value)) for key, value in task.stats.items()}
        end = End(status, _cut(reason), counted, stats, max(1, int(task.threads)), began, time.monotonic()).pack()
    except Exception as error:
        end = End("error", _cut(f"it left in its task {error}"), began=began, ended=time.monotonic()).pack()
    left = memoryview(end)
    while left:
        left = left[os.pwrite(file, left, mmap.PAGESIZE + len(end) - len(left)) :]
    page.end = len(end)  # not before all of it is there


def _cut(value: Any) -> Any:
    """Return a value that an `End` can hold, if it is text: short and without lone surrogates, as in a file's name."""
    if not isinstance(value, str):
        return value
    return shorten(value.encode(errors="replace").decode(), MAX_WORDS)


def _send_solutions(job: Job, task: Task, limit: int | None, outbox: Outbox) -> RunStatus:
    """Send the solutions, up to the limit; return how the run ended."""
    with contextlib.closing(drive(job.backend, job.puzzle, task, outbox.hold)) as solutions:
        for number, grid in enumerate(solutions, 1):
            outbox.send(grid.packed)
            # Only the number sent ends the run here, so a backend that stops at its hint by itself has made a claim.
            if number == limit:
                return "limit"
    return "complete"


def _send_batches(job: Job, task: Task, limit: int | None, outbox: Outbox) -> RunStatus:
    """Send solutions in batches; one beyond the limit is cheap, so the run waits for it."""
    left = limit and limit * job.puzzle.layout.size  # bytes; None without a limit
    with contextlib.closing(drive_batches(job.backend, job.puzzle, task, outbox.hold)) as batches:
        for packed in batches:
            outbox.send(packed[:left])
            if left is not None and len(packed) > left:
                return "limit"
            left = left and left - len(packed)
    return "complete"


def _send_text(job: Job, task: Task, max_length: int, outbox: Outbox) -> None:
    """Send a certificate, or the result of its check."""
    text = _check(job.puzzle, job.request.text) if isinstance(job.request, CheckCertificate) else _certify(job, task)
    if len(text) > max_length:  # a certificate's text has one byte per character
        raise GaveUp(f"the certificate has {len(text)} bytes; at most {max_length} are allowed")
    outbox.send(text.encode())


def _check(puzzle: Puzzle, text: str) -> str:
    from crosslit.contract import Certificate, UnreadableCertificate
    from crosslit.judging.certificates import check

    try:
        return json.dumps(check(puzzle, Certificate.from_json(text)).json())
    except UnreadableCertificate as error:
        raise CertificateRejected(str(error)) from None


def _certify(job: Job, task: Task) -> str:
    from crosslit.contract import Certificate

    assert isinstance(job.request, Certify)
    certificate = job.backend.certify(job.puzzle, task, job.request.solutions)
    if not isinstance(certificate, Certificate):
        raise ContractError(f"it certified with {type(certificate).__name__} where a Certificate is expected")
    return certificate.text


class Outbox:
    """The answers and the clock of a run, on its side.

    It writes without a buffer, and waits for the reader: a solution has left the run when the backend continues, and
    survives a kill.
    """

    def __init__(self, page: Page, pipe: int) -> None:
        self._page, self._pipe = page, pipe
        self.clock = Clock(self.note_clock)

    def note_clock(self) -> None:
        """Write the clock to the page."""
        page, clock = self._page, self.clock
        page.seconds[:] = [*clock.seconds.values()]
        page.phase, page.moment = PHASES.index(clock.phase), time.monotonic()

    def note_bound(self, presses: int) -> None:
        """Write a bound to the page, unless it has a better one: bounds are proved."""
        self._page.bound = max(self._page.bound, min(presses, MAX_BOUND))

    def note_progress(self, done: int, of: int) -> None:
        """Write a number of cells and their total to the page."""
        self._page.done, self._page.of = done, of

    def send(self, answers: bytes) -> None:
        """Write a text, or some packed grids."""
        page = self._page
        page.since = page.since or time.monotonic()
        page.sent += len(answers)
        left = memoryview(answers)
        while left:
            left = left[os.write(self._pipe, left) :]

    def hold(self, seconds: float) -> None:
        """Add the seconds for which an answer was held, from its arrival until the backend continues."""
        self._page.handed += seconds
        self._page.since = 0.0
