"""Nonograms as text and as JSON values, and a bound on their solutions by arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import comb, prod
from typing import Any

from crosslit.base.errors import InputError
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram

MAX_DIGITS = 9  # maximum digits of a number: enough for any line, and far from Python's limit on converting text


def read_clue(text: str, what: str, origin: str, line: int | None = None) -> Clue:
    """Read a clue of numbers separated by blanks or commas; a single ``0`` is an empty clue."""
    words = re.split(r"\s*,\s*|\s+", text.strip()) if "," in text else text.split() or [""]
    if words == [""]:
        raise InputError(origin, f"{what}: expected a clue, found nothing (an empty line is written 0)", line)
    for word in words:
        # `isdigit` and `int` accept digits of other scripts, hence `isascii`.
        if not (word.isascii() and word.isdigit()) or len(word) > MAX_DIGITS or (int(word) == 0 and len(words) > 1):
            raise InputError(origin, f"{what}: expected positive whole numbers, found {word[:20]!r}", line)
    return tuple([block for word in words if (block := int(word))])


def parse(text: str, origin: str = "text") -> Nonogram:
    """Return the nonogram of ``ROWS|COLUMNS`` on one line, or of two lines: rows, then columns."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    parts = [(number, part) for number, line in lines for part in line.split("|")]
    if len(parts) != 2:
        expected = "expected rows and columns, separated by | or on two lines"
        raise InputError(origin, f"{expected}; found {len(parts)} part(s)")
    clues = []
    for axis, (number, part) in zip(("row", "column"), parts, strict=True):
        place = number if len(text.splitlines()) > 1 else None
        clues.append([read_clue(clue, f"{axis} {i}", origin, place) for i, clue in enumerate(part.split(","), 1)])
    rows, columns = clues
    return Nonogram(rows, columns)


def read_data(kind: type[Nonogram], record: Mapping[str, Any], origin: str) -> Nonogram:
    """Read a nonogram from its `data`, given with their origin for messages."""
    palette = [record["palette"]] if "palette" in kind.data_keys else []
    try:
        return kind(_clues(record["rows"]), _clues(record["columns"]), *palette)
    except (TypeError, ValueError) as error:
        raise InputError(origin, str(error)) from None


def _clues(clues: Any) -> Any:
    """Return clues without the zeros with which many programs fill up short ones; a number is a clue of one block."""
    if not isinstance(clues, list):
        return clues
    lists = ([clue] if type(clue) is int else clue for clue in clues)
    return [[n for n in clue if type(n) is not int or n] if isinstance(clue, list) else clue for clue in lists]


def most_possible(puzzle: Nonogram) -> int:
    """Return a bound on the number of solutions: the placements of the blocks in all rows (or columns) but one.

    The column clues give the number of filled cells in each column, and so determine the last row.
    """
    return min(_ways(puzzle.row_clues, puzzle.columns), _ways(puzzle.column_clues, puzzle.rows))


def _ways(clues: Iterable[Clue], length: int) -> int:
    ways = []
    for clue in clues:
        # The blocks go into the gaps before, between and after the other cells, at most one into each.
        room = length - sum(clue) + 1
        if room < len(clue):
            return 0  # it does not fit
        ways.append(comb(room, len(clue)))
    # The line with the most placements is the one that need not be counted, which gives the best bound.
    return prod(ways) // max(ways)
