""".cwd: height, width, then the rows, a blank line, and the columns, one clue per line.

The format of QNonograms and of Vladimir Sukhoy's solver.
"""

from __future__ import annotations

import re
from itertools import islice

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import of_lines, read_sizes, require_nonogram, write_clues

NAME = "cwd"
PRIORITY = 40
EXTENSIONS = frozenset({".cwd"})
HEAD = re.compile(r"(?:[ \t]*[0-9]+[ \t\r]*\n){2}")
SUMMARY = "nonogram: the lines HEIGHT and WIDTH, then one clue per line, rows, a blank line, columns"
EXAMPLE = "2\n2\n2\n1\n\n1\n2\n"


def sniff(text: str) -> bool:
    """Return whether all other characters are numbers too, as in the first two lines, and there is a blank line."""
    return set(text) <= set("0123456789 \t\r\n") and any(not line.strip() for line in text.splitlines()[2:])


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text.

    Blank lines are ignored, because the sizes say where the columns begin. But if that leaves too few clues, the blank
    line after the rows separates them from the columns, and every other one is an empty clue.
    """
    lines = numbered_lines(text)
    head = list(islice((line for line in lines if line[1].strip()), 2))
    first = head[0][0] if head else 1
    if len(head) != 2:
        raise InputError(origin, "expected height and width, each on its own line", first)
    height, width = read_sizes(
        [line.strip() for _, line in head], "height and width, each on its own line", origin, first
    )
    rest = list(lines)
    written = [line for line in rest if line[1].strip()]
    if len(written) == height + width:
        return of_lines(written[:height], written[height:], origin)
    # Blank lines are clues here, except the one between rows and columns and those at the end.
    end = height + 1 + width
    if len(rest) < end or rest[height][1].strip() or any(line.strip() for _, line in rest[end:]):
        expected = f"expected {height} row clues, a blank line, and {width} column clues"
        raise InputError(origin, f"{expected}, found {len(written)} clues", rest[-1][0] if rest else first)
    return of_lines(rest[:height], rest[height + 1 : end], origin)


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    rows, columns = write_clues(puzzle, NAME)
    row_sum, column_sum = require_nonogram(puzzle, NAME).sums
    # With sizes that fill the difference of the sums, this would be a file of `typed`, which has no third block.
    gap = [""] if row_sum + len(rows) + len(columns) == column_sum else []
    return "\n".join([str(len(rows)), str(len(columns)), *gap, *rows, "", *columns]) + "\n"
