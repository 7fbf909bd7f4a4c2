"""Sessions: commands with what they print, as a user types and reads them.

A session begins with ``## `` and its title, which becomes the name of the test. After each command (``$ ``) come its
output, its errors (after ``! ``) and its exit status (after ``? ``) if that is not 0; ``...`` stands for any text. The
commands are ``crosslit`` and the few of a shell that `_run` knows, in an empty folder. ``PYTHONPATH=planted`` before a
command installs the broken backends.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import PLANTED
from tests.inline import run_inline

_NO_KERNEL = ": pure Python runs, up to "  # in a note where the kernel is not compiled


def sessions(text: str) -> pytest.MarkDecorator:
    """Return the mark of a test that gets one session after another as ``session``, and plays it."""
    _, *found = re.split(r"^## ", text, flags=re.MULTILINE)
    titles, bodies = zip(*(each.split("\n", 1) for each in found), strict=True)
    return pytest.mark.parametrize("session", bodies, ids=titles)


def play(session: str, folder: Path) -> None:
    """Run the commands of a session, and compare what they print."""
    _, *examples = re.split(r"^\$ ", session, flags=re.MULTILINE)
    for example in examples:
        line, *shown = example.rstrip("\n").split("\n")
        errors = [each[2:] for each in shown if each.startswith("! ")]
        status = next((each[2:] for each in shown if each.startswith("? ")), "0")
        output = [each for each in shown if not each.startswith(("! ", "? "))]
        found = _run(line, folder)
        for expected, given in zip((output, errors, [status]), found, strict=True):
            pattern = ".*".join(map(re.escape, "\n".join(expected).split("...")))
            told = "\n".join(each.rstrip() for each in given.splitlines()).rstrip().replace(str(folder), "FOLDER")
            assert re.fullmatch(pattern, told, re.DOTALL), f"$ {line}\n{told}"


def perform(session: str, folder: Path) -> str:
    """Run the commands of a session, and return it with all that they print now."""
    head, *examples = re.split(r"^\$ ", session, flags=re.MULTILINE)
    parts = [head]
    for example in examples:
        line = example.split("\n", 1)[0]
        output, errors, status = (text.replace(str(folder), "FOLDER") for text in _run(line, folder))
        parts += [f"$ {line}\n", *(f"{each.rstrip()}\n" for each in output.splitlines())]
        parts += [*(f"! {each.rstrip()}\n" for each in errors.splitlines()), f"? {status}\n" * (status != "0")]
    return "".join(parts)


def _run(line: str, folder: Path) -> tuple[str, str, str]:
    """Return the output, errors and exit status of a command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split, lexer.commenters = True, ""
    words, given, environment = [*lexer], "", {**os.environ, "PYTHONIOENCODING": "ascii"}
    if words[0] == "printf":  # TEXT > FILE, or TEXT | COMMAND
        given = words[1].replace("\\n", "\n")
        if words[2] == ">":
            (folder / words[3]).parent.mkdir(exist_ok=True)
            (folder / words[3]).write_text(given, encoding="utf-8")
            return "", "", "0"
        words = words[3:]
    elif words[0] == "ls":
        return "\n".join(sorted(path.name for path in folder.iterdir())), "", "0"
    elif words[0] == "cat":
        return (folder / words[1]).read_text(encoding="utf-8"), "", "0"
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = str(PLANTED) if value == "planted" else value
    assert words[0] == "crosslit", line
    done = run_inline(*words[1:], env=environment, input=given, cwd=folder)
    errors = [each for each in done.stderr.splitlines() if _NO_KERNEL not in each]
    return done.stdout, "\n".join(errors), str(done.returncode)
