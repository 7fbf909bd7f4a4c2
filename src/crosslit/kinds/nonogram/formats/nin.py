""".nin: width and height, then the rows, then the columns, one clue per line.

The format of Jakub Wilk's nonogram solver.
"""

from __future__ import annotations

import re

from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import of_lines, read_head, require_section, write_clues

NAME = "nin"
PRIORITY = 30
EXTENSIONS = frozenset({".nin"})
HEAD = re.compile(r"[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*(?:\n|\Z)")
SUMMARY = "nonogram: a line 'WIDTH HEIGHT', then one clue per line, rows before columns"
EXAMPLE = "2 2\n2\n1\n1\n2\n"


def sniff(text: str) -> bool:
    """Return whether everything is numbers, like the first line."""
    # Other formats of plain numbers match this too, so they are tried first (`PRIORITY`).
    return set(text) <= set("0123456789 \t\r\n")


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues."""
    lines = numbered_lines(text)
    first, (width, height) = read_head(lines, "width and height, two positive numbers", origin)
    expected = f"{height} row and {width} column clues"
    clues = require_section(list(lines), width + height, expected, origin, first)
    return of_lines(clues[:height], clues[height:], origin)


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    rows, columns = write_clues(puzzle, NAME)
    return "\n".join([f"{len(columns)} {len(rows)}", *rows, *columns]) + "\n"
