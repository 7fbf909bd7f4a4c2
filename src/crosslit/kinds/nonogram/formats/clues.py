"""Nonograms as ROWS|COLUMNS on one line, or as two lines: rows, then columns."""

from __future__ import annotations

from crosslit.base.errors import InputError
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_clue, write_clues

NAME = "clues"
PRIORITY = 60
EXTENSIONS = frozenset({".clues"})
SUMMARY = "nonogram: rows|columns, or rows and columns on two lines; lines separated by commas, numbers by blanks"
EXAMPLE = "2,1|1,2\n"


def sniff(text: str) -> bool:
    """Return whether there is a ``|``, or exactly two lines of numbers, blanks and commas."""
    lines = text.split("\n")
    return "|" in text or (sum(bool(line.strip()) for line in lines) == 2 and set(text) <= set("0123456789, \t\r\n"))


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    parts = [(number, part) for number, line in lines for part in line.split("|")]
    if len(parts) != 2:
        expected = "expected rows and columns, separated by | or on two lines"
        raise InputError(origin, f"{expected}; found {len(parts)} part(s)")
    clues = []
    for axis, (number, part) in zip(("row", "column"), parts, strict=True):
        place = number if len(text.splitlines()) > 1 else None
        clues.append([read_clue(clue, f"{axis} {i}", origin, place) for i, clue in enumerate(part.split(","), 1)])
    rows, columns = clues
    return Nonogram(rows, columns)


def write(puzzle: Puzzle) -> str:
    """Return a nonogram in its two-line form, or in one line if the two could be the rows of a board."""
    lines = [",".join(clues) for clues in write_clues(puzzle, NAME)]
    # Two lines of 0 and 1 only would be read as the rows of a board.
    return ("|" if set("".join(lines)) <= {"0", "1"} else "\n").join(lines) + "\n"
