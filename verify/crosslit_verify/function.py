"""A Python function as a solver under test."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

from crosslit_backends.programs import protocol
from crosslit_backends.programs.answers import Abstention, Answer, Claims, SolverFailure

from crosslit.errors import InputError
from crosslit.kinds import Puzzle
from crosslit_verify import function_process
from crosslit_verify.channel import NoAnswer, WaitGuard
from crosslit_verify.subject import MEMORY_MB, TIMEOUT, Watched


class Function(Watched):
    """A Python function as a solver, in a process forked from this one.

    It may be a closure or come from a notebook, because it is neither pickled nor imported again. After a failure it
    starts in the state that it had when it was first asked. Threads of this process do not exist in the forked one, so
    a function that needs a pool of threads must start it when called. It must also end any pool of processes.

    Args:
        function: takes a puzzle; returns a grid, None for unsolvable, or any number of grids. A grid
            is a `Grid`, text such as ``10/01``, rows of text, a two-dimensional array or nested sequence of 0 and 1.
            A mapping is read like an answer of the protocol: ``{"solution": ..., "unique": True}``.
        claims: the kind of answer that it promises.
        timeout: seconds for each puzzle.
        memory_mb: resident memory, in 2^20 bytes, in addition to that of this process when it was forked.

    Raises:
        InputError: if the solver is not a function, or an argument is invalid.

    Examples:
        >>> from crosslit.formats import read
        >>> with Function(lambda puzzle: [[1] * puzzle.columns] * puzzle.rows) as subject:
        ...     subject.ask(read("2|1,1")).solutions[0].text()
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

    def _start_guard(self, theirs: socket.socket) -> WaitGuard:
        return function_process.start_guard(self.function, self._bounds, theirs)

    def _asked(self, puzzle: Puzzle, began: float) -> Answer | Abstention:
        channel = self._channel
        if not channel.running:
            channel.start()
        line = channel.line(function_process.question(puzzle), self.timeout)
        if line[:1] in function_process.PROBLEMS:
            raise NoAnswer(function_process.PROBLEMS[line[:1]], line[1:].decode(errors="replace"))
        answer = protocol.read_line(line, None, time.perf_counter() - began)
        if isinstance(answer, SolverFailure):
            raise NoAnswer(answer.problem, answer.detail)
        return answer
