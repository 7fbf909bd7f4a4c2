"""What the nonogram formats have in common: reading clues, and saying which one is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crosslit.errors import InputError
from crosslit.puzzles import Nonogram, Puzzle
from crosslit.puzzles.nonogram import Clue

_LONGEST = 9  # digits of a number: enough for any line, and far from Python's limit on converting text


def read_clue(text: str, what: str, origin: str, line: int | None = None) -> Clue:
    """A clue of numbers separated by blanks or commas; ``0`` alone is an empty one.

    Raises:
        InputError: if there is none, or something else than positive numbers.
    """
    words = re.split(r"\s*,\s*|\s+", text.strip())
    if words == [""]:
        raise InputError(origin, f"{what}: expected a clue, found nothing (an empty line is written 0)", line)
    for word in words:
        if not (word.isascii() and word.isdigit()) or len(word) > _LONGEST or (int(word) == 0 and len(words) > 1):
            raise InputError(origin, f"{what}: expected positive whole numbers, found {word[:20]!r}", line)
    return tuple(int(word) for word in words if int(word))


def require_nonogram(puzzle: Puzzle, name: str) -> Nonogram:
    """The puzzle itself.

    Raises:
        ValueError: if it is not a nonogram, which the format called ``name`` holds alone.
    """
    if not isinstance(puzzle, Nonogram):
        raise ValueError(f"the format {name} holds nonograms, not a {puzzle.kind} puzzle")
    return puzzle


def write_clue(clue: Sequence[int], separator: str) -> str:
    """The numbers of a clue; ``0`` for an empty one."""
    return separator.join(map(str, clue)) or "0"
