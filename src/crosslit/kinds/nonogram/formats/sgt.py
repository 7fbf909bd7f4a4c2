"""Puzzle ids of Simon Tatham's game Pattern, such as ``3x2:1//1/1.1/``.

An id is the width, the height, and the clues: first of the columns, then of the rows. Clues are separated by ``/``, and
the numbers of a clue by ``.``; an empty clue has no text. A file may contain several ids, one per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_clue, read_sizes, require_nonogram
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "sgt"
PRIORITY = 10
EXTENSIONS = frozenset({".sgt"})
HEAD = re.compile(r"\s*[0-9]+(x[0-9]+)?:[0-9./]*/")
SUMMARY = "nonograms: ids of Simon Tatham's Pattern, WIDTHxHEIGHT:columns/rows, one per line"
EXAMPLE = "2x2:1/2/2/1\n"

_ID = re.compile(r"([0-9]+)(?:x([0-9]+))?:(.*)", re.ASCII)


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text, one per line; blank lines are ignored."""
    several = "\n" in text.strip()
    for number, line in numbered_lines(text):
        if line.strip():
            yield _nonogram(line.strip(), origin, number if several else None)


def _nonogram(text: str, origin: str, line: int | None) -> Nonogram:
    parts = _ID.fullmatch(text)
    if parts is None:
        raise InputError(origin, f"expected WIDTHxHEIGHT: and the clues, found {text[:20]!r}", line)
    # The game omits the height of a square.
    width, height = read_sizes([parts[1], parts[2] or parts[1]], "WIDTHxHEIGHT:, two positive numbers", origin, line)
    if "," in parts[3]:
        raise InputError(origin, "expected only clues: an id with given cells is not supported", line)
    clues = parts[3].split("/")
    if len(clues) != width + height:
        raise InputError(origin, f"expected {width} column and {height} row clues, found {len(clues)}", line)
    columns = [_clue(clue, f"column {index}", origin, line) for index, clue in enumerate(clues[:width], 1)]
    return Nonogram([_clue(clue, f"row {index}", origin, line) for index, clue in enumerate(clues[width:], 1)], columns)


def _clue(text: str, what: str, origin: str, line: int | None) -> Clue:
    if " " in text:
        raise InputError(origin, f"{what}: expected numbers separated by a full stop, found {text[:20]!r}", line)
    return read_clue(text.replace(".", ","), what, origin, line) if text else ()


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the ids of nonograms, one per line."""
    for puzzle in puzzles:
        nonogram = require_nonogram(puzzle, NAME)
        clues = (".".join(map(str, clue)) for clue in (*nonogram.column_clues, *nonogram.row_clues))
        yield f"{nonogram.columns}x{nonogram.rows}:{'/'.join(clues)}\n"
