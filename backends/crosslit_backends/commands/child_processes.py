"""Solver commands: the base of their backends, and their processes."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import IO

from crosslit.base.errors import SpecError, Unavailable
from crosslit.base.posix import fcntl
from crosslit.contract import UNKNOWN, Backend, GaveUp, Task

_FOLDER = "crosslit-program-run-"
_DIGITS = 12  # digits of a SHA-256 that are shown
# CSI and OSC sequences, other escapes, and control characters except tab and line end
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b-\x1f\x7f]")
_ERROR = re.compile(r"\S*(Error|Exception)\b|panic|fatal|fault", re.IGNORECASE)
_MAX_LINE = 200  # characters of a line of standard error in a message


@dataclass(frozen=True)
class CommandBackend(Backend):
    """A backend that is a command; ``groups`` are those of specs in addition to ``all``."""

    name: str
    words: tuple[str, ...]
    groups: frozenset[str] = frozenset({"command"})
    # the engine is unknown, and independent of no other
    trusted_base: frozenset[str] = field(default=frozenset({"program", UNKNOWN}), init=False)

    noun = "command"

    @property
    def summary(self) -> str:  # type: ignore[override]
        """A line that describes the solver."""
        return f"the {self.noun} {' '.join(self.words)}"

    @property
    def path(self) -> str:
        """The file of the program."""
        path = shutil.which(self.words[0])
        if path is None:
            place = "found" if "/" in self.words[0] else "on the PATH"
            raise Unavailable(f"the {self.noun} {self.words[0]} is not {place}, or not executable")
        return path

    def version(self) -> str:
        """Return the hash of the program's file."""
        return file_version(self.path)

    def files(self) -> tuple[str, ...]:
        """Return the program, and the words of the command that are files, such as a script or ``--config=FILE``."""
        words = [part for word in self.words[1:] for part in (word, word.partition("=")[2])]
        return tuple(path for path in (shutil.which(self.words[0]), *words) if path and os.path.isfile(path))


def exit_words(code: int) -> str:
    """Return the exit status of a process, or the signal that ended it (a negative code), in words."""
    if code >= 0:
        return f"exit status {code}"
    return f"killed by {signal.Signals(-code).name if -code in set(signal.Signals) else f'signal {-code}'}"


def with_path(words: Sequence[str], folder: str) -> tuple[str, ...]:
    """Return the words of a command, the path of its program and of files such as scripts in a folder made absolute."""
    program, *others = words
    if "/" in program:
        program = os.path.abspath(os.path.join(folder, os.path.expanduser(program)))  # noqa: PTH100, PTH111, PTH118
    return program, *(path if os.path.isfile(path := os.path.join(folder, word)) else word for word in others)  # noqa: PTH118


