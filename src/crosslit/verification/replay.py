"""Replay files: a failure as text of at most 1 KB, from which it can be asked again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit.errors import InputError
from crosslit.formats import from_line
from crosslit.programs.answers import CLAIMS
from crosslit.puzzles import Puzzle, all_kinds
from crosslit.verification.failure import Failure
from crosslit.verification.judging import PROBLEMS, format_reply
from crosslit.verification.reference import versions
from crosslit.verification.rules import Rules
from crosslit.verification.settings import MAX_SIZE, ONLY, Settings, parse_shape, parse_sizes
from crosslit.verification.stream import stream

MAX_BYTES = 1024
"""Bytes of a replay file."""

MAX_READ = 1 << 16
"""Bytes of a file that somebody may have written by hand."""

MAX_CASE = 1_000_000
"""The number of a case that is made again from the seed: so many take minutes."""

_RENAMED = {"rubbish": "malformed-output", "left-behind": "orphaned-process"}  # in files of earlier versions
_CHOICES = {"claims": CLAIMS, "problem": tuple(PROBLEMS), "only": ("", *ONLY)}
_RANGES = {"case": (1, MAX_CASE), "max_size": (0, MAX_SIZE), "min_size": (1, MAX_SIZE)}
_LEFT_OUT = {"case": 0}  # values that mean that the line is missing
_DIGITS = 100  # of a number: a seed may be a long one
_FIRST = "# crosslit verify: a failure to replay"
_WORDS = 120  # characters of an answer


@dataclass(frozen=True)
class Replay:
    """What a replay file says.

    Args:
        kind: of the puzzle.
        claims: what the solver promised.
        problem: the group of the failure.
        puzzle: its one-line form; empty for one that is too long, which is found again as a case.
        seed: of the cases.
        case: the number of the case it was found on, from 1; 0 for one of the user's own puzzles.
        square: whether the cases were all square.
        only: to what they were narrowed; empty for nothing.
        max_size: their rows and columns at most; 0 for the source's own.
        family: where the case came from.
        answer: what the solver said, shortened.
        right: what would have been right, shortened.
        versions: of Crosslit and Python.
        options: that the solver was run with.
        command: of the solver, as in a shell.
        no_unknown: whether ``unknown`` was a failure. This and all below are left out of a file where they say nothing.
        min_size: rows and columns of the cases at least.
        sizes: the numbers of rows and columns, as for ``--sizes``; empty for any.
        press: the press pattern of boards, as for ``--press``.
        wrap: the edges of boards that are joined.
        holes: whether cells of boards are missing.
        shapes: the shapes, as for ``--size``, separated by commas; empty for any.
    """

    kind: str
    claims: str
    problem: str
    puzzle: str
    seed: int
    case: int
    square: bool
    only: str
    max_size: int
    family: str
    answer: str
    right: str
    versions: str
    options: str
    command: str
    no_unknown: bool = False
    min_size: int = 1
    sizes: str = ""
    shapes: str = ""
    press: str = ""
    wrap: str = "none"
    holes: bool = False

    @classmethod
    def of(cls, failure: Failure, settings: Settings, options: str = "", command: Sequence[str] = ()) -> Replay:
        """The replay of a failure, with a command and its options as they were given."""
        return cls(
            kind=settings.kind,
            claims=settings.claims,
            problem=failure.problem.group,
            puzzle=failure.puzzle.text,
            seed=settings.seed,
            case=failure.case,
            square=settings.square,
            only=settings.only or "",
            max_size=settings.max_size or 0,
            family=failure.family,
            answer=format_reply(failure.reply, _WORDS),
            right=failure.right,
            versions=f"{versions()}, Python {platform.python_version()}",
            options=options,
            command=shlex.join(command),
            no_unknown=settings.no_unknown,
            min_size=settings.min_size,
            sizes=",".join(map(str, settings.sizes)),
            press=settings.rules.press,
            wrap=settings.rules.wrap,
            holes=settings.rules.holes,
            shapes=",".join(f"{rows}x{columns}" for rows, columns in settings.shapes),
        )

    def settings(self) -> Settings:
        """What the case was one of.

        Raises:
            ValueError: if there are no such settings.
        """
        return Settings(
            self.kind,
            self.claims,  # type: ignore[arg-type]
            seed=self.seed,
            square=self.square,
            only=self.only or None,
            max_size=self.max_size or None,
            no_unknown=self.no_unknown,
            min_size=self.min_size,
            rules=Rules(self.press, self.wrap, self.holes),  # type: ignore[arg-type]
            sizes=parse_sizes(self.sizes),
            shapes=tuple(parse_shape(shape) for shape in filter(None, self.shapes.split(","))),
        )

    def text(self, path: str) -> str:
        """The file, which will lie at a path: at most 1 KB.

        What is too long goes in this order: what the solver said and what is right, the command (which is given
        again), and at last the puzzle: the case that it was found on is made again from the seed.
        """
        short = {"answer": "(long)", "right": "(long)"}
        for left_out in ({}, short, short | {"command": "COMMAND"}, short | {"command": "COMMAND", "puzzle": ""}):
            written = self._written(Path(path).name, left_out)
            if len(written.encode()) <= MAX_BYTES or (not self.case and "command" in left_out):
                break
        return written

    def _written(self, name: str, left_out: dict[str, str]) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {
            field.name: given[field.name]
            for field in fields(self)
            if given[field.name] != _LEFT_OUT.get(field.name, field.default)
        }
        values = {name: _word(value) for name, value in kept.items()} | left_out
        lines = [f"{key}: {value}".rstrip() for key, value in values.items()]
        again = ["crosslit", "verify", "--replay", name, *shlex.split(self.options), "--"]
        lines.append(f"# again: {shlex.join(again)} {values['command'] or 'COMMAND'}")
        return "\n".join([_FIRST, *lines, ""])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "".join(character if character.isprintable() else "?" for character in str(value))


def is_replay(path: Path) -> bool:
    """Return whether a file begins like a replay file."""
    with path.open("rb") as file:
        return file.readline(100).strip() == _FIRST.encode()


def read(path: str) -> Replay:
    """What a replay file says.

    Raises:
        InputError: naming the file, the line and what was expected.
    """
    lines = _lines(path)
    if not lines or lines[0] != _FIRST:
        raise InputError(path, f"expected a replay file, which begins with {_FIRST!r}", 1)
    known = {field.name: str(field.type) for field in fields(Replay)}
    values: dict[str, Any] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line or line.startswith("#"):
            continue
        key, colon, text = line.partition(":")
        if not colon or key not in known or key in values:
            raise InputError(path, f"expected one of {', '.join(known)}, each once, then a colon", number)
        try:
            values[key] = _value(key, known[key], text.strip())
        except ValueError as error:
            raise InputError(path, str(error), number) from None
        if key == "puzzle" and values[key]:
            _require_kind(values, from_line(values[key], f"{path}:{number}"), path, number)
    for field in fields(Replay):
        key = field.name
        if key not in values and key in _LEFT_OUT:
            values[key] = _LEFT_OUT[key]
        elif key not in values and field.default is MISSING:
            raise InputError(path, f"expected a line {key!r}")
    replay = Replay(**values)
    try:
        replay.settings()
    except ValueError as error:
        raise InputError(path, str(error)) from None
    return replay


def _lines(path: str) -> list[str]:
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_READ + 1)
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be read") from None
    if len(content) > MAX_READ:
        raise InputError(path, f"expected a replay file, of at most {MAX_READ:,} bytes")
    try:
        return content.decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(path, "expected text in UTF-8") from None


def _value(key: str, kind: str, text: str) -> Any:
    """A value of the type of its field, and within what is allowed there; raises ValueError."""
    text = _RENAMED.get(text, text) if key == "problem" else text
    choices = tuple(all_kinds()) if key == "kind" else _CHOICES.get(key)
    if choices is not None and text not in choices:
        raise ValueError(f"expected one of {', '.join(filter(None, choices))}, found {text[:40]!r}")
    if kind == "bool":
        if text not in ("yes", "no"):
            raise ValueError(f"expected yes or no, found {text[:40]!r}")
        return text == "yes"
    if kind == "int":
        digits = text.removeprefix("-")
        if not digits.isdecimal() or not digits.isascii() or len(digits) > _DIGITS:
            raise ValueError(f"expected a whole number of at most {_DIGITS} digits, found {text[:40]!r}")
        low, high = _RANGES.get(key, (-(10**_DIGITS), 10**_DIGITS))
        if not low <= int(text) <= high:
            raise ValueError(f"expected a number from {low} to {high:,}, found {text[:40]}")
        return int(text)
    return text


def _require_kind(values: dict[str, Any], puzzle: Puzzle, path: str, number: int) -> None:
    kind = values.get("kind", puzzle.kind)
    if puzzle.kind != kind:
        raise InputError(path, f"expected a {kind} puzzle, found {values['puzzle'][:40]!r}", number)


def puzzle_of(replay: Replay, path: str) -> Puzzle:
    """The puzzle of a replay: as it is written, or the case that it was found on, made again from the seed.

    Raises:
        InputError: if it cannot be read, is of another kind, or there is no such case.
    """
    if replay.puzzle:
        puzzle = from_line(replay.puzzle, path)
        if puzzle.kind != replay.kind:
            raise InputError(path, f"expected a {replay.kind} puzzle, found {replay.puzzle[:40]!r}")
        return puzzle
    if not replay.case:
        raise InputError(path, "expected a puzzle, or the number of a case")
    try:
        for case in islice(stream(replay.settings()), replay.case - 1, None):
            return case.puzzle
    except ValueError as error:  # there are no such puzzles
        raise InputError(path, str(error)) from None
    raise InputError(path, f"there is no case {replay.case} of seed {replay.seed}")
