"""Solver commands: splitting them into words, and processes that end with their parent."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from crosslit.errors import SpecError, Unavailable

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
_DIGITS = 12  # digits of a SHA-256 that are shown


def dies_with_this_process() -> Callable[[], None] | None:
    """Return a function that makes the kernel kill a child with this process; the child calls it before exec.

    A run is killed with its whole process group; this is for the case that its server was killed. Returns None if other
    threads are running: no Python code is safe between fork and exec then, and the request would be bound to this
    thread.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return None
    import ctypes

    # Looked up before the fork: a child should do as little as possible before exec.
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent has already ended
            os._exit(1)

    return ask


def exit_words(code: int) -> str:
    """Return the exit status of a process, or the signal that ended it (a negative code), in words."""
    if code >= 0:
        return f"exit status {code}"
    return f"killed by {signal.Signals(-code).name if -code in set(signal.Signals) else f'signal {-code}'}"


def with_path(words: Sequence[str], folder: str) -> tuple[str, ...]:
    """Return the words of a command, the path of its program relative to a folder made absolute."""
    program, *others = words
    if "/" in program:
        program = os.path.abspath(os.path.join(folder, os.path.expanduser(program)))  # noqa: PTH100, PTH111, PTH118
    return program, *others


def command_words(name: str, text: str) -> list[str]:
    """Split the command of a solver into words; raise a `SpecError` if a quotation does not end."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SpecError(f"solver {name}: {str(error).lower()} in the command {text!r}") from None


def file_version(path: str) -> str:
    """Return the name of a program's file and the start of its SHA-256, for a program that prints no version.

    It does not depend on the folder, so that a campaign has the same plan on another machine.
    """
    try:
        # The time of the last change is part of the cache's key, so a rebuilt program is hashed again.
        return f"{Path(path).name} sha256:{_digest(path, os.stat(path).st_mtime_ns)[:_DIGITS]}"  # noqa: PTH116
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror or 'cannot be read'}") from None


@cache
def _digest(path: str, _changed: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
