"""Lights Out boards in files: settings and rows of cells, one per line, or separated by / on one line."""

from __future__ import annotations

import re

from crosslit.formats._format import Format
from crosslit.kinds import LightsOut, Puzzle
from crosslit.kinds.lights_out.text import parse, without_remark

_TYPED_CELL = str.maketrans("", "", "01.#_xXoO")
_BOARD = b"01.#_/ \t\r\n"
_PIECE = 1 << 16  # characters that fit in the cache
_BETWEEN = re.compile(r"\S[^\S\n]+\S")  # blanks between words on a line
# A misspelt setting too; a value of a program's text has blanks or brackets around it.
_SETTING = re.compile(r"(?:press|wrap|edges|matrix)\s*=|[A-Za-z]+=[\w.#,-]+[/\r\n]")


def detect(text: str) -> str | None:
    """Return "" if the text begins with a setting, or has only cells, slashes, remarks and line ends."""
    head = text[:1000].lstrip()  # a board may have 10^8 cells, so the text is never copied as a whole
    if _SETTING.match(head):
        return ""
    if "# " in text[:_PIECE]:
        text = "\n".join(map(without_remark, text.split("\n"))).strip()
    # Lines of one cell with a blank line between them are clues.
    if any(text.find(blank, 0, _PIECE) >= 0 for blank in ("\n\n", "\n\r\n")):
        lengths = {len(line.strip()) for line in text.split("\n") if line.strip()}
        if len(lengths) > 1 or lengths == {1}:
            return None
    if not text or (any(blank in text for blank in " \t\v\f") and _BETWEEN.search(text)):
        return None
    pieces = (text[at : at + _PIECE].encode(errors="replace") for at in range(0, len(text), _PIECE))
    if not any(piece.translate(None, _BOARD) for piece in pieces):
        return ""
    # letters count as cells only in text that cannot be the name of a missing file
    typed = any(mark in text for mark in "/\n.") and not text.translate(_TYPED_CELL).strip("/ \t\r\n")
    return "" if typed else None


def detect_spaced(text: str) -> str | None:
    """Return "" for cells with blanks or commas between them, in lines of equal length; the clues 1 1 have no 0."""
    lines = [re.split(r"[ \t\r,]+", line) for line in map(str.strip, map(without_remark, text.split("\n"))) if line]
    cells = {word for line in lines for word in line}
    is_board = cells <= set("01.#xXoO_") and cells & set("0.oO") and len({len(line) for line in lines}) == 1
    return "" if is_board and len(lines[0]) > 1 else None


def write(puzzle: Puzzle) -> str:
    """Return the text of a board, one setting or row per line."""
    if puzzle.kind != LightsOut.kind or not isinstance(puzzle, LightsOut):
        raise ValueError(f"the format {BOARD.name} holds Lights Out boards, not a {puzzle.kind}")
    return "\n".join([*puzzle.settings, *puzzle.lines]) + "\n"


BOARD = Format(
    name="board",
    summary="Lights Out: rows of 0/1, ./# or O/X (_ missing), one per line or separated by /; settings first",
    example="01\n10\n",
    extensions=(".board", ".lights"),
    detect=detect,
    reader=lambda text, origin: [parse(text, origin)],
    writer=write,
)
