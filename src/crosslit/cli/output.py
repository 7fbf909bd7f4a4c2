"""All output of commands, except for pictures and lists of solutions."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from crosslit.errors import CrosslitError, InputError
from crosslit.numbers import one_line as one_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table as RichTable

    from crosslit.drawing import Style
    from crosslit.grid import Grid
    from crosslit.kinds import Puzzle

    Layout = dict[int, int]  # the width of each visible column


_PIPE_WIDTH = 10_000  # columns: piped output is never cut or wrapped
_MIN_NAME = 16  # minimum characters of a shortened name
_MIN_PROSE = 16  # minimum characters of a folded column
_GAP = 2  # characters of each column in addition to its cells
_NUMBER = re.compile(r"\S*\d\S*")
_MAX_PENDING = 1 << 20  # characters


class PipeClosed(CrosslitError):
    """The reader of our output has closed it."""


def write(text: str) -> None:
    """Print a line of results at once, with question marks for characters that the stream's encoding lacks.

    Raises:
        PipeClosed: if the reader has closed the stream.
    """
    write_text(f"{text}\n")


def write_lines(lines: Iterable[str]) -> None:
    """Print lines as `write` does, in batches."""
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
    """Print a picture of a solution, as bytes if possible: encoding takes longer than drawing."""
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
    """Print text unchanged, as `write` does a line."""
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
        # buffered text must not fail again when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PipeClosed("the output was closed") from None


def read_input(source: str, most: int) -> bytes:
    """Read a whole file, or standard input if the source is ``-``.

    Args:
        source: the name given by the user.
        most: maximum size in bytes.

    Raises:
        InputError: if the source does not exist, cannot be read, or has more than ``most`` bytes.
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
    """Write a file completely or not at all, as `crosslit.formats.files.write_bytes` does.

    Raises:
        InputError: if the file cannot be written.
        PipeClosed: if it is a pipe without readers.
    """
    from crosslit.formats.files import write_bytes

    try:
        write_bytes(path, pieces)
    except BrokenPipeError:
        raise PipeClosed("the output was closed") from None


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
                    raise InputError(path, "is not a plain file")
                file = stack.enter_context(open_replacement(goal))
                file.write(content)
                file.flush()
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be written") from None


def complain(text: str) -> None:
    """Print one line on standard error, with any characters."""
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(text)}\n")


def picture_style() -> Style:
    """Return the characters for drawing on standard output."""
    from crosslit.drawing import style_for

    return style_for(sys.stdout.encoding if sys.stdout is not None else None)


def write_json(record: Any) -> None:
    """Print one JSON object on a line, in ASCII: a surrogate in a file name is not UTF-8."""
    write(json.dumps(record, allow_nan=False))


