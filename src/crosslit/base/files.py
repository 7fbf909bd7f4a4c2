"""Files of users: read within bounds, and written completely or not at all.

A file may be hostile: reading one that never ends, or would take hours to parse, must end with a one-line error that
names it.
"""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from crosslit.base.errors import InputError

_CHUNK = 1 << 24  # bytes
MAX_TOML_BYTES = 1 << 16  # maximum size of settings, which are written by hand

_TOML_PLACE = re.compile(r" ?\(at line (\d+), column (\d+)\)")  # in the messages of tomllib


def show_path(path: str | os.PathLike[str]) -> str:
    """Return a path for messages, even if it is not valid text."""
    return os.fspath(path).encode(errors="backslashreplace").decode()


def read_bytes(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Read a whole file; an `InputError` says that it cannot be read, or is larger."""
    try:
        with Path(path).open("rb") as file:
            return read_stream(file, show_path(path), max_bytes)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # for a path with a null byte
        raise InputError(show_path(path), getattr(error, "strerror", None) or "cannot be read") from None


def read_stream(stream: IO[bytes], origin: str, max_bytes: int) -> bytes:
    """Read the rest of a stream, as `read_bytes` does a file; ``origin`` is its name in messages."""
    # One byte more than allowed shows that the file is too large, without reading the rest.
    pieces, left = [], max_bytes + 1
    # a single call would reserve memory for the maximum
    while left and (piece := stream.read(min(left, _CHUNK))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise InputError(origin, f"expected at most {max_bytes} bytes")
    return b"".join(pieces)


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a TOML file of settings, as `parse_toml` does."""
    return parse_toml(path, MAX_TOML_BYTES)[0]


def parse_toml(path: str | os.PathLike[str], max_bytes: int) -> tuple[dict[str, Any], str]:
    """Read a TOML file, and return its content and its text."""
    import tomllib

    content = read_bytes(path, max_bytes)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise InputError(show_path(path), "expected TOML: text in UTF-8", number) from None
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:
        problem = " ".join(str(error).split()) if isinstance(error, ValueError) else "nested too deeply"
        found = _TOML_PLACE.search(problem)
        line = int(found[1]) if found else text.count("\n") + 1 if "end of document" in problem else None
        problem = problem.replace(found[0], f" (column {found[2]})") if found else problem
        raise InputError(show_path(path), f"expected TOML: {problem}", line) from None


def write_bytes(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file completely or not at all; an `InputError` says that it cannot be written.

    A special file such as ``/dev/null`` or a named pipe is written to directly; without readers, `BrokenPipeError`.
    """
    try:
        target = Path(path)
        special = target.exists() and not target.is_file()  # a folder is not opened; the error says that it is one
        # otherwise the target of a link, not the link; that of /dev/stdout may be an unnamed pipe
        with target.open("wb") if special else open_replacement(target.resolve()) as file:
            file.writelines(pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(show_path(path), error.strerror or "cannot be written") from None


def require_writable(path: str | os.PathLike[str]) -> None:
    """Check before a long task that its result can be written to a file; nothing is left behind."""
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(show_path(path), os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        return  # opening and closing a pipe would tell its reader that all is written
    hidden = _hidden(target)
    try:
        hidden.touch(exist_ok=False)
        hidden.unlink()
    except OSError as error:
        raise InputError(show_path(path), error.strerror or "cannot be written") from None


@contextmanager
def open_replacement(target: Path) -> Iterator[IO[bytes]]:
    """Open a new file that replaces another, or takes an unused name, when it is complete.

    After an exception everything is as before.
    """
    hidden = _hidden(target)
    try:
        with hidden.open("xb") as file:
            # The new file keeps the permissions of the one that it replaces.
            if target.exists():
                hidden.chmod(target.stat().st_mode & 0o777)
            yield file
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def _hidden(target: Path) -> Path:
    # In the folder of the target, because a file can be renamed only within its file system.
    return target.parent / f".crosslit-{os.urandom(8).hex()}"


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text without their line ends."""
    # All kinds of line ends, but no others: `splitlines` would also split at form feeds and Unicode separators.
    return ((number, line.rstrip("\n")) for number, line in enumerate(io.StringIO(text, newline=None), 1))


_NUMBERED = re.compile(r"(.+):([0-9]{1,9})", re.DOTALL)


def file_and_number(source: str) -> tuple[str, int] | None:
    """Return FILE and 7 for ``FILE:7``, if only FILE exists."""
    named = _NUMBERED.fullmatch(source)
    return (named[1], int(named[2])) if named and not is_file(source) and is_file(named[1]) else None


def file_of(source: str) -> str:
    """Return the file of a PUZZLE argument: ``FILE`` for ``FILE:7``."""
    return (file_and_number(source) or (source,))[0]


def is_file(source: str) -> bool:
    """Return whether something that is not a folder exists at the path."""
    return os.path.exists(source) and not os.path.isdir(source)
