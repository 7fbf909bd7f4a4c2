"""A solver under test in processes of its own, none of which outlives the verification.

Four processes stand in a line: this one asks, a watcher ends everything if the supervisor or this process ends, the
supervisor starts the solver and inherits what it leaves, and the solver answers. Pipes connect the solver directly to
this process, so an answer costs one write, one wait and one read. This process does not inherit orphans itself, because
it may be the user's notebook.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import socket
import struct
import time
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import ClassVar, NamedTuple, Self

from crosslit_backends.commands.child_processes import exit_words
from crosslit_backends.programs.plain import last_words
from crosslit_backends.programs.protocol import Claims, Problem, Reply, SolverFailure, shown

from crosslit.base.errors import CrosslitError, InputError
from crosslit.base.posix import require_isolation
from crosslit.kinds import Puzzle
from crosslit.runs.linux import (
    ForkedProgram,
    children,
    descendants,
    end_children,
    end_watched,
    fork_watcher,
    inherit_orphans,
    memory_of,
    state,
)
from crosslit.runs.sandbox import ChildSignal, ProcessGroup

TIMEOUT = 10.0  # seconds for an answer
TIMES_AGAIN = 4  # a hang is asked once more with this multiple of its time, because machines are busy
MEMORY_MB = 2048
START_SECONDS = 10.0  # additional seconds for a first answer, because a command has to be loaded
PROCESSES = max(32, 4 * (os.cpu_count() or 1))  # maximum simultaneous processes of a solver besides its first one
SETTLE = 0.01  # seconds after the last answer in which another line or an early exit is noticed
FINISH = 2.0  # seconds to exit after the last puzzle
MAX_ANSWER_BYTES = 1 << 24  # maximum bytes of one answer

# A compromise: between two checks a solver can exceed its limit by the memory that it touches in this time.
_POLL = 0.02
_GRACE = 0.25  # seconds for descendants to end after the solver: background jobs of a script outlive it by milliseconds
_END_SECONDS = 10.0  # for the supervisor to start or to end a process
_LAST_SHARE = 0.8  # share of the remaining time in which a hang may be asked again
MAX_OUTPUT, _MAX_ERRORS = 1 << 12, 2000  # bytes kept of the output, and of the end of standard error
_CHUNK = 1 << 16
_MESSAGE = struct.Struct("=qq")


class OutOfTime(Exception):
    """The end of the verification's time, which is no fault of the solver."""


class NoAnswer(Exception):
    """A question without a usable answer: the failure of the solver."""

    def __init__(self, problem: Problem, detail: str) -> None:
        super().__init__(detail)
        self.failure = SolverFailure(problem, detail)


class Solver(ABC):
    """A solver under test; a context manager that leaves nothing running."""

    claims: Claims
    """The kind of answer that it promises."""

    until = inf
    """When the time of the verification is over, by `time.monotonic`; later questions raise `OutOfTime`."""

    name = description = ""
    """Its name in messages, and its name and version if they are known."""

    @abstractmethod
    def ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        """Return the reply to a puzzle; after a failure the next call restarts the solver.

        Without ``seconds`` its usual time limit holds, and a hang counts only if it hangs again in `TIMES_AGAIN` times
        as long; otherwise the given seconds hold, or the usual ones if they are fewer, and it is asked once.

        Raises:
            InputError: if the solver cannot be started at all.
        """

    @abstractmethod
    def close(self) -> SolverFailure | None:
        """End it, and return the failure if it did not end well, such as processes left behind."""

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        row = "0" * min(puzzle.columns, 10)
        return f'{{"solution": "{"/".join([row] * min(puzzle.rows, 10))}"}}, or {{"unsolvable": true}}'

    def notes(self, puzzle: Puzzle, reply: Reply, has_read: bool = True) -> dict[str, str]:
        """Return what may help to read its replies: an example if none was read, and a program's input and output."""
        is_unread = isinstance(reply, SolverFailure) and reply.problem == "malformed-output"
        return {"expected": self.example(puzzle)} if is_unread and not has_read else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class End(NamedTuple):
    """The end of a process."""

    code: int  # exit status, or the negative number of the signal that ended it
    left: int  # number of processes that outlived it


