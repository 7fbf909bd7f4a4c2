"""The corpus: a folder of puzzles that are sent first, to which the failures are written.

A failure is a puzzle in JSON with further keys, for readers.
"""

from __future__ import annotations

import json
import platform
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from crosslit.base.errors import InputError
from crosslit.base.files import write_bytes
from crosslit.base.version import __version__
from crosslit.formats import in_folder, read_all
from crosslit.kinds import Puzzle
from crosslit_verify.judge import format_reply
from crosslit_verify.report import Failure, Verification


def read(folder: str | Path) -> list[Puzzle]:
    """Return the puzzles of a folder, which need not exist yet."""
    path = Path(folder)
    return [puzzle for file in (in_folder(path) if path.exists() else []) for puzzle in read_all(file)]


def write(verification: Verification, folder: str | Path, command: str = "") -> None:
    """Write a file for each failure; one that is found again replaces its file."""
    for failure in verification.failures:
        path = path_of(failure, folder)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(folder), str(error.strerror)) from None
        write_bytes(path, [_record(failure, verification, command)])


def path_of(failure: Failure, folder: str | Path) -> Path:
    """Return the path of a failure's file."""
    return Path(folder, f"{failure.problem.group}-{sha256(failure.puzzle.text.encode()).hexdigest()[:12]}.json")


def _record(failure: Failure, verification: Verification, command: str) -> bytes:
    record = {
        "kind": failure.puzzle.kind,
        "text": failure.puzzle.text,
        "claims": failure.claims,
        "problem": failure.problem.group,
        "detail": failure.problem.detail,
        "answer": format_reply(failure.reply),
        "right": failure.right,
        "family": failure.family,
        "case": failure.case,
        "seed": verification.settings.seed,
        "versions": f"crosslit {__version__}, python-sat {version('python-sat')}, Python {platform.python_version()}",
        "command": command,
    }
    return json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n"
