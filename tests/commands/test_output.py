"""Output of commands: pictures, tables, objects, files, lines of progress, and streams that lack something."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import click
import pytest

from crosslit import Grid, load
from crosslit.base.errors import InputError
from crosslit.base.text import Table
from crosslit.cli import output
from crosslit.cli.group import root
from crosslit.cli.options import conclude
from crosslit.contract.run import Limits, Run
from crosslit.judging.verdict import Finding
from tests.commands.test_help import ALL


@pytest.mark.parametrize(
    ("interrupted", "problem", "decided", "status", "lines"),
    [
        (False, None, True, 0, []),
        (False, None, False, 3, ["a: stopped after 5 s (--timeout)"]),
        (False, "timing", True, 0, ["a: timing: "]),
        (False, "wrong-solution", False, 1, ["a: wrong-solution: "]),
        (True, "wrong-solution", True, 130, ["a: wrong-solution: "]),
        (True, None, False, 130, []),
    ],
)
def test_a_question_ends_with_its_errors_or_why_nothing_was_decided(
    capsys: pytest.CaptureFixture[str], interrupted: bool, problem: Any, decided: bool, status: int, lines: list[str]
) -> None:
    runner: Any = SimpleNamespace(interrupted=interrupted, limits=Limits(None, 5))
    findings = [Finding("a", problem, "")] if problem else []
    assert conclude(runner, findings, decided, [Run("a", status="timeout")]) == status
    assert capsys.readouterr().err.splitlines() == [f"crosslit: {line}" for line in lines]


@pytest.mark.parametrize(
    ("path", "fits"),
    [("a", True), ("a.html", True), ("a.HTM", True), ("b.pdf/a.Html", True), ("a.pdf", False), ("a.HTML.PNG", False)],
)
def test_a_page_has_the_extension_of_html_or_none(path: str, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(InputError, match=r"name it \.html"):
        output.check_page(path)


class Stream(io.TextIOWrapper):
    """A stream whose text can be read, by default one that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8", *, is_terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def getvalue(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Stream]:
    """Put a terminal of some columns in place of standard output and error."""

    def put(columns: int, encoding: str = "utf-8", **variables: str) -> Stream:
        for name, value in {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1", **variables}.items():
            monkeypatch.setenv(name, value)
        stream = Stream(encoding)
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(f"sys.{name}", stream)
        return stream

    return put


TOO_WIDE = "(too wide; see show -o FILE)"


@pytest.mark.parametrize(
    ("columns", "lines", "encoding", "shown"),
    [
        (8, None, "utf-8", "██· ██·\n· ██· ██"),
        (7, None, "utf-8", TOO_WIDE),
        (8, ["1000", "0001"], "utf-8", "()· · ·\n· · · ()"),
        (7, ["1000", "0001"], "utf-8", "(too wide; see show --solution -o FILE)"),
        (7, None, "ascii", TOO_WIDE),
        (8, None, "ascii", "##. ##.\n. ##. ##"),
    ],
)
def test_a_picture_wider_than_the_terminal_is_not_drawn(
    terminal: Callable[..., Stream], columns: int, lines: list[str] | None, encoding: str, shown: str
) -> None:
    stream = terminal(columns, encoding)
    output.write_picture(load("1010/0101"), lines)
    assert stream.getvalue() == f"{shown}\n"


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({"NO_COLOR": ""}, True), ({"NO_COLOR": "0"}, False), ({"NO_COLOR": "", "TERM": "dumb"}, False)],
)
def test_only_a_terminal_that_does_not_refuse_them_gets_colours(
    terminal: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_coloured: bool
) -> None:
    stream = terminal(80, **variables)
    output.write_picture(load("1|1"), ["1"])
    output.write_picture(load("10"), ["?1"])
    assert ("\x1b[90m1\x1b[0m" in stream.getvalue()) == is_coloured  # a clue
    assert ("\x1b[1;31m?\x1b[0m" in stream.getvalue()) == is_coloured
    assert ("\x1b[1;36m()\x1b[0m" in stream.getvalue()) == is_coloured
    monkeypatch.setattr("sys.stdout", piped := Stream(is_terminal=False))
    output.write_picture(load("1|1"), ["1"])
    assert "\x1b" not in piped.getvalue()


@pytest.mark.parametrize(
    ("columns", "width", "is_piped", "length"),
    [(40, None, False, 40), (40, 20, False, 40), (40, 20, True, 20), (40, None, True, 1 + 60 + 2 + 1)],
)
def test_a_table_has_the_width_of_the_terminal_or_the_given_one_if_it_is_piped(
    terminal: Callable[..., Stream],
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
    width: int | None,
    is_piped: bool,
    length: int,
) -> None:
    stream = terminal(columns, TERM="dumb")
    if is_piped:
        monkeypatch.setattr("sys.stdout", stream := Stream(is_terminal=False))
    output.write_table(Table("a", "b", rows=[("words " * 10, "1")], prose={"a"}), width)
    longest = max(map(len, stream.getvalue().splitlines()))
    assert length - 8 <= longest <= length


