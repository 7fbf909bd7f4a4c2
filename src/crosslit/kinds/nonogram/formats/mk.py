""".mk: height and width, then the rows, a line ``#``, and the columns, one clue per line.

The format of the solver of Mirek and Petr Olšák. Its first line is reversed compared with `.nin`.
"""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import of_lines, read_head, require_section, write_clues

NAME = "mk"
PRIORITY = 50
EXTENSIONS = frozenset({".mk"})
HEAD = re.compile(r"[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*(?:\n|\Z)")
SUMMARY = "nonogram: a line 'HEIGHT WIDTH', then one clue per line, rows, a line '#', columns"
EXAMPLE = "2 2\n2\n1\n#\n1\n2\n"


def sniff(text: str) -> bool:
    """Return whether one line is ``#``, and everything else is numbers like the first line."""
    return set(text) <= set("0123456789# \t\r\n") and sum(line.strip() == "#" for line in text.splitlines()) == 1


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues."""
    every = numbered_lines(text)
    # Height first, the reverse of `.nin`.
    first, (height, width) = read_head(every, "height and width, two positive numbers", origin)
    lines = list(every)
    marks = [index for index, (_, line) in enumerate(lines) if line.strip() == "#"]
    if len(marks) != 1:
        place = lines[marks[1]][0] if marks else lines[-1][0] if lines else first
        raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)
    rows = require_section(lines[: marks[0]], height, f"{height} row clues", origin, first)
    columns = require_section(lines[marks[0] + 1 :], width, f"{width} column clues", origin, first)
    return of_lines(rows, columns, origin)


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    rows, columns = write_clues(puzzle, NAME)
    return "\n".join([f"{len(rows)} {len(columns)}", *rows, "#", *columns]) + "\n"
