"""Files of users: read within bounds, and written whole or not at all.

Whoever wrote a file that is read here may have meant harm: a file without end, or one that takes hours to parse, must
end in one line that names it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from crosslit.errors import InputError

_CHUNK = 1 << 24  # bytes
MAX_TOML_BYTES = 1 << 16  # of settings that somebody wrote by hand
MAX_KEY_PARTS = 100  # of a dotted key: tomllib takes time by the square of their number

# strings and comments of TOML; one without an end reaches to that of the text, so that no character is looked at twice
_QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\\?\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?|#[^\n]*', re.DOTALL
)
_TOML_PLACE = re.compile(r" ?\(at line (\d+), column (\d+)\)")  # in the messages of tomllib
_NO_KEY = re.compile(r"[=,\[\]{}\n]")  # what no dotted key has outside of strings


def show_path(path: str | os.PathLike[str]) -> str:
    """Return a path for messages, also where it is not text."""
    return os.fspath(path).encode(errors="backslashreplace").decode()


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file whole.

    Args:
        path: of the file, which may be a device or a pipe.
        most: bytes that it may have; no more than one beyond is read.

    Raises:
        InputError: if it cannot be read, or has more.
    """
    try:
        with Path(path).open("rb") as file:
            return read_stream(file, show_path(path), most)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # of a path with a null byte
        raise InputError(show_path(path), getattr(error, "strerror", None) or "cannot be read") from None


def read_stream(stream: IO[bytes], origin: str, most: int) -> bytes:
    """Read what is left of a stream, as `read_bytes` does a file; ``origin`` is its name in messages."""
    pieces, left = [], most + 1
    # a call for as many bytes as there may be would reserve memory for all of them
    while left and (piece := stream.read(min(left, _CHUNK))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise InputError(origin, f"expected at most {most} bytes")
    return b"".join(pieces)


def read_toml(path: str | os.PathLike[str], most: int = MAX_TOML_BYTES) -> dict[str, Any]:
    """Read a TOML file of settings, as `parse_toml` does."""
    return parse_toml(path, most)[0]


def parse_toml(
    path: str | os.PathLike[str], most: int, max_key_parts: int = MAX_KEY_PARTS
) -> tuple[dict[str, Any], str]:
    """Read a TOML file; return its content and its text.

    Args:
        path: of the file.
        most: bytes that it may have.
        max_key_parts: parts that a dotted key may have.

    Raises:
        InputError: if it cannot be read, is not TOML, is nested too deeply, or has a key of too many parts.
    """
    import tomllib

    content = read_bytes(path, most)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(show_path(path), "expected TOML: text in UTF-8", line) from None
    if long := find_long_key(text, max_key_parts):
        raise InputError(show_path(path), f"expected TOML: a key of at most {max_key_parts} parts", long)
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:
        problem = " ".join(str(error).split()) if isinstance(error, ValueError) else "nested too deeply"
        found = _TOML_PLACE.search(problem)
        at = int(found[1]) if found else text.count("\n") + 1 if "end of document" in problem else None
        problem = problem.replace(found[0], f" (column {found[2]})") if found else problem
        raise InputError(show_path(path), f"expected TOML: {problem}", at) from None


def find_long_key(text: str, max_parts: int = MAX_KEY_PARTS) -> int | None:
    r"""Find the first line of a TOML text with a dotted key of more than ``max_parts`` parts, before it is parsed.

    Examples:
        >>> find_long_key("a = 1\n" + "b." * 100 + "b = 2\n")
        2
        >>> find_long_key(f"a = '{'.' * 200}'")
    """
    bare = _QUOTED.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), 1):
        if any(piece.count(".") >= max_parts for piece in _NO_KEY.split(line)):
            return number
    return None


def write_bytes(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file whole or not at all.

    What is no plain file, like ``/dev/null`` or a named pipe, is written to directly.

    Raises:
        InputError: if it cannot be written.
        BrokenPipeError: if it is a pipe that nobody reads any more.
    """
    try:
        goal = Path(path)
        special = goal.exists() and not goal.is_file()  # a folder is not opened, and says so
        # else what a link leads to, not the link; of /dev/stdout that may be a pipe without a name
        with goal.open("wb") if special else open_replacement(goal.resolve()) as file:
            file.writelines(pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(show_path(path), error.strerror or "cannot be written") from None


@contextmanager
def open_replacement(goal: Path) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of another, or a name that is free, when it is complete.

    After an exception everything is as before. Where the system can do that, the new file has no name until it is
    complete, so that a process that is killed leaves nothing behind.

    Args:
        goal: the place to take: an absolute path that leads over no link.

    Raises:
        OSError: if it cannot be written.
    """
    hidden = goal.parent / f".crosslit-{os.urandom(8).hex()}"
    try:
        with os.fdopen(_open_new(hidden), "wb") as file:
            if goal.exists():
                os.fchmod(file.fileno(), goal.stat().st_mode & 0o777)
            yield file
            file.flush()
            if not hidden.exists():
                _give_name(file.fileno(), hidden, goal)
        if hidden.exists():
            hidden.replace(goal)
    finally:
        hidden.unlink(missing_ok=True)


def _open_new(hidden: Path) -> int:
    """Open a file without a name, or else a new one of this name."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has such files
            return os.open(hidden.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    return os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)


def _give_name(descriptor: int, hidden: Path, goal: Path) -> None:
    """Give a file without a name that of the goal; where that is taken, the hidden one, by which it can be replaced."""
    nameless = f"/proc/self/fd/{descriptor}"
    # any `src_dir_fd` makes Python follow this link; the system needs none for an absolute path
    try:
        os.link(nameless, goal, src_dir_fd=descriptor)
    except FileExistsError:
        os.link(nameless, hidden, src_dir_fd=descriptor)
