"""Clues as people type them: one per line, rows and columns separated by a blank line or under headings."""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats import cwd, nin
from crosslit.kinds.nonogram.formats._clues import Line, is_read_by, of_lines, write_clues

NAME = "typed"
PRIORITY = 75  # before `board`: a board has no blank line between its rows
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r"\s*(?:(?:rows?|columns?|cols?)\b|(?:[0-9][0-9, \t]*\r?\n)+[ \t\r]*\n)", re.IGNORECASE)
SUMMARY = "nonogram: one clue per line, rows, a blank line, columns; or under the headings Rows: and Columns:"
EXAMPLE = "2\n1\n\n1\n2\n"

_HEADING = re.compile(r"\s*(rows?|columns?|cols?)\b[^0-9]*", re.IGNORECASE)
_CLUE = re.compile(r"[0-9][0-9, \t]*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_SEPARATED = re.compile(r"\n[ \t\r]*\n")
_MAX_CHARACTERS = 10_000_000  # maximum length of clues; a board of that many cells is not examined


def sniff(text: str) -> bool:
    """Return True for two blocks of clues without a line of sizes, which ``nin`` and ``cwd`` have."""
    if len(text) > _MAX_CHARACTERS or not (_SEPARATED.search(text.strip()) or _HEADING.match(text)):
        return False
    blocks = _blocks(text)
    if len(blocks) != 2 or not all(_CLUE.fullmatch(line.strip()) for _, lines in blocks for _, line in lines):
        return False
    if any(heading for heading, _ in blocks):
        return True
    lines = [line.strip() for _, lines in blocks for _, line in lines]
    if len(lines) == 2:
        return False  # one line for the rows and one for the columns, as in the format `clues`
    if len(set(map(len, lines))) == 1 and len(lines[0]) > 1 and not set("".join(lines)) - {"0", "1"}:
        return False  # rows of a board
    # A clue that fits its line is smaller than the sizes of `nin`; the sizes of `cwd` would make the sums of rows and
    # columns unequal, while those of clues are equal.
    return not is_read_by(nin, text) and (_sum(blocks[0]) == _sum(blocks[1]) or not is_read_by(cwd, text))


def _sum(block: tuple[str, list[Line]]) -> int:
    return sum(int(number) for _, line in block[1] for number in _NUMBER.findall(line))


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text."""
    blocks = _blocks(text)
    if (count := sum(bool(lines) for _, lines in blocks) if len(blocks) == 2 else len(blocks)) != 2:
        found = f"found {count} block(s) of lines"
        raise InputError(origin, f"expected the clues of rows, a blank line, and those of columns; {found}")
    (heading, first), (_, second) = blocks
    # Without headings the rows come first.
    if heading.startswith("c"):
        first, second = second, first
    return of_lines(first, second, origin)


def _blocks(text: str) -> list[tuple[str, list[Line]]]:
    """Return the blocks of lines that are not blank, each with its heading, if any, in lower case."""
    blocks: list[tuple[str, list[Line]]] = []
    inside = False
    for number, line in numbered_lines(text):
        heading = _HEADING.fullmatch(line)
        if heading:
            blocks.append((heading[1].lower(), []))
            inside = True
        elif not line.strip():
            inside = inside and not blocks[-1][1]  # a blank line may follow a heading
        else:
            if not inside:
                blocks.append(("", []))
            blocks[-1][1].append((number, line))
            inside = True
    return blocks


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram, under headings."""
    rows, columns = write_clues(puzzle, NAME)
    return "\n".join(["Rows:", *rows, "", "Columns:", *columns]) + "\n"
