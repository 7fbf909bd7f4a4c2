"""The .g files of Mirek and Petr Olšák's solver: free text, then rows and columns, each after a line ``:``."""

from __future__ import annotations

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import append_clue, write_clues
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "olsak"
PRIORITY = 15
EXTENSIONS = frozenset({".g"})
SUMMARY = "nonogram: .g of Olšák's solver, in one colour; rows, then columns, one clue per line, each below a line ':'"
EXAMPLE = ":\n2\n1\n:\n1\n2\n"


def sniff(text: str) -> bool:
    """Return True if two or more lines begin with a colon and only clues follow the first of them."""
    # A line end in front, so that a colon that begins the first line counts too.
    blocks = f"\n{text}".split("\n:")[1:]
    clues = "".join(block.partition("\n")[2] for block in blocks)
    return len(blocks) >= 2 and not set(clues) - set("0123456789 \t\r\n")


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text; colours may be declared, but all blocks must have the same."""
    blocks: list[list[Clue]] = []
    for number, line in numbered_lines(text):
        if line.startswith(":"):
            blocks.append([])
        elif not blocks and line.lower().startswith("#t"):
            raise InputError(origin, "expected a nonogram of rows and columns, found a triddler (#t)", number)
        elif blocks and line.strip():
            if len(blocks) > 2:
                raise InputError(origin, "expected rows and columns, found a third line ':' with clues", number)
            append_clue(blocks[-1], line, ("row", "column")[len(blocks) - 1], origin, number)
    if len(blocks) < 2 or not blocks[0] or not blocks[1]:
        raise InputError(origin, "expected a line ':' and the clues of rows, then ':' and the clues of columns")
    return Nonogram(blocks[0], blocks[1])


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram."""
    rows, columns = write_clues(puzzle, NAME)
    return "\n".join([":", *rows, ":", *columns]) + "\n"
