""".nin: width and height, then the rows, then the columns, one clue a line.

As read by Jakub Wilk's nonogram solver.
"""

from __future__ import annotations

from crosslit.errors import InputError
from crosslit.formats._clues import read_clue, require_nonogram, write_clue
from crosslit.puzzles import Nonogram, Puzzle

NAME = "nin"
EXTENSIONS = frozenset({".nin"})
SUMMARY = "nonogram: a line 'WIDTH HEIGHT', then one clue a line, rows before columns"


def sniff(text: str) -> bool:
    """Whether the first line is two numbers, and everything else is numbers too."""
    words = text.split("\n", 1)[0].split()
    return len(words) == 2 and set(text) <= set("0123456789 \t\r\n")


def parse(text: str, origin: str) -> Nonogram:
    r"""The nonogram of a text; blank lines are ignored.

    Raises:
        InputError: if the sizes or a clue cannot be read, or the number of clues is not that of the sizes.

    Examples:
        >>> parse("3 2\n1 1\n0\n1\n0\n1\n", "here").text
        '1 1,0|1,0,1'
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    first, head = lines[0] if lines else (1, "")
    words = head.split()
    if len(words) != 2 or not all(word.isascii() and word.isdigit() and int(word[:9]) > 0 for word in words):
        raise InputError(origin, f"expected width and height, two positive numbers, found {head.strip()[:20]!r}", first)
    width, height = (int(word[:9]) for word in words)
    clues = lines[1:]
    if len(clues) != width + height:
        raise InputError(origin, f"expected {height} row and {width} column clues, found {len(clues)}", lines[-1][0])
    rows = [read_clue(line, f"row {i}", origin, number) for i, (number, line) in enumerate(clues[:height], 1)]
    columns = [read_clue(line, f"column {i}", origin, number) for i, (number, line) in enumerate(clues[height:], 1)]
    return Nonogram(rows, columns)


def write(puzzle: Puzzle) -> str:
    """The text of a nonogram.

    Raises:
        ValueError: if the puzzle is no nonogram.
    """
    nonogram = require_nonogram(puzzle, NAME)
    clues = (write_clue(clue, " ") for clue in (*nonogram.row_clues, *nonogram.column_clues))
    return "\n".join([f"{nonogram.columns} {nonogram.rows}", *clues]) + "\n"
