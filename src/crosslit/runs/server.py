"""The parent process's side of fork servers: started on first use, reached over a socket, closed at the end."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import partial
from typing import IO, Any

from crosslit.base.errors import CrosslitError
from crosslit.contract import registered
from crosslit.runs import child, linux
from crosslit.runs.job import CHECKER, ENCODERS
from crosslit.runs.linux import ForkedProgram, end_watched, start_watched
from crosslit.runs.report import Frames
from crosslit.runs.sandbox import ChildSignal, ProcessGroup, RunGroup, peak
from crosslit.runs.wire import ENDED, HEADER, KILL, READY, START, HandingOver, Order

# Large engines take seconds to import from a cold disk.
START_SECONDS = 60.0  # for a server to load its modules
CHUNK = 1 << 20
_CLOSE_SECONDS = 5.0  # for a server to end by itself


class ForkServer:
    """The connection of the parent process to one fork server, which has loaded some modules.

    With ``forked`` it is forked, if possible, from this process, which has loaded most of the modules. With ``python``
    it runs in that interpreter, of another environment.
    """

    def __init__(self, modules: tuple[str, ...], forked: bool = False, python: str = "") -> None:
        self.control, theirs = socket.socketpair()
        # A file and not a pipe: nobody reads it while the server works, and a full pipe would block the server.
        self._errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115  (closed with the server)
        self._mark = ""
        self._process: subprocess.Popen[bytes] | ForkedProgram
        with theirs:
            if forked and ForkedProgram.is_possible():
                self._process = _fork(theirs.fileno(), self._errors.fileno(), modules)
            else:
                words = "-m", "crosslit.runs.server", theirs.fileno(), ",".join(modules)
                self._process, self._mark = start_watched(words, theirs.fileno(), self._errors, python)
        self.messages = Frames()
        self._await_ready()

    def _await_ready(self) -> None:
        self.control.settimeout(START_SECONDS)
        received: list[tuple[bytes, bytes]] = []
        try:
            # A socket delivers any part of a message, so read until one is complete.
            while not received and (data := self.control.recv(CHUNK)):
                received = self.messages.feed(data)
        except TimeoutError:
            pass
        # Ctrl-C while an engine loads must not leave the server behind.
        except BaseException:
            self.close()
            raise
        if [letter for letter, _ in received] != [READY]:
            self._end()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            self._errors.close()
            raise CrosslitError(f"the worker process did not start: {lines[-1] if lines else 'no reason given'}")
        self.control.settimeout(None)

    def start(self, order: Order, descriptor: int) -> None:
        """Send an order, with the descriptor of the pipe for its frames; an OSError if the server has ended."""
        body = pickle.dumps(order)
        # The descriptor travels with the header, which is short enough to be sent at once; the body may need several
        # writes.
        socket.send_fds(self.control, [HEADER.pack(START, len(body))], [descriptor])
        self.control.sendall(body)

    def interrupt(self, number: int) -> None:
        """Make the server kill a run."""
        body = str(number).encode()
        with contextlib.suppress(OSError):
            self.control.sendall(HEADER.pack(KILL, len(body)) + body)

    def close(self, seconds: float = 0.0) -> None:
        """Kill the server with all its runs, unless it ends by itself within some seconds."""
        self._end(seconds)
        self._errors.close()

    def _end(self, seconds: float = 0.0) -> None:
        # The server takes the end of the stream as the request to end.
        self.control.close()
        end_watched(self._process, self._mark, seconds)


def _fork(descriptor: int, errors: int, modules: tuple[str, ...]) -> ForkedProgram:

    return ForkedProgram(lambda: serve(descriptor, modules, forked=True), descriptor, errors)


class ForkServers:
    """The fork servers of one process, each for a set of modules, started on first use.

    With ``fork_first`` the first one is forked from this process, if possible. Later servers would inherit too much
    state, and when a forked one is killed, all children of this process are ended. Modules then wait for an order with
    them, so that one server serves all backends: another takes 0.2 s to start.
    """

    def __init__(self, fork_first: bool = False) -> None:
        self._servers: dict[tuple[str, ...], ForkServer] = {}  # by interpreter and modules
        self._forks, self._defers = fork_first, fork_first

    def loaded(self, always: tuple[str, ...], seldom: tuple[str, ...] = (), python: str = "") -> ForkServer:
        """Return the server for these modules; a CrosslitError says why it does not start."""
        # What a run loads itself counts as its time, and every run loads it again.
        is_deferred = self._defers and not python and always != CHECKER
        modules = () if is_deferred else always + seldom
        if (python, *modules) not in self._servers:
            # Cleared even if the start fails, so that only the very first server is ever forked.
            forked, self._forks = self._forks and not python, False
            self._servers[python, *modules] = ForkServer(modules, forked, python)
        return self._servers[python, *modules]

    def drop(self, server: ForkServer) -> None:
        """End a server with all its runs."""
        server.close()
        self._servers = {modules: other for modules, other in self._servers.items() if other is not server}

    def close(self) -> None:
        """End all servers, letting each clean up."""
        for server in self._servers.values():
            server.close(_CLOSE_SECONDS)
        self._servers.clear()


# seconds between two checks of the runs' memory: resident memory is polled, because a limit on address space would stop
# engines that reserve more than they use
POLL = 0.02
# Helpers of an engine (a JVM, a wrapper script) may end shortly after it, which is no mistake.
GRACE_SECONDS = 0.5  # seconds for the descendants of a run to end after it
MAX_PRINTED_BYTES = 2000  # maximum bytes kept of a run's output
PART = 1 << 20  # bytes of a message read at a time


class _Live(ProcessGroup):
    """A run that has not been reaped."""

    def __init__(self, order: Order, descriptor: int) -> None:
        self.order = order
        # the run inherits both files; they outlive it, and are closed when it is reaped
        self.output = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115
        self.errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115
        self.largest = 0
        self.cpu = 0.0  # the largest sum so far: processes that end subtract their time from the sum
        self.family: set[int] = set()  # the process and its descendants at the last check
        self.group = RunGroup(order.group, order.limits.memory_mb << 20) if order.group else None
        self.exited = 0.0  # when it was seen to have ended
        self.handing = handing = HandingOver()
        self.forked = time.monotonic()
        files = self.output.fileno(), self.errors.fileno()
        super().__init__(lambda: child.carry_out(order, descriptor, *files, handing))

    @property
    def deadline(self) -> float:
        """When its time is used up."""
        handed = 0.0 if self.order.counts_handing else self.handing.seconds
        return self.forked + self.order.limits.timeout + handed


class Server:
    """A loop that forks runs, watches them, and reports how each ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._live: dict[int, _Live] = {}
        # backends that have left processes behind: their processes are not waited for again
        self._careless: set[str] = set()
        self._child_signal = ChildSignal()

    def serve(self) -> None:
        """Serve until the other end closes."""
        self._send(READY, {})
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._child_signal, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(self._patience()):
                    if key.fileobj is self._control:
                        if not self._obey():
                            return
                    else:
                        self._child_signal.clear()
                # Reaped before the limits are checked: a run that ended by itself just before its limit was in time.
                self._reap()
                self._watch()

    def end(self) -> None:
        """Kill all runs."""
        for run in self._live.values():
            run.kill("interrupted")

    def _patience(self) -> float | None:
        if not self._live:
            # Without runs there is nothing to poll, and an idle server uses no processor time.
            return None
        now = time.monotonic()
        # The nearest deadline shortens the wait, so a time limit is kept to less than the 20 ms of polling.
        deadlines = [run.deadline - now for run in self._live.values() if not run.exited]
        return max(0.0, min([POLL, *deadlines]))

    def _obey(self) -> bool:
        header, descriptors = _receive(self._control, HEADER.size)
        if len(header) < HEADER.size:
            return False
        letter, length = HEADER.unpack(header)
        body, _ = _receive(self._control, length)
        if len(body) < length:
            return False
        if letter == START:
            order = pickle.loads(body)
            if not sys.modules.keys() >= {*order.modules}:
                _load(order.modules)
            self._live[order.number] = _Live(order, descriptors[0])
            # Only the run may hold the writing end: when it ends, the parent process sees the end of the stream.
            os.close(descriptors[0])
        elif letter == KILL:
            # The order to kill and the end of the run may cross on their way.
            run = self._live.get(int(body))
            if run is not None:
                run.kill("interrupted")
        return True

    def _reap(self) -> None:
        for number, run in list(self._live.items()):
            if not run.has_ended():
                continue
            run.exited = run.exited or time.monotonic()
            left = 0 if run.killed else self._left_behind(run)
            if left and run.order.backend not in self._careless:
                if time.monotonic() < run.exited + GRACE_SECONDS:
                    continue  # they may be about to end
                self._careless.add(run.order.backend)
            # Read before `reap`, which removes the process from `/proc`.
            waited = linux.delayed(run.pid)
            code, usage = run.reap()
            # a killed run has not waited for its children, which this process has inherited
            used = [usage, *linux.end_children(partial(self._is_of, run=run))]
            del self._live[number]
            cpu = sum(each.ru_utime + each.ru_stime for each in used)
            # the system's CPU time limit, which holds for each process, may trigger first
            killed = run.killed or ("cpu" if code == -signal.SIGXCPU else "")
            if run.group:
                # The kernel's sum in the group also has processes whose parents ignored their end.
                cpu = max(cpu, run.group.cpu())
                killed = killed or ("memory" if run.group.is_out_of_memory() else "")
                run.group.close()
            record = {
                "number": number,
                "code": code,
                "killed": killed,
                "cpu": cpu,
                "forked": run.forked,
                "exited": run.exited,
                "delayed": waited,
                "handed": run.handing.seconds,
                "left": left,
                "memory": max(run.largest, *map(peak, used)),
                "output": _kept(run.output),
                "errors": _kept(run.errors),
            }
            self._end_strays()  # otherwise they would be attributed to the next run
            self._send(ENDED, record)
        self._end_strays()

    def _left_behind(self, run: _Live) -> int:
        """Return the number of processes of a run that outlive it."""
        return sum(linux.state(pid)[0] != "Z" for pid in linux.children(os.getpid()) if self._is_of(pid, run))

    def _is_of(self, pid: int, run: _Live) -> bool:
        """Return whether this process was inherited from a run.

        A process keeps its session unless it leaves it, and was seen among the run's descendants unless it is very
        young. Otherwise it can only be attributed if there is one run.
        """
        owned = {other.pid for other in self._live.values()}
        return pid not in owned and (owned == {run.pid} or pid in run.family or linux.state(pid)[1] == run.pid)

    def _end_strays(self) -> None:
        """End inherited processes, except those that may still end by themselves.

        A run inherits its own orphans while it lives: processes inherited here come from a run that has ended, or have
        escaped.
        """
        live = self._live.values()
        owned = {run.pid for run in live}

        def is_stray(pid: int) -> bool:
            # Check whether a run ends after listing its processes; otherwise those of a run that ends in between would
            # be ended here, and neither counted as left behind nor the resources that they used.
            ends = (run for run in live if run.has_ended() or linux.is_ending(run.pid))
            return pid not in owned and not any(self._is_of(pid, run) for run in ends)

        linux.end_children(is_stray)

    def _watch(self) -> None:
        now = time.monotonic()
        for run in self._live.values():
            if run.exited:
                continue
            if now >= run.deadline:
                run.kill("timeout")
            else:
                run.family = {run.pid, *linux.descendants(run.pid)}
                run.largest = max(run.largest, linux.memory_of(run.family))
                if run.largest > run.order.limits.memory_mb << 20:
                    run.kill("memory")
                limit = run.order.limits.cpu_timeout
                if limit is not None:
                    run.cpu = run.group.cpu() if run.group else max(run.cpu, linux.cpu_of(run.family))
                    if run.cpu > limit:
                        run.kill("cpu")

    def _send(self, letter: bytes, record: dict[str, Any]) -> None:
        body = json.dumps(record).encode()
        self._control.sendall(HEADER.pack(letter, len(body)) + body)


