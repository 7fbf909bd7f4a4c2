"""The solver under test, as something that can be asked and is restarted after a failure."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Protocol, Self

from crosslit.errors import InputError
from crosslit.programs import protocol
from crosslit.programs.answers import CLAIMS, Abstention, Answer, Claims, Reply, SolverFailure
from crosslit.puzzles import Puzzle
from crosslit.sandbox.guard import Bounds
from crosslit.verification.channel import Channel, Dismiss, NoAnswer, ProcessExit
from crosslit.verification.deadline import Deadline

TIMEOUT = 10.0  # seconds for a puzzle
MEMORY_MB = 2048
START_SECONDS = 10.0  # more for the first answer of all: the command has to be loaded
PROCESSES = max(32, 4 * (os.cpu_count() or 1))  # beside its first one, that a solver may have at a time
SETTLE = 0.01  # seconds after the last answer in which a further line or an early end is seen
FINISH = 2.0  # seconds to end after the last puzzle


class Subject(Protocol):
    """A solver under test; a context manager that leaves nothing running."""

    @property
    def claims(self) -> Claims:
        """What it promises."""

    def ask(self, puzzle: Puzzle, meanwhile: Callable[[], None] = ..., /) -> Reply:
        """What it says of a puzzle; after a failure the next question restarts it.

        Args:
            puzzle: to solve.
            meanwhile: work of little time for this process, done while a persistent solver is at the puzzle.

        Raises:
            InputError: if it cannot be started at all, or ends before it is asked anything.
        """

    def close(self) -> SolverFailure | None:
        """End it; what was wrong with its end: processes that it left behind."""

    def end_by(self, deadline: Deadline) -> None:
        """Let questions raise `OutOfTime` after a deadline, which bounds all other waits too."""

    def example(self, puzzle: Puzzle) -> str:
        """Return an answer of the shape of a puzzle as it would be read."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@contextlib.contextmanager
def hurried(subject: Subject, seconds: float) -> Iterator[None]:
    """Wait for answers of a subject no longer than so many seconds."""
    timeout = getattr(subject, "timeout", None)  # one in this process has none
    if timeout is None:
        yield
        return
    subject.timeout = min(timeout, seconds)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        subject.timeout = timeout  # type: ignore[attr-defined]


class Watched(ABC):
    """A solver in processes of its own, under a guard."""

    def __init__(self, name: str, claims: Claims, timeout: float, memory_mb: int) -> None:
        if claims not in CLAIMS:
            raise InputError("claims", f"expected one of {', '.join(CLAIMS)}, found {claims!r:.40}")
        if not 0 < timeout < float("inf"):
            raise InputError("timeout", f"expected a positive number of seconds, found {timeout!r:.40}")
        if not memory_mb > 0:
            raise InputError("memory", f"expected a positive number of MB, found {memory_mb!r:.40}")
        self.claims: Claims = claims
        self.timeout, self.memory_mb = timeout, memory_mb
        self._name = name
        self._bounds = Bounds(memory_mb << 20, PROCESSES)
        self._channel = Channel(name, self._summon, memory_mb, PROCESSES)
        self._number = 0
        self._suspect = True  # whether it is still open if it is a solver at all

    def ask(self, puzzle: Puzzle, meanwhile: Callable[[], None] = lambda: None) -> Reply:
        """Return its answer to a puzzle; see `Subject.ask`."""
        self._number += 1
        self._channel.meanwhile = meanwhile
        began = time.perf_counter()
        try:
            answer = self._asked_fairly(puzzle, began)
            self._suspect = False
        except NoAnswer as error:
            seconds = time.perf_counter() - began
            if self._suspect:
                self._suspect = False
                self._blame_the_command(error, seconds)
            self._channel.kill()
            return SolverFailure(error.problem, error.detail, seconds)
        except BaseException:  # an interrupt too: what it may still answer is of no use
            self._channel.kill()
            raise
        return answer

    def close(self) -> SolverFailure | None:
        """End it; what was wrong with its end: processes that it left behind."""
        try:
            return self._finished()
        finally:
            self._channel.close()

    def end_by(self, deadline: Deadline) -> None:
        """Let questions raise `OutOfTime` after a deadline, which bounds all other waits too."""
        self._channel.deadline = deadline

    def example(self, puzzle: Puzzle) -> str:
        """Return an answer of the shape of a puzzle as it would be read."""
        row = "0" * min(puzzle.columns, 10)
        return f'{{"solution": "{"/".join([row] * min(puzzle.rows, 10))}"}}, or {{"unsolvable": true}}'

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._channel.close()

    @abstractmethod
    def _summon(self, theirs: socket.socket) -> Dismiss:
        """Start a guard at the other end of a socket."""

    @abstractmethod
    def _asked(self, puzzle: Puzzle, began: float) -> Answer | Abstention:
        """The answer; raises `NoAnswer`."""

    def _asked_fairly(self, puzzle: Puzzle, began: float) -> Answer | Abstention:
        """The answer; who lacked a processor is asked once more, started again, before it is called hanging."""
        try:
            return self._asked(puzzle, began)
        except NoAnswer as error:
            if not error.starved:
                raise
        self._channel.kill()
        return self._asked(puzzle, time.perf_counter())

    def _blame_the_command(self, error: NoAnswer, seconds: float) -> None:  # noqa: B027  (a function is no command)
        """Nothing has come of the first question: raise `InputError` if no puzzle can be the cause."""

    def _finished(self) -> SolverFailure | None:
        """Let what is running end by itself; what was wrong with its end."""
        channel = self._channel
        if not channel.running:
            return None
        began = time.perf_counter()
        extra = channel.idle(SETTLE).strip()
        early = channel.ended is not None
        is_hurried = channel.deadline.cap(FINISH) < FINISH
        channel.finish(FINISH)
        seconds = time.perf_counter() - began
        if channel.ended is None and is_hurried:
            return None  # it had less time than others
        if channel.ended is None:
            return SolverFailure("orphaned-process", f"still running {FINISH:g} s after its input ended", seconds)
        if channel.ended.killed:
            error = channel.crash()
            return SolverFailure(error.problem, error.detail, seconds)
        if early:
            detail = f"{channel.ended.words} after its last answer, before its input ended{channel.last_words}"
            return SolverFailure("crash", detail, seconds)
        if extra:
            return SolverFailure(
                "malformed-output", f"more than one line for a puzzle: {protocol.shown(extra)}", seconds
            )
        return left_behind(channel.ended, seconds)


def left_behind(ended: ProcessExit, seconds: float) -> SolverFailure | None:
    """Return the failure of a solver that has ended and left processes running; None for a clean end."""
    if not ended.left:
        return None
    return SolverFailure("orphaned-process", f"{ended.left} process{'es' * (ended.left > 1)} outlived it", seconds)
