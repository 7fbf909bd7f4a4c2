"""A solver under test in processes of its own, none of which outlives the verification.

This process asks. A watcher ends everything if the supervisor or this process ends; the supervisor starts the solver
and inherits what it leaves, which this process, perhaps the user's notebook, must not. Pipes connect the solver to this
process, so an answer costs one write, one wait and one read. After a failure new processes are started.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from weakref import WeakSet

from crosslit_backends.commands.child_processes import exit_words, last_words
from crosslit_backends.programs.protocol import Claims, Reply, SolverFailure, shown

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.posix import require_isolation, resource
from crosslit.contract.run import MAX_SECONDS
from crosslit.kinds import Puzzle
from crosslit.runs import processes
from crosslit.runs.processes import ProcessGroup

TIMEOUT = 10.0  # seconds for an answer
TIMES_AGAIN = 4  # a hang is asked once more with this multiple of its time, because machines are busy
MEMORY_MB = 1024
START_SECONDS = 10.0  # additional seconds for a first answer, because a command has to be loaded
PROCESSES = max(32, 4 * (os.cpu_count() or 1))  # maximum processes of a solver at a time besides its first one
MAX_ANSWER_BYTES = 1 << 24

_FINISH = 2.0  # seconds to exit after the last puzzle
_POLL = 0.02  # seconds between two checks of the limits, which may be exceeded by so much
_GRACE = 0.25  # seconds for descendants to end after the solver: background jobs of a script outlive it by milliseconds
_SUPERVISOR_SECONDS = 30.0  # for the supervisor to start a process, and to end everything
_LAST_SHARE = 0.8  # share of the remaining time in which a hang may be asked again
_MAX_ERRORS = 2000  # bytes kept of the end of standard error
_CHUNK = 1 << 16  # bytes read at once
_MB, _MILLISECONDS = 1 << 20, 1000
_PIPES = ("input", "output", "errors")
_START = b"s"  # the message to the supervisor that brings the pipes
_NOT_STARTED = 127  # the exit status, as of a shell
_PAIR = struct.Struct("<2q")  # a message of the supervisor


class OutOfTime(Exception):
    """The end of the verification's time, which is no fault of the solver."""


class NoAnswer(Exception):
    """A question without a usable answer: the problem of the solver, and the particulars."""