class Table:
    """Rows of text under headings.

    In a terminal that is too narrow, these are tried in order until the table fits: empty columns are dropped, prose is
    folded, names are shortened in the middle, minor columns are dropped (a line below names them). If nothing helps,
    each row becomes a paragraph. A number is never cut, nor separated from its unit.

    Args:
        columns: the headings.
        right: the right-aligned columns.
        prose: the columns that may be folded.
        names: the columns that may be shortened.
        minor: the columns that may be dropped, in this order.
    """

    def __init__(
        self,
        *columns: str,
        right: Collection[str] = (),
        prose: Collection[str] = (),
        names: Collection[str] = (),
        minor: Sequence[str] = (),
    ) -> None:
        self.columns = columns
        self.right, self.prose, self.names, self.minor = right, prose, names, minor
        self.rows: list[tuple[tuple[str, ...], str]] = []

    def add_row(self, *cells: str, style: str = "") -> None:
        """Add a row of plain text; ``style`` applies to its last cell."""
        self.rows.append((cells, style))

    def write(self) -> None:
        """Print the table: within a terminal's width, or at its full width when piped."""
        from rich.console import Console

        terminal = sys.stdout is not None and sys.stdout.isatty()
        width = _columns()
        layout = self._layout(width)
        if layout is None:
            self._write_paragraphs(width)
            return
        table = self._table(layout)
        full = sum(layout.values()) + _GAP * len(layout)
        console = Console(file=(buffer := io.StringIO()), force_terminal=terminal, width=max(full, 1))
        console.print(table)
        write("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))
        from crosslit.numbers import join_names

        left_out = [name for at, name in enumerate(self.columns) if at not in layout and self._is_filled(at)]
        if left_out:
            write(f" (not shown in {width} columns: {join_names(left_out)})\n")

    def _layout(self, width: int) -> Layout | None:
        """Return the columns that fit a width and their widths; None if a number would not fit."""
        widest = {at: max(len(self.columns[at]), *map(_width, self._cells(at)), 0) for at in range(len(self.columns))}
        if sum(widest.values()) + _GAP * len(widest) <= width:
            return widest
        filled = {at: size for at, size in widest.items() if not self.rows or self._is_filled(at)}
        for number in range(len(self.minor) + 1):
            layout = {at: size for at, size in filled.items() if self.columns[at] not in self.minor[:number]}
            excess = sum(layout.values()) + _GAP * len(layout) - width
            least = {at: self._least(at, layout[at]) for at in layout}
            for group in (self.prose, self.names):
                flexible = [at for at in layout if self.columns[at] in group]
                while excess > 0 and (wide := [at for at in flexible if layout[at] > least[at]]):
                    layout[max(wide, key=layout.__getitem__)] -= 1
                    excess -= 1
            if excess <= 0:
                return layout
        return None

    def _least(self, at: int, widest: int) -> int:
        if self.columns[at] in self.prose:
            # A number that is cut would be a wrong number, so the longest one bounds the width from below.
            longest = max((_width(found) for cell in self._cells(at) for found in _NUMBER.findall(cell)), default=0)
            return min(widest, max(_MIN_PROSE, longest, len(self.columns[at])))
        return min(widest, max(_MIN_NAME, len(self.columns[at])))

    def _cells(self, at: int) -> list[str]:
        return [cells[at] for cells, _ in self.rows]

    def _is_filled(self, at: int) -> bool:
        return any(self._cells(at))

    def _table(self, layout: Layout) -> RichTable:
        from rich.box import ASCII2, SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            box=SIMPLE_HEAD if _takes("─") else ASCII2, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold"
        )
        for at, width in layout.items():
            name = self.columns[at]
            justify: Literal["left", "right"] = "right" if name in self.right else "left"
            table.add_column(name, justify=justify, no_wrap=name not in self.prose, overflow="fold", width=width)
        for cells, style in self.rows:
            texts = [
                Text(cells[at] if self.columns[at] in self.prose else _middle(cells[at], layout[at])) for at in layout
            ]
            texts[-1].stylize(style)
            table.add_row(*texts)
        return table

    def _write_paragraphs(self, width: int) -> None:
        """Print each row as its first cell, then the other cells with their headings."""
        lines = []
        for (head, *others), _ in self.rows:
            lines += wrapped(head)
            line = ""
            for name, cell in zip(self.columns[1:], others, strict=True):
                if not cell:
                    continue
                part = f"  {name}: {cell}"
                if line and _width(line + part) > width:
                    lines += wrapped(line, indent="  ")
                    line = ""
                line += part
            lines += [*wrapped(line, indent="  "), ""]
        write("\n".join(lines))


class Progress:
    """A status line with a bar on standard error during runs, if that is a terminal.

    Args:
        total: number of runs.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._live: Live | None = None
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            # only `write` prints results, so this must not capture standard output
            console = Console(stderr=True)
            self._live = Live(console=console, transient=True, redirect_stdout=False, redirect_stderr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def started(self, what: str, unit: str = "runs") -> None:
        """Show the current run, and the number of units done."""
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
        """Hide it while results are printed, until the next run starts."""
        if self._live is not None:
            self._live.stop()


def title(puzzle: Puzzle, nullity: int | None = None) -> str:
    """Return a puzzle's name, kind, size and nullity on one line."""
    return puzzle.title(nullity)


def wrapped(text: str, heading: str = "", indent: str | None = None) -> list[str]:
    """Return the lines of a text within the terminal's width: the first after a heading, the others aligned with it."""
    import textwrap

    indent = " " * len(heading) if indent is None else indent
    width = max(_columns(), len(heading) + _MIN_PROSE)
    return textwrap.wrap(
        heading + text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _columns() -> int:
    """Return the width of the terminal, or of piped output."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if terminal else _PIPE_WIDTH


def _takes(text: str) -> bool:
    """Return whether standard output can show a text."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return bool(text.encode(encoding, "ignore").decode(encoding) == text)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _middle(text: str, width: int) -> str:
    """Return a name, shortened in the middle if it is too wide: its beginning and end distinguish it."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    end = (width - 3) // 2
    tail = text[len(text) - end :]
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{set_cell_size(text, width - 3 - cell_len(tail))}...{tail}"
