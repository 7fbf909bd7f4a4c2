"""The process of one run: forked by the server, in a session of its own, with nothing open but what is its own."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

from crosslit import registry
from crosslit.contract import Clock, ContractError, GaveUp, Task, find_question
from crosslit.errors import Refused
from crosslit.grid import Grid
from crosslit.numbers import exact
from crosslit.runs.end import MAX_WORDS, End
from crosslit.runs.inline import drive, drive_batches, drive_count
from crosslit.runs.run import RunStatus
from crosslit.runs.wire import Order, Pipe, cells_to_count, max_text
from crosslit.sandbox.linux import end_with_parent, inherit_orphans

_FILE_SIZE = 1 << 30  # bytes that a run may write to one file: a backend that prints without end must not fill the disk


def run_and_exit(order: Order, server: int, descriptor: int, output: int, errors: int) -> NoReturn:
    """Do what the order says, and end the process.

    Args:
        order: what to run.
        server: the process that forked this one.
        descriptor: of the pipe for its frames.
        output: descriptor of the file that standard output goes to.
        errors: descriptor of the file that standard error goes to.
    """
    code = 1
    try:
        os.setsid()
        end_with_parent(server)  # a run must not outlive a server that was killed
        inherit_orphans()  # while it lives, what its processes start is counted as its own
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(errors, 2)
        # what else is open belongs to the server: a backend must not be able to speak in its name
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, max(1024, os.sysconf("SC_OPEN_MAX")))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _limit(resource.RLIMIT_FSIZE, _FILE_SIZE)
        # a last line of defence, should the server be gone: the limit in seconds, for every thread it may compute on
        cpu = math.ceil(order.limits.seconds * max(8, os.cpu_count() or 1)) + 10
        _limit(resource.RLIMIT_CPU, cpu)
        _run(order, descriptor)
        code = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(code)  # no clean-up: it belongs to the server's copy of this process


def _limit(resource_kind: int, most: int) -> None:
    """Limit this process; a limit that is lower already stays, for only a privileged process may raise it."""
    limits = [limit for limit in resource.getrlimit(resource_kind) if limit != resource.RLIM_INFINITY]
    most = min([most, *limits])
    # at the first limit of time the kernel says why it ends a process, at the second it just kills it
    resource.setrlimit(resource_kind, (max(0, most - 1), most))


def _run(order: Order, descriptor: int) -> None:
    """Solve, and tell about it in frames."""
    choice = registry.configure(order.backend, order.encoding, order.options, order.definition)
    clock = Clock(on_switch=lambda: pipe.progress())
    pipe = Pipe(descriptor, clock)
    task = Task(
        question=order.question,
        want=order.limits.solutions if order.hint is None else order.hint,
        encoding=choice.encoding,
        options=choice.options,
        clock=clock,
        target=order.target,
        among=order.among,
        on_bound=pipe.bound,
        memory_mb=order.limits.memory_mb,
        step=pipe.step,
        skip=order.skip,
    )
    status: RunStatus
    status, reason, counted = "complete", "", None
    began = time.monotonic()
    try:
        if order.certify is not None or order.check is not None:
            _write(order, choice, task, pipe)
        elif find_question(order.question).answer == "number":
            counted = drive_count(choice.backend, order.puzzle, task)
        elif order.batched and hasattr(choice.backend, "batches"):
            status = _batches(choice, order, task, pipe)
        else:
            status = _tell_solutions(order, drive(choice.backend, order.puzzle, task, pipe.hold), pipe)
    except (GaveUp, Refused) as error:
        status, reason = "gave-up", str(error)
    except MemoryError:
        status, reason = "memory", "the allocation failed"
    except ImportError as error:
        status, reason = "unsupported", f"cannot be imported: {error}"
    except ContractError as error:
        status, reason = "error", str(error)
    except Exception as error:
        status, reason = "error", f"{type(error).__name__}: {error}{_place(error)}"
    cells = cells_to_count(order)
    try:
        stats = {_cut(str(key)): _statistic(value) for key, value in task.stats.items()}
        threads = max(1, int(task.threads))
        times = (clock.seconds, pipe.waited, began, time.monotonic())
        payload = End(status, _cut(reason), counted, stats, threads, *times).pack(cells)
    except Exception as error:  # the backend has filled some of that
        payload = End("error", _cut(f"it left in its task {error}"), began=began, ended=time.monotonic()).pack(cells)
    pipe.end(payload)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 3]}..."


def _statistic(value: object) -> object:
    told = exact(value)
    return _cut(told) if isinstance(told, str) else told


def _tell_solutions(order: Order, solutions: Generator[Grid, None, None], pipe: Pipe) -> RunStatus:
    """Hand the solutions over, as many as are wanted; how the run ended."""
    for found, grid in enumerate(solutions, 1):
        pipe.solution(grid.packed)
        if found == order.limits.solutions:
            solutions.close()
            return "limit"
    return "complete"


def _write(order: Order, choice: registry.Choice, task: Task, pipe: Pipe) -> None:
    """Hand over a certificate, or what a check of one says."""
    from crosslit.certificates import Certificate, UnreadableCertificate, check

    task.clock.resume()
    if order.check is not None:
        try:
            text = json.dumps(check(order.puzzle, Certificate.from_json(order.check)).json())
        except UnreadableCertificate as error:
            raise Refused(str(error)) from None
    else:
        made = getattr(choice.backend, "certify")(order.puzzle, task, order.certify)  # noqa: B009  (not of every one)
        if not isinstance(made, Certificate):
            raise ContractError(f"it certified with {type(made).__name__} where a Certificate is due")
        text = made.text()
    task.clock.pause()
    if len(text) > max_text(order.limits):  # the text of a certificate has one byte a character
        raise GaveUp(f"the certificate has {len(text)} bytes; at most {max_text(order.limits)} are taken")
    pipe.text(text.encode())


def _batches(choice: registry.Choice, order: Order, task: Task, pipe: Pipe) -> RunStatus:
    """Hand solutions over many at a time; that there are no more than asked for is found out, for it costs nothing."""
    size = (order.puzzle.rows * order.puzzle.columns + 7) // 8
    left = order.limits.solutions
    with contextlib.closing(drive_batches(choice.backend, order.puzzle, task, pipe.hold)) as batches:
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


def _place(error: Exception) -> str:
    """Where in the code an error rose."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
