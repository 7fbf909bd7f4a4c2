"""The solver under test, as something that can be asked and is restarted after a mishap."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from crosslit.errors import InputError
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle
from crosslit.verification import protocol
from crosslit.verification.answers import Answer, Claims, Mishap


class Subject(Protocol):
    """A solver under test; a context manager that leaves nothing running."""

    claims: Claims

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle; after a mishap it is started anew by the next question.

        Raises:
            InputError: if it cannot be started at all, or is no solver of this protocol.
        """

    def close(self) -> Mishap | None:
        """End it; what was wrong with its end: processes that it left behind."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class PersistentCommand:
    """A command that answers one puzzle after another, in lines of JSON."""

    def __init__(
        self, words: Sequence[str], claims: Claims = "one", *, timeout: float = 10.0, memory_mb: int = 2048
    ) -> None:
        self.words, self.claims, self.timeout, self.memory_mb = tuple(words), claims, timeout, memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle."""
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
                )
            except OSError as error:
                raise InputError(self.words[0], f"cannot be started: {error.strerror}") from None
        assert self._process.stdin and self._process.stdout
        self._number += 1
        began = time.perf_counter()
        with contextlib.suppress(BrokenPipeError):
            os.write(self._process.stdin.fileno(), protocol.question(puzzle, self._number, self.claims))
        line = b""
        while b"\n" not in line:
            left = began + self.timeout - time.perf_counter()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                self.close()
                return Mishap("hang", f"no answer within {self.timeout:g} s", self.timeout)
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                self._process.wait()
                code = self._process.returncode
                self.close()
                return Mishap("crash", f"exit status {code}", time.perf_counter() - began)
            line += data
        answer = protocol.read_line(line, self._number, time.perf_counter() - began)
        if isinstance(answer, Mishap):
            self.close()
        return answer

    def close(self) -> Mishap | None:
        """End it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with self._process:
                self._process = None
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OneShotCommand:
    """A command that is started for every puzzle, reads it on standard input, and writes plain text."""

    def __init__(
        self,
        words: Sequence[str],
        claims: Claims = "one",
        *,
        input_format: str = "inline",
        timeout: float = 10.0,
        memory_mb: int = 2048,
    ) -> None:
        self.words, self.claims, self.timeout, self.memory_mb = tuple(words), claims, timeout, memory_mb
        self.input_format = input_format

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle."""
        began = time.perf_counter()
        try:
            done = subprocess.run(
                self.words, input=protocol.text(puzzle, self.input_format), capture_output=True, timeout=self.timeout
            )
        except OSError as error:
            raise InputError(self.words[0], f"cannot be started: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            return Mishap("hang", f"no answer within {self.timeout:g} s", self.timeout)
        if done.returncode:
            return Mishap("crash", f"exit status {done.returncode}", time.perf_counter() - began)
        return protocol.read_text(done.stdout, time.perf_counter() - began)

    def close(self) -> Mishap | None:
        """Nothing is running."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Function:
    """A Python function from a puzzle to a grid, None, or several grids (to be run in a process of its own)."""

    def __init__(
        self, function: Callable[[Any], Any], claims: Claims = "one", *, timeout: float = 10.0, memory_mb: int = 2048
    ) -> None:
        self.function, self.claims, self.timeout, self.memory_mb = function, claims, timeout, memory_mb

    def ask(self, puzzle: Puzzle) -> Answer | Mishap:
        """What it says of a puzzle."""
        began = time.perf_counter()
        try:
            said = self.function(puzzle)
            grids = () if said is None else (said,) if isinstance(said, Grid) else tuple(said)
        except Exception as error:
            return Mishap("crash", f"{type(error).__name__}: {error}", time.perf_counter() - began)
        return Answer(grids, not grids, None, time.perf_counter() - began)

    def close(self) -> Mishap | None:
        """Nothing is running."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
