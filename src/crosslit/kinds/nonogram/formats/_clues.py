"""Shared parts of the nonogram formats: reading clues, with an `InputError` that names the wrong line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue

COLOURED = re.compile(r"[0-9]+(?:-[0-9A-Za-z]|[A-Za-z])")
"""A block with a colour."""

_MAX_DIGITS = 9  # maximum digits of a number: enough for any line, and far from Python's limit on converting text


def read_clue(text: str, what: str, origin: str, line: int | None = None) -> Clue:
    """Read a clue of numbers separated by blanks or commas; a single ``0`` is an empty clue."""
    words = re.split(r"\s*,\s*|\s+", text.strip()) if "," in text else text.split() or [""]
    if words == [""]:
        raise InputError(origin, f"{what}: expected a clue, found nothing (an empty line is written 0)", line)
    for word in words:
        # `isdigit` and `int` accept digits of other scripts, hence `isascii`.
        if not (word.isascii() and word.isdigit()) or len(word) > _MAX_DIGITS or (int(word) == 0 and len(words) > 1):
            raise InputError(origin, f"{what}: expected positive whole numbers, found {word[:20]!r}", line)
    return tuple([block for word in words if (block := int(word))])


Line = tuple[int, str]
"""A line and its number, from 1."""


def read_sizes(words: Sequence[str], what: str, origin: str, line: int | None) -> list[int]:
    """Return the positive numbers of a header, however large, because nothing is allocated by them."""
    if not all(word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS and int(word) for word in words):
        raise InputError(origin, f"expected {what}, found {' '.join(words)[:20]!r}", line)
    return [int(word) for word in words]


def read_head(lines: Iterator[Line], what: str, origin: str) -> tuple[int, list[int]]:
    """Return the number of the first line that is not blank, and the two sizes on it."""
    number, head = next((line for line in lines if line[1].strip()), (1, ""))
    words = head.split()
    if len(words) != 2:
        raise InputError(origin, f"expected {what}, found {head.strip()[:20]!r}", number)
    return number, read_sizes(words, what, origin, number)


def section(lines: Sequence[Line], size: int) -> Sequence[Line] | None:
    """Return the ``size`` lines that are clues; None if there are more or fewer.

    Blank lines are ignored, as in most programs; but if that leaves too few clues, and counting them gives the exact
    number, each is an empty clue, as in other programs.
    """
    written = [line for line in lines if line[1].strip()]
    if len(written) == size:
        return written
    if len(written) < size <= len(lines) and not any(line.strip() for _, line in lines[size:]):
        return lines[:size]
    return None


def require_section(lines: Sequence[Line], size: int, what: str, origin: str, first: int) -> Sequence[Line]:
    """Return the lines that are clues, as `section` does; an error is at the last line, or ``first`` without any."""
    chosen = section(lines, size)
    if chosen is None:
        found = sum(bool(line.strip()) for _, line in lines)
        raise InputError(origin, f"expected {what}, found {found}", lines[-1][0] if lines else first)
    return chosen


def read_clues(lines: Iterable[Line], axis: str, origin: str) -> list[Clue]:
    """Read the clues of lines of an ``axis``, rows or columns; a blank line is an empty clue."""
    return [
        read_clue(line, f"{axis} {index}", origin, number) if line.strip() else ()
        for index, (number, line) in enumerate(lines, 1)
    ]


def of_lines(rows: Iterable[Line], columns: Iterable[Line], origin: str) -> Nonogram:
    """Return the nonogram with these lines as clues."""
    return Nonogram(read_clues(rows, "row", origin), read_clues(columns, "column", origin))


def append_clue(clues: list[Clue], text: str, axis: str, origin: str, line: int) -> None:
    """Read the next clue of an axis in one colour; a block with a colour has a letter or ``-`` after the number."""
    what = f"{axis} {len(clues) + 1}"
    if coloured := COLOURED.search(text):
        raise InputError(origin, f"{what}: expected blocks of one colour, found the coloured {coloured[0]!r}", line)
    clues.append(read_clue(text, what, origin, line))


def is_read_by(module: ModuleType, text: str) -> bool:
    """Return whether a format of one nonogram reads a text."""
    try:
        module.parse(text, "")
    except InputError:
        return False
    return True


def check_goal(puzzle: Puzzle, goal: Grid, origin: str, line: int) -> None:
    """Check that the solution in a file solves its puzzle."""
    if (goal.rows, goal.columns) != (puzzle.rows, puzzle.columns):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError(origin, f"expected a goal of {shape} cells, found {goal.rows} x {goal.columns}", line)
    violation = next(puzzle.violations(goal), None)
    if violation is not None:
        raise InputError(origin, f"expected a goal that solves the puzzle, but {violation}", line)


def require_nonogram(puzzle: Puzzle, name: str) -> Nonogram:
    """Return the puzzle, typed as a nonogram; raise a `ValueError` for other kinds, which the format cannot hold."""
    if not isinstance(puzzle, Nonogram) or puzzle.palette:
        raise ValueError(f"the format {name} holds nonograms, not a {puzzle.kind} puzzle")
    return puzzle


def write_clue(clue: Sequence[object], separator: str) -> str:
    """Return the numbers of a clue as text; ``0`` for an empty clue."""
    return separator.join(map(str, clue)) or "0"


def write_clues(puzzle: Puzzle, name: str) -> tuple[list[str], list[str]]:
    """Return the row clues and the column clues of a nonogram as text, with blanks between numbers."""
    nonogram = require_nonogram(puzzle, name)
    rows, columns = ([write_clue(clue, " ") for clue in clues] for clues in (nonogram.row_clues, nonogram.column_clues))
    return rows, columns
