"""Questions to a backend or encoding about itself: its version, and why it does not support a puzzle.

The answers are needed before any run: for lists of all backends, the plan of a campaign, every command that chooses.
Code of another distribution may raise, print, crash or hang, so it is asked in a forked process with a time limit, and
only its own backend is affected. A fork takes a few milliseconds; a fork server or a run for each question would take a
hundred. Crosslit's own backends answer at once, and are asked in this process to stay fast. A plugin is still imported
by this process, so all this protects against mistakes, not malice.
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
from crosslit.kinds import Puzzle
from crosslit.sandbox.posix import isolation_problem

MAX_SECONDS = 5.0  # for one answer: far more than any takes on a busy machine
MAX_CHARACTERS = 2000  # maximum length of an answer
MAX_VERSION = 200  # maximum length of a version
_MAX_BYTES = 1 << 15  # maximum size of an encoded answer: it fits in the pipe, so that writing never blocks
_OURS = frozenset({"crosslit", "crosslit_encoders", "crosslit_backends"})


@dataclass(frozen=True)
class Reply:
    """A reply of a backend or encoding."""

    text: str = ""  # the answer; empty if there is none, or nothing to say
    problem: str = ""  # why there is no answer; otherwise empty
    seconds: float = 0.0  # time of the process that answered, wall or processor time, whichever is greater


# keyed by identity: versions of external backends, and objects that timed out and are not asked again
_versions: dict[int, tuple[Backend, Reply]] = {}
_silent: dict[int, tuple[object, str]] = {}


def version(backend: Backend) -> Reply:
    """Return the version of a backend's engine; if it cannot run here, ``problem`` says why."""
    if _is_ours(backend, "version"):
        return _answer(backend, "version", ())
    if id(backend) not in _versions:
        answer = _ask(backend, "version")
        _versions[id(backend)] = backend, Reply(answer.text[:MAX_VERSION], answer.problem)
    return _versions[id(backend)][1]


def refusal(plugin: Backend | Encoding, puzzle: Puzzle, *options: Options) -> Reply:
    """Return why a backend or encoding does not support a puzzle; if it does not answer, ``problem`` says why."""
    return _ask(plugin, "unsupported_reason", puzzle, *options)


def _ask(plugin: object, name: str, *arguments: Any) -> Reply:
    if _is_ours(plugin, name):
        return _answer(plugin, name, arguments)
    if isolation_problem():  # a mistake of a plugin is then not contained
        return _answer(plugin, name, arguments)
    # Asked for each puzzle of a campaign, a backend that hangs would cost five seconds every time.
    if id(plugin) in _silent:
        return Reply(problem=_silent[id(plugin)][1])
    return _ask_apart(plugin, name, arguments)


def _is_ours(plugin: object, name: str) -> bool:
    """Return whether the answering code belongs to Crosslit."""
    try:
        function: Any = getattr(plugin, name)
        while isinstance(function, functools.partial):
            function = function.func
        # The module of the function, not of the object: a plugin may inherit from a backend of Crosslit and override
        # one method.
        return str(function.__module__).partition(".")[0] in _OURS
    except Exception:
        return False


def _answer(plugin: object, name: str, arguments: tuple[Any, ...]) -> Reply:
    try:
        answer = getattr(plugin, name)(*arguments)
        return Reply("" if answer is None else _line(str(answer)))
    except Unavailable as error:
        return Reply(problem=_line(str(error)) or "it is not available")
    except Exception as error:
        return Reply(problem=_line(f"its {name}() raised {type(error).__name__}: {error}"))


def _line(text: str) -> str:
    """Return text as one line that is printable in any encoding, and not too long."""
    # Cut first, so that a plugin cannot make us process a text of any length.
    plain = text[:MAX_CHARACTERS].encode(errors="replace").decode()
    return " ".join(plain.split())


def _ask_apart(plugin: object, name: str, arguments: tuple[Any, ...]) -> Reply:
    from crosslit.sandbox.supervisor import Session  # loads ctypes, which commands without such backends do not need

    reader, writer = os.pipe()
    began = time.monotonic()
    process = Session(lambda: _tell(writer, lambda: _answer(plugin, name, arguments)))
    # Otherwise the end of the process would not be an end of file here.
    os.close(writer)
    try:
        line = _read_line(reader, began + MAX_SECONDS)
    finally:
        os.close(reader)
        process.kill()  # with the processes that it started
        with contextlib.suppress(ChildProcessError):
            process.reap()
    if line is None:
        _silent[id(plugin)] = plugin, f"its {name}() did not return within {MAX_SECONDS:g} s"
        return Reply(problem=_silent[id(plugin)][1])
    return _read_answer(line) or Reply(problem=f"its {name}() ended the process that called it")


def _tell(writer: int, answer: Callable[[], Reply]) -> None:
    """Write the answer as one line, in the forked process."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # it must not print into the output of a command
        os.dup2(nowhere, standard)
    began, used = time.perf_counter(), sum(os.times()[:4])
    given = answer()
    # Processor time counts too, since threads of the plugin may compute while the clock shows little.
    seconds = max(time.perf_counter() - began, sum(os.times()[:4]) - used)
    os.write(writer, b"%.6f\t%b\t%b\n" % (seconds, given.text.encode(), given.problem.encode()))


def _read_line(reader: int, deadline: float) -> bytes | None:
    """Return the first line written to the pipe, or what comes before its end; None if neither comes in time."""
    line = b""
    while b"\n" not in line and len(line) < _MAX_BYTES:
        # `select` and not a blocking read, since the plugin may never write, and a read cannot be given a limit.
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        part = os.read(reader, _MAX_BYTES)
        if not part:
            break
        line += part
    return line


def _read_answer(line: bytes) -> Reply | None:
    try:
        seconds, text, problem = line.removesuffix(b"\n").decode().split("\t")
        # Cleaned again by the reader: code of the plugin runs in the writing process and may have written this.
        return Reply(_line(text), _line(problem), min(max(0.0, float(seconds)), MAX_SECONDS))
    except ValueError:
        return None
