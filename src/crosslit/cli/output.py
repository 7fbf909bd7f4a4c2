"""All output of commands: standard output, standard error, and the exit status."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import click

from crosslit.base.errors import CrosslitError, InputError
from crosslit.base.text import one_line as one_line
from crosslit.base.text import shorten
from crosslit.base.version import __version__

if TYPE_CHECKING:
    from crosslit.base.grid import Grid
    from crosslit.base.shapes import Style
    from crosslit.base.text import Table
    from crosslit.kinds import Puzzle

T = TypeVar("T")
FINDING, BAD_INPUT, UNDECIDED, BUG, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 70, 130, 141  # exit statuses
SCHEMA = 2  # of the objects of --json
_ERASE = "\r\x1b[K"  # of a terminal: the current line
MAX_NAME = 60  # characters of a puzzle's name in a line about it
_COLOURED = r"(?P<pressed>\(\))|(?P<marked>\?)|(?P<clue>(?<![0-9])[0-9]+(?![0-9]))"
_COLOURS = {"pressed": "1;36", "marked": "1;31", "clue": "90"}  # bold cyan, bold red, grey


def exit_status(*, interrupted: bool = False, wrong: bool = False, undecided: bool = False) -> int:
    """Return the exit status of a command: an interrupt counts more than an error, and that more than an open end."""
    return INTERRUPTED if interrupted else FINDING if wrong else UNDECIDED if undecided else 0


class PipeClosed(CrosslitError):
    """The reader of our output has closed it."""


def write(text: str) -> None:
    """Print a line of results at once."""
    write_text(f"{text}\n")


def write_picture(puzzle: Puzzle, cells: Grid | Sequence[str] | None = None) -> None:
    """Print a puzzle and its known cells: in colour and within the width on a terminal, otherwise plain."""
    from crosslit.formats.drawing import draw_lines

    lines = draw_lines(puzzle, cells, picture_style())
    if not sys.stdout.isatty():  # plain, so that pictures can be compared; line by line, since it may be large
        for line in lines:
            write(line)
        return
    picture = "\n".join(lines)
    if max(map(len, picture.split("\n"))) > _columns():
        picture = f"(too wide; see show {'--solution ' if cells else ''}-o FILE)"
    elif _is_coloured() and (tinted := puzzle.tint(picture)) is not None:
        picture = tinted
    elif _is_coloured():
        picture = re.sub(_COLOURED, lambda found: f"\x1b[{_COLOURS[found.lastgroup or '']}m{found[0]}\x1b[0m", picture)
    write(picture)


def write_text(text: str) -> None:
    """Print text unchanged, with question marks for characters that the stream's encoding lacks."""
    sys.stdout.flush()
    write_bytes(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def write_bytes(data: bytes | bytearray | memoryview) -> None:
    """Print bytes unchanged, at once; raise PipeClosed if the stream is closed."""
    if Progress.is_shown and sys.stdout.isatty():
        Progress.hide()
    rest = memoryview(data)
    try:
        while rest:  # an unbuffered stream may take only a part when a signal arrives
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EBADF):
            raise
        raise PipeClosed("the output was closed") from None


def read_input(source: str, most: int) -> bytes:
    """Read a whole file of at most ``most`` bytes, or standard input if the source is ``-``."""
    from crosslit.base.files import read_bytes, read_stream

    if source != "-":
        return read_bytes(source, most)
    return read_stream(sys.stdin.buffer, "standard input", most)


def read_puzzles(source: str, format_name: str | None = None) -> Iterator[Puzzle]:
    """Yield the puzzles of an argument PUZZLE, or of standard input for ``-``."""
    from crosslit.contract.registered import all_backends
    from crosslit.formats import MAX_BYTES, parse_all, read_all

    try:
        if source == "-":
            yield from parse_all(read_input(source, MAX_BYTES), "standard input", format_name)
        else:
            yield from read_all(source, format_name)
    except InputError:
        name = source.partition(",")[0]
        if name.replace("-", "").isalnum() and name in all_backends():  # loading them takes a tenth of a second
            raise InputError(source, "expected a puzzle; backends are named by --backend or --backends") from None
        raise