@pytest.mark.parametrize(("encoding", "rule"), [("ascii", "-"), ("utf-8", "─")])
def test_the_rule_of_a_table_has_a_character_of_the_stream(
    terminal: Callable[..., Stream], encoding: str, rule: str
) -> None:
    stream = terminal(80, encoding)
    output.write_table(Table("a", rows=[("1",)]))
    assert rule in stream.getvalue()


def test_bytes_are_written_whole_to_a_stream_that_takes_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bytes] = []

    def take(data: memoryview) -> int:
        taken.append(bytes(data[:3]))
        return len(taken[-1])

    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=SimpleNamespace(write=take, flush=lambda: None)))
    output.write_bytes(b"12345678")
    assert taken == [b"123", b"456", b"78"]


@pytest.mark.parametrize(("total", "head"), [(1, ""), (2, "1/2 done; now ")])
def test_a_line_of_progress_fits_on_the_terminal_and_is_erased_once(
    terminal: Callable[..., Stream], total: int, head: str
) -> None:
    stream = terminal(200)
    with output.Progress(total) as progress:
        progress.hide()
        list(progress.each("1"))
        progress.started("a\n" + "b" * 100)
        shown = f"{head}a?{'b' * 55 + '...' if total > 1 else 'b' * 100}"
        assert stream.getvalue() == f"\r\x1b[K{shown}"
        progress.hide()
        progress.hide()
        assert stream.getvalue() == f"\r\x1b[K{shown}\r\x1b[K"
    narrow = terminal(5)
    with output.Progress(1) as progress:
        progress.says("123456")
    assert narrow.getvalue() == "\r\x1b[K1234\r\x1b[K"


def test_another_line_of_progress_is_due_after_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = output.Progress(1)
    for now, is_due in ((100.0, True), (100.0625, False), (100.125, True)):
        monkeypatch.setattr("crosslit.cli.output.time.monotonic", lambda now=now: now)
        assert progress.is_due == is_due
        if now == 100.0:
            progress.says("a line")


def test_an_object_is_ascii_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    with click.Context(root, info_name="crosslit"):
        output.write_json({"name": "é"})
        with pytest.raises(ValueError, match="not JSON compliant"):
            output.write_json({"seconds": float("nan")})
    assert capsys.readouterr().out.isascii()


def test_a_line_comes_after_what_was_printed_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", stream := Stream(is_terminal=False))
    sys.stdout.write("before ")
    output.write("after")
    assert stream.getvalue() == "before after\n"


def test_a_coloured_solution_is_tinted_on_a_terminal(terminal: Callable[..., Stream]) -> None:
    puzzle = load("coloured-nonogram:1a|1a")
    stream = terminal(80, NO_COLOR="")
    output.write_picture(puzzle, puzzle.layout.parse("1"))
    assert "\x1b[" in stream.getvalue()


OUTPUTS: dict[str, Callable[[], None]] = {
    "write_text": lambda: output.write_text("text"),
    "write_bytes": lambda: output.write_bytes(b"text"),
    "write_picture": lambda: output.write_picture(load("10/01"), Grid.from_text("10/01")),
    "write_file": lambda: output.write_file(os.devnull, []),
    "complain": lambda: output.complain("text"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_all_output_erases_the_line_of_progress_first(terminal: Callable[..., Stream], name: str) -> None:
    stream = terminal(80)
    output.Progress(1).says("a line")
    OUTPUTS[name]()
    assert stream.getvalue().startswith("\r\x1b[Ka line\r\x1b[K")
    assert stream.getvalue().count("\r\x1b[K") == 2


def test_output_elsewhere_leaves_the_line_of_progress(
    terminal: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = terminal(80)
    monkeypatch.setattr("sys.stdout", Stream(is_terminal=False))
    with output.Progress(1) as progress:
        progress.says("a line")
        output.write("text")
        assert stream.getvalue() == "\r\x1b[Ka line"


@pytest.mark.parametrize(
    "path", [path for path, command in ALL.items() if not isinstance(command, click.Group)], ids=" ".join
)
def test_every_command_has_a_line_of_progress_from_its_start_to_its_end(
    terminal: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
) -> None:
    stream, shown = terminal(80), []
    monkeypatch.setattr(ALL[path], "callback", lambda: shown.append(stream.getvalue()))
    with click.Context(ALL[path], info_name=" ".join(["crosslit", *path])) as ctx, suppress(click.exceptions.Exit):
        ALL[path].invoke(ctx)
    assert shown == [f"\r\x1b[Kcrosslit {' '.join(path)} ..."]
    assert stream.getvalue() == f"{shown[0]}\r\x1b[K"
