"""Replay files: a failure as text of at most 1 KB, with all that is needed to send the puzzle again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit_backends.programs.answers import CLAIMS

from crosslit.errors import InputError
from crosslit.formats import from_line
from crosslit.kinds import Puzzle, all_kinds
from crosslit_verify.failure import Failure
from crosslit_verify.judging import PROBLEMS, format_reply
from crosslit_verify.reference import versions
from crosslit_verify.rules import Rules
from crosslit_verify.settings import MAX_SIZE, ONLY, Settings, parse_shape, parse_sizes
from crosslit_verify.stream import stream

MAX_BYTES = 1024
"""Maximum bytes of a written replay file."""

MAX_READ = 1 << 16
"""Maximum bytes of a replay file to read, which may be written by hand, or be a device without end."""

MAX_CASE = 1_000_000
"""Maximum number of a case to regenerate from the seed: a million take minutes."""

_RENAMED = {"rubbish": "malformed-output", "left-behind": "orphaned-process"}  # in files of earlier versions
_CHOICES = {"claims": CLAIMS, "problem": tuple(PROBLEMS), "only": ("", *ONLY)}
_RANGES = {"case": (1, MAX_CASE), "max_size": (0, MAX_SIZE), "min_size": (1, MAX_SIZE)}
_LEFT_OUT = {"case": 0}  # values of keys without a line
_MAX_DIGITS = 100  # of a number: seeds may be long
_FIRST = "# crosslit verify: a failure to replay"
_MAX_CHARACTERS = 120  # of an answer


@dataclass(frozen=True)
class Replay:
    """The content of a replay file.

    Args:
        kind: kind of the puzzle.
        claims: the kind of answer that the solver promises.
        problem: group of the failure.
        puzzle: the puzzle in one-line form; empty if that is too long, so that the case must be regenerated.
        seed: seed of the cases.
        case: number of the case on which it was found, from 1; 0 for one of the user's own puzzles.
        square: whether all cases were square.
        only: class of puzzles, as for ``--only``; empty for all.
        max_size: maximum number of rows and of columns; 0 for the default of the generator.
        family: family of the case.
        answer: answer of the solver, shortened.
        right: a right answer, shortened.
        versions: versions of Crosslit and Python.
        options: options that the solver was run with.
        command: command of the solver, as in a shell.
        no_unknown: whether ``unknown`` was a failure. This field and those below are omitted from a file if they have
            their default.
        min_size: minimum number of rows and of columns of the cases.
        sizes: numbers of rows and columns, as for ``--sizes``; empty for any.
        shapes: shapes, as for ``--size``, separated by commas; empty for any.
        press: press pattern of boards, as for ``--press``.
        wrap: joined edges of boards.
        holes: whether cells of boards may be missing.
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
        """Return the replay of a failure, with the command and its options as given."""
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
            answer=format_reply(failure.reply, _MAX_CHARACTERS),
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
        """Return the settings of the verification that the case came from.

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
    # A line end in a command or an answer would begin another key.
    return "".join(character if character.isprintable() else "?" for character in str(value))


def is_replay(path: Path) -> bool:
    """Return whether a file begins like a replay file."""
    with path.open("rb") as file:
        # A bound, because the file may be one enormous line.
        return file.readline(100).strip() == _FIRST.encode()


def read(path: str) -> Replay:
    """Read a replay file.

    Raises:
        InputError: if the file is invalid; the message names the file, the line and the expected value.
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
    """Return a value with the type of its field.

    Raises:
        ValueError: if the field does not allow it.
    """
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
        # `int` also accepts underscores and digits of other scripts.
        if not digits.isdecimal() or not digits.isascii() or len(digits) > _MAX_DIGITS:
            raise ValueError(f"expected a whole number of at most {_MAX_DIGITS} digits, found {text[:40]!r}")
        low, high = _RANGES.get(key, (-(10**_MAX_DIGITS), 10**_MAX_DIGITS))
        if not low <= int(text) <= high:
            raise ValueError(f"expected a number from {low} to {high:,}, found {text[:40]}")
        return int(text)
    return text


def _require_kind(values: dict[str, Any], puzzle: Puzzle, path: str, number: int) -> None:
    kind = values.get("kind", puzzle.kind)
    if puzzle.kind != kind:
        raise InputError(path, f"expected a {kind} puzzle, found {values['puzzle'][:40]!r}", number)


def puzzle_of(replay: Replay, path: str) -> Puzzle:
    """Return the puzzle of a replay: as written, or else regenerated from the seed and the number of the case.

    Raises:
        InputError: if the puzzle cannot be read or has another kind, or if there is no such case.
    """
    if replay.puzzle:
        puzzle = from_line(replay.puzzle, path)
        if puzzle.kind != replay.kind:
            raise InputError(path, f"expected a {replay.kind} puzzle, found {replay.puzzle[:40]!r}")
        return puzzle
    if not replay.case:
        raise InputError(path, "expected a puzzle, or the number of a case")
    try:
        # Making a case takes the same random numbers as then, so all cases before it have to be made too.
        for case in islice(stream(replay.settings()), replay.case - 1, None):
            return case.puzzle
    except ValueError as error:  # there are no such puzzles
        raise InputError(path, str(error)) from None
    raise InputError(path, f"there is no case {replay.case} of seed {replay.seed}")
