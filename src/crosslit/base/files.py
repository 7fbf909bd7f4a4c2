"""Files of users: read within bounds, and written completely or not at all.

A file may be hostile: reading one that never ends, or would take hours to parse, must end with a one-line error that
names it.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from crosslit.base.errors import InputError

_CHUNK = 1 << 24  # bytes


def show_path(path: str | os.PathLike[str]) -> str:
    """Return a path for messages, even if it is not valid text."""
    return os.fspath(path).encode(errors="backslashreplace").decode()


def read_bytes(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Read a whole file; an `InputError` says that it cannot be read, or is larger."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (an empty path is no folder)
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


def read_toml(path: str | os.PathLike[str], max_bytes: int = 1 << 16) -> dict[str, Any]:
    """Read a TOML file, by default one of settings, which are written by hand."""
    import tomllib

    content = read_bytes(path, max_bytes)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        problem = " ".join(str(error).split()) if isinstance(error, ValueError) else "nested too deeply"
        raise InputError(show_path(path), f"expected TOML: {problem}") from None


def write_bytes(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file completely or not at all; an `InputError` says that it cannot be written.

    A special file such as ``/dev/null`` or a named pipe is written to directly; without readers, `BrokenPipeError`.
    """
    if "\0" in (name := os.fspath(path)) or not name:  # for which Python raises a ValueError, as the pieces may
        raise InputError(show_path(path), "cannot be written")
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a folder is not opened; the error says that it is one
            with Path(path).open("wb") as file:
                file.writelines(pieces)
        else:
            _replace(Path(path).resolve(), pieces)  # the target of a link, not the link
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(show_path(path), f"{error.strerror}") from None


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    # In the folder of the target, because a file can be renamed only within its file system.
    hidden = target.parent / f".crosslit-{os.urandom(8).hex()}"
    try:
        with hidden.open("xb") as file:
            # The new file keeps the permissions of the one that it replaces.
            if target.exists():
                hidden.chmod(target.stat().st_mode & 0o777)
            file.writelines(pieces)
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text without their line ends."""
    # All kinds of line ends, but no others: `splitlines` would also split at form feeds and Unicode separators.
    return ((number, line.rstrip("\n")) for number, line in enumerate(io.StringIO(text, newline=None), 1))


def file_and_number(source: str) -> tuple[str, int] | None:
    """Return FILE and 7 for ``FILE:7``, if only FILE exists."""
    named = re.fullmatch(r"(.+):([0-9]{1,9})", source, re.DOTALL)
    return (named[1], int(named[2])) if named and not is_file(source) and is_file(named[1]) else None


def file_of(source: str) -> str:
    """Return the file that a source names: ``FILE`` for ``FILE:7``."""
    return (file_and_number(source) or (source,))[0]


def is_file(source: str) -> bool:
    """Return whether something that is not a folder exists at the path."""
    return os.path.exists(source) and not os.path.isdir(source)
