"""The interface of a solver under test, which is restarted after a failure."""

from __future__ import annotations

import contextlib
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Self

from crosslit_backends.commands.child_processes import exit_words
from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import Claims, Reply, SolverFailure

from crosslit.base.errors import InputError
from crosslit.kinds import Puzzle
from crosslit_verify.channel import Channel, NoAnswer, ProcessExit, WaitGuard
from crosslit_verify.clock import Deadline
from crosslit_verify.guard import Bounds

TIMEOUT = 10.0  # seconds for a puzzle
MEMORY_MB = 2048
START_SECONDS = 10.0  # additional seconds for the very first answer, because the command has to be loaded
PROCESSES = max(32, 4 * (os.cpu_count() or 1))  # maximum simultaneous processes of a solver besides its first one
SETTLE = 0.01  # seconds after the last answer in which another line or an early exit is noticed
FINISH = 2.0  # seconds to exit after the last puzzle


class Subject(ABC):
    """A solver under test; a context manager that leaves nothing running."""

    claims: Claims
    """The kind of answer that it promises."""

    timeout: float = inf
    """Seconds for an answer."""

    name = ""
    """Its name in messages."""

    description = ""
    """Its name and version, if they are known."""

    @abstractmethod
    def ask(self, puzzle: Puzzle, meanwhile: Callable[[], None] = lambda: None) -> Reply:
        """Return the reply of the solver to a puzzle; after a failure the next call restarts the solver.

        ``meanwhile`` is a quick function to call while a persistent solver works on the puzzle.

        Raises:
            InputError: if the solver cannot be started at all, or ends before it gets a puzzle.
        """

    @abstractmethod
    def close(self) -> SolverFailure | None:
        """End it, and return the failure if it did not end well, such as processes left behind."""

    def end_by(self, deadline: Deadline) -> None:  # noqa: B027  (a subject in this process has no waits)
        """Set a deadline, after which questions raise `OutOfTime`, and which bounds all other waits too."""

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


@contextlib.contextmanager
def hurried(subject: Subject, seconds: float) -> Iterator[None]:
    """Shorten the time limit of a subject to the given seconds."""
    timeout = subject.timeout
    subject.timeout = min(timeout, seconds)
    try:
        yield
    finally:
        subject.timeout = timeout


class Watched(Subject):
    """A solver in separate processes, under a guard."""

    # The guard enforces the limits and inherits orphans, but the pipes connect the solver directly to this process, so
    # that an answer costs one write, one wait and one read. A watcher stands above the guard, because a solver can kill
    # its guard. This process is not made a subreaper, because it may be the user's notebook.

    def __init__(self, name: str, claims: Claims, timeout: float, memory_mb: int) -> None:
        if not 0 < timeout < float("inf"):
            raise InputError("timeout", f"expected a positive number of seconds, found {timeout!r:.40}")
        if not memory_mb > 0:
            raise InputError("memory", f"expected a positive number of MB, found {memory_mb!r:.40}")
        self.claims: Claims = claims
        self.name, self.timeout = name, timeout
        self._bounds = Bounds(memory_mb << 20, PROCESSES)
        self._channel = Channel(name, self._start_guard, self._bounds)
        self._number = 0

    def ask(self, puzzle: Puzzle, meanwhile: Callable[[], None] = lambda: None) -> Reply:
        """Return its answer to a puzzle; see `Subject.ask`."""
        self._number += 1
        self._channel.meanwhile = meanwhile
        reply: Reply | None = None
        try:
            reply = self._answer(puzzle)
        except NoAnswer as error:
            reply = replace(error.failure, output=self._channel.output)
        finally:  # a late answer could be taken for the next one
            if reply is None:  # an interrupt, or the end of the time
                self._channel.abandon()
            elif isinstance(reply, SolverFailure):
                self._channel.kill()
        return reply

    def close(self) -> SolverFailure | None:
        """End it; see `Subject.close`."""
        try:
            return self._finished()
        finally:
            self._channel.close()

    def end_by(self, deadline: Deadline) -> None:
        """Set a deadline; see `Subject.end_by`."""
        self._channel.deadline = deadline

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.close()
        else:
            self._channel.close()

    @abstractmethod
    def _start_guard(self, theirs: socket.socket) -> WaitGuard:
        """Start a guard at the other end of a socket, and return a function that waits for its end."""

    @abstractmethod
    def _answer(self, puzzle: Puzzle) -> Reply:
        """Return the answer; raise `NoAnswer` if there is none."""

    def _finished(self) -> SolverFailure | None:
        """Let the process exit, and return the failure if it does not exit well."""
        channel = self._channel
        if not channel.running:
            return None
        # After the last puzzle no question follows that would show a second line, so wait a moment for one.
        extra = channel.idle(SETTLE).strip()
        # Noted before its input is closed: afterwards an exit is what it should do.
        early = channel.ended is not None
        is_hurried = channel.deadline.cap(FINISH) < FINISH
        channel.finish(FINISH)
        ended = channel.ended
        if ended is None and is_hurried:
            return None  # it had less time than usual to exit
        if ended is None:
            return SolverFailure("orphaned-process", f"still running {FINISH:g} s after its input ended")
        if ended.killed:
            return channel.crash().failure
        if early:
            detail = f"{exit_words(ended.code)} after its last answer, before its input ended{channel.last_words}"
            return SolverFailure("crash", detail)
        if extra:
            return SolverFailure("malformed-output", f"more than one line for a puzzle: {protocol.shown(extra)}")
        return left_behind(ended)


def left_behind(ended: ProcessExit) -> SolverFailure | None:
    """Return the failure of a solver that left processes running when it ended; None if it left none."""
    if not ended.left:
        return None
    return SolverFailure("orphaned-process", f"{ended.left} process{'es' * (ended.left > 1)} outlived it")