def _load(modules: tuple[str, ...]) -> None:
    """Import modules, and exempt all that is loaded from garbage collection."""
    for module in modules:
        with contextlib.suppress(ImportError):  # the run that needs it will report that
            importlib.import_module(module)
    # Collected first, so that no garbage is frozen with the rest.
    gc.collect()
    gc.freeze()  # otherwise garbage collection in every run would copy the server's pages


def _receive(control: socket.socket, length: int) -> tuple[bytes, list[int]]:
    """Read ``length`` bytes, fewer only at the end of the stream, and the descriptors that came with them."""
    data, descriptors = bytearray(), []
    while len(data) < length:
        part, received, _, _ = socket.recv_fds(control, min(length - len(data), PART), 1)
        descriptors += received
        if not part:
            break
        data += part
    return bytes(data), descriptors


def _kept(file: IO[bytes]) -> str:
    """Return the first bytes of a file, and close it."""
    with file:
        file.seek(0)
        # An engine may have printed a gigabyte; the first lines are enough to see what it prints.
        return file.read(MAX_PRINTED_BYTES).decode(errors="replace")


def serve(descriptor: int, modules: tuple[str, ...], *, forked: bool = False) -> None:
    """Load the modules, report that, and serve; a process forked from a command has its plugins already."""
    # Before any engine is loaded: the watcher stays small, and there is only one thread as yet, so forking is safe.
    linux.fork_watcher(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
    linux.inherit_orphans()  # inherit processes that a run leaves behind, to end them
    if modules != CHECKER and not forked:
        # The plugins of other distributions are imported once here, and not in each run after its clock has started.
        registered.all_backends()
        if ENCODERS in modules:
            registered.all_encodings()
    _load(modules)
    server = Server(socket.socket(fileno=descriptor))
    try:
        server.serve()
    finally:
        server.end()


if __name__ == "__main__":
    serve(int(sys.argv[1]), tuple(filter(None, sys.argv[2].split(","))))
    os._exit(0)  # freeing the loaded modules would take as long as a run