def read_puzzle(source: str) -> Puzzle:
    """Return the only puzzle of such an argument."""
    from crosslit.formats import only

    return only(read_puzzles(source), source)


def check_page(path: str) -> None:
    """Refuse the name of a page that says another format."""
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise InputError(path, "a page is HTML: name it .html; a browser prints it as PDF")


def write_file(path: str, pieces: Iterable[bytes], *, announce: bool = False) -> None:
    """Write a file completely or not at all, and say so on request; or print it, if the path is ``-``."""
    from crosslit.base import files

    if path == "-":
        for piece in pieces:
            write_bytes(piece)
        return
    Progress.hide()  # the file may be the terminal
    files.write_bytes(path, pieces)
    if announce:
        complain(f"{path}: written")


def name_of(puzzle: Puzzle, source: str) -> str:
    """Return a short name of a puzzle, by default the argument that it comes from."""
    return one_line(shorten(puzzle.name or source, MAX_NAME))


def complain(text: str) -> None:
    """Print one line on standard error, with any characters."""
    Progress.hide()
    sys.stderr.write(f"crosslit: {one_line(text)}\n")


def picture_style() -> Style:
    """Return the characters for drawing on standard output."""
    from crosslit.formats.drawing import style_of_output

    return style_of_output()


def write_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object on a line, in ASCII: a surrogate in a file name is not UTF-8.

    The object begins with the version of these objects, that of Crosslit and the command.
    """
    task = click.get_current_context().command_path.partition(" ")[2].replace(" ", "-")
    write(json.dumps({"schema": SCHEMA, "crosslit": __version__, "task": task, **record}, allow_nan=False))


def write_table(table: Table, width: int | None = None) -> None:
    """Print a table: within a terminal's width, or when piped, within ``width`` or at its full width."""
    encoding = sys.stdout.encoding or "ascii"
    rule = "─".encode(encoding, "ignore").decode(encoding) or "-"
    write(table.render(_columns(width), rule=rule, styled=_is_coloured()))


def write_paragraph(text: str, heading: str = "", width: int | None = None) -> None:
    """Print a text within the same width: the first line after a heading, the others aligned with it."""
    from crosslit.base.text import wrapped

    write("\n".join(wrapped(text, _columns(width), heading)))


class Progress:
    """A line on standard error about the current of ``total`` steps, if that is a terminal.

    Output on the same terminal erases it, so that nothing else has to. It starts no thread, so that the first server
    can be forked from this process.
    """

    is_shown: ClassVar = False  # by whichever object: there is one line

    def __init__(self, total: int = 1) -> None:
        self._total, self._done = total, 0
        self._shown_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def started(self, what: str) -> None:
        """Show the current step, and the number done."""
        self.says(f"{self._done}/{self._total} done; now {shorten(what, MAX_NAME)}" if self._total > 1 else what)

    @property
    def is_due(self) -> bool:
        """False within a tenth of a second after a line: a quick solver would spend its time on drawing."""
        return time.monotonic() - self._shown_at > 0.1

    def says(self, text: str) -> None:
        """Show a line of text."""
        self._shown_at = time.monotonic()  # without a terminal too, so that a quick solver's lines are not composed
        if sys.stderr.isatty():
            Progress.is_shown = True
            sys.stderr.write(f"{_ERASE}{one_line(text)[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()

    def ended(self) -> None:
        """Count a step."""
        self._done += 1

    def each(self, steps: Iterable[T]) -> Iterator[T]:
        """Yield the objects or results of steps, and count each when the next one is wanted."""
        for step in steps:
            yield step
            self.ended()

    @staticmethod
    def hide() -> None:
        """Erase the line while results are printed, until the next step starts."""
        if Progress.is_shown:
            Progress.is_shown = False
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


def _is_coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _columns(piped: int | None = None) -> int:
    """Return the width of the terminal, or a given one of piped output, by default the full width of tables."""
    from crosslit.base.text import FULL_WIDTH

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else piped or FULL_WIDTH
