"""Features that work without fcntl and resource, as on Windows, and the one clear error of the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

_BLOCKED = """
import signal, sys

sys.modules["fcntl"] = sys.modules["resource"] = None
for name in ("SIGHUP", "SIGALRM", "setitimer", "alarm"):
    delattr(signal, name)
"""
_CLEAR = "isolated runs need fcntl and resource, which this system lacks: they work on Linux and macOS"


def blocked(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{_BLOCKED}\n{code}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return blocked("from crosslit.cli import main\nmain()", *words)


def test_solving_in_process_works() -> None:
    done = blocked(
        "import crosslit\n"
        "print(crosslit.solve(crosslit.load('10/11')).text(), crosslit.solve(crosslit.load('1,2|2,1')).text())\n"
        "print(crosslit.solve(crosslit.load('1,2|2,1'), 'glucose4').text(), crosslit.nullity(5, 5))\n"
        "print(len(crosslit.backends()) > 30)\n"
    )
    assert (done.stdout, done.stderr) == ("00/10 10/11\n10/11 2\nTrue\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ["show", "10/01"],
        ["convert", "1|1", "-", "--to", "clues"],
        ["size", "5"],
        ["encode", "1|1"],
    ],
    ids=" ".join,
)
def test_commands_without_runs_work(words: list[str]) -> None:
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize(
    "words", [["compare", "10/11"], ["solve", "1|1"], ["verify", "--kind", "nonogram", "--", "cat"]]
)
def test_isolated_runs_say_that_they_do_not(words: list[str]) -> None:
    done = command(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"crosslit: {_CLEAR}")
    assert done.stderr.count("\n") == 1


def test_python_gets_the_same_error() -> None:
    done = blocked(
        "import crosslit\n"
        "try:\n    crosslit.compare(crosslit.load('10/11'))\n"
        "except crosslit.CrosslitError as error:\n    print(error)\n"
    )
    assert done.stdout.startswith(_CLEAR)
    assert done.stderr == ""
