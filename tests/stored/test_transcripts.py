"""Every command over every kind of puzzle, with all that it prints: the transcripts in the folder beside this file.

After a change of what commands print, ``CROSSLIT_WRITE_TRANSCRIPTS=1 pytest tests/stored/test_transcripts.py``
rewrites them. Read the difference: what a transcript holds is what the tests believe.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
import pytest

from tests.commands.test_help import ALL as EVERY
from tests.inline import masked
from tests.stored import REWRITE
from tests.stored.sessions import perform

pytest.importorskip("ortools", reason="transcripts show the engines of the extra")

FOLDER = Path(__file__).parent / "transcripts"
TITLE = re.compile(r"^(?=## [a-z])", re.MULTILINE)  # not a line of a picture


def sessions_of(path: Path) -> list[str]:
    """The sessions of a file, each from its title on."""
    return TITLE.split(path.read_text(encoding="utf-8"))[1:]


FILES = sorted(FOLDER.glob("*.txt"))
ALL = {f"{path.stem}: {text[3:].splitlines()[0]}": (path, text) for path in FILES for text in sessions_of(path)}


@pytest.mark.parametrize("name", ALL)
def test_commands_print_what_they_printed(name: str, tmp_path: Path) -> None:
    path, expected = ALL[name]
    found = masked(perform(expected, tmp_path))
    if os.environ.get("CROSSLIT_WRITE_TRANSCRIPTS"):
        text = path.read_text(encoding="utf-8")
        assert text.count(expected) == 1
        path.write_text(text.replace(expected, found), encoding="utf-8")
    else:
        assert found == expected, f"{path.name} differs; if that is right, {REWRITE}"


COMMANDS = {" ".join(path): command for path, command in EVERY.items() if not isinstance(command, click.Group)}
LINES = [line[2:] for _, text in ALL.values() for line in text.splitlines() if line.startswith("$ ")]
# commands whose results are those of a machine and its clock, or that other tests run over all their options
ELSEWHERE = re.compile(r"bench|verify|check-backend")
# of a machine, of installed software, or of a terminal
NOT_HERE = {"--solver"}


def test_every_command_has_a_transcript() -> None:
    missing = [name for name in COMMANDS if not any(f"crosslit {name} " in f"{line} " for line in LINES)]
    assert [name for name in missing if not name.startswith("bench ")] == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if not ELSEWHERE.match(name)])
def test_every_option_has_a_transcript(name: str) -> None:
    command = COMMANDS[name]
    words = {word for line in LINES if f"crosslit {name} " in f"{line} " for word in shlex.split(line)}
    options = [param for param in command.params if isinstance(param, click.Option)]
    missing = [param.opts[-1] for param in options if not words.intersection([*param.opts, *param.secondary_opts])]
    assert [option for option in missing if option not in NOT_HERE] == []