class Supervised(Solver):
    """A solver in supervised processes; its limits are checked while this process waits for an answer."""

    _open: ClassVar[weakref.WeakSet[Supervised]] = weakref.WeakSet()

    def __init__(self, name: str, claims: Claims, timeout: float, memory_mb: int) -> None:
        if not 0 < timeout < inf:
            raise InputError("timeout", f"expected a positive number of seconds, found {timeout!r:.40}")
        if not memory_mb > 0:
            raise InputError("memory", f"expected a positive number of MB, found {memory_mb!r:.40}")
        require_isolation()
        self.claims: Claims = claims
        self.name, self.timeout, self._memory = name, timeout, memory_mb << 20
        self._loading = START_SECONDS  # lowered once a first answer has come
        self._supervisor: _Supervisor | None = None
        self._number = 0  # of the question
        self._input = self._output = self._errors = self._begun = -1
        self._poll = select.poll()
        self._buffer, self._stderr = bytearray(), b""  # output not yet taken, and the end of standard error
        self._end: End | None = None
        self._killed: Problem | None = None  # the limit that it exceeded
        self._look = 0.0  # when its limits are checked next

    # --- what a command and a function differ in ---

    @abstractmethod
    def _become(self, descriptors: Sequence[int]) -> None:
        """Turn a forked process into the solver, with pipes for its input, output, errors, and until it has begun."""

    @abstractmethod
    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        """Return the answer; raise `NoAnswer` if there is none."""

    # --- questions ---

    def ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        """Return its answer to a puzzle; see `Solver.ask`."""
        if seconds is not None:
            return self._ask(puzzle, min(seconds, self.timeout))
        reply = self._ask(puzzle, self.timeout)
        if isinstance(reply, SolverFailure) and reply.problem == "hang":
            longer = min(TIMES_AGAIN * self.timeout, _LAST_SHARE * (self.until - time.monotonic()) - self._loading)
            if longer >= self.timeout:
                reply = self._ask(puzzle, longer)
                if isinstance(reply, SolverFailure) and reply.problem == "hang":
                    return replace(reply, detail=f"{reply.detail}; it was asked twice")
        return reply

    def _ask(self, puzzle: Puzzle, seconds: float) -> Reply:
        self._number += 1
        reply: Reply | None = None
        try:
            reply = self._answer(puzzle, seconds)
        except NoAnswer as error:
            reply = replace(error.failure, output=bytes(self._buffer[:MAX_OUTPUT]))
        finally:  # a late answer could be taken for the next one
            if reply is None:  # an interrupt, or the end of the time
                self._lose()
            elif isinstance(reply, SolverFailure):
                self._kill()
        return reply

    def _line(self, data: bytes, seconds: float) -> bytes:
        """Send a question to the running process, and return the line that answers it; see `NoAnswer`."""
        self._wait(0)
        self._take_nothing()
        return self._output_until(self._cut, data, seconds)

    def _whole(self, data: bytes, seconds: float) -> bytes:
        """Send the whole input of the process, and return its whole output once it has ended."""
        return self._output_until(lambda _: bytes(self._buffer) if self._end else None, data, seconds, closes=True)

    def _output_until(
        self, take: Callable[[int], bytes | None], data: bytes, seconds: float, closes: bool = False
    ) -> bytes:
        until, searched = time.monotonic() + seconds, 0
        while True:
            if self._input >= 0:
                data = self._write(data)
                if closes and not data:
                    self._close_input()
            self._wait(min(_POLL, until - time.monotonic()))
            if (found := take(searched)) is not None:
                return found
            searched, now = len(self._buffer), time.monotonic()
            if self._end is not None:
                raise self._crash()
            if searched > MAX_ANSWER_BYTES:
                raise NoAnswer("malformed-output", f"{searched} bytes without an end: {shown(self._buffer)}")
            if now >= self.until:
                raise OutOfTime
            if now >= until:
                wrote = f", only {shown(self._buffer)}" if self._buffer.strip() else ""
                raise NoAnswer("hang", f"no answer within {seconds:.3g} s{wrote}{self._last_words}")

    def _cut(self, searched: int) -> bytes | None:
        """Take the first line that is not blank, and require that nothing follows; None if it is not complete."""
        buffer = self._buffer
        while (end := buffer.find(b"\n", searched)) >= 0:
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            if line and not line.isspace():
                self._take_nothing(line + b"\n")
                return line
            searched = 0
        return None

    def _take_nothing(self, answer: bytes = b"") -> None:
        """Raise `NoAnswer` if there is output besides the answer; discard blank space."""
        if self._buffer and not self._buffer.isspace():
            problem = "more than one line for a puzzle" if answer else "output that answers no puzzle"
            raise NoAnswer("malformed-output", f"{problem}: {shown(answer + self._buffer.strip())}")
        self._buffer.clear()

    def _crash(self) -> NoAnswer:
        """Return the failure of a process that ended instead of answering."""
        assert self._end is not None
        if self._killed == "memory":
            return NoAnswer("memory", f"more than {self._memory >> 20} MB")
        if self._killed:
            return NoAnswer("orphaned-process", f"more than {PROCESSES} processes at a time besides the first")
        wrote = f"after writing {shown(self._buffer)}" if self._buffer.strip() else "without an answer"
        return NoAnswer("crash", f"{exit_words(self._end.code)} {wrote}{self._last_words}")

    # --- pipes ---

    def _wait(self, seconds: float) -> None:
        """Read everything that arrives first within the seconds, and check the limits from time to time."""
        for descriptor, _ in self._poll.poll(max(0.0, 1000 * seconds)):
            if descriptor == self._output:
                self._buffer += self._read(descriptor)
            elif descriptor == self._errors:
                self._stderr = (self._stderr + self._read(descriptor))[-_MAX_ERRORS:]
            elif descriptor == self._begun:  # before, it has the memory of this process
                self._forget(descriptor)
                self._look = 0.0
            elif descriptor != self._input:
                self._conclude()
                break  # it has read the rest, and may have closed the pipes
        if (now := time.monotonic()) >= self._look and self._end is None:
            self._look = now + _POLL
            self._check_limits()

    def _check_limits(self) -> None:
        # Descendants of the supervisor, not of the solver: orphans that moved to another session are here too.
        assert self._supervisor is not None
        processes = descendants(self._supervisor.inner)
        if memory_of(processes) - self._inherited > self._memory:
            self._killed = "memory"
        elif len(processes) - 1 > PROCESSES:
            self._killed = "orphaned-process"
        if self._killed:
            self._stop()

    def _conclude(self) -> None:
        """Wait for the end of the process, and read what it wrote; without a message the supervisor has ended too."""
        assert self._supervisor is not None
        message = self._supervisor.message()
        self._end = message or End(-signal.SIGKILL, 0)
        while self._output >= 0 and len(self._buffer) <= MAX_ANSWER_BYTES and (data := self._read(self._output)):
            self._buffer += data
        self._stderr = (self._stderr + self._read(self._errors))[-_MAX_ERRORS:]
        if message is None:
            self._lose()

    def _read(self, descriptor: int) -> bytes:
        """Return the available bytes; at the end of the file, stop waiting for it."""
        with contextlib.suppress(BlockingIOError):
            if data := os.read(descriptor, _CHUNK):
                return data
            self._forget(descriptor)
        return b""

    def _write(self, data: bytes) -> bytes:
        """Write as much as the pipe takes, and return the rest."""
        if not data:
            return data
        try:
            data = data[os.write(self._input, data) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # the solver has closed its input, but may still answer
            data = b""
        if data:
            self._poll.register(self._input, select.POLLOUT)
        else:
            self._forget(self._input)
        return data

    def _forget(self, descriptor: int) -> None:
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)

    def _close_input(self) -> None:
        if self._input >= 0:
            self._forget(self._input)
            os.close(self._input)
            self._input = -1

    def _close_pipes(self) -> None:
        for descriptor in (self._input, self._output, self._errors, self._begun):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = self._errors = self._begun = -1

    @property
    def _last_words(self) -> str:
        """The last line of standard error, preferably an error, after a colon; empty if there is none."""
        return last_words(self._stderr)

    # --- start and end ---

    @property
    def _inherited(self) -> int:
        """Bytes of memory that a function shares with this process."""
        return 0

    @property
    def _running(self) -> bool:
        """True from the start of a process until it is killed or closed, also if it has ended by itself."""
        return self._output >= 0

    def _start(self) -> None:
        """Start the process; if its program cannot be executed, it ends with a message."""
        if time.monotonic() >= self.until:
            raise OutOfTime
        if self._supervisor is None:
            self._supervisor = _Supervisor(self._become)
            Supervised._open.add(self)
        self._buffer.clear()
        self._stderr, self._end, self._killed = b"", None, None
        self._look = inf
        theirs_in, self._input = os.pipe()
        self._output, theirs_out = os.pipe()
        self._errors, theirs_err = os.pipe()
        self._begun, until_begun = os.pipe()  # closed when the program is executed
        for ours in (self._input, self._output, self._errors):
            os.set_blocking(ours, False)
        self._poll = select.poll()
        for descriptor in (self._output, self._errors, self._begun, self._supervisor.control.fileno()):
            self._poll.register(descriptor, select.POLLIN)
        given = (theirs_in, theirs_out, theirs_err, until_begun)
        with contextlib.suppress(OSError):  # if the supervisor has ended, there is no message later
            socket.send_fds(self._supervisor.control, [b"s"], given)
        for descriptor in given:
            os.close(descriptor)

    def _stop(self) -> None:
        """Let the supervisor kill the process with all that it started, and keep its end."""
        if self._end is None and self._supervisor is not None:
            with contextlib.suppress(OSError):
                self._supervisor.control.sendall(b"k")
            self._conclude()

    def _kill(self) -> None:
        """Kill the process, if there is one, and all processes that it started."""
        if self._running:
            self._stop()
            self._close_pipes()

    def _lose(self) -> None:
        """End the supervisor, and so everything. An interrupt may have lost one of its messages."""
        supervisor, self._supervisor = self._supervisor, None
        Supervised._open.discard(self)
        self._poll = select.poll()
        self._close_pipes()
        if supervisor is not None:
            supervisor.end()

    def close(self) -> SolverFailure | None:
        """End it; see `Solver.close`."""
        try:
            return self._finished() if self._running else None
        finally:
            self._kill()
            self._lose()

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.close()
        else:
            self._lose()

    def _idle(self, seconds: float) -> bytes:
        """Wait at most the seconds for the process to end, and return its output until then."""
        until = time.monotonic() + seconds
        while self._end is None and len(self._buffer) <= MAX_ANSWER_BYTES and (left := until - time.monotonic()) > 0:
            self._wait(min(_POLL, left))
        return bytes(self._buffer)

    def _finished(self) -> SolverFailure | None:
        """Let the process exit, and return the failure if it does not exit well."""
        extra = self._idle(SETTLE).strip()
        # Noted before its input is closed: afterwards an exit is what it should do.
        early = self._end is not None
        self._close_input()
        self._idle(FINISH)
        if self._end is None:
            return SolverFailure("orphaned-process", f"still running {FINISH:g} s after its input ended")
        if self._killed:
            return self._crash().failure
        if early:
            detail = f"{exit_words(self._end.code)} after its last answer, before its input ended"
            return SolverFailure("crash", detail + self._last_words)
        if extra:
            return SolverFailure("malformed-output", f"more than one line for a puzzle: {shown(extra)}")
        return self._left_behind()

    def _left_behind(self) -> SolverFailure | None:
        """Return the failure of a solver that left processes running when it ended; None if it left none."""
        left = self._end.left if self._end else 0
        return SolverFailure("orphaned-process", f"{left} process{'es' * (left > 1)} outlived it") if left else None


