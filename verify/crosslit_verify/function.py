"""A Python function as a solver under test, in a process forked from this one, which never calls it.

Only puzzles are pickled, and no module is imported again, so the function may be a closure, or defined in a notebook.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import Claims, Problem, Reply, SolverFailure

from crosslit.base.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.runs.sandbox import ProcessGroup
from crosslit_verify.process import MEMORY_MB, TIMEOUT, Solver, close_ours

_FAILED = b"!"  # first byte of a line with a problem and the particulars, instead of an answer
_LENGTH = 8  # bytes of the length before a question


class Function(Solver):
    """A Python function as a solver.

    It takes a puzzle, and returns a grid, None for unsolvable, or any number of grids. A grid is a `Grid`, text such as
    ``10/01``, rows of text, a two-dimensional array or nested sequence of 0 and 1. A mapping is read like an answer of
    the protocol: ``{"solution": ..., "unique": True}``. It may take ``memory_mb`` in addition to the memory of this
    process when it was forked, whose threads do not exist there: it must start and end its own pools when called.

    Examples:
        >>> from crosslit.formats import read
        >>> with Function(lambda puzzle: [[1] * puzzle.columns] * puzzle.rows) as solver:
        ...     solver.ask(read("2|1,1")).solutions[0].text
        '11'
    """

    shares_memory = True

    def __init__(
        self,
        function: Callable[[Any], Any],
        claims: Claims = "one",
        *,
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        super().__init__(str(getattr(function, "__name__", "function")), claims, timeout, memory_mb)
        self.function = function

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        # Pickled, which is safe in this direction: the process is a fork of this one, with the same code.
        body = pickle.dumps(puzzle)
        line = self._exchange(len(body).to_bytes(_LENGTH, "little") + body, seconds)
        if line.startswith(_FAILED):
            problem, _, detail = line[1:].decode(errors="replace").partition(" ")
            return SolverFailure(cast("Problem", problem), detail)
        return protocol.read_line(line, states=puzzle.layout.states)

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        return ProcessGroup(partial(self._serve, *descriptors))

    def _serve(self, questions: int, answers: int, errors: int) -> None:
        close_ours()
        for target in (1, 2):  # prints of the function are not answers
            os.dup2(errors, target)
        os.close(errors)
        faulthandler.disable()  # the signal is reported anyway
        # As in a new interpreter: the fork has the system's default handler, without KeyboardInterrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
        with os.fdopen(questions, "rb") as reading, os.fdopen(answers, "wb") as writing:
            while head := reading.read(_LENGTH):
                puzzle = pickle.loads(reading.read(int.from_bytes(head, "little")))
                writing.write(_answer_line(self.function, puzzle) + b"\n")
                writing.flush()


def in_protocol(value: Any, rows: int) -> dict[str, Any]:
    """Return the value of a function (see `Function`) for a puzzle of some rows as an answer of the protocol.

    Examples:
        >>> in_protocol([[1, 0], [0, True]], 2)
        {'solutions': [[[1, 0], [0, True]]]}
        >>> in_protocol(["10", "01"], 2), in_protocol(["10", "01"], 1)
        ({'solutions': [['10', '01']]}, {'solutions': ['10', '01']})
    """
    plain = _plain(value)
    if plain is None or isinstance(plain, dict):
        return {"unsolvable": True} if plain is None else plain
    if not isinstance(plain, str | list):
        raise NoGrids(type(value).__name__)
    # With one row, each text may be a solution; with several, they are the rows of one grid.
    is_text = rows != 1 and all(isinstance(row, str) and "/" not in row for row in plain)
    is_grid = all(isinstance(row, list) and not any(isinstance(cell, list | str) for cell in row) for row in plain)
    is_one = isinstance(plain, str) or (plain and (is_text or is_grid))
    return {"solutions": [plain] if is_one else plain}


class NoGrids(TypeError):
    """A value that cannot be an answer."""


def _plain(value: Any) -> Any:
    """Return a value with grids as text, and arrays and other iterables as lists."""
    if isinstance(value, Grid):
        return value.text
    if hasattr(value, "tolist"):  # an array or a number of numpy
        value = value.tolist()
    if isinstance(value, float) and value in (0, 1):  # of an array, whose default type it is
        return int(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise NoGrids(type(value).__name__)


def _answer_line(function: Callable[[Any], Any], puzzle: Puzzle) -> bytes:
    """Return the line that answers a puzzle."""
    try:
        return json.dumps(in_protocol(function(puzzle), puzzle.rows)).encode()
    except NoGrids as error:
        return _FAILED + f"malformed-output expected a grid, None, or several grids, found {error}".encode()
    except BaseException as error:  # `sys.exit` too, which would otherwise end it without a reason
        trace = traceback.extract_tb(error.__traceback__)[1:]
        place = f" ({Path(trace[-1].filename).name}:{trace[-1].lineno})" if trace else ""
        words = " ".join((traceback.format_exception_only(error)[-1] + place).split())
        return _FAILED + f"crash {words[:300]}".encode(errors="replace")
