"""``crosslit show``: on a terminal, in a pipe, to a file."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit.base.errors import install_hint
from tests.conftest import Command

ASCII = {**os.environ, "PYTHONIOENCODING": "ascii"}


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
    assert ("(too wide" in shown) == (columns > 2 * width)


def test_json_together_with_a_picture(crosslit: Command, tmp_path: Path) -> None:
    done = crosslit("show", "10/11", "--solution", "--json", "--image", str(tmp_path / "x.svg"))
    assert json.loads(done.stdout)["cells"] == "00/10"
    assert (tmp_path / "x.svg").exists()


def test_what_is_known_is_shown(crosslit: Command) -> None:
    done = crosslit("show", "1,1,2|1,2,1", "--differences", env=ASCII)
    assert done.stdout.splitlines()[1:] == ["   1 2 1", "1 ? . ?", "1 . ##.", "2 ? ##?"]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".SVG"])
def test_a_picture_in_a_file(crosslit: Command, tmp_path: Path, suffix: str) -> None:
    if suffix == ".png":
        pytest.importorskip("PIL", reason="Pillow is not installed")
    path = tmp_path / f"picture{suffix}"
    done = crosslit("show", "10/11", "--solution", "--image", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_bytes().startswith(b"<svg" if suffix != ".png" else b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["2|1", "--solution"], 3, "crosslit: there is no solution to draw (claimed by hybrid)"),
        (["1|1", "--differences"], 3, "crosslit: there is no second solution to draw (claimed by hybrid)"),
        (["1|1", "--image", "x.gif"], 2, "ends in .svg or .png"),
        (["1|1", "--image", "/no/such/folder/x.svg"], 2, "crosslit: /no/such/folder/x.svg: "),
    ],
)
def test_what_cannot_be_drawn(crosslit: Command, arguments: list[str], status: int, message: str) -> None:
    done = crosslit("show", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_png_without_pillow(crosslit: Command, tmp_path: Path) -> None:
    (tmp_path / "PIL.py").write_text("raise ImportError\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = crosslit("show", "1|1", "--image", str(tmp_path / "x.png"), env=environment)
    assert done.returncode == 2
    assert done.stderr == f"crosslit: pictures in PNG need Pillow: {install_hint('plot')}\n"
    assert not (tmp_path / "x.png").exists()
