"""A Python function as a solver: in a process forked from this one, so that it can be stopped and restarted.

Nothing is pickled but puzzles, and no module is imported again: the function may be a closure, defined in a notebook or
a test. It begins after every failure in the state that it had when its `Function` was first asked.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import pickle
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from crosslit.grid import Grid
from crosslit.programs.answers import Problem
from crosslit.puzzles import Puzzle
from crosslit.sandbox.guard import Bounds, ExecFn, Guard
from crosslit.sandbox.linux import fork_watcher, memory_of
from crosslit.verification.channel import Channel, Dismiss

MALFORMED, CRASH = b"!", b"?"
PROBLEMS: dict[bytes, Problem] = {MALFORMED: "malformed-output", CRASH: "crash"}
"""What a line begins with that is no answer."""

_MAX_SHOWN = 300  # characters of such a line
_LENGTH = 8  # bytes that tell how long a question is


def question(puzzle: Puzzle) -> bytes:
    """The bytes that ask the process of a function."""
    body = pickle.dumps(puzzle)
    return len(body).to_bytes(_LENGTH, "little") + body


def start_guard(function: Callable[[Any], Any], bounds: Bounds, theirs: socket.socket) -> Dismiss:
    """Fork a guard that starts processes of the function; returns what waits for its end."""
    asking = os.getpid()
    with warnings.catch_warnings():
        # of forking where there are threads: the function cannot rely on them, and the guard does not
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _guard_and_exit(function, bounds, theirs, asking)

    def wait_guard(seconds: float) -> str:
        until = time.monotonic() + seconds / 2
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        return "it was forked and is gone"

    return wait_guard


def in_protocol(value: Any, rows: int) -> dict[str, Any]:
    """What a function returned, in the words of the protocol.

    Args:
        value: None, a grid, several grids, or a mapping in those words. A grid is a `Grid`, text, rows of text, or
            a two-dimensional array or nested sequence of 0 and 1.
        rows: of the puzzle: only where it has one are several rows of text several solutions, and not one grid.

    Raises:
        NoGrids: if it is nothing of the kind.

    Examples:
        >>> in_protocol([[1, 0], [0, True]], 2)
        {'solutions': [[[1, 0], [0, True]]]}
        >>> in_protocol((Grid.from_text(text) for text in ("10/01", "01/10")), 2)
        {'solutions': ['10/01', '01/10']}
        >>> in_protocol(["10", "01"], 2), in_protocol(["10", "01"], 1)
        ({'solutions': [['10', '01']]}, {'solutions': ['10', '01']})
        >>> in_protocol(None, 2)
        {'unsolvable': True}
    """
    if value is None:
        return {"unsolvable": True}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    plain = _plain(value)
    if isinstance(plain, str):
        return {"solutions": [plain]}
    if not isinstance(plain, list):
        raise NoGrids(f"expected a grid, None, or several grids, found {type(value).__name__}")
    if plain and all(type(row) is str and "/" not in row for row in plain):
        return {"solutions": plain if rows == 1 else [plain]}
    flat = plain and all(
        isinstance(row, list) and not any(isinstance(cell, list | str) for cell in row) for row in plain
    )
    return {"solutions": [plain] if flat else plain}


class NoGrids(TypeError):
    """What a function returned cannot be an answer; says what was expected."""


class _Text(str):
    """The text of a whole grid."""

    __slots__ = ()


def _plain(value: Any) -> Any:
    """Grids as text, arrays and whatever can be iterated over as lists."""
    if isinstance(value, Grid):
        return _Text(value.text())
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):  # of which numpy makes its arrays where nothing else is said
        return int(value) if value in (0, 1) else value
    if hasattr(value, "tolist"):  # an array of numpy, or a number of it
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise NoGrids(f"expected a grid, None, or several grids, found {type(value).__name__}")


def _guard_and_exit(function: Callable[[Any], Any], bounds: Bounds, theirs: socket.socket, asking: int) -> NoReturn:
    """The guard, in the forked process. It shares all memory with its parent, and must not touch it."""
    try:
        gc.disable()
        gc.freeze()
        os.setsid()  # an interrupt at the terminal reaches the asking process alone
        Channel.release_all()
        faulthandler.disable()  # what it would say is said by the signal
        null = os.open(os.devnull, os.O_RDWR)
        for target in range(3):
            os.dup2(null, target)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        if os.getppid() == asking:
            fork_watcher(theirs.fileno())
            guard = Guard(theirs, bounds, _becoming(function), memory_of([os.getpid()]))
            try:
                guard.serve()
            finally:
                guard.end()
    finally:
        os._exit(0)


def _becoming(function: Callable[[Any], Any]) -> ExecFn:
    def become(descriptors: Sequence[int], tell: int) -> NoReturn:
        questions, answers, errors = descriptors
        os.close(tell)
        for target in (1, 2):  # what the function prints is no answer
            os.dup2(errors, target)
        os.close(errors)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        gc.enable()
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
        with os.fdopen(questions, "rb") as reading, os.fdopen(answers, "wb") as writing:
            while head := reading.read(_LENGTH):
                puzzle = pickle.loads(reading.read(int.from_bytes(head, "little")))
                writing.write(_answer_line(function, puzzle) + b"\n")
                writing.flush()
        os._exit(0)

    return become


def _answer_line(function: Callable[[Any], Any], puzzle: Puzzle) -> bytes:
    """What a function says of a puzzle, as a line."""
    try:
        return json.dumps(in_protocol(function(puzzle), puzzle.rows)).encode()
    except NoGrids as error:
        return MALFORMED + _one_line(str(error))
    except BaseException as error:
        words = traceback.format_exception_only(error)[-1]
        trace = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(trace[-1].filename).name}:{trace[-1].lineno})" if len(trace) > 1 else ""
        return CRASH + _one_line(words + place)


def _one_line(words: str) -> bytes:
    return " ".join(words.split())[:_MAX_SHOWN].encode(errors="replace")
