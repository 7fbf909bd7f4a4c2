"""The asking side of a solver's process: its pipes, and the guard that watches it.

No threads, and nothing between the two but pipes: a question is a write and an answer is a read, with one wait that
takes in standard error and the guard as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import socket
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from select import POLLIN, POLLOUT
from typing import Any, ClassVar

from crosslit.errors import CrosslitError, InputError
from crosslit.programs.answers import Problem
from crosslit.programs.plain import without_control
from crosslit.programs.protocol import shown
from crosslit.sandbox.guard import KILL, START
from crosslit.verification.deadline import Deadline
from crosslit.verification.patience import MAX_TIMES, Patience

MAX_ANSWER_BYTES = 1 << 24  # bytes of one answer
_MAX_KEPT_BYTES = 2000  # bytes of standard error that are kept: its end
_WORDS = 200  # characters of its last words
_CHUNK = 1 << 16
_BEGIN = 60.0  # seconds for the guard to start a process
_END = 10.0  # seconds for the guard to tell of a process that was killed
_ERROR = re.compile(r"\S*(Error|Exception)\b|panic|fatal|fault", re.IGNORECASE)


Dismiss = Callable[[float], str]
"""Waits for the end of a guard, for so many seconds by itself, and then ends it; returns why it ended."""


class NoAnswer(Exception):
    """A question that led to a failure.

    Args:
        problem: of the failure.
        detail: of the failure.
        starved: whether the solver may only have lacked a processor, so that it is worth asking again.
    """

    def __init__(self, problem: Problem, detail: str, starved: bool = False) -> None:
        super().__init__(detail)
        self.problem: Problem = problem
        self.detail = detail
        self.starved = starved


@dataclass(frozen=True)
class ProcessExit:
    """How a process ended, as its guard told.

    Args:
        code: its exit status, or the number of the signal that ended it, negative.
        killed: why the guard ended it: ``asked``, ``memory``, ``orphaned-process``; empty if it did not.
        left: how many processes outlived it.
        memory: resident bytes at their peak, as far as they were seen.
    """

    code: int
    killed: str
    left: int
    memory: int

    @property
    def words(self) -> str:
        """Its exit status, or its signal."""
        if self.code >= 0:
            return f"exit status {self.code}"
        known = -self.code in set(signal.Signals)
        return f"killed by {signal.Signals(-self.code).name if known else f'signal {-self.code}'}"


class Channel:
    """One process of a solver at a time. Who gets `NoAnswer` kills it, or lets it finish.

    Args:
        name: of the solver, for messages.
        summon: starts a guard at the other end of a socket, and returns what waits for its end, which tells why.
        memory_mb: what the guard allows, for messages.
        processes: likewise.
    """

    _open: ClassVar[weakref.WeakSet[Channel]] = weakref.WeakSet()

    def __init__(
        self, name: str, start_guard: Callable[[socket.socket], Dismiss], memory_mb: int, processes: int
    ) -> None:
        self._name, self._summon, self._memory_mb, self._processes = name, start_guard, memory_mb, processes
        self._control: socket.socket | None = None
        self._dismiss: Dismiss = str
        self._messages = b""
        self._input = self._output = self._errors = -1
        self._poll = select.poll()
        self._buffer = bytearray()  # what was written and not taken
        self.stderr = b""  # the end of standard error
        self._pid = 0
        self.deadline = Deadline()  # of the verification
        self.meanwhile: Callable[[], object] = str  # called when a line has been sent, before the answer is waited for
        self.ended: ProcessExit | None = None
        self.running = False

    def start(self) -> None:
        """Start the process.

        Raises:
            InputError: if it cannot be executed.
            CrosslitError: if the guard does not start.
            OutOfTime: if the verification is over before.
        """
        self.deadline.check()
        if self._control is None:
            self._control, theirs = socket.socketpair()
            Channel._open.add(self)
            self._messages = b""
            with theirs:
                self._dismiss = self._summon(theirs)
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
            self._poll.register(descriptor, POLLIN)
        given = (theirs_in, theirs_out, theirs_err)
        try:
            with contextlib.suppress(OSError):  # a guard that has ended says so by the end of its socket
                socket.send_fds(self._control, [START], given)
        finally:
            for descriptor in given:
                os.close(descriptor)
        message = self._message(min(_BEGIN, self.deadline.left))
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
            self._obey(self._message(self.deadline.cap(_END)))

    def line(self, data: bytes, seconds: float, loading: float = 0.0) -> bytes:
        """Send a question, and take the line that answers, without its end.

        Raises:
            NoAnswer: if there is none within so many seconds (see `Patience`) and those for loading, or more than one.
        """
        patience = Patience(self._pid, seconds + loading, self.deadline)
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
            if len(self._buffer) > MAX_ANSWER_BYTES:
                raise NoAnswer(
                    "malformed-output", f"{len(self._buffer)} bytes without a line end: {shown(self._buffer)}"
                )
            self.deadline.check()
            if patience.is_over:
                raise self._late(patience, seconds, loading)
            if data:
                data = self._write(data)

    def whole(self, data: bytes, seconds: float) -> bytes:
        """Send all that the process is to read, and take all that it writes until it ends.

        Raises:
            NoAnswer: if it does not end within so many seconds, or writes without end.
        """
        patience = Patience(self._pid, seconds, self.deadline)
        data = self._write(data)
        while self.ended is None:
            if not data:
                self._close_input()
            self._wait(patience.wait)
            if len(self._buffer) > MAX_ANSWER_BYTES:
                raise NoAnswer("malformed-output", f"more than {MAX_ANSWER_BYTES} bytes: {shown(self._buffer)}")
            if self.ended is None:
                self.deadline.check()
            if self.ended is None and patience.is_over:
                raise self._late(patience, seconds)
            if data:
                data = self._write(data)
        return bytes(self._buffer)

    def finish(self, seconds: float) -> bytes:
        """Let the process know that nothing follows, and wait for its end as long; what it still writes."""
        self._close_input()
        return self.idle(seconds)

    def idle(self, seconds: float) -> bytes:
        """Wait for the process to end as long; what it writes meanwhile."""
        until = time.monotonic() + self.deadline.cap(seconds)
        while self.running and self.ended is None and len(self._buffer) <= MAX_ANSWER_BYTES:
            if not self._wait(until - time.monotonic()) or time.monotonic() > until:
                break
        return bytes(self._buffer)

    def kill(self) -> None:
        """End the process, if there is one, and all that it started."""
        if not self.running:
            return
        assert self._control is not None
        if self.ended is None:
            with contextlib.suppress(OSError):
                self._control.sendall(KILL)
            while self.ended is None:
                self._obey(self._message(self.deadline.cap(_END)))
        self.running = False
        self._close_pipes()

    def close(self) -> None:
        """End the process and its guard."""
        try:
            self.kill()
        finally:
            self._lose()

    def crash(self) -> NoAnswer:
        """Why a process has ended that was to answer."""
        ended = self.ended
        assert ended is not None
        if ended.killed == "memory" or ended.memory > self._memory_mb << 20:
            return NoAnswer("memory", f"more than {self._memory_mb} MB")
        if ended.killed == "orphaned-process":
            return NoAnswer("orphaned-process", f"more than {self._processes} processes at a time beside the first")
        wrote = f"after writing {shown(self._buffer)}" if self._buffer.strip() else "without an answer"
        return NoAnswer("crash", f"{ended.words} {wrote}{self.last_words}")

    @property
    def last_words(self) -> str:
        """What it said last on standard error, the last error if there is one, after a colon; empty if nothing."""
        told = without_control(self.stderr.decode(errors="replace")).splitlines()
        lines = [clean for line in told if (clean := "".join(filter(str.isprintable, line)).strip())]
        errors = [line for line in lines if _ERROR.match(line)]
        return f": {(errors or lines)[-1][:_WORDS]}" if lines else ""

    @classmethod
    def release_all(cls) -> None:
        """In a forked process: close what the channels of its parent hold open, so that their ends are seen."""
        for channel in list(cls._open):
            channel._close_pipes()
            if channel._control is not None:
                channel._control.close()

    def _late(self, patience: Patience, seconds: float, loading: float = 0.0) -> NoAnswer:
        more = f" and {loading:.2g} s more to begin" if loading else ""
        more += f", nor in {MAX_TIMES} times as long on a busy machine" if patience.starved else ""
        wrote = f", only {shown(self._buffer)}" if self._buffer.strip() else ""
        return NoAnswer("hang", f"no answer within {seconds:g} s{more}{wrote}{self.last_words}", patience.starved)

    def _take_nothing(self, answer: bytes = b"") -> None:
        """See that nothing was written beside the answer."""
        if self._buffer and not self._buffer.isspace():
            raise NoAnswer(
                "malformed-output", f"more than one line for a puzzle: {shown(answer + self._buffer.strip())}"
            )
        self._buffer.clear()

    def _cut(self, searched: int) -> bytes | None:
        """The first line that is not blank, if it is whole."""
        buffer = self._buffer
        while (end := buffer.find(b"\n", searched)) >= 0:
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            if line and not line.isspace():
                return line
            searched = 0
        return None

    def _wait(self, seconds: float) -> bool:
        """Take in what has arrived within so many seconds; False if nothing has."""
        ready = self._poll.poll(max(0.0, 1000 * seconds))
        for descriptor, _ in ready:
            if descriptor == self._output:
                self._read_output()
            elif descriptor == self._errors:
                self._read_errors()
            elif self._control is not None and descriptor == self._control.fileno():
                self._obey(self._message(0))
        return bool(ready)

    def _read_output(self) -> bool:
        data = _read(self._output)
        if data:
            self._buffer += data
        elif data is not None:
            self._forget(self._output)
        return bool(data)

    def _read_errors(self) -> None:
        if data := _read(self._errors):
            self.stderr = (self.stderr + data)[-_MAX_KEPT_BYTES:]
        elif data is not None:
            self._forget(self._errors)

    def _forget(self, descriptor: int) -> None:
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)

    def _write(self, data: bytes) -> bytes:
        """Write what the pipe takes; the rest."""
        try:
            data = data[os.write(self._input, data) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it reads no more, and may answer all the same
            data = b""
        if data:
            self._poll.register(self._input, POLLOUT)
        else:
            self._forget(self._input)
        return data

    def _message(self, seconds: float) -> dict[str, Any] | None:
        """What the guard tells; None if it does not."""
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
        """Note the end of the process, of which the guard told, or its own."""
        if message is None:
            self._lose()
            self.ended = ProcessExit(-signal.SIGKILL, "", 0, 0)
            return
        self.ended = ProcessExit(**message)
        while len(self._buffer) <= MAX_ANSWER_BYTES and self._read_output():
            pass
        self._read_errors()

    def _lose(self) -> str:
        """Let go of the guard, which ends all; why it ended, if it was not told to."""
        control, self._control = self._control, None
        Channel._open.discard(self)
        self.running = False
        self._close_pipes()
        if control is None:
            return ""
        control.close()
        return self._dismiss(self.deadline.cap(_END))

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


def _read(descriptor: int) -> bytes | None:
    """What there is; nothing at the end; None if there is nothing yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
