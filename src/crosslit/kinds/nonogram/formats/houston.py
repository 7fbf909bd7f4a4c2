"""Two lines of clues in quotation marks, columns before rows, after the numbers of columns and of rows.

The format of the nonogram solver of HoustonWeHaveABug.
"""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import append_clue, read_sizes, require_nonogram, write_clue
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "houston"
PRIORITY = 45
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r'[ \t]*[0-9]+[ \t\r]*\n[ \t]*[0-9]+[ \t\r]*\n[ \t]*"')
SUMMARY = 'nonogram: the lines WIDTH and HEIGHT, then column clues as "2,1","3" on a line, and row clues'
EXAMPLE = '2\n2\n"1","2"\n"2","1"\n'

_CLUE = re.compile(r'"([^"]*)"|([^",\s]+)')


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text."""
    lines = [line for line in numbered_lines(text) if line[1].strip()]
    if len(lines) != 4:
        raise InputError(origin, f"expected four lines: width, height, columns, rows; found {len(lines)}")
    sizes = read_sizes([line.strip() for _, line in lines[:2]], "width and height", origin, lines[0][0])
    clues: dict[str, list[Clue]] = {"column": [], "row": []}
    # Columns before rows, as their number comes first.
    for axis, size, (number, line) in zip(clues, sizes, lines[2:], strict=True):
        # Quotation marks may be missing around a clue of one number.
        found = [first or other for first, other in _CLUE.findall(line)]
        if len(found) != size:
            raise InputError(origin, f"expected {size} {axis} clues, found {len(found)}", number)
        for clue in found:
            append_clue(clues[axis], clue, axis, origin, number)
    return Nonogram(clues["row"], clues["column"])


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    nonogram = require_nonogram(puzzle, NAME)
    axes = (nonogram.column_clues, nonogram.row_clues)
    clues = [",".join(f'"{write_clue(clue, ",")}"' for clue in axis) for axis in axes]
    return "\n".join([str(nonogram.columns), str(nonogram.rows), *clues]) + "\n"
