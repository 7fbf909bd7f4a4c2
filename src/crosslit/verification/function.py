"""A Python function as a solver under test."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

from crosslit.errors import InputError
from crosslit.programs import protocol
from crosslit.programs.answers import Abstention, Answer, Claims, SolverFailure
from crosslit.puzzles import Puzzle
from crosslit.verification import function_process
from crosslit.verification.channel import Dismiss, NoAnswer
from crosslit.verification.subject import MEMORY_MB, TIMEOUT, Watched


class Function(Watched):
    """A Python function, in a process forked from this one.

    It may be a closure or come from a notebook: nothing is imported again and nothing of it is pickled. It begins after
    every failure in the state that it had when it was first asked. Threads of this process do not exist in the forked
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

    def _summon(self, theirs: socket.socket) -> Dismiss:
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