class _Supervisor(ForkedProgram):
    """A watcher and a supervisor, forked from this process, which start solvers until the socket is closed."""

    def __init__(self, become: Callable[[Sequence[int]], object]) -> None:
        self.returncode = None
        self.control, theirs = socket.socketpair()
        # Programs that the solver starts inherit the mark, so they are found even if it kills its ancestors.
        self._mark = f"CROSSLIT_MARK_{os.urandom(8).hex()}"
        # Until the fork leads a session, an interrupt at the terminal reaches both: it must not run our handlers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads: none is needed
                self.pid = os.fork()
            if self.pid == 0:
                try:
                    self._prepare()
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
                    _supervise(theirs, become)
                finally:
                    os._exit(0)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()
        if (message := self.message()) is None:
            self.end()
            raise CrosslitError("the process that supervises the solver did not start")
        self.inner = message[0]  # the supervisor, below the watcher

    def _prepare(self) -> None:
        """Release what belongs to the parent, without touching the memory that is shared with it."""
        gc.disable()  # a collection would write to every object, and so copy the parent's memory
        gc.freeze()
        os.setsid()
        os.environ[self._mark] = ""
        self.control.close()
        for other in list(Supervised._open):  # otherwise its pipes would never reach their end
            other._close_pipes()
            if other._supervisor is not None:
                other._supervisor.control.close()
        faulthandler.disable()  # the signal is reported anyway
        null = os.open(os.devnull, os.O_RDWR)
        for target in range(3):
            os.dup2(null, target)
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():  # the handlers of a notebook or test runner must not run in this process
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)

    def message(self) -> End | None:
        """Return the next message; None if there is none in time, because the supervisor has ended or stopped."""
        self.control.settimeout(_END_SECONDS)
        with contextlib.suppress(OSError):
            if len(data := self.control.recv(_MESSAGE.size)) == _MESSAGE.size:
                return End(*_MESSAGE.unpack(data))
        return None

    def end(self) -> None:
        """End everything that was started."""
        self.control.close()
        end_watched(self, self._mark, _END_SECONDS / 2, _END_SECONDS / 2)


