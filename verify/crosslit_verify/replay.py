"""Puzzles of earlier runs and of the user, and replay files.

A replay file is a failure as text of at most 1 KB, with all that is needed to send the puzzle again.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit_backends.programs.protocol import CLAIMS
from crosslit_generate import Case
from crosslit_generate.exhaustive import ONLY

from crosslit.base.errors import InputError
from crosslit.base.files import read_bytes
from crosslit.base.numbers import one_line
from crosslit.formats import from_line, in_folder, read_all
from crosslit.kinds import Puzzle, all_kinds
from crosslit_verify.failure import Failure
from crosslit_verify.judging import PROBLEMS, format_reply
from crosslit_verify.reference import versions
from crosslit_verify.settings import Settings
from crosslit_verify.stream import stream


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
    """Return the puzzles and replay files of a folder, which need not exist yet."""
    path = Path(folder)
    if not path.exists():
        return NO_CORPUS
    # Sorted, because the order of a folder differs between file systems, and cases are numbered.
    replays = sorted(file for file in path.glob("*.txt") if file.is_file() and is_replay(file))
    found = [puzzle_of(read(str(file)), str(file)) for file in replays]
    others = (puzzle for file in in_folder(path) if file not in replays for puzzle in read_all(file))
    return Corpus((*found, *others), "corpus")


MAX_BYTES = 1024
"""Maximum bytes of a written replay file."""

MAX_READ = 1 << 16
"""Maximum bytes of a replay file to read, which may be written by hand, or be a device without end."""

MAX_CASE = 1_000_000
"""Maximum number of a case to regenerate from the seed: a million take minutes."""

_KEYS = (
    *("kind", "claims", "problem", "puzzle", "seed", "case", "size", "only", "family"),
    *("answer", "right", "versions", "options", "command"),
    *("no_unknown", "varied"),
)
_OF_SETTINGS = {field.name for field in fields(Settings)} & set(_KEYS)
_DEFAULTS = {"case": 0, "no_unknown": False, "varied": False}  # of keys that need no line
_CHOICES = {"claims": CLAIMS, "problem": tuple(PROBLEMS), "only": ("", *ONLY)}
_FLAGS = ("no_unknown", "varied")
_MAX_DIGITS = 100  # of a number: seeds may be long
_RANGES = {"seed": (-(10**_MAX_DIGITS), 10**_MAX_DIGITS), "case": (1, MAX_CASE)}
_FIRST = "# crosslit verify: a failure to replay"
_MAX_CHARACTERS = 120  # of an answer


@dataclass(frozen=True)
class Replay:
    """The content of a replay file."""

    settings: Settings  # of the verification, without its length
    problem: str  # group of the failure
    puzzle: str  # in one-line form; empty if that is too long, so that the case must be regenerated
    case: int  # number of the case on which it was found, from 1; 0 for one of the user's own puzzles
    family: str
    answer: str  # shortened
    right: str  # a right answer, shortened
    versions: str  # of Crosslit and Python
    options: str  # that the solver was run with
    command: str  # as in a shell

    @classmethod
    def of(cls, failure: Failure, settings: Settings, options: str = "", command: Sequence[str] = ()) -> Replay:
        """Return the replay of a failure, with the command and its options as given."""
        return cls(
            settings=replace(settings, cases=None, seconds=None, keep_going=False),
            problem=failure.problem.group,
            puzzle=failure.puzzle.text,
            case=failure.case,
            family=failure.family,
            answer=format_reply(failure.reply, _MAX_CHARACTERS),
            right=failure.right,
            versions=f"{versions()}, Python {platform.python_version()}",
            options=options,
            command=shlex.join(command),
        )

    def text(self, path: str) -> str:
        """Return the text of a file at a path, at most 1 KB.

        If it is too long, parts are omitted in this order: the answer and the right answer, the command (which the user
        gives again), and finally the puzzle, which can be regenerated from the seed and the number of the case.
        """
        short = {"answer": "(long)", "right": "(long)"}
        for left_out in ({}, short, short | {"command": "COMMAND"}, short | {"command": "COMMAND", "puzzle": ""}):
            written = self._written(Path(path).name, left_out)
            if len(written.encode()) <= MAX_BYTES or (not self.case and "command" in left_out):
                break
        return written

    def _written(self, name: str, left_out: dict[str, str]) -> str:
        given = {key: getattr(self.settings if key in _OF_SETTINGS else self, key) for key in _KEYS}
        values = {key: _word(value) for key, value in given.items() if value != _DEFAULTS.get(key, MISSING)}
        values |= left_out
        lines = [f"{key}: {value}".rstrip() for key, value in values.items()]
        command = "" if "--backend" in shlex.split(self.options) else f" -- {values['command'] or 'COMMAND'}"
        again = ["crosslit", "verify", "--replay", name, *shlex.split(self.options)]
        lines.append(f"# again: {shlex.join(again)}{command}")
        return "\n".join([_FIRST, *lines, ""])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    return one_line(str(value))  # a line end in a command or an answer would begin another key


def is_replay(path: Path) -> bool:
    """Return whether a file begins like a replay file."""
    with path.open("rb") as file:
        # A bound, because the file may be one enormous line.
        return file.readline(100).strip() == _FIRST.encode()


def read(path: str) -> Replay:
    """Read a replay file; the message of an `InputError` names the file, the line and the expected value."""
    try:
        lines = read_bytes(path, MAX_READ).decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(path, "expected text in UTF-8") from None
    if not lines or lines[0] != _FIRST:
        raise InputError(path, f"expected a replay file, which begins with {_FIRST!r}", 1)
    values: dict[str, Any] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line or line.startswith("#"):
            continue
        key, colon, text = line.partition(":")
        if not colon or key not in _KEYS or key in values:
            raise InputError(path, f"expected one of {', '.join(_KEYS)}, each once, then a colon", number)
        try:
            values[key] = _value(key, text.strip())
        except ValueError as error:
            raise InputError(path, str(error), number) from None
        if key == "puzzle" and values[key]:
            _puzzle(values[key], values.get("kind"), path, number)
    values = _DEFAULTS | values
    for key in _KEYS:
        if key not in values:
            raise InputError(path, f"expected a line {key!r}")
    try:
        settings = Settings(**{key: values.pop(key) for key in _OF_SETTINGS})
    except ValueError as error:
        raise InputError(path, str(error)) from None
    return Replay(settings, **values)


def _value(key: str, text: str) -> Any:
    """Return a value with the type of its key; raise a ValueError if the key does not allow it."""
    choices = tuple(all_kinds()) if key == "kind" else _CHOICES.get(key)
    if choices is not None and text not in choices:
        raise ValueError(f"expected one of {', '.join(filter(None, choices))}, found {text[:40]!r}")
    if key in _FLAGS:
        if text not in ("yes", "no"):
            raise ValueError(f"expected yes or no, found {text[:40]!r}")
        return text == "yes"
    if key in _RANGES:
        digits = text.removeprefix("-")
        # `int` also accepts underscores and digits of other scripts.
        if not digits.isdecimal() or not digits.isascii() or len(digits) > _MAX_DIGITS:
            raise ValueError(f"expected a whole number of at most {_MAX_DIGITS} digits, found {text[:40]!r}")
        low, high = _RANGES[key]
        if not low <= int(text) <= high:
            raise ValueError(f"expected a number from {low} to {high:,}, found {text[:40]}")
        return int(text)
    return text or None if key == "only" else text


def _puzzle(text: str, kind: str | None, path: str, number: int | None = None) -> Puzzle:
    """Read a puzzle, which must have the kind if one is given."""
    puzzle = from_line(text, path if number is None else f"{path}:{number}")
    if kind not in (None, puzzle.kind):
        raise InputError(path, f"expected a {kind} puzzle, found {text[:40]!r}", number)
    return puzzle


def puzzle_of(replay: Replay, path: str) -> Puzzle:
    """Return the puzzle of a replay: as written, or else regenerated from the seed and the number of the case."""
    if replay.puzzle:
        return _puzzle(replay.puzzle, replay.settings.kind, path)
    if not replay.case:
        raise InputError(path, "expected a puzzle, or the number of a case")
    try:
        # Making a case takes the same random numbers as then, so all cases before it have to be made too.
        for case in islice(stream(replay.settings), replay.case - 1, None):
            return case.puzzle
    except ValueError as error:  # there are no such puzzles
        raise InputError(path, str(error)) from None
    raise InputError(path, f"there is no case {replay.case} of seed {replay.settings.seed}")
