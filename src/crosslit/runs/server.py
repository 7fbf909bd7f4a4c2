"""Fork servers: processes that have loaded the modules of some engines, each of which forks one run at a time.

A server enforces the limits of its run. Every process that it inherits comes from that run.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import IO, Any

from crosslit.base.errors import CrosslitError
from crosslit.contract import PHASES, Phase, registered
from crosslit.contract.run import MAX_SECONDS, Timing
from crosslit.runs import processes
from crosslit.runs.child import carry_out
from crosslit.runs.job import CHECKER, ENCODER_MODULE
from crosslit.runs.messages import End, Order, Page, receive, send
from crosslit.runs.processes import ForkedProgram, ProcessGroup, end_watched, start_watched
from crosslit.runs.resources import RunGroup

# Large engines take seconds to import from a cold disk.
START_SECONDS = 60.0  # for a server to load its modules
# seconds between two checks of a run's memory: resident memory is polled, because a limit on address space would stop
# engines that reserve more than they use
POLL = 0.02
# Helpers of an engine (a JVM, a wrapper script) may end shortly after it, which is no mistake.
HELPER_SECONDS = 0.5  # seconds for the descendants of a run to end after it
_PEAK_BYTES = 1 if sys.platform == "darwin" else 1024  # bytes in a unit of `ru_maxrss`
MAX_EDGE = 0.25  # maximum seconds for starting or ending a run that do not count as its own time
MAX_PRINTED_BYTES = 2000  # maximum bytes kept of what a run prints


class ForkServer:
    """The connection of the parent process to one fork server, which has loaded some modules.

    With ``forked`` it is forked, if possible, from this process, which has loaded most of the modules. With ``python``
    it runs in that interpreter, of another environment.
    """

    is_idle: bool  # whether it waits for an order

    def __init__(self, modules: tuple[str, ...], forked: bool = False, python: str = "") -> None:
        self.control, theirs = socket.socketpair()
        self.key = python, modules
        # A file and not a pipe: nobody reads it while the server works, and a full pipe would block the server.
        self._errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115  (closed with the server)
        self._mark = ""
        self._process: subprocess.Popen[bytes] | ForkedProgram | None = None
        try:
            with theirs:
                control, errors = theirs.fileno(), self._errors.fileno()
                if forked and ForkedProgram.is_possible():
                    self._process = ForkedProgram(lambda: serve(control, modules, forked=True), control, errors)
                else:
                    words = "-m", "crosslit.runs.server", control, ",".join(modules)
                    self._process, self._mark = start_watched(words, control, self._errors, python)
            self.record(START_SECONDS)
        except (EOFError, OSError) as error:
            reason = self.close() or str(error) or "no reason given"
            raise CrosslitError(f"the worker process did not start: {reason}") from None
        # Ctrl-C while an engine loads must not leave the server behind.
        except BaseException:
            self.close()
            raise

    def start(self, order: Order, file: int, pipe: int) -> None:
        """Start a run, with the descriptors of `crosslit.runs.messages`; an OSError if the server has ended."""
        self.is_idle = False
        send(self.control, pickle.dumps(order), (file, pipe))

    def record(self, seconds: float) -> dict[str, Any]:
        """Return how its run has ended; an EOFError or an OSError if the server has ended, or takes longer."""
        self.control.settimeout(seconds)
        record: dict[str, Any] = json.loads(receive(self.control)[0])
        self.control.settimeout(None)
        self.is_idle = True
        return record

    def close(self, seconds: float = 0.0) -> str:
        """Kill the server with its run, unless it ends by itself within some seconds; return its last error."""
        # The server takes the end of the stream as the request to end.
        self.control.close()
        if self._process is not None:
            end_watched(self._process, self._mark, seconds)
        with self._errors:
            return _last_line(self._errors)


def serve(descriptor: int, modules: tuple[str, ...], *, forked: bool = False) -> None:
    """Load the modules, and carry out orders until the other end closes.

    A process forked from a command has its plugins already.
    """
    # Before any engine is loaded: the watcher stays small, and there is only one thread as yet, so forking is safe.
    processes.fork_watcher(descriptor)
    processes.inherit_orphans()  # inherit processes that a run leaves behind, to end them
    if modules != CHECKER and not forked:
        # The plugins of other distributions are imported once here, and not in each run after its clock has started.
        registered.all_backends()
        if ENCODER_MODULE in modules:
            registered.all_encodings()
    _load(modules)
    control = socket.socket(fileno=descriptor)
    record: dict[str, Any] = {}
    while (received := _exchange(control, record)) is not None:
        body, (file, pipe) = received
        order: Order = pickle.loads(body)
        _load(order.modules)
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            run = _Run(order, file, pipe, output, errors)
            run.supervise(control)
            record = run.record()


def _exchange(control: socket.socket, record: dict[str, Any]) -> tuple[bytes, list[int]] | None:
    """Send a record, and return the next order with its descriptors; None if the parent process has ended."""
    with contextlib.suppress(EOFError, OSError):  # other errors of the server, as of a full disk, end it with a reason
        send(control, json.dumps(record).encode())
        return receive(control)
    return None


class _Run(ProcessGroup):
    """A run, and its supervision."""

    def __init__(self, order: Order, file: int, pipe: int, output: IO[bytes], errors: IO[bytes]) -> None:
        self._limits, self._counts_handing = order.limits, order.counts_handing
        self._page, self._output, self._errors = Page.of_file(file), output, errors
        self._largest = 0
        self._cpu = 0.0  # the largest sum so far: processes that end subtract their time from the sum
        self._group = RunGroup(order.group, self._limits.memory_mb << 20) if order.group else None
        self._forked = time.monotonic()
        files = file, pipe, output.fileno(), errors.fileno()
        super().__init__(lambda: carry_out(order, self._page, *files))
        for descriptor in (file, pipe):  # only the run may hold the writing end
            os.close(descriptor)

    def supervise(self, control: socket.socket) -> None:
        """Wait until it has ended; kill it at a limit, by request, or if the other end of the socket closes."""
        # Where the system has no such descriptor, the end of a run is noticed at the next poll.
        ended = [os.pidfd_open(self.pid)] if sys.platform == "linux" else []
        while True:
            handed = 0.0 if self._counts_handing else self._page.handing
            left = self._forked + self._limits.timeout + handed - time.monotonic()
            # The deadline shortens the wait, so a time limit is kept to less than the 20 ms of polling.
            sources = [*ended, *([] if self.killed else [control.fileno()])]
            ready, _, _ = select.select(sources, [], [], max(0.0, min(POLL, left)))
            if self.has_ended():  # before the limits are checked: it was in time
                break
            if control.fileno() in ready or self._page.stop:
                self.kill("interrupted")
            elif left <= 0:
                self.kill("timeout")
            else:
                self._check_memory_and_cpu()
        self._exited = time.monotonic()
        for descriptor in ended:
            os.close(descriptor)

    def _check_memory_and_cpu(self) -> None:
        family = {self.pid, *processes.descendants(self.pid)}
        self._largest = max(self._largest, processes.memory_of(family))
        if self._largest > self._limits.memory_mb << 20:
            self.kill("memory")
        if self._limits.cpu_timeout is not None:
            self._cpu = self._group.cpu() if self._group else max(self._cpu, processes.cpu_of(family))
            if self._cpu > self._limits.cpu_timeout:
                self.kill("cpu")

    def _left_behind(self) -> int:
        """Return the number of processes that outlive it; those of a killed run do not count."""

        def others() -> list[int]:
            return [pid for pid in processes.children(os.getpid()) if processes.state(pid) != "Z"]

        if not self.killed:
            processes.wait_until(lambda: not others(), HELPER_SECONDS)
            return len(others())
        return 0

    def record(self) -> dict[str, Any]:
        """End everything that it has left, and return how it ended."""
        handed = self._page.handing
        left, delayed = self._left_behind(), processes.delayed(self.pid)  # before it is removed from `/proc`
        code, usage = self.reap()
        # a killed run has not waited for its children, which this process has inherited
        used = [usage, *processes.end_children()]
        cpu = sum(each.ru_utime + each.ru_stime for each in used)
        # the system's CPU time limit, which holds for each process, may trigger first
        killed = self.killed or ("cpu" if code == -signal.SIGXCPU else "")
        if self._group:
            # The kernel's sum in the group also has processes whose parents ignored their end.
            cpu = max(cpu, self._group.cpu())
            killed = killed or ("memory" if self._group.is_out_of_memory() else "")
            self._group.close()
        return {
            "code": code,
            "killed": killed,
            "cpu": cpu,
            "forked": self._forked,
            "exited": self._exited,
            "delayed": delayed,
            "handed": handed,
            "left": left,
            "memory": max(self._largest, *(each.ru_maxrss * _PEAK_BYTES for each in used)),
            "output": _head(self._output),
            "error": _last_line(self._errors),
        }


def timing_of(page: Page, record: dict[str, Any], end: End | None) -> Timing:
    """Return the times of a run: its own report, within the times that its server has recorded."""
    cpu, wall = record["cpu"], record["exited"] - record["forked"]
    # a backend can store any number in its clock; one that is no time does not count
    noted = [seconds if 0 <= seconds <= MAX_SECONDS else 0.0 for seconds in (*page.seconds, page.handed)]
    handed = noted.pop()
    seconds: dict[Phase, float] = dict(zip(PHASES, noted, strict=True))
    if end is not None:
        # the run reports when it started and ended; only a limited part of the time outside is accepted as overhead
        edges = min(end.began - record["forked"], MAX_EDGE) + min(record["exited"] - end.ended, MAX_EDGE)
        return Timing(seconds, cpu, wall, edges + handed, record["delayed"])
    # A killed run reports no end. The phase that it was in is charged with the time since the clock was noted, without
    # that in which an answer waited for its reader.
    noted_at = page.moment or record["forked"]
    since = min(record["exited"] - noted_at, wall - record["handed"] - sum(noted))
    seconds[PHASES[min(page.phase, len(PHASES) - 1)] if page.moment else "solve"] += max(0.0, since)
    return Timing(seconds, cpu, wall, wall - sum(seconds.values()))


def cause_of_death(record: dict[str, Any]) -> str:
    """Return why a process ended without reporting its end."""
    code, error = record["code"], record["error"]
    why = f"exit status {code}"
    with contextlib.suppress(ValueError):  # not every number is a signal
        why = f"killed by {signal.Signals(-code).name}"
    return f"{why}: {error}" if error else why


def _load(modules: tuple[str, ...]) -> None:
    for module in modules:
        with contextlib.suppress(ImportError):  # the run that needs it will report that
            importlib.import_module(module)


def _head(file: IO[bytes], start: int = 0) -> str:
    """Return the first bytes of a file, or some from its start on: an engine may have printed a gigabyte."""
    file.seek(start)
    return file.read(MAX_PRINTED_BYTES).decode(errors="replace")


def _last_line(file: IO[bytes]) -> str:
    """Return the last line of a file; empty if there is none."""
    lines = _head(file, max(0, file.seek(0, os.SEEK_END) - MAX_PRINTED_BYTES)).strip().splitlines()
    return lines[-1] if lines else ""


if __name__ == "__main__":
    serve(int(sys.argv[1]), tuple(filter(None, sys.argv[2].split(","))))
    os._exit(0)  # freeing the loaded modules would take as long as a run
