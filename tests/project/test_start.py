"""The start of commands: their help, and plain boards for native solvers, load neither NumPy nor an engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "pandas", "scipy", "matplotlib", "jinja2", "PIL", "pysat", "ortools", "multiprocessing", "dask"}
HELP = """
import sys
from contextlib import redirect_stdout, suppress
from io import StringIO
from crosslit.cli.group import root

def show(*words):
    with suppress(SystemExit), redirect_stdout(StringIO()) as text:
        root.main([*words, "--help"], prog_name="crosslit")
    assert text.getvalue().startswith(" ".join(["Usage: crosslit", *words])), words
    print(*words, *sorted(module for module in sys.modules if module.count(".") < 2), sep=",")

show()
for name in root.list_commands(None):
    show(name)
    for subcommand in getattr(root.get_command(None, name), "commands", ()):
        show(name, subcommand)
"""
STUB = """
import os, sys
with open(os.environ["LOADED"], "a") as file:
    file.write(" ".join(sys.argv) + "\\n")
raise ImportError("a command that does not need NumPy loads it")
"""


def test_the_help_of_no_command_loads_what_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    for line in lines:
        assert not {*HEAVY, "crosslit_verify.session", "crosslit.runs.runner"} & {*line.split(",")}, line[:40]


@pytest.mark.parametrize(
    "words",
    [
        "solve 10/01",
        "solve --fewest 10/01",
        "show 10/01 --solution",
        "count 10/01",
        "count --check 10/01",
        "enumerate 10/01",
        "explain 10/01",
        "compare 10/01 --backends gauss,polynomial --all",
        "stats 10/01 --backends gauss",
        "convert 10/01 - --to json",
    ],
)
def test_a_plain_board_for_a_native_solver_needs_no_numpy(words: str, tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text(STUB, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "LOADED": str(tmp_path / "loaded")}
    command = [sys.executable, "-m", "crosslit", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "loaded").exists(), (tmp_path / "loaded").read_text(encoding="utf-8")
