"""Lights Out boards in files: settings and rows of cells, one per line, or separated by / on one line."""

from __future__ import annotations

import re

from crosslit.formats.clue_readers import is_read, read_cwd
from crosslit.kinds import LightsOut, Puzzle
from crosslit.kinds.lights_out.text import parse

__all__ = ["parse"]  # of the module of a format

NAME = "board"
PRIORITY = 70
EXTENSIONS = frozenset({".lights", ".board"})
HEAD = re.compile(r"\s*(?:[01.#_/xXoO]|[A-Za-z]+[ \t]*=)")
SUMMARY = "Lights Out: rows of 0/1, ./# or O/X (_ missing), one per line or separated by /; press= and wrap= first"
EXAMPLE = "01\n10\n"

_TYPED_CELL = str.maketrans("", "", "01.#_xXoO")
_BOARD = b"01.#_/ \t\r\n"
_PIECE = 1 << 16  # characters that fit in the cache
_BETWEEN = re.compile(r"\S[^\S\n]+\S")  # blanks between words on a line
_SETTING = re.compile(r"[A-Za-z]+[ \t]*=")


def sniff(text: str) -> bool:
    """Return whether the text begins with a setting, or has only cells, slashes and line ends."""
    head = text[:1000].lstrip()  # a board may have 10^8 cells, so the text is never copied as a whole
    if _SETTING.match(head):
        return True
    # A board has no blank line between its rows, and the numbers of `cwd` may look like cells.
    if any(text.find(blank, 0, _PIECE) >= 0 for blank in ("\n\n", "\n\r\n")) and is_read(read_cwd, text):
        return False
    if not head or (any(blank in text for blank in " \t\v\f") and _BETWEEN.search(text)):
        return False
    pieces = (text[at : at + _PIECE].encode(errors="replace") for at in range(0, len(text), _PIECE))
    if not any(piece.translate(None, _BOARD) for piece in pieces):
        return True
    # letters count as cells only in text that cannot be the name of a missing file
    return any(mark in text for mark in "/\n.") and not text.translate(_TYPED_CELL).strip("/ \t\r\n")


def write(puzzle: Puzzle) -> str:
    """Return the text of a board, one setting or row per line."""
    if puzzle.kind != LightsOut.kind or not isinstance(puzzle, LightsOut):
        raise ValueError(f"the format {NAME} holds Lights Out boards, not a {puzzle.kind}")
    return "\n".join([*puzzle.settings, *puzzle.lines]) + "\n"
