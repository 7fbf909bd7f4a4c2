"""The solver under test, as something that can be asked and is started anew after a mishap."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from crosslit.errors import InputError
from crosslit.puzzles import Puzzle
from crosslit.sandbox.guard import Bounds
from crosslit.sandbox.linux import end_watched, new_mark
from crosslit.verification import function as functions
from crosslit.verification import protocol
from crosslit.verification.answers import CLAIMS, Answer, Claims, Mishap
from crosslit.verification.channel import Channel, NoAnswer, ProcessExit

TIMEOUT = 10.0  # seconds for a puzzle
MEMORY_MB = 2048
START_SECONDS = 10.0  # more for the first answer of all: the command has to be loaded
PROCESSES = max(32, 4 * (os.cpu_count() or 1))  # beside its first one, that a solver may have at a time
SETTLE = 0.01  # seconds after the last answer in which a further line or an early end is seen
FINISH = 2.0  # seconds to end after the last puzzle
_GUARD_PATIENCE = 5.0  # seconds for a guard to end by itself


class Subject(Protocol):
    """A solver under test; a context manager that leaves nothing running."""

    @property
    def claims(self) -> Claims:
        """What it promises."""

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle; after a mishap the next question starts it anew.

        Raises:
            InputError: if it cannot be started at all, or ends before it is asked anything.
        """

    def close(self) -> Mishap | None:
        """End it; what was wrong with its end: processes that it left behind."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class _Watched(ABC):
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

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle; after a mishap the next question starts it anew.

        Raises:
            InputError: if it cannot be started at all, or ends before it is asked anything.
        """
        self._number += 1
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
            return Mishap(error.problem, error.detail, seconds)
        except BaseException:  # an interrupt too: what it may still answer is of no use
            self._channel.kill()
            raise
        return answer

    def close(self) -> Mishap | None:
        """End it; what was wrong with its end: processes that it left behind."""
        try:
            return self._finished()
        finally:
            self._channel.close()

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
    def _summon(self, theirs: socket.socket) -> Callable[[], str]:
        """Start a guard at the other end of a socket."""

    @abstractmethod
    def _asked(self, puzzle: Puzzle, began: float) -> Answer:
        """The answer; raises `NoAnswer`."""

    def _asked_fairly(self, puzzle: Puzzle, began: float) -> Answer:
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

    def _finished(self) -> Mishap | None:
        """Let what is running end by itself; what was wrong with its end."""
        channel = self._channel
        if not channel.running:
            return None
        began = time.perf_counter()
        extra = channel.idle(SETTLE).strip()
        early = channel.ended is not None
        channel.finish(FINISH)
        seconds = time.perf_counter() - began
        if channel.ended is None:
            return Mishap("left-behind", f"still running {FINISH:g} s after its input ended", seconds)
        if channel.ended.killed:
            error = channel.crash()
            return Mishap(error.problem, error.detail, seconds)
        if early:
            detail = f"{channel.ended.words} after its last answer, before its input ended{channel.last_words}"
            return Mishap("crash", detail, seconds)
        if extra:
            return Mishap("rubbish", f"more than one line for a puzzle: {protocol.shown(extra)}", seconds)
        return _left(channel.ended, seconds)


class _Command(_Watched):
    """A command under a guard that is a small process of its own."""

    def __init__(self, words: Sequence[str], claims: Claims, timeout: float, memory_mb: int) -> None:
        self.words = tuple(words)
        if not self.words or not self.words[0]:
            raise InputError("solver", "expected a command")
        if any("\0" in word for word in self.words):
            raise InputError("solver", "expected a command without null characters")
        if shutil.which(self.words[0]) is None:
            raise InputError(self.words[0], "no such command, or not executable")
        super().__init__(self.words[0], claims, timeout, memory_mb)

    def _summon(self, theirs: socket.socket) -> Callable[[], str]:
        errors = tempfile.TemporaryFile(prefix="crosslit-")  # noqa: SIM115  (closed with the guard)
        words = [theirs.fileno(), self._bounds.memory, self._bounds.processes]
        mark = new_mark()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "crosslit.sandbox.guard", *map(str, words), *self.words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[theirs.fileno()],
            env={**os.environ, mark: ""},
            start_new_session=True,  # an interrupt at the terminal reaches the asking process alone
        )

        def wait_guard() -> str:
            end_watched(process, mark, _GUARD_PATIENCE)
            with errors:
                errors.seek(0)
                told = errors.read().decode(errors="replace").strip().splitlines()
            return told[-1] if told else f"it ended with status {process.returncode}"

        return wait_guard

    def _blame_the_command(self, error: NoAnswer, seconds: float) -> None:
        if error.problem != "crash":
            return
        channel = self._channel
        channel.kill()
        channel.start()
        channel.idle(min(START_SECONDS, 2 * seconds + 0.5))
        if (ended := channel.ended) is not None and not ended.killed:
            raise InputError(self._name, f"ends before it is asked anything: {ended.words}{channel.last_words}")


