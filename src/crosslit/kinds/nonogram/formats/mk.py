""".mk: height and width, then the rows, a line ``#``, and the columns, one clue per line.

The format of the solver of Mirek and Petr Olšák. Its first line is reversed compared with `.nin`.
"""

from __future__ import annotations

import re

from crosslit.errors import InputError
from crosslit.formats._format import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_clues, read_head, section, write_clues

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
    r"""Return the nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues.

    Examples:
        >>> parse("2 3\n1 1\n0\n#\n1\n0\n1\n", "here").text
        '1 1,0|1,0,1'
    """
    every = numbered_lines(text)
    # Height first, the reverse of `.nin`.
    first, (height, width) = read_head(every, "height and width, two positive numbers", origin)
    lines = list(every)
    marks = [index for index, (_, line) in enumerate(lines) if line.strip() == "#"]
    if len(marks) != 1:
        place = lines[marks[1]][0] if marks else lines[-1][0] if lines else first
        raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)
    parts = (("row", height, lines[: marks[0]]), ("column", width, lines[marks[0] + 1 :]))
    clues = []
    for axis, size, part in parts:
        chosen = section(part, size)
        if chosen is None:
            found = sum(bool(line.strip()) for _, line in part)
            raise InputError(origin, f"expected {size} {axis} clues, found {found}", part[-1][0] if part else first)
        clues.append(read_clues(chosen, axis, origin))
    rows, columns = clues
    return Nonogram(rows, columns)


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    rows, columns = write_clues(puzzle, NAME)
    return "\n".join([f"{len(rows)} {len(columns)}", *rows, "#", *columns]) + "\n"
