"""Puzzles of earlier runs and of the user, and replay files.

A replay file is a puzzle in JSON with further keys: what failed on it, and how the solver was run.
"""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit_backends.programs.protocol import CLAIMS, Claims
from crosslit_generate import Case

from crosslit.base.errors import InputError
from crosslit.base.files import read_bytes
from crosslit.formats import in_folder, read_all
from crosslit.formats.json import parse
from crosslit.kinds import Puzzle
from crosslit_verify.judging import format_reply
from crosslit_verify.reference import versions
from crosslit_verify.report import Failure
from crosslit_verify.settings import Settings

MAX_READ = 1 << 24
"""Maximum bytes of a replay file to read, which may be a device without end."""


@dataclass(frozen=True)
class Corpus:
    """Puzzles that a verification sends first, in this order."""

    puzzles: tuple[Puzzle, ...] = ()
    family: str = ""  # their name in a report
    is_all: bool = False  # only these are sent

    def cases(self) -> Iterator[Case]:
        """Yield the cases, the last one marked as such."""
        for number, puzzle in enumerate(self.puzzles, 1):
            yield Case(puzzle, self.family, True, number == len(self.puzzles))

    def __add__(self, other: Corpus) -> Corpus:
        families = " and ".join(filter(None, (self.family, other.family)))
        return Corpus(self.puzzles + other.puzzles, families, self.is_all or other.is_all)

    def require_kind(self, kind: str | None) -> str | None:
        """Return the kind of its puzzles, or the one given if there are none; raise an `InputError` if kinds differ."""
        for puzzle in self.puzzles:
            kind = kind or puzzle.kind
            if puzzle.kind != kind:
                raise InputError(puzzle.name or puzzle.text[:80], f"expected a {kind} puzzle, found a {puzzle.kind}")
        return kind


NO_CORPUS = Corpus()


def of_puzzles(sources: Iterable[str]) -> Corpus:
    """Return puzzles given as files or in one-line form; if there are any, only these are sent."""
    puzzles = tuple(puzzle for source in sources for puzzle in read_all(source))
    return Corpus(puzzles, "own puzzles", bool(puzzles))


def of_folder(folder: str) -> Corpus:
    """Return the puzzles of a folder, which need not exist yet."""
    path = Path(folder)
    files = in_folder(path) if path.exists() else []
    return Corpus(tuple(puzzle for file in files for puzzle in read_all(file)), "corpus")


@dataclass(frozen=True)
class Replay:
    """What a replay file says about the next run."""

    puzzle: Puzzle
    claims: Claims
    no_unknown: bool
    options: str  # that the solver was run with, as in a shell


def write(failure: Failure, settings: Settings, options: str = "", command: Sequence[str] = ()) -> bytes:
    """Return the replay file of a failure, with the command and its options as given."""
    record = {
        "kind": failure.puzzle.kind,
        "text": failure.puzzle.text,
        "claims": settings.claims,
        "no_unknown": settings.no_unknown,
        "problem": failure.problem.group,
        "detail": failure.problem.detail,
        "answer": format_reply(failure.reply),
        "right": failure.right,
        "family": failure.family,
        "case": failure.case,
        "seed": settings.seed,
        "versions": f"{versions()}, Python {platform.python_version()}",
        "options": options,
        "command": shlex.join(command),
    }
    return json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n"


def read(path: str) -> Replay:
    """Read a replay file, whose keys other than those of the puzzle and the next run are for readers."""
    try:
        text = read_bytes(path, MAX_READ).decode()
    except UnicodeDecodeError:
        raise InputError(path, "expected text in UTF-8") from None
    puzzle = parse(text, path)
    record: Any = json.loads(text)
    found = [record.get(key) if isinstance(record, dict) else None for key in ("claims", "no_unknown", "options")]
    claims, no_unknown, options = found
    if claims not in CLAIMS or not isinstance(no_unknown, bool) or not isinstance(options, str):
        raise InputError(path, f"expected claims (one of {', '.join(CLAIMS)}), no_unknown and options")
    return Replay(puzzle, claims, no_unknown, options)
