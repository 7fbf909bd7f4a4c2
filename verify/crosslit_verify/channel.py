"""The parent's side of a solver's process: its pipes, and the guard that watches it.

There are no threads, and the two processes share only pipes: a question is a write and an answer is a read, with one
`poll` for the answer, standard error and the guard.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from crosslit_backends.commands.child_processes import exit_words
from crosslit_backends.programs.plain import last_words
from crosslit_backends.programs.protocol import Problem, SolverFailure, shown

from crosslit.base.errors import CrosslitError, InputError
from crosslit.base.posix import require_isolation
from crosslit_verify.clock import Deadline, Patience
from crosslit_verify.guard import KILL, START, Bounds

MAX_ANSWER_BYTES = 1 << 24  # maximum bytes of one answer
_MAX_KEPT_BYTES = 2000  # bytes kept of the end of standard error
_MAX_KEPT = 1 << 12  # bytes kept of the beginning of its output, for a message
_CHUNK = 1 << 16
_START_SECONDS = 60.0  # for the guard to start a process
_END_SECONDS = 10.0  # for the guard to report the end of a killed process


WaitGuard = Callable[[float], str]
"""A function that waits for a guard to exit, kills it after half of the given seconds, and returns why it ended."""


class NoAnswer(Exception):
    """A question without a usable answer: the failure of the solver."""

    def __init__(self, problem: Problem, detail: str) -> None:
        super().__init__(detail)
        self.failure = SolverFailure(problem, detail)


@dataclass(frozen=True)
class ProcessExit:
    """The end of a process, as reported by its guard."""

    code: int  # exit status, or the negative number of the signal that ended it
    killed: str  # why the guard killed it: `asked`, `memory`, `orphaned-process`; empty if it did not
    left: int  # number of processes that outlived it
    memory: int  # observed peak of resident bytes


class Channel:
    """The connection to one process of a solver at a time. After `NoAnswer`, the caller kills it or lets it finish.

    The name of the solver and the bounds of its guard are for messages.
    """

    _open: ClassVar[weakref.WeakSet[Channel]] = weakref.WeakSet()

    def __init__(self, name: str, start_guard: Callable[[socket.socket], WaitGuard], bounds: Bounds) -> None:
        require_isolation()
        self._name, self._start_guard, self._bounds = name, start_guard, bounds
        self._control: socket.socket | None = None
        self._wait_guard: WaitGuard = str
        self._messages = b""
        self._input = self._output = self._errors = -1
        self._poll = select.poll()
        self._buffer = bytearray()  # output not yet taken
        self.stderr = b""  # the end of standard error
        self._pid = 0
        self.deadline = Deadline()  # of the verification
        self.meanwhile: Callable[[], object] = str  # called after a line is sent, before waiting for the answer
        self.ended: ProcessExit | None = None
        self.running = False

    def start(self) -> None:
        """Start the process; raise an `InputError` if its program cannot be executed."""
        self.deadline.check()
        if self._control is None:
            self._control, theirs = socket.socketpair()
            Channel._open.add(self)
            self._messages = b""
            with theirs:
                self._wait_guard = self._start_guard(theirs)
        self._buffer.clear()
        self.stderr = b""
        self.ended = None
        theirs_in, self._input = os.pipe()
        self._output, theirs_out = os.pipe()
        self._errors, theirs_err = os.pipe()
        for ours in (self._input, self._output, self._errors):
            os.set_blocking(ours, False)
        self._poll = select.poll()
        for descriptor in (self._output, self._errors, self._control.fileno()):
            self._poll.register(descriptor, select.POLLIN)
        given = (theirs_in, theirs_out, theirs_err)
        try:
            with contextlib.suppress(OSError):  # if the guard has ended, `_message` sees the end of the socket
                socket.send_fds(self._control, [START], given)
        finally:
            for descriptor in given:
                os.close(descriptor)
        message = self._message(min(_START_SECONDS, self.deadline.left))
        if message is None:
            reason = self._lose()
            self.deadline.check()
            raise CrosslitError(f"the process that watches the solver did not start: {reason}")
        if "failed" in message:
            self._close_pipes()
            raise InputError(self._name, f"cannot be started: {message['failed']}")
        self._pid = message["started"]
        self.running = True
        if self._messages:  # it has ended already
            self._obey(self._message(self.deadline.cap(_END_SECONDS)))

    def line(self, data: bytes, seconds: float, loading: float = 0.0) -> bytes:
        """Send a question, and return the line that answers it, without its line end.

        Raise `NoAnswer` if several arrive, or none within these seconds (see `Patience`) plus those for loading.
        """
        patience = Patience(self._pid, seconds, self.deadline, loading)
        self._wait(0)
        if self.ended is None:
            self._take_nothing()
            data = self._write(data)
            self.meanwhile()
        while True:
            searched = len(self._buffer)
            self._wait(patience.wait)
            if (line := self._cut(searched)) is not None:
                self._take_nothing(line + b"\n")
                return line
            if self.ended is not None:
                raise self.crash()
            data = self._go_on(data, patience, f"{len(self._buffer)} bytes without a line end")

    def whole(self, data: bytes, seconds: float) -> bytes:
        """Send the whole input of the process, and return its whole output once it has ended; see `line`."""
        patience = Patience(self._pid, seconds, self.deadline)
        data = self._write(data)
        while self.ended is None:
            if not data:
                self._close_input()
            self._wait(patience.wait)
            data = self._go_on(data, patience, f"more than {MAX_ANSWER_BYTES} bytes")
        return bytes(self._buffer)

    def _go_on(self, data: bytes, patience: Patience, too_long: str) -> bytes:
        """Write more of a question, unless the output is too long or the time is over."""
        if len(self._buffer) > MAX_ANSWER_BYTES:
            raise NoAnswer("malformed-output", f"{too_long}: {shown(self._buffer)}")
        if self.ended is None:
            self.deadline.check()
            if patience.is_over:
                wrote = f", only {shown(self._buffer)}" if self._buffer.strip() else ""
                raise NoAnswer("hang", f"no answer within {patience.words}{wrote}{self.last_words}")
        return self._write(data) if data else data

    def finish(self, seconds: float) -> bytes:
        """Close the input of the process, wait at most the seconds for its end, and return the output until then."""
        self._close_input()
        return self.idle(seconds)

    def idle(self, seconds: float) -> bytes:
        """Wait at most the seconds for the process to end, and return the output until then."""
        until = time.monotonic() + self.deadline.cap(seconds)
        while self.running and self.ended is None and len(self._buffer) <= MAX_ANSWER_BYTES:
            if not self._wait(until - time.monotonic()) or time.monotonic() > until:
                break
        return bytes(self._buffer)

    def kill(self) -> None:
        """Kill the process, if there is one, and all processes that it started."""
        if not self.running:
            return
        assert self._control is not None
        if self.ended is None:
            with contextlib.suppress(OSError):
                self._control.sendall(KILL)
            while self.ended is None:
                self._obey(self._message(self.deadline.cap(_END_SECONDS)))
        self.running = False
        self._close_pipes()

    def abandon(self) -> None:
        """Leave the process to its guard, which kills it. An interrupt may have lost a message of the guard."""
        self._lose()

    def close(self) -> None:
        """Kill the process, and end its guard."""
        try:
            self.kill()
        finally:
            self._lose()

    def crash(self) -> NoAnswer:
        """Return the failure of a process that ended instead of answering."""
        ended = self.ended
        assert ended is not None
        if ended.killed == "memory" or ended.memory > self._bounds.memory:
            return NoAnswer("memory", f"more than {self._bounds.memory >> 20} MB")
        if ended.killed == "orphaned-process":
            processes = f"{self._bounds.processes} processes at a time besides the first"
            return NoAnswer("orphaned-process", f"more than {processes}")
        wrote = f"after writing {shown(self._buffer)}" if self._buffer.strip() else "without an answer"
        return NoAnswer("crash", f"{exit_words(ended.code)} {wrote}{self.last_words}")

    @property
    def output(self) -> bytes:
        """The beginning of the output that was not taken."""
        return bytes(self._buffer[:_MAX_KEPT])

    @property
    def last_words(self) -> str:
        """The last line of standard error, preferably an error, after a colon; empty if there is none."""
        return last_words(self.stderr)

    @classmethod
    def release_all(cls) -> None:
        """Close, in a forked process, the pipes of its parent, which would otherwise never reach their end."""
        for channel in list(cls._open):
            channel._close_pipes()
            if channel._control is not None:
                channel._control.close()

    def _take_nothing(self, answer: bytes = b"") -> None:
        """Raise `NoAnswer` if there is output besides the answer; discard blank space."""
        if self._buffer and not self._buffer.isspace():
            problem = "more than one line for a puzzle" if answer else "output that answers no puzzle"
            raise NoAnswer("malformed-output", f"{problem}: {shown(answer + self._buffer.strip())}")
        self._buffer.clear()

    def _cut(self, searched: int) -> bytes | None:
        """Take the first line that is not blank; None if it is not complete."""
        buffer = self._buffer
        while (end := buffer.find(b"\n", searched)) >= 0:
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            if line and not line.isspace():
                return line
            searched = 0
        return None

    def _wait(self, seconds: float) -> bool:
        """Read everything that arrives first within the seconds; return whether anything did."""
        ready = self._poll.poll(max(0.0, 1000 * seconds))
        for descriptor, _ in ready:
            if descriptor == self._output:
                self._buffer += self._read(descriptor)
            elif descriptor == self._errors:
                self._read_errors()
            elif self._control is not None and descriptor == self._control.fileno():
                self._obey(self._message(0))
        return bool(ready)

    def _read(self, descriptor: int) -> bytes:
        """Return the available bytes; at the end of the file, stop waiting for it."""
        with contextlib.suppress(BlockingIOError):
            if data := os.read(descriptor, _CHUNK):
                return data
            self._forget(descriptor)
        return b""

    def _read_errors(self) -> None:
        self.stderr = (self.stderr + self._read(self._errors))[-_MAX_KEPT_BYTES:]

    def _forget(self, descriptor: int) -> None:
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)

    def _write(self, data: bytes) -> bytes:
        """Write as much as the pipe takes, and return the rest."""
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

    def _message(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message of the guard; None if there is none in time."""
        assert self._control is not None
        until = time.monotonic() + seconds
        while b"\n" not in self._messages:
            self._control.settimeout(max(0.001, until - time.monotonic()))
            try:
                data = self._control.recv(_CHUNK)
            except OSError:
                data = b""
            if not data:
                return None
            self._messages += data
        message, _, self._messages = self._messages.partition(b"\n")
        record: dict[str, Any] = json.loads(message)
        return record

    def _obey(self, message: dict[str, Any] | None) -> None:
        """Store the end of the process; without a message, the guard itself has ended."""
        if message is None:
            self._lose()
            self.ended = ProcessExit(-signal.SIGKILL, "", 0, 0)
            return
        self.ended = ProcessExit(**message)
        while len(self._buffer) <= MAX_ANSWER_BYTES and (data := self._read(self._output)):
            self._buffer += data
        self._read_errors()

    def _lose(self) -> str:
        """Close the connection to the guard, which then kills all processes; return why it ended."""
        control, self._control = self._control, None
        Channel._open.discard(self)
        self.running = False
        self._close_pipes()
        if control is None:
            return ""
        control.close()
        return self._wait_guard(self.deadline.cap(_END_SECONDS))

    def _close_input(self) -> None:
        if self._input >= 0:
            self._forget(self._input)
            os.close(self._input)
            self._input = -1

    def _close_pipes(self) -> None:
        for descriptor in (self._input, self._output, self._errors):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = self._errors = -1
