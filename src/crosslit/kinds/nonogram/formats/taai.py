"""The batches of the TAAI nonogram tournaments: a line ``$7``, then 25 columns and 25 rows, one clue per line.

Columns come first, tabs separate numbers, and an empty line is an empty clue. Only the tournaments' fixed size shows
where the rows begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import Line, of_lines, require_nonogram

NAME = "taai"
PRIORITY = 20
EXTENSIONS = frozenset({".taai"})
HEAD = re.compile(r"\s*\$[0-9]+\$?\s*?(?:\n|\Z)")  # the files have one $, their descriptions two
SUMMARY = "nonograms 25 x 25 of the TAAI tournaments: lines '$1', '$2'..., each before 25 columns and 25 rows"

_SIZE = 25


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text; its number is ignored, because its position gives the same."""
    head: int | None = None
    block: list[Line] = []
    for number, line in numbered_lines(text):
        if HEAD.match(line):
            if head is not None:
                yield _nonogram(block, head, origin)
            head, block = number, []
        elif head is not None:
            block.append((number, line))
        elif line.strip():
            raise InputError(origin, f"expected a line such as $1, found {line.strip()[:20]!r}", number)
    if head is not None:
        yield _nonogram(block, head, origin)


def _nonogram(block: list[Line], head: int, origin: str) -> Nonogram:
    # Blank lines are clues here; only those beyond the fixed number separate puzzles.
    while len(block) > 2 * _SIZE and not block[-1][1].strip():
        block.pop()
    if len(block) != 2 * _SIZE:
        problem = f"expected {_SIZE} column and {_SIZE} row clues below, found {len(block)} (an empty line is one)"
        raise InputError(origin, problem, head)
    return of_lines(block[_SIZE:], block[:_SIZE], origin)


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the text of nonograms of 25 x 25, numbered from 1."""
    for number, puzzle in enumerate(puzzles, 1):
        nonogram = require_nonogram(puzzle, NAME)
        if (nonogram.rows, nonogram.columns) != (_SIZE, _SIZE):
            shape = f"{nonogram.rows} x {nonogram.columns}"
            raise ValueError(f"the format {NAME} holds nonograms of {_SIZE} x {_SIZE}, not of {shape}")
        clues = (*nonogram.column_clues, *nonogram.row_clues)
        yield "\n".join([f"${number}", *("\t".join(map(str, clue)) for clue in clues)]) + "\n"
