"""Everything that commands print: the one module that imports rich."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self

from crosslit.contract import Phase
from crosslit.drawing import ASCII, Style, style_for
from crosslit.errors import CrosslitError, InputError
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.records import Comparison, Presses, Run, Verdict, spread

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_PIPE_WIDTH = 10_000  # columns: what is piped is never cut or wrapped


class PipeClosed(CrosslitError):
    """Whoever read our output has gone."""


def write(text: str) -> None:
    """Print a line of results at once; what the stream's encoding lacks becomes a question mark.

    Raises:
        PipeClosed: if nobody reads any more.
    """
    write_text(f"{text}\n")


def write_text(text: str) -> None:
    """Print text as it is, as `write` does a line."""
    if sys.stdout is None:
        raise PipeClosed("there is no standard output")
    if not text.isascii():
        encoding = sys.stdout.encoding or "utf-8"
        text = text.encode(encoding, "replace").decode(encoding)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # what is still buffered must not fail again when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PipeClosed("the output was closed") from None


def standard_input() -> bytes:
    """All that is on standard input.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    if sys.stdin is None:
        raise InputError("standard input", "there is none")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError("standard input", error.strerror or "cannot be read") from None


def write_file(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file whole or not at all: to a file beside it, which then takes its name.

    What is no plain file, like ``/dev/null`` or a named pipe, is written to directly.

    Raises:
        InputError: if it cannot be written.
    """
    try:
        goal = Path(path).resolve()  # what a link leads to, not the link
        special = goal.exists() and not goal.is_file()  # a folder is not opened, and says so
        with goal.open("wb") if special else _beside(goal) as file:
            file.writelines(pieces)
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be written") from None


@contextmanager
def _beside(goal: Path) -> Iterator[IO[bytes]]:
    """A new file in the folder of another, whose place it takes at the end."""
    mask = os.umask(0)
    os.umask(mask)
    descriptor, name = tempfile.mkstemp(dir=goal.parent, prefix=".crosslit-")
    made = Path(name)
    try:
        made.chmod(goal.stat().st_mode & 0o777 if goal.exists() else 0o666 & ~mask)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        made.replace(goal)
    except BaseException:
        made.unlink()
        raise


def complain(text: str) -> None:
    """Print one line on standard error, whatever characters are in it."""
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(text)}\n")


def one_line(text: str) -> str:
    """The text without line ends and other characters that would act on a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def picture_style() -> Style:
    """The characters to draw with on standard output."""
    return style_for(sys.stdout.encoding if sys.stdout is not None else None)


def write_json(record: Any) -> None:
    """Print one JSON object on a line of its own, in ASCII: a surrogate in a file name is not UTF-8."""
    write(json.dumps(record, allow_nan=False))


def write_table(table: Table) -> None:
    """Print a table: within a terminal's width, or as wide as it is when piped."""
    from rich.box import ASCII2
    from rich.console import Console

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
    """A status line on standard error while runs are made, if that is a terminal.

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
            from rich.spinner import Spinner
            from rich.text import Text

            self._live.update(Spinner("dots", Text(text)))
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
    kind = "Lights Out" if isinstance(puzzle, LightsOut) else "nonogram"
    text = f"{kind}, {puzzle.rows} x {puzzle.columns}"
    if isinstance(puzzle, LightsOut):
        text += "".join(f", {setting if len(setting) <= 60 else setting[:57] + '...'}" for setting in puzzle.settings)
        if puzzle.missing is not None:
            text += f", {puzzle.missing.count()} missing"
    if nullity is not None:
        text += f", nullity {nullity}"
    return f"{one_line(puzzle.name)}: {text}" if puzzle.name else text


def write_comparison(comparison: Comparison) -> None:
    """Print title, table, findings and verdict."""
    presses = comparison.presses
    answers = ["found"] if presses is None else ["presses", "at least"]
    repeated = len(comparison.runs) > len(comparison.by_backend())
    times = ["encode", "load", "solve", "total", *(["spread"] if repeated else [])]
    right, wrapped = frozenset({*answers, *times}), frozenset({"note"})
    table = plain_table("backend", "status", *answers, *times, "note", right=right, wrapped=wrapped)
    for name, runs in comparison.by_backend().items():
        problems = list(dict.fromkeys(finding.problem for finding in comparison.findings if finding.backend == name))
        cells = [runs[0].label, " / ".join(dict.fromkeys(run.status for run in runs))]
        if runs[0].status == "unsupported":
            cells += [""] * (len(answers) + len(times))
        else:
            cells += _found(runs) if presses is None else _optima(runs)
            cells += _times(runs, repeated)
        note = ", ".join(problems) or one_line(runs[0].error)
        add_row(table, *cells, note, style="red" if problems else "")
    write(title(comparison.puzzle, comparison.nullity))
    write_table(table)
    for finding in comparison.findings:
        write(f"  wrong: {finding.backend}: {finding.problem}: {one_line(finding.detail)}")
        if finding.witness is not None:
            write(f"         witness {_shortened(finding.witness)}")
    words = verdict_words(comparison.verdict) if presses is None else presses_words(presses, comparison.verdict)
    write(f"verdict: {words}\n")


def _found(runs: list[Run]) -> list[str]:
    return [_each(str(len(run.grids)) for run in runs)]


def _optima(runs: list[Run]) -> list[str]:
    """Cells: the presses of the best solution given, and the bound."""
    known = [run.presses for run in runs]
    return [_each(_number(presses.best) for presses in known), _each(_number(presses.bound) for presses in known)]


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _each(cells: Iterable[str]) -> str:
    """What repetitions say, each thing once."""
    return " / ".join(dict.fromkeys(cells))


def _times(runs: list[Run], repeated: bool) -> list[str]:
    """Cells: medians of encode, load, solve and total; the spread of the total."""
    phases: tuple[Phase, ...] = ("encode", "load", "solve")
    medians = [spread([run.timing.phases[phase] for run in runs])["median"] for phase in phases]
    total = spread([run.timing.total for run in runs])
    cells = [seconds(value) for value in (*medians, total["median"])]
    return [*cells, f"{seconds(total['min'])} to {seconds(total['max'])}"] if repeated else cells


def seconds(value: float) -> str:
    """A time with three digits: in ms below one second.

    Examples:
        >>> seconds(0), seconds(0.000123), seconds(0.0421), seconds(7.5), seconds(61.25)
        ('0 ms', '0.12 ms', '42.1 ms', '7.50 s', '61.2 s')
    """
    if value >= 1:
        return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    ms = value * 1000
    if ms == 0:
        return "0 ms"
    return f"{ms:.2f} ms" if ms < 10 else f"{ms:.1f} ms" if ms < 100 else f"{ms:.0f} ms"


def verdict_words(verdict: Verdict) -> str:
    """A verdict as a sentence."""
    if verdict.status == "undecided":
        found = f"{verdict.at_least} solution found and checked, " if verdict.at_least else ""
        return f"undecided ({found}no run that can be believed searched everything)"
    count = ""
    if verdict.status == "multiple":
        count = f", {verdict.solutions} solutions" if verdict.complete else f", at least {verdict.at_least} solutions"
    return f"{verdict.status}{count} (evidence: {verdict.evidence}, by {', '.join(verdict.by)})"


def presses_words(presses: Presses, verdict: Verdict) -> str:
    """What is known of the fewest presses, as a sentence."""
    if verdict.status == "undecided":
        best = "no solution found" if presses.best is None else f"at most {_presses(presses.best)}"
        return f"undecided ({best}, at least {presses.bound}; no run that can be believed closed the gap)"
    words = "unsolvable" if presses.best is None else f"{_presses(presses.best)}, the fewest"
    return f"{words} (evidence: {verdict.evidence}, by {', '.join(verdict.by)})"


def _presses(number: int) -> str:
    return f"{number} press" if number == 1 else f"{number} presses"


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:100]}... ({len(text)} characters; --json has it whole)"
