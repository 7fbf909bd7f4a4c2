"""``crosslit show``: on a terminal, in a pipe, to a file."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.conftest import Command


def on_a_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """Output of the command on a terminal of this width."""
    ours, theirs = pty.openpty()
    variables = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    variables = {key: value for key, value in variables.items() if value}
    command = [sys.executable, "-m", "crosslit", "show", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=variables) as process:
        os.close(theirs)
        written = b""
        try:
            while data := os.read(ours, 65536):
                written += data
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    return written.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_colour_is_only_for_terminals(crosslit: Command) -> None:
    assert "\x1b[" in on_a_terminal("10/11", "--solution", NO_COLOR="")
    assert "\x1b[" not in on_a_terminal("10/11", "--solution", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("10/11", "--solution", NO_COLOR="", TERM="dumb")
    assert "\x1b[" not in crosslit("show", "10/11", "--solution").stdout


@pytest.mark.parametrize(("width", "columns"), [(80, 60), (80, 120), (30, 100)])
def test_a_picture_fits_the_terminal(width: int, columns: int) -> None:
    shown = on_a_terminal("/".join(["1" * columns] * 3), columns=width, NO_COLOR="1")
    assert max(map(len, shown.split("\n")[1:])) <= width
    assert ("(too wide" in shown) == (2 * columns > width)
