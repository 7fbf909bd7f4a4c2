"""The process of one run, forked by the server into a new session, with only its own files open."""

from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

from crosslit.base.errors import CertificateRejected
from crosslit.base.grid import Grid
from crosslit.base.numbers import exact
from crosslit.base.posix import resource
from crosslit.contract import QUESTIONS, Clock, ContractError, GaveUp, Task
from crosslit.contract.registered import Choice
from crosslit.contract.run import Limits, RunStatus
from crosslit.kinds import Puzzle
from crosslit.runs.job import Certify, CheckCertificate, Job, Solve, drive, drive_batches, drive_count
from crosslit.runs.linux import inherit_orphans
from crosslit.runs.sandbox import enter
from crosslit.runs.wire import MAX_WORDS, SOLUTIONS, TEXT, End, HandingOver, Order, Pipe, failure, max_text

# maximum size of a file written by a run: a backend that prints without end must not fill the disk
_FILE_SIZE = 1 << 30


def carry_out(order: Order, descriptor: int, output: int, errors: int, handing: HandingOver) -> None:
    """Carry out an order, in the process that `crosslit.runs.sandbox.ProcessGroup` has forked for it.

    The descriptors are those of the pipe for its frames, and of the files for standard output and standard error.
    """
    try:
        if order.group:
            # First of all, so that everything the run allocates and starts is counted in its group.
            enter(order.group)
        inherit_orphans()  # the processes that it starts count as its own
        # An engine that reads its input gets an end of file.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(errors, 2)
        # all other open files belong to the server: a backend must not be able to speak in its name
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, max(1024, os.sysconf("SC_OPEN_MAX")))
        _limit(resource.RLIMIT_FSIZE, _FILE_SIZE)
        # a last line of defence, in case the server has ended: the limit in seconds for every thread it may compute on
        cpu_timeout = order.limits.timeout * max(8, os.cpu_count() or 1) + 10
        if order.limits.cpu_timeout is not None:
            # for this limit the kernel counts ticks of its clock, by which 9.5 s were 11 on a busy machine
            cpu_timeout = min(cpu_timeout, 2 * order.limits.cpu_timeout + 2)
        _limit(resource.RLIMIT_CPU, math.ceil(cpu_timeout))
        if order.cores:
            os.sched_setaffinity(0, order.cores)
        _run(order, descriptor, handing)
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
    resource.setrlimit(resource_kind, (max(0, maximum - 1), maximum))


def _run(order: Order, descriptor: int, handing: HandingOver) -> None:
    """Carry out the job, and report in frames."""
    # Safe: the pickle comes from the parent process, whose user started all this. Loaded here and not in the server, so
    # that a plugin's class cannot run code there.
    job: Job = pickle.loads(order.job)
    if job.preload[1]:  # it may load NumPy while its clock runs, whose threads would compute beside the clock
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    clock = Clock(on_switch=lambda: pipe.progress())
    pipe = Pipe(descriptor, clock, handing)
    task = _task(job, order, pipe, clock)
    status: RunStatus
    status, reason, counted = "complete", "", None
    # Monotonic time has the same zero in all processes of a machine, so server and parent can compare.
    began = time.monotonic()
    try:
        match job.request, job.choice:
            case CheckCertificate(text), _:
                _text(lambda: _check(job.puzzle, text), task, order.limits, pipe)
            case Certify(solutions), Choice(backend=backend):
                _text(lambda: _certify(backend, job.puzzle, task, solutions), task, order.limits, pipe)
            case Solve(question=question), Choice(backend=backend) if QUESTIONS[question].answer == "number":
                counted = drive_count(backend, job.puzzle, task)
            case Solve(batched=True), Choice(backend=backend) if backend.answers("batches"):
                batches = drive_batches(backend, job.puzzle, task, pipe.hold)
                status = _batches(batches, job.puzzle.layout.size, order.limits, pipe)
            case Solve(), Choice(backend=backend):
                status = _solutions(drive(backend, job.puzzle, task, pipe.hold), order.limits, pipe)
    except Exception as error:
        status, reason = failure(error)
    try:
        # In its own block: the backend can store any object in its task, and converting it may fail.
        stats = {_cut(str(key)): _statistic(value) for key, value in task.stats.items()}
        threads = max(1, int(task.threads))
        times = (clock.seconds, pipe.waited, began, time.monotonic())
        end = End(status, _cut(reason), counted, stats, threads, *times)
        payload = end.pack(job.cells_to_count)
    except Exception as error:  # the backend has set some of the fields
        end = End("error", _cut(f"it left in its task {error}"), began=began, ended=time.monotonic())
        payload = end.pack(job.cells_to_count)
    pipe.end(payload)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 3]}..."


def _statistic(value: object) -> object:
    statistic = exact(value)
    return _cut(statistic) if isinstance(statistic, str) else statistic


def _task(job: Job, order: Order, pipe: Pipe, clock: Clock) -> Task:
    """Return the task for the backend."""
    return job.task(order.limits, clock=clock, on_bound=pipe.bound, cores=order.max_cores, on_progress=pipe.step)


def _solutions(solutions: Generator[Grid, None, None], limits: Limits, pipe: Pipe) -> RunStatus:
    """Send the solutions, up to the limit; return how the run ended."""
    for found, grid in enumerate(solutions, 1):
        pipe.answer(SOLUTIONS, grid.packed)
        # Only the number sent ends the run here, so a backend that stops at its hint by itself has made a claim.
        if found == limits.solutions:
            solutions.close()
            return "limit"
    return "complete"


def _batches(batches: Generator[bytes, None, None], size: int, limits: Limits, pipe: Pipe) -> RunStatus:
    """Send solutions of ``size`` bytes in batches; one beyond the limit is cheap, so the run waits for it."""
    left = limits.solutions
    with contextlib.closing(batches):
        for packed in batches:
            count = len(packed) // size
            if left is not None and count > left:
                if left:
                    pipe.batch(packed[: left * size], size)
                return "limit"
            pipe.batch(packed, size)
            if left is not None:
                left -= count
    return "complete"


def _text(write: Callable[[], str], task: Task, limits: Limits, pipe: Pipe) -> None:
    """Send a text that takes time to write."""
    task.clock.resume()
    text = write()
    task.clock.pause()
    if len(text) > max_text(limits):  # a certificate's text has one byte per character
        raise GaveUp(f"the certificate has {len(text)} bytes; at most {max_text(limits)} are allowed")
    pipe.answer(TEXT, text.encode())


def _check(puzzle: Puzzle, text: str) -> str:
    from crosslit.contract import Certificate, UnreadableCertificate
    from crosslit.judging.certificates import check

    try:
        return json.dumps(check(puzzle, Certificate.from_json(text)).json())
    except UnreadableCertificate as error:
        raise CertificateRejected(str(error)) from None


def _certify(backend: Any, puzzle: Puzzle, task: Task, solutions: Sequence[Grid]) -> str:
    from crosslit.contract import Certificate

    certificate = backend.certify(puzzle, task, solutions)
    if not isinstance(certificate, Certificate):
        raise ContractError(f"it certified with {type(certificate).__name__} where a Certificate is expected")
    return certificate.text
