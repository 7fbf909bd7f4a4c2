"""Questions to a backend or an encoding about itself: its version, and why it refuses a puzzle.

The answers are needed before any run: by lists of all backends, by the plan of a campaign, by every command that
chooses. So code that belongs to another distribution is asked in a forked process, for a limited time: it may raise,
print, crash or never return, and costs its own backend only. To fork takes some milliseconds, a fork server or a run
for each question would take a hundred. Crosslit's own backends answer at once, and are asked here: they must not
become slower for that. A plugin is still imported by this process, so all this is for mistakes, not for malice.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crosslit.contract import Backend, Encoding, Options
from crosslit.errors import Unavailable
from crosslit.puzzles import Puzzle

MAX_SECONDS = 5.0  # for one answer: far more than any takes on a busy machine
MAX_CHARACTERS = 2000  # of an answer
MAX_VERSION = 200  # characters
_MAX_BYTES = 1 << 15  # of a told answer: a pipe holds them, so that telling never waits
_OURS = frozenset({"crosslit", "crosslit_encoders", "crosslit_backends"})


@dataclass(frozen=True)
class Answer:
    """What was answered.

    Args:
        text: the answer; empty where there is none, or nothing to say.
        problem: why there is no answer; else empty.
        seconds: that a process of its own has taken for it, of wall or processor time, whichever is more.
    """

    text: str = ""
    problem: str = ""
    seconds: float = 0.0


# by the identity of who was asked: versions of others' backends, and who did not answer in time and is asked no more
_versions: dict[int, tuple[Backend, Answer]] = {}
_silent: dict[int, tuple[object, str]] = {}


def version(backend: Backend) -> Answer:
    """Return the version of a backend's engine, or as the problem why it cannot run here."""
    if _is_ours(backend, "version"):
        return _answer(backend, "version", ())
    if id(backend) not in _versions:
        answer = _ask(backend, "version")
        _versions[id(backend)] = backend, Answer(answer.text[:MAX_VERSION], answer.problem)
    return _versions[id(backend)][1]


def refusal(asked: Backend | Encoding, puzzle: Puzzle, options: Options | None = None) -> Answer:
    """Return why a puzzle is beyond a backend or an encoding, as text or, where it cannot say, as the problem."""
    return (
        _ask(asked, "unsupported_reason", puzzle)
        if options is None
        else _ask(asked, "unsupported_reason", puzzle, options)
    )


def _ask(asked: object, name: str, *arguments: Any) -> Answer:
    if _is_ours(asked, name):
        return _answer(asked, name, arguments)
    if id(asked) in _silent:
        return Answer(problem=_silent[id(asked)][1])
    return _ask_apart(asked, name, arguments)


def _is_ours(asked: object, name: str) -> bool:
    """Whether the code that would answer is Crosslit's."""
    try:
        function: Any = getattr(asked, name)
        while isinstance(function, functools.partial):
            function = function.func
        return str(function.__module__).partition(".")[0] in _OURS
    except Exception:
        return False


def _answer(asked: object, name: str, arguments: tuple[Any, ...]) -> Answer:
    try:
        answer = getattr(asked, name)(*arguments)
        return Answer("" if answer is None else _line(str(answer)))
    except Unavailable as error:
        return Answer(problem=_line(str(error)) or "it is not available")
    except Exception as error:
        return Answer(problem=_line(f"its {name}() raised {type(error).__name__}: {error}"))


def _line(text: str) -> str:
    """Return text as one line that can be written anywhere, and is not too long."""
    plain = text[:MAX_CHARACTERS].encode(errors="replace").decode()
    return " ".join(plain.split())


def _ask_apart(asked: object, name: str, arguments: tuple[Any, ...]) -> Answer:
    from crosslit.sandbox.supervisor import Session  # it loads ctypes, which commands without such backends do not need

    told, tell = os.pipe()
    began = time.monotonic()
    process = Session(lambda: _tell(tell, lambda: _answer(asked, name, arguments)))
    os.close(tell)
    try:
        line = _read_line(told, began + MAX_SECONDS)
    finally:
        os.close(told)
        process.kill()  # with what it started
        with contextlib.suppress(ChildProcessError):
            process.reap()
    if line is None:
        _silent[id(asked)] = asked, f"its {name}() did not return within {MAX_SECONDS:g} s"
        return Answer(problem=_silent[id(asked)][1])
    return _read_answer(line) or Answer(problem=f"its {name}() ended the process that called it")


def _tell(tell: int, answer: Callable[[], Answer]) -> None:
    """Write the answer as one line, in the forked process."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # it must not print into the output of a command
        os.dup2(nowhere, standard)
    began, used = time.perf_counter(), sum(os.times()[:4])
    given = answer()
    seconds = max(time.perf_counter() - began, sum(os.times()[:4]) - used)
    os.write(tell, b"%.6f\t%b\t%b\n" % (seconds, given.text.encode(), given.problem.encode()))


def _read_line(told: int, deadline: float) -> bytes | None:
    """Return what was written, up to its first end of a line; None if that, or an end, does not come in time."""
    line = b""
    while b"\n" not in line and len(line) < _MAX_BYTES:
        ready, _, _ = select.select([told], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        part = os.read(told, _MAX_BYTES)
        if not part:
            break
        line += part
    return line


def _read_answer(line: bytes) -> Answer | None:
    try:
        seconds, text, problem = line.removesuffix(b"\n").decode().split("\t")
        return Answer(_line(text), _line(problem), min(max(0.0, float(seconds)), MAX_SECONDS))
    except ValueError:
        return None