class Solver(contextlib.AbstractContextManager["Solver"]):
    """A solver under test, in supervised processes; a context manager that leaves nothing running."""

    until = inf  # when the time of the verification is over, by `time.monotonic`; later questions raise `OutOfTime`
    description = ""  # its name and version, if they are known
    loading = 0.0  # additional seconds for the answer of a process that has just been started
    shares_memory = False  # with this process
    hint = ""  # why there may be no answer, until there is one

    def __init__(self, name: str, claims: Claims, timeout: float = TIMEOUT, memory_mb: int = MEMORY_MB) -> None:
        for unit, limit in (("seconds", timeout), ("MB", memory_mb)):
            if not isinstance(limit, int | float):
                raise wrong_type(f"a number of {unit}", limit)
            if not 0 < limit <= MAX_SECONDS:
                raise InputError("solver", f"expected a positive number of {unit}, found {limit!r:.40}")
        require_isolation()  # before a command is looked for, which such a system calls otherwise
        self.name, self.claims, self.timeout, self.memory_mb = name, claims, timeout, memory_mb
        self._control: socket.socket | None = None  # to the supervisor
        self._inner, self._inherited = 0, 0  # the process of the supervisor, and the bytes that it had from this one
        # Programs that the solver starts inherit the mark, so they are found even if it kills its ancestors.
        self._mark = os.urandom(8).hex()
        self._pipes: dict[str, int] = {}  # open descriptors for its input, output and errors
        self._buffer, self._stderr = bytearray(), b""  # output not yet taken, and the end of standard error
        self._end: tuple[int, int] | None = None  # exit code, negative for a signal; number of processes left behind
        self._look = 0.0  # when its limits are checked next
        _solvers.add(self)

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        """Start it, in the supervisor, with pipes for its input, output and errors; an OSError if that fails."""
        raise NotImplementedError

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer; raise `NoAnswer` if there is none."""
        raise NotImplementedError

    # --- questions ---

    def ask(self, puzzle: Puzzle, once: bool = False) -> Reply:
        """Return the reply to a puzzle; after a failure the next call restarts the solver.

        Unless it is asked ``once``, a hang counts only if it hangs again, in `TIMES_AGAIN` times as long.
        """
        reply = self._ask(puzzle, self.timeout)
        longer = min(TIMES_AGAIN * self.timeout, _LAST_SHARE * (self.until - time.monotonic()) - self.loading)
        if isinstance(reply, SolverFailure) and reply.problem == "hang" and longer >= self.timeout and not once:
            reply = self._ask(puzzle, longer)
            if isinstance(reply, SolverFailure) and reply.problem == "hang":
                return replace(reply, detail=f"{reply.detail}; it was asked twice")
        return reply

    def _ask(self, puzzle: Puzzle, seconds: float) -> Reply:
        reply: Reply = SolverFailure("crash", "interrupted")
        try:
            reply = self._answer(puzzle, seconds)
        except NoAnswer as error:
            reply = SolverFailure(*error.args)
        finally:  # a late answer could be taken for the next one
            if isinstance(reply, SolverFailure):
                self._lose()
        return reply

    def _exchange(self, data: bytes, seconds: float, whole: bool = False) -> bytes:
        """Send data to the process, started if none runs, and return the line that answers it.

        ``whole``: start a process whose whole input it is, and return its whole output once it has ended.
        """
        if whole or "input" not in self._pipes:
            self._start()
            seconds += self.loading
        else:
            self._wait(0)
            if extra := self._buffer.strip():
                raise NoAnswer("malformed-output", f"output that answers no puzzle: {shown(extra)}")
        until = time.monotonic() + seconds
        while True:
            data = data and self._write(data)
            if whole and not data:
                self._close("input")
            self._wait(_POLL, is_writing=bool(data))
            if not whole and (line := self._line()):
                return line
            if self._end is not None:
                if whole and self._end[0] >= 0:  # what a killed one wrote may be cut off
                    return bytes(self._buffer)
                raise self._crash()
            if len(self._buffer) > MAX_ANSWER_BYTES:
                raise NoAnswer("malformed-output", f"{len(self._buffer)} bytes without an end: {shown(self._buffer)}")
            if (now := time.monotonic()) >= self.until:
                raise OutOfTime
            if now >= until:
                wrote = f", only {shown(self._buffer)}" if self._buffer.strip() else ""
                raise NoAnswer("hang", f"no answer within {seconds:.3g} s{wrote}{last_words(self._stderr)}{self.hint}")

    def _crash(self) -> NoAnswer:
        assert self._end is not None
        wrote = f"after writing {shown(self._buffer)}" if self._buffer.strip() else "without an answer"
        return NoAnswer("crash", f"{exit_words(self._end[0])} {wrote}{last_words(self._stderr)}")

    def _line(self) -> bytes:
        """Take the first line that is not blank, after which nothing may follow; empty if it is not complete."""
        if b"\n" not in self._buffer or b"\n" not in (output := bytes(self._buffer).lstrip()):
            return b""
        line, _, more = output.partition(b"\n")
        if more and not more.isspace():
            raise NoAnswer("malformed-output", f"more than one line for a puzzle: {shown(output)}")
        self._buffer.clear()
        return line

    # --- pipes ---

    def _wait(self, seconds: float, is_writing: bool = False) -> None:
        """Read everything that arrives first within the seconds, and check the limits from time to time."""
        assert self._control is not None
        poll, control = select.poll(), self._control.fileno()
        if self._end is None:
            poll.register(control, select.POLLIN)
        for name, descriptor in self._pipes.items():
            if name != "input" or is_writing:
                poll.register(descriptor, select.POLLOUT if name == "input" else select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(_MILLISECONDS * seconds)}
        for name in ("output", "errors"):
            if self._pipes.get(name) in ready:
                self._read(name)
        if control in ready:
            # Without a message the supervisor was killed, and the process with it.
            self._end = self._message() or (-signal.SIGKILL, 0)
            while len(self._buffer) <= MAX_ANSWER_BYTES and self._read("output"):
                pass
        elif (now := time.monotonic()) >= self._look:
            self._look = now + _POLL
            # Descendants of the supervisor, not of the solver: orphans that moved to another session are here too.
            descendants = processes.descendants(self._inner)
            if processes.memory_of(descendants) - self._inherited > self.memory_mb * _MB:
                raise NoAnswer("memory", f"more than {self.memory_mb} MB")
            if len(descendants) - 1 > PROCESSES:
                raise NoAnswer("orphaned-process", f"more than {PROCESSES} processes at a time besides the first")

    def _read(self, name: str) -> bool:
        """Keep the available bytes of a pipe, and return whether there were any; close it at its end."""
        data = b""
        with contextlib.suppress(BlockingIOError, KeyError):
            if not (data := os.read(self._pipes[name], _CHUNK)):
                self._close(name)
        if name == "output":
            self._buffer += data
        else:
            self._stderr = (self._stderr + data)[-_MAX_ERRORS:]
        return bool(data)

    def _write(self, data: bytes) -> bytes:
        """Write as much as the pipe takes, and return the rest."""
        try:
            return data[os.write(self._pipes["input"], data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:  # the solver has closed its input, but may still answer
            return b""

    def _close(self, *names: str) -> None:
        """Close these pipes, or all."""
        for name in names or [*self._pipes]:
            if name in self._pipes:
                os.close(self._pipes.pop(name))

    def _message(self) -> tuple[int, int] | None:
        """Return two numbers about the supervisor, or about the end of the solver; None if the supervisor has ended."""
        assert self._control is not None
        with contextlib.suppress(OSError, struct.error):
            first, second = _PAIR.unpack(self._control.recv(_PAIR.size))
            return first, second
        return None

    # --- start and end ---

    def _start(self) -> None:
        """Start the process; if its program cannot be executed, it ends with a message."""
        if self._control is None:
            self._control, theirs = socket.socketpair()
            self._control.settimeout(_SUPERVISOR_SECONDS)
            with theirs:
                self._supervisor = processes.ForkedProgram(lambda: self._supervise(theirs))
        self._close()
        self._buffer.clear()
        self._stderr, self._end = b"", None
        (theirs_in, given), (output, theirs_out), (errors, theirs_err) = (os.pipe() for _ in _PIPES)
        self._pipes = dict(zip(_PIPES, (given, output, errors), strict=True))
        for descriptor in self._pipes.values():
            os.set_blocking(descriptor, False)
        with contextlib.suppress(OSError):  # if the supervisor has ended, its end is noticed later
            socket.send_fds(self._control, [_START], [theirs_in, theirs_out, theirs_err])
        for descriptor in (theirs_in, theirs_out, theirs_err):
            os.close(descriptor)
        # Waited for: until the solver is another program, its memory is that of the supervisor.
        self._inner, self._inherited = self._message() or (0, 0)
        self._look = time.monotonic()

    def _lose(self) -> None:
        """End everything that was started. An interrupt may have lost a message of the supervisor."""
        self._close()
        if self._control is not None:
            self._control.close()
            self._control = None
            processes.end_watched(self._supervisor, self._mark, grace_seconds=_SUPERVISOR_SECONDS)

    def close(self) -> SolverFailure | None:
        """End it, and return the failure if it did not end well, such as processes left behind."""
        try:
            if "input" not in self._pipes:
                return None
            self._close("input")
            until = time.monotonic() + _FINISH
            while self._end is None and time.monotonic() < until:
                self._wait(_POLL)
                self._buffer.clear()
            if self._end is None:
                return SolverFailure("orphaned-process", f"still running {_FINISH:g} s after its input ended")
            return self._left_behind()
        except NoAnswer as error:
            return SolverFailure(*error.args)
        finally:
            self._lose()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _left_behind(self) -> SolverFailure | None:
        """Return the failure of a solver that left processes running when it ended; None if it left none."""
        assert self._end is not None
        _, left = self._end
        return SolverFailure("orphaned-process", f"{left} process{'es' * (left > 1)} outlived it") if left else None

    # --- in the supervisor ---

    def _supervise(self, control: socket.socket) -> None:
        """Start solvers one after another, and report the end of each; the watcher ends all if the parent has ended."""
        os.environ[f"CROSSLIT_MARK_{self._mark}"] = ""  # as `processes.end_watched` seeks it
        close_ours()
        processes.fork_watcher(control.fileno())  # the solver could kill this process
        processes.inherit_orphans()
        # A solver of several gigabytes that crashes would fill the disk with a core file.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._control = control  # which the process of a function closes
        own = processes.own_resident(os.getpid()) if self.shares_memory else 0
        while descriptors := socket.recv_fds(control, len(_START), len(_PIPES))[1]:
            try:
                solver = self._started(descriptors)
            except OSError as error:
                os.write(descriptors[2], f"it cannot be started: {error.strerror}".encode())
                solver = ProcessGroup(lambda: os._exit(_NOT_STARTED))
            for descriptor in descriptors:  # otherwise the parent would wait for an end that never comes
                os.close(descriptor)
            control.sendall(_PAIR.pack(os.getpid(), own))
            # Others that end are inherited. The solver is reaped later, so that its number stays its own.
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)) and ended.si_pid != solver.pid:
                os.waitpid(ended.si_pid, 0)
            until = time.monotonic() + _GRACE
            while (left := _living()) and time.monotonic() < until:  # of the descendants
                time.sleep(0.005)
            code, _ = solver.reap()
            control.sendall(_PAIR.pack(code, left))


def _living() -> int:
    return sum(processes.state(pid) != "Z" for pid in processes.descendants(os.getpid()))


_solvers = WeakSet[Solver]()


def close_ours() -> None:
    """Close, in a forked process, the pipes and sockets of all solvers, which only its parent may use."""
    for solver in _solvers:
        solver._close()
        if solver._control is not None:
            solver._control.close()
            solver._control = None
