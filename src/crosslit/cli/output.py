"""Everything that commands print: the one module that imports rich."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from crosslit.errors import CrosslitError, InputError

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from crosslit.drawing import Style
    from crosslit.grid import Grid
    from crosslit.puzzles import Puzzle


_COLOURS = ((r"\(\)", "bold cyan"), (r"\?", "bold red"), (r"(?<![0-9])[0-9]+(?![0-9])", "bright_black"))
_MAX_PENDING = 1 << 20  # characters
_PIPE_WIDTH = 10_000  # columns: what is piped is never cut or wrapped


class PipeClosed(CrosslitError):
    """Whoever read our output has gone."""


def write(text: str) -> None:
    """Print a line of results at once; what the stream's encoding lacks becomes a question mark.

    Raises:
        PipeClosed: if nobody reads any more.
    """
    write_text(f"{text}\n")


def write_lines(lines: Iterable[str]) -> None:
    """Print lines as `write` does, many at a time."""
    pending: list[str] = []
    size = 0
    for line in lines:
        pending.append(line)
        size += len(line)
        if size >= _MAX_PENDING:
            write("\n".join(pending))
            pending, size = [], 0
    if pending:
        write("\n".join(pending))


def write_solution(puzzle: Puzzle, solution: Grid) -> None:
    """Print a picture of a solution, as bytes where possible: a stream takes longer to encode than it takes to draw."""
    from crosslit.drawing import draw_lines, encode_lines

    style, encoding = picture_style(), str(getattr(sys.stdout, "encoding", "")).lower()
    if encoding not in ("utf-8", "ascii") or not hasattr(sys.stdout, "buffer") or os.linesep != "\n":
        write_lines(draw_lines(puzzle, solution, style))
        return
    lines = encode_lines(puzzle, solution, style, encoding)
    with _read_by_somebody():
        sys.stdout.flush()
        while pending := [*islice(lines, max(1, _MAX_PENDING // puzzle.columns))]:
            sys.stdout.buffer.write(b"\n".join([*pending, b""]))
        sys.stdout.buffer.flush()


def write_text(text: str) -> None:
    """Print text as it is, as `write` does a line."""
    if sys.stdout is None:
        raise PipeClosed("there is no standard output")
    with _read_by_somebody():
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()


@contextmanager
def _read_by_somebody() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # what is still buffered must not fail again when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PipeClosed("the output was closed") from None


def read_input(source: str, most: int) -> bytes:
    """Read a file whole, or standard input where the source is ``-``.

    Args:
        source: as a user names it.
        most: bytes that it may have.

    Raises:
        InputError: if it cannot be read, there is none, or it has more.
    """
    from crosslit.formats.files import read_bytes, read_stream

    if source != "-":
        return read_bytes(source, most)
    if sys.stdin is None:
        raise InputError("standard input", "there is none")
    try:
        return read_stream(sys.stdin.buffer, "standard input", most)
    except OSError as error:
        raise InputError("standard input", error.strerror or "cannot be read") from None


def write_file(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file whole or not at all: to a file beside it, which then takes its name.

    What is no plain file, like ``/dev/null`` or a named pipe, is written to directly.

    Raises:
        InputError: if it cannot be written.
    """
    from crosslit.formats.files import open_replacement

    try:
        goal = Path(path)
        special = goal.exists() and not goal.is_file()  # a folder is not opened, and says so
        # else what a link leads to, not the link; of /dev/stdout that may be a pipe without a name
        with goal.open("wb") if special else open_replacement(goal.resolve()) as file:
            file.writelines(pieces)
    except BrokenPipeError:
        raise PipeClosed("the output was closed") from None
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be written") from None


def write_files(files: Mapping[str, bytes]) -> None:
    """Write files, all of them or none.

    Raises:
        InputError: if one cannot be written.
    """
    from crosslit.formats.files import open_replacement

    path = ""
    try:
        with ExitStack() as stack:
            for path, content in files.items():
                goal = Path(path).resolve()
                if goal.exists() and not goal.is_file():
                    raise InputError(path, "is no plain file")
                file = stack.enter_context(open_replacement(goal))
                file.write(content)
                file.flush()
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be written") from None


def complain(text: str) -> None:
    """Print one line on standard error, whatever characters are in it."""
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(text)}\n")


