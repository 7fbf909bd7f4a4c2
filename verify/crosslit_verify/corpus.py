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
from crosslit_verify.report import Verification


def read(folder: str | Path) -> list[Puzzle]:
    """Return the puzzles of a folder, which need not exist yet."""
    path = Path(folder)
    return [puzzle for file in (in_folder(path) if path.exists() else []) for puzzle in read_all(file)]


def write(verification: Verification, folder: str | Path, command: str = "") -> None:
    """Write a file for each failure; one that is found again replaces its file."""
    seed, versions = verification.settings.seed, f"crosslit {__version__}, python-sat {version('python-sat')}"
    for failure in verification.failures:
        name = f"{failure.problem.group}-{sha256(failure.puzzle.text.encode()).hexdigest()[:12]}.json"
        facts = {key: fact for key, fact in failure.json().items() if key != "puzzle"}
        record = {"kind": failure.puzzle.kind, "text": failure.puzzle.text, "claims": failure.claims, **facts}
        record |= {"seed": seed, "versions": f"{versions}, Python {platform.python_version()}", "command": command}
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(folder), str(error.strerror)) from None
        write_bytes(Path(folder, name), [json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n"])
