""".cwd: height, width, then the rows, a blank line, and the columns, one clue per line.

The format of QNonograms and of Vladimir Sukhoy's solver.
"""

from __future__ import annotations

import re

from crosslit.errors import InputError
from crosslit.formats._format import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import Line, read_clues, read_sizes, require_nonogram, write_clues

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
    r"""Return the nonogram in a text.

    Blank lines are ignored, because the sizes say where the columns begin. But if that leaves too few clues, the blank
    line after the rows separates them from the columns, and every other one is an empty clue.

    Examples:
        >>> parse("2\n3\n1 1\n0\n\n1\n0\n1\n", "here").text
        '1 1,0|1,0,1'
    """
    lines = numbered_lines(text)
    head = [line for _, line in zip(range(2), (line for line in lines if line[1].strip()), strict=False)]
    first = head[0][0] if head else 1
    words = [line.strip() for _, line in head]
    if len(words) != 2:
        raise InputError(origin, "expected height and width, each on its own line", first)
    height, width = read_sizes(words, "height and width, each on its own line", origin, first)
    rest = list(lines)
    rows, columns = _split(rest, height, width) or (None, None)
    if rows is None or columns is None:
        found = sum(bool(line.strip()) for _, line in rest)
        last = rest[-1][0] if rest else first
        expected = f"expected {height} row clues, a blank line, and {width} column clues"
        raise InputError(origin, f"{expected}, found {found} clues", last)
    return Nonogram(read_clues(rows, "row", origin), read_clues(columns, "column", origin))


def _split(lines: list[Line], height: int, width: int) -> tuple[list[Line], list[Line]] | None:
    written = [line for line in lines if line[1].strip()]
    if len(written) == height + width:
        return written[:height], written[height:]
    # Blank lines are clues here, except the one between rows and columns and those at the end.
    end = height + 1 + width
    if len(lines) < end or lines[height][1].strip() or any(line.strip() for _, line in lines[end:]):
        return None
    return lines[:height], lines[height + 1 : end]


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    nonogram = require_nonogram(puzzle, NAME)
    rows, columns = write_clues(puzzle, NAME)
    row_sum, column_sum = (sum(map(sum, clues)) for clues in (nonogram.row_clues, nonogram.column_clues))
    # With sizes that fill the difference of the sums, this would be a file of `typed`, which has no third block.
    gap = [""] if row_sum + len(rows) + len(columns) == column_sum else []
    return "\n".join([str(len(rows)), str(len(columns)), *gap, *rows, "", *columns]) + "\n"