def one_line(text: str) -> str:
    """The text without line ends and other characters that would act on a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def picture_style() -> Style:
    """The characters to draw with on standard output."""
    from crosslit.drawing import style_for

    return style_for(sys.stdout.encoding if sys.stdout is not None else None)


def write_picture(puzzle: Puzzle, lines: Sequence[str] | None = None) -> None:
    """Print a puzzle, and what is known of its cells: in colour and within the width on a terminal, else plain.

    Where two characters a cell are too wide, the cells alone are drawn smaller, if all are known and the terminal has
    the characters.
    """
    from crosslit.drawing import ASCII, draw, draw_values, small
    from crosslit.grid import Grid

    style = picture_style()
    picture = draw(puzzle, style=style) if lines is None else draw_values(puzzle, lines, style)
    if sys.stdout is None or not sys.stdout.isatty():
        write(picture)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=(buffer := io.StringIO()), force_terminal=True, color_system="standard")
    width = shutil.get_terminal_size().columns
    if max(map(len, picture.split("\n"))) > width:
        grid = getattr(puzzle, "lit", None) if lines is None else None
        if lines is not None and not set("".join(lines)) - set("01"):
            grid = Grid.from_text("/".join(lines))
        tiny = small(grid, width) if grid is not None and style is not ASCII else None
        picture = tiny if tiny is not None else "(too wide; see show --image)"
    text = Text(picture, no_wrap=True, overflow="ignore")
    for pattern, colour in _COLOURS:
        text.highlight_regex(pattern, colour)
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        text = Text(picture, no_wrap=True, overflow="ignore")
    console.print(text, crop=False)
    write_text(buffer.getvalue())


def write_picture_file(path: str, puzzle: Puzzle, lines: Sequence[str] | None = None) -> None:
    """Write the picture of a puzzle to a file, .svg or .png, whole or not at all.

    Raises:
        InputError: if it cannot be written.
        Unavailable: if PNG needs what is not installed.
    """
    from crosslit.drawing.png import png
    from crosslit.drawing.svg import svg

    try:
        data = png(puzzle, lines) if path.lower().endswith(".png") else svg(puzzle, lines).encode()
    except ValueError as error:
        raise InputError(path, str(error)) from None
    write_file(path, [data])


def write_json(record: Any) -> None:
    """Print one JSON object on a line of its own, in ASCII: a surrogate in a file name is not UTF-8."""
    write(json.dumps(record, allow_nan=False))


def write_table(table: Table) -> None:
    """Print a table: within a terminal's width, or as wide as it is when piped."""
    from rich.box import ASCII2
    from rich.console import Console

    from crosslit.drawing import ASCII

    terminal = sys.stdout is not None and sys.stdout.isatty()
    if picture_style() is ASCII:
        table.box = ASCII2
    buffer = io.StringIO()
    console = Console(file=buffer, force_terminal=terminal, width=None if terminal else _PIPE_WIDTH)
    console.print(table)
    write("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))


def plain_table(*columns: str, right: frozenset[str] = frozenset(), wrapped: frozenset[str] = frozenset()) -> Table:
    """An empty table with these headings; those in ``right`` are flush right, those in ``wrapped`` may be folded."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, no_wrap=column not in wrapped, overflow="fold")
    return table


def add_row(table: Table, *cells: str, style: str = "") -> None:
    """Add a row of plain text; ``style`` is that of its last cell."""
    from rich.text import Text

    *others, last = cells
    table.add_row(*map(Text, others), Text(last, style=style))


class Progress:
    """A status line with a bar on standard error while runs are made, if that is a terminal.

    Args:
        total: how many runs there will be.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._live: Live | None = None
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            # results are printed by `write` alone: this must not take standard output over
            console = Console(stderr=True)
            self._live = Live(console=console, transient=True, redirect_stdout=False, redirect_stderr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def started(self, what: str, unit: str = "runs") -> None:
        """Say what runs now, and what is counted."""
        self.says(f"{self._done}/{self._total} {unit} done; now {one_line(what)[:60]}")

    def says(self, text: str) -> None:
        """Show a line of text."""
        if self._live is not None:
            from rich.progress_bar import ProgressBar
            from rich.spinner import Spinner
            from rich.table import Table
            from rich.text import Text

            line = Table.grid(padding=(0, 1, 0, 0))
            line.add_row(Spinner("dots"), ProgressBar(self._total, self._done, width=20), Text(text))
            self._live.update(line if self._total > 1 else Spinner("dots", Text(text)))
            self._live.start()

    def ended(self) -> None:
        """Count a run."""
        self._done += 1

    def hide(self) -> None:
        """Leave the terminal to results, until the next run starts."""
        if self._live is not None:
            self._live.stop()


def title(puzzle: Puzzle, nullity: int | None = None) -> str:
    """A puzzle's name, kind, size and nullity, in one line."""
    text = ", ".join([puzzle.label, f"{puzzle.rows} x {puzzle.columns}", *puzzle.facts])
    if nullity is not None:
        text += f", nullity {nullity}"
    return f"{one_line(puzzle.name)}: {text}" if puzzle.name else text