class PersistentCommand(_Command):
    '''A command that answers one puzzle after another, in lines of JSON; see ``docs/verify-protocol.md``.

    Args:
        words: the command and its arguments.
        claims: what it promises.
        timeout: seconds for each puzzle.
        memory_mb: resident memory of all its processes together.
        loading: how many seconds more for the very first answer. How long that took says what later processes get.

    Raises:
        InputError: if there is no such command, or a number is none.

    Examples:
        >>> from crosslit import Nonogram
        >>> solver = """while read puzzle; do echo '{"solution": "1"}'; done"""
        >>> with PersistentCommand(["sh", "-c", solver]) as subject:
        ...     subject.ask(Nonogram([[1]], [[1]])).solutions[0].text()
        '1'
    '''

    def __init__(
        self,
        words: Sequence[str],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
        loading: float = START_SECONDS,
    ) -> None:
        super().__init__(words, claims, timeout, memory_mb)
        self._loading = loading  # seconds that a new process may take more for its first answer

    def _asked(self, puzzle: Puzzle, began: float) -> Answer:
        channel = self._channel
        fresh = not channel.running
        if fresh:
            channel.start()
        loading = self._loading if fresh else 0.0
        try:
            line = channel.line(protocol.question(puzzle, self._number, self.claims), self.timeout, loading)
        except NoAnswer as error:
            if error.problem == "crash" and channel.ended is not None and channel.ended.code == 0:
                error.detail += "; a persistent solver answers until its input ends"
            raise
        seconds = time.perf_counter() - began
        answer = protocol.read_line(line, self._number, seconds)
        if isinstance(answer, Mishap):
            raise NoAnswer(answer.problem, answer.detail + channel.last_words)
        if self._suspect:
            self._loading = min(self._loading, 2 * seconds + 0.5)
        return answer

    def _blame_the_command(self, error: NoAnswer, seconds: float) -> None:
        super()._blame_the_command(error, seconds)
        if error.problem != "hang":
            return
        self._loading = min(self._loading, 1.0)  # loading is not what takes so long
        if self._channel.idle(1.0).strip():
            return  # it is only slow
        late = self._channel.finish(0.5).strip().partition(b"\n")[0]
        if isinstance(protocol.read_line(late), Answer):
            problem = (
                "answers only when its input ends: let it read its input line by line and flush its output after every "
                "line, or run it one-shot"
            )
            raise InputError(self._name, problem)


class OneShotCommand(_Command):
    """A command that is started for every puzzle, reads it as text, and writes text; see ``docs/verify-protocol.md``.

    Args:
        words: the command and its arguments.
        claims: what it promises.
        input_format: of what it reads: ``inline``, ``grid``, ``non`` or ``nin``.
        timeout: seconds for each puzzle, with starting and ending the process.
        memory_mb: resident memory of all its processes together.

    Raises:
        InputError: if there is no such command or format, or a number is none.

    Examples:
        >>> from crosslit import Nonogram
        >>> with OneShotCommand(["echo", "11"]) as subject:
        ...     subject.ask(Nonogram([[2]], [[1], [1]])).solutions[0].text()
        '11'
    """

    def __init__(
        self,
        words: Sequence[str],
        claims: Claims = "one",
        *,
        input_format: str = "inline",
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        protocol.require_format(input_format)
        super().__init__(words, claims, timeout, memory_mb)
        self.input_format = input_format

    def _asked(self, puzzle: Puzzle, began: float) -> Answer:
        data = protocol.text(puzzle, self.input_format)
        channel = self._channel
        channel.start()
        output = channel.whole(data, self.timeout)
        ended = channel.ended
        assert ended is not None
        if ended.code or ended.killed or ended.memory > self._bounds.memory:
            raise channel.crash()
        channel.kill()
        seconds = time.perf_counter() - began
        if (left := _left(ended, seconds)) is not None:
            raise NoAnswer(left.problem, left.detail)
        answer = protocol.read_text(output, seconds)
        if isinstance(answer, Mishap):
            raise NoAnswer(answer.problem, answer.detail + channel.last_words)
        return answer

    def _finished(self) -> Mishap | None:
        return None


class Function(_Watched):
    """A Python function, in a process forked from this one.

    It may be a closure or come from a notebook: nothing is imported again and nothing of it is pickled. It begins after
    every mishap in the state that it had when it was first asked. Threads of this process do not exist in the forked
    one: a function that needs a pool of threads makes it when it is called. A pool of processes it ends by itself.

    Args:
        function: takes a `LightsOut` or `Nonogram`; returns a grid, None for unsolvable, or any number of grids. A grid
            is a `Grid`, text such as ``10/01``, rows of text, a two-dimensional array or nested sequence of 0 and 1.
            A mapping is read as the protocol's answers are: ``{"solution": ..., "unique": True}``.
        claims: what it promises.
        timeout: seconds for each puzzle.
        memory_mb: resident memory beside what this process had when it was forked.

    Raises:
        InputError: if it is no function, or a number is none.

    Examples:
        >>> from crosslit import Nonogram
        >>> with Function(lambda puzzle: [[1] * puzzle.columns] * puzzle.rows) as subject:
        ...     subject.ask(Nonogram([[2]], [[1], [1]])).solutions[0].text()
        '11'
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        name = str(getattr(function, "__name__", "function"))
        if not callable(function):
            raise InputError("solver", f"expected a function, found {function!r:.40}")
        super().__init__(name, claims, timeout, memory_mb)
        self.function = function

    def _summon(self, theirs: socket.socket) -> Callable[[], str]:
        return functions.start_guard(self.function, self._bounds, theirs)

    def _asked(self, puzzle: Puzzle, began: float) -> Answer:
        channel = self._channel
        if not channel.running:
            channel.start()
        line = channel.line(functions.question(puzzle), self.timeout)
        if line[:1] in functions.PROBLEMS:
            raise NoAnswer(functions.PROBLEMS[line[:1]], line[1:].decode(errors="replace"))
        answer = protocol.read_line(line, None, time.perf_counter() - began)
        if isinstance(answer, Mishap):
            raise NoAnswer(answer.problem, answer.detail)
        return answer


def _left(ended: ProcessExit, seconds: float) -> Mishap | None:
    if not ended.left:
        return None
    return Mishap("left-behind", f"{ended.left} process{'es' * (ended.left > 1)} outlived it", seconds)