def command_words(name: str, text: str, *places: str) -> list[str]:
    """Split the command of a solver into words; raise a `SpecError` if other words in braces than the places occur."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"solver {name}: {str(error).lower()} in the command {text!r}") from None
    # `${name}` is left to a shell that the command may start
    found = sorted({place for word in words for place in re.findall(r"(?<!\$)\{[a-z][a-z_0-9]*\}", word)} - {*places})
    if found:
        known = f"{' or '.join(places)}, or only {{file}} for the puzzle"
        raise SpecError(f"solver {name}: expected {known}, found {found[0]}")
    return words


def file_version(path: str) -> str:
    """Return the name of a program's file and the start of its SHA-256, for a program that prints no version.

    It does not depend on the folder, so that a campaign has the same plan on another machine.
    """
    try:
        return f"{Path(path).name} sha256:{file_digest(path, os.stat(path).st_mtime_ns)[:_DIGITS]}"  # noqa: PTH116
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror or 'cannot be read'}") from None


def start(words: Sequence[str], stdin: int | IO[bytes], stderr: int | IO[bytes] = PIPE) -> subprocess.Popen[bytes]:
    """Start a command in the session of its run, which ends all that are left in it."""
    try:
        return subprocess.Popen(words, stdin=stdin, stdout=PIPE, stderr=stderr)
    except OSError as error:
        # A script without #!, or with an interpreter that is missing: it has said nothing that could be wrong.
        raise GaveUp(f"the command {words[0]} does not start: {error.strerror}") from None


@contextlib.contextmanager
def counting_threads(task: Task) -> Generator[None, None, None]:
    """Note on how many threads the commands computed that began and ended meanwhile, which cannot say it themselves.

    Using more CPU time than wall time shows that they ran threads, regardless of the limit.
    """
    before, began = _cpu(), time.perf_counter()
    try:
        yield
    finally:  # also if nobody wants more solutions
        used = (_cpu() - before) / max(1e-9, time.perf_counter() - began)
        task.threads = max(task.threads, math.ceil(used - 0.05))


def _cpu() -> float:
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def output_of(words: Sequence[str], task: Task, data: bytes = b"") -> tuple[bytes, bytes, int]:
    """Return the standard output, the standard error and the exit status of a command, given its input."""
    with counting_threads(task):
        process = start(words, PIPE)
        try:
            # Writes and reads at once, so that no full pipe makes the program wait.
            output, errors = process.communicate(data)
        finally:
            process.kill()
    return output, errors, process.returncode


def answer_to(words: Sequence[str], place: str, name: str, data: bytes, task: Task) -> tuple[bytes, bytes, int]:
    """Return the answer of a command to a file, its standard error and its exit status.

    The path of a file of that name replaces the place; without one, the data are its standard input. The answer is the
    file that replaces ``{out}``, or the standard output if there is none or it stays empty.
    """
    with run_folder() as folder:
        path, out = folder / name, folder / "answer.sol"
        is_file = any(place in word for word in words)
        if is_file:
            path.write_bytes(data)
        words = [word.replace(place, str(path)).replace("{out}", str(out)) for word in words]
        task.phase("solve")
        output, errors, code = output_of(words, task, b"" if is_file else data)
        task.phase("decode")
        if out.exists() and (found := out.read_bytes()):
            output = found
    return output, errors, code


def without_control(text: str) -> str:
    """Return text as a terminal would show it: without colours, and only the text after the last carriage return."""
    # Line ends of Windows are cut off; any other carriage return means that a progress line was overwritten.
    shown_lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", "\n".join(shown_lines))


def last_words(errors: bytes) -> str:
    """Return the last line of standard error, preferably an error, after a colon; empty if there is none."""
    shown_lines = without_control(errors.decode(errors="replace")).splitlines()
    lines = [clean for line in shown_lines if (clean := "".join(filter(str.isprintable, line)).strip())]
    said = [line for line in lines if _ERROR.match(line)]
    return f": {(said or lines)[-1][:_MAX_LINE]}" if lines else ""


@contextlib.contextmanager
def run_folder() -> Generator[Path, None, None]:
    """Make a folder for the files of one run, and remove folders that killed processes left behind.

    The process of a run holds a lock on its folder, which ends with it. A process id would not show that it lives: the
    folders may be shared with containers and machines that have other processes.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError), _lock(left):
            shutil.rmtree(left)
    new = Path(tempfile.mkdtemp(prefix="crosslit-program-"))
    folder = new.with_name(new.name.replace("crosslit-program-", _FOLDER))
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a system without locks, where no folder is removed
            stack.enter_context(_lock(new))
        # Renamed when it is locked: others never find it in between.
        stack.callback(shutil.rmtree, new.rename(folder), ignore_errors=True)
        yield folder


@contextlib.contextmanager
def _lock(folder: Path) -> Generator[None, None, None]:
    """Hold the lock on a folder; an OSError if another process has it, or the system has no locks."""
    if fcntl is None:
        raise OSError("no locks")
    # Only a folder: opening a named pipe that anybody may have put there would wait for its writer.
    descriptor = os.open(folder, os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@cache
def file_digest(path: str, _changed: int) -> str:
    """Return the SHA-256 of a file; the time of its last change is part of the cache's key."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
