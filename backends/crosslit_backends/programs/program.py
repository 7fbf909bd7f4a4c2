"""A program that solves puzzles, as described on the command line, in Python or in ``crosslit.toml``."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from crosslit.formats import FORMATS
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit_backends.programs.plain import PlainOutput
from crosslit_backends.programs.protocol import CLAIMS, Claims, Reply
from crosslit_backends.programs.protocol import read_line as read_json
from crosslit_backends.programs.protocol import text as text_of

Mode = Literal["json", "lines", "one-shot"]
FILE = "{file}"
"""The placeholder in a command for the path of a file with the puzzle."""

# `${name}` is left to a shell that the command may start.
_PLACE = re.compile(r"(?<!\$)\{[a-z_][a-z_0-9]*\}")
PATTERNS = ("cells", "unsolvable", "unique")
"""Arguments of `PlainOutput` that describe plain text."""
OPTIONS = ("lines", "format", *PATTERNS, "exit", "moves")
"""Options that describe a program, on the command line, in Python and in a table ``[solvers.NAME]``."""
KEYS = ("command", "kind", "claims", *OPTIONS)
"""Keys of a table ``[solvers.NAME]``."""


@dataclass(frozen=True)
class Program:
    """A command that solves puzzles.

    In the mode ``json`` one process answers all puzzles in the protocol; in ``lines`` too, with puzzles and answers in
    plain text on one line each; in ``one-shot`` there is a process for each puzzle. Fields that contradict each other
    and unknown placeholders raise a ValueError.
    """

    words: tuple[str, ...]  # of the command; `{file}` stands for a file with the puzzle
    claims: Claims = "one"  # the answer that it promises
    kind: str = ""  # of its puzzles; empty for any
    mode: Mode = "json"
    form: str = ""  # format of a puzzle, for one-shot: one of `formats`; empty for the usual one
    output: PlainOutput = field(default_factory=PlainOutput)

    def __post_init__(self) -> None:
        for word in self.words:
            for place in _PLACE.findall(word):
                # A word with white space is code, which may use braces.
                if place != FILE and len(word.split()) == 1:
                    raise ValueError(f"{place} is not known in a command: {FILE} stands for a file with the puzzle")
        if self.claims not in CLAIMS:
            raise ValueError(f"claims is one of {', '.join(CLAIMS)}, not {self.claims!r:.40}")
        if self.kind and self.kind not in all_kinds():
            raise ValueError(f"kind is one of {', '.join(all_kinds())}, not {self.kind!r:.40}")
        if self.mode != "one-shot" and (self.reads_file or self.form not in ("", "inline")):
            raise ValueError("a file or a format is for a program that is started for each puzzle, not for lines")
        if self.form and self.form not in formats():
            raise ValueError(f"format is one of {', '.join(formats())}, not {self.form!r:.40}")

    @property
    def reads_file(self) -> bool:
        """True if the puzzle is in a file, not on standard input."""
        return _has_place(self.words)

    @property
    def suffix(self) -> str:
        """The extension of a file with a puzzle."""
        known = FORMATS.get(self.form)
        return min(known.extensions, key=len, default=".txt") if known else ".txt"

    def filled(self, path: str) -> list[str]:
        """Return the words with the path of a file in place of the placeholder."""
        return [word.replace(FILE, path) for word in self.words]

    def render(self, puzzle: Puzzle) -> bytes:
        """Return the input of a process started for one puzzle; see `protocol.text`."""
        return text_of(puzzle, self.form or "inline")

    def read_line(self, line: bytes, puzzle: Puzzle, number: int = 1) -> Reply:
        """Return the answer in a line, of JSON or of plain text."""
        if self.mode == "json":
            return read_json(line, number, puzzle.layout.states, partial(self.output.with_grids, puzzle=puzzle))
        return self.output.read_line(line, puzzle, self.claims)

    def example(self, puzzle: Puzzle) -> str:
        """Return an example of an answer to a puzzle."""
        rows = self.output.example(puzzle)
        if self.mode == "json":
            row = "0" * min(puzzle.columns, 10)
            grid = f'"{"/".join([row] * min(puzzle.rows, 10))}"' if self.output.moves is None else rows[0]
            return f'{{"solution": {grid}}}, or {{"unsolvable": true}}'
        if self.mode == "lines":
            return f"{'/'.join(rows)} on one line, or unsolvable"
        return f"{len(rows)} {'line' if len(rows) == 1 else 'lines'} such as {rows[0]!r}, or unsolvable"

    def for_kind(self, kind: str) -> Program:
        """Return the program for puzzles of a kind: by default, files have the format of its files."""
        usual = find_kind(kind).file_format if self.reads_file else ""
        return replace(self, kind=kind, form=self.form or usual)


def _has_place(words: Sequence[str]) -> bool:
    return any(FILE in word for word in words)


def formats() -> tuple[str, ...]:
    """Return the formats in which a program can read a puzzle."""
    return ("inline", *(name for name, known in FORMATS.items() if known.writes))


def describe(command: str | Sequence[str], claims: Claims = "one", kind: str = "", **options: Any) -> Program:
    """Return the program with these `OPTIONS`; a ValueError names a wrong one and what is expected.

    Without ``lines``, the program is started for each puzzle if there are other options, or a place for a file.
    ``exit`` maps exit statuses to meanings, or lists them as in ``20=unsolvable``.
    """
    for key, value in {"claims": claims, "kind": kind, **options}.items():
        if key not in KEYS:
            raise ValueError(f"a program has no key {key!r:.40}; it may have {', '.join(KEYS)}")
        expected = "true or false" if key == "lines" else "text"
        if (
            key not in ("exit", "moves")
            and value is not None
            and not isinstance(value, str if expected == "text" else bool)
        ):
            raise ValueError(f"expected {expected} for {key}, found {value!r:.40}")
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise ValueError(f"{str(error).lower()} in the command") from None
    if not words or not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise ValueError('expected command = "./solver {file}"')
    exits, form = options.get("exit", ()), options.get("format")
    if isinstance(exits, Mapping):
        exits = [f"{code}={meaning}" for code, meaning in exits.items()]
    if not isinstance(exits, Sequence):
        raise ValueError('expected exit = {20 = "unsolvable"}')
    meanings = []
    for text in exits:
        code, equals, meaning = str(text).partition("=")
        if not (equals and code.strip().isdecimal() and code.isascii()):
            raise ValueError(f"expected STATUS=MEANING such as 20=unsolvable, found {text!r:.40}")
        meanings.append((int(code), meaning.strip()))
    moves = {"None": None, "0": 0, "1": 1}.get(str(options.get("moves")), -1)
    patterns = {key: options[key] for key in PATTERNS if options.get(key)}
    output = PlainOutput(exits=tuple(meanings), moves=moves, **patterns)
    is_plain = _has_place(words) or form is not None or output != PlainOutput(moves=moves)
    mode: Mode = "lines" if options.get("lines") else "one-shot" if is_plain else "json"
    return Program(tuple(words), claims, kind, mode, form or "", output)


def parse(text: str) -> Program:
    """Read a program of a user: a command, or a table ``[solvers.NAME]`` as JSON or as an inline table of TOML."""
    table: dict[str, Any] = {"command": text}
    if text.startswith("{"):
        try:
            table = json.loads(text)
        except ValueError:
            table = tomllib.loads(f"table = {text}")["table"]
    return describe(**{"command": "", **table})