def _supervise(control: socket.socket, become: Callable[[Sequence[int]], object]) -> None:
    """Start solvers one after another, and report the end of each, until the other end of the socket closes."""
    fork_watcher(control.fileno())  # the solver could kill this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
    inherit_orphans()
    try:
        _serve(control, ChildSignal(), become)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent process has ended
    finally:
        end_children()


def _serve(control: socket.socket, ended: ChildSignal, become: Callable[[Sequence[int]], object]) -> None:
    def run(descriptors: Sequence[int]) -> None:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores both, and a program would inherit that
            signal.signal(number, signal.SIG_DFL)
        control.close()  # otherwise a function could report in the supervisor's name
        ended.close()
        become(descriptors)

    solver: ProcessGroup | None = None
    control.sendall(_MESSAGE.pack(os.getpid(), 0))
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    waiting.register(ended, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in waiting.poll()}
        if ended.fileno() in ready:
            ended.clear()  # before the children are examined, so that no end is missed
            solver = _reported(control, solver)
        if control.fileno() in ready:
            letter, descriptors, _, _ = socket.recv_fds(control, 1, 4)
            if not letter:
                return
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            if descriptors:
                solver = ProcessGroup(partial(run, descriptors))
                for descriptor in descriptors:  # otherwise the parent would wait for an end that never comes
                    os.close(descriptor)
            elif solver is not None:
                solver.kill()


def _reported(control: socket.socket, solver: ProcessGroup | None) -> ProcessGroup | None:
    """Report the end of a solver, and end what it left; return it if it has not ended."""
    if solver is None or not solver.has_ended():
        _reap_others(solver)
        return solver
    left = 0 if solver.killed else _left_behind(solver)  # if killed, it could not end its helpers
    code, _ = solver.reap()
    end_children()
    control.sendall(_MESSAGE.pack(code, left))
    return None


def _reap_others(solver: ProcessGroup | None) -> None:
    """Reap inherited processes that have ended by themselves."""
    for child in children(os.getpid()):
        if solver is None or child != solver.pid:  # which is reaped when its end is reported
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _left_behind(solver: ProcessGroup) -> int:
    """Return the number of processes that outlive the solver by more than a moment."""
    until = time.monotonic() + _GRACE
    while True:
        _reap_others(solver)
        alive = [pid for pid in descendants(os.getpid()) if pid != solver.pid and state(pid)[0] != "Z"]
        if not alive or time.monotonic() > until:
            return len(alive)
        time.sleep(0.005)
