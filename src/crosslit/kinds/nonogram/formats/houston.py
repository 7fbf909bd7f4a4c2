"""Two lines of clues in quotation marks, columns before rows, after the numbers of columns and of rows.

The format of the nonogram solver of HoustonWeHaveABug.
"""

from __future__ import annotations

import re

from crosslit.errors import InputError
from crosslit.formats._format import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_one_colour, read_sizes, require_nonogram, write_clue

NAME = "houston"
PRIORITY = 45
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r'[ \t]*[0-9]+[ \t\r]*\n[ \t]*[0-9]+[ \t\r]*\n[ \t]*"')
SUMMARY = 'nonogram: the lines WIDTH and HEIGHT, then column clues as "2,1","3" on a line, and row clues'
EXAMPLE = '2\n2\n"1","2"\n"2","1"\n'

_CLUE = re.compile(r'"([^"]*)"|([^",\s]+)')


def parse(text: str, origin: str) -> Nonogram:
    r"""Return the nonogram in a text.

    Examples:
        >>> parse('3\n2\n"1","0","1"\n"1,1","0"\n', "here").text
        '1 1,0|1,0,1'
    """
    lines = [line for line in numbered_lines(text) if line[1].strip()]
    if len(lines) != 4:
        raise InputError(origin, f"expected four lines: width, height, columns, rows; found {len(lines)}")
    sizes = [*read_sizes([line.strip() for _, line in lines[:2]], "width and height", origin, lines[0][0])]
    clues = []
    # Columns before rows, as their number comes first.
    for axis, size, (number, line) in zip(("column", "row"), sizes, lines[2:], strict=True):
        # Quotation marks may be missing around a clue of one number.
        found = [first or other for first, other in _CLUE.findall(line)]
        if len(found) != size:
            raise InputError(origin, f"expected {size} {axis} clues, found {len(found)}", number)
        clues.append([read_one_colour(clue, f"{axis} {at}", origin, number) for at, clue in enumerate(found, 1)])
    columns, rows = clues
    return Nonogram(rows, columns)


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    nonogram = require_nonogram(puzzle, NAME)
    columns, rows = (
        ",".join(f'"{write_clue(clue, ",")}"' for clue in clues)
        for clues in (nonogram.column_clues, nonogram.row_clues)
    )
    return f"{nonogram.columns}\n{nonogram.rows}\n{columns}\n{rows}\n"
