"""A program that solves puzzles, as described on the command line or in ``crosslit.toml``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from crosslit.formats import FORMATS
from crosslit.kinds import Puzzle
from crosslit_backends.programs.answers import CLAIMS, Claims
from crosslit_backends.programs.plain import PlainOutput
from crosslit_backends.programs.protocol import text as text_of

Mode = Literal["json", "lines", "one-shot"]
MODES: tuple[Mode, ...] = get_args(Mode)
PLACES = ("{puzzle}", "{file}")
"""Placeholders in a command for the path of a file with the puzzle."""
FILES = "{files}"
"""A word of a command for the paths of several files, each with a puzzle; the answers are lines in their order."""

# `${name}` is left to a shell that the command may start.
_PLACE = re.compile(r"(?<!\$)\{[a-z_][a-z_0-9]*\}")
PATTERNS = ("cells", "unsolvable", "unique", "unknown", "unsupported")
"""Arguments of `PlainOutput` that describe plain text."""
KEYS = ("command", "claims", "mode", "format", *PATTERNS, "exit")
"""Keys of a table ``[programs.NAME]``."""


@dataclass(frozen=True)
class Program:
    """A command that solves puzzles.

    In the mode ``json`` one process answers all puzzles in the protocol; in ``lines`` too, with puzzles and answers in
    plain text on one line each; in ``one-shot`` there is a process for each puzzle.

    Raises:
        ValueError: if the fields contradict each other, or a placeholder is unknown.
    """

    words: tuple[str, ...]  # of the command; `{puzzle}` or `{file}` stands for a file with the puzzle
    claims: Claims = "one"  # the answer that it promises
    mode: Mode = "json"
    form: str = "inline"  # format of a puzzle, for one-shot: one of `formats`
    output: PlainOutput = field(default_factory=PlainOutput)

    def __post_init__(self) -> None:
        for word in self.words:
            for place in _PLACE.findall(word):
                # A word with white space is code, which may use braces.
                if place not in PLACES and word != FILES and len(word.split()) == 1:
                    raise ValueError(
                        f"{place} is not known in a command: {' and '.join(PLACES)} stand for a file with the puzzle"
                    )
        if self.claims not in CLAIMS:
            raise ValueError(f"claims is one of {', '.join(CLAIMS)}, not {self.claims!r:.40}")
        if self.mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}, not {self.mode!r:.40}")
        if self.mode != "one-shot" and (self.reads_file or self.form != "inline"):
            raise ValueError(f"a file or a format is for mode one-shot, not for mode {self.mode}")
        if self.mode == "json" and not self.output.is_protocol:
            raise ValueError("a description of the output is for plain text, not for mode json")
        if self.form not in formats():
            raise ValueError(f"format is one of {', '.join(formats())}, not {self.form!r:.40}")

    @property
    def reads_file(self) -> bool:
        """True if the puzzle is in a file, not on standard input."""
        return _has_place(self.words)

    @property
    def is_batch(self) -> bool:
        """True if it reads several files, and writes a line for each."""
        return FILES in self.words

    @property
    def suffix(self) -> str:
        """The extension of a file with a puzzle."""
        known = FORMATS.get("board" if self.form == "grid" else self.form)
        return min(known.extensions, key=len, default=".txt") if known else ".txt"

    def filled(self, path: str) -> list[str]:
        """Return the words with the path of a file in place of the placeholders."""
        return [word.replace("{puzzle}", path).replace("{file}", path) for word in self.words]

    def text(self, puzzle: Puzzle) -> bytes:
        """Return the input of a process started for one puzzle; see `protocol.text`."""
        return text_of(puzzle, self.form)


def _has_place(words: Sequence[str]) -> bool:
    return FILES in words or any(place in word for word in words for place in PLACES)


def formats() -> tuple[str, ...]:
    """Return the formats in which a program can read a puzzle."""
    return ("inline", "grid", *(name for name, known in FORMATS.items() if known.writes))


def parse_table(table: Mapping[str, Any]) -> Program:
    """Read a table ``[programs.NAME]`` of ``crosslit.toml``.

    Raises:
        ValueError: if a key or value is wrong; the message names the key and the expected value.
    """
    for key, value in table.items():
        if key not in KEYS:
            raise ValueError(f"a program has no key {key!r:.40}; it may have {', '.join(KEYS)}")
        if key != "exit" and not isinstance(value, str):
            raise ValueError(f"expected text for {key}, found {value!r:.40}")
    exits = table.get("exit", {})
    if not (isinstance(exits, Mapping) and all(isinstance(meaning, str) for meaning in exits.values())):
        raise ValueError('expected exit = {20 = "unsolvable"}')
    try:
        words = shlex.split(table.get("command", ""))
    except ValueError as error:
        raise ValueError(f"{str(error).lower()} in the command") from None
    if not words:
        raise ValueError('expected command = "./solver {file}"')
    described = {key: table[key] for key in PATTERNS if key in table}
    return describe(
        words,
        table.get("claims", "one"),
        mode=table.get("mode"),
        form=table.get("format"),
        exits=[f"{code}={meaning}" for code, meaning in exits.items()],
        **described,
    )


def describe(
    words: Sequence[str],
    claims: Claims = "one",
    *,
    mode: str | None = None,
    form: str | None = None,
    exits: Sequence[str] = (),
    **described: str,
) -> Program:
    """Return the program described by options given as text; by default the other options determine the mode.

    That is ``one-shot`` if the options differ from the protocol, and ``json`` otherwise. ``exits`` are meanings of exit
    statuses, such as ``20=unsolvable``, and ``described`` are arguments of `PlainOutput`.
    """
    meanings = []
    for text in exits:
        code, equals, meaning = text.partition("=")
        if not (equals and code.strip().isdecimal() and code.isascii() and len(code) < 5):
            raise ValueError(f"expected STATUS=MEANING such as 20=unsolvable, found {text!r:.40}")
        meanings.append((int(code), meaning.strip()))
    output = PlainOutput(exits=tuple(meanings), **described)
    if mode is None:
        mode = "one-shot" if _has_place(words) or form is not None or not output.is_protocol else "json"
    return Program(tuple(words), claims, mode, form or "inline", output)  # type: ignore[arg-type]
