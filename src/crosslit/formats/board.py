"""Lights Out boards: rows of 0 and 1 (or . and #), one a line, or separated by / on one line."""

from __future__ import annotations

from crosslit.errors import InputError
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle

NAME = "board"
EXTENSIONS = frozenset({".lights", ".board"})
SUMMARY = "Lights Out: rows of 0/1 or ./#, one a line or separated by /"

_CELLS = str.maketrans(".#", "01")


def sniff(text: str) -> bool:
    """Whether there is something, and nothing but cells, slashes and line ends."""
    words = text.split()
    return (
        bool(words) and set("".join(words)) <= set("01.#/") and all(len(line.split()) < 2 for line in text.split("\n"))
    )


def parse(text: str, origin: str) -> LightsOut:
    r"""The board of a text; blank lines around it and blanks at line ends are ignored.

    Raises:
        InputError: if there is no cell, a strange character, or a row of another length.

    Examples:
        >>> parse("#.\n.#\n", "here").text
        '10/01'
    """
    lines = text.splitlines()
    written = [number for number, line in enumerate(lines) if line.strip()]
    rows: list[str] = []
    for number, line in enumerate(
        lines[written[0] : written[-1] + 1] if written else [], written[0] + 1 if written else 1
    ):
        place = number if len(lines) > 1 else None
        for row in line.strip().split("/"):
            if strange := set(row) - set("01.#"):
                raise InputError(origin, f"expected cells 0 or 1 (or . and #), found {min(strange)!r}", place)
            if not row:
                raise InputError(origin, "expected a row of cells, found an empty one", place)
            if rows and len(row) != len(rows[0]):
                raise InputError(origin, f"expected {len(rows[0])} cells as in the first row, found {len(row)}", place)
            rows.append(row.translate(_CELLS))
    if not rows:
        raise InputError(origin, "expected a board of 0 and 1, found nothing")
    return LightsOut(Grid.from_text("/".join(rows)))


def write(puzzle: Puzzle) -> str:
    """The text of a board, one row a line.

    Raises:
        ValueError: if the puzzle is no Lights Out board.
    """
    if not isinstance(puzzle, LightsOut):
        raise ValueError(f"the format {NAME} holds Lights Out boards, not a {puzzle.kind}")
    return "\n".join(puzzle.lit.lines()) + "\n"
