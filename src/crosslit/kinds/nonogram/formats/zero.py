"""Clues that each end with a 0, after the numbers of rows and of columns, as in programming contests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from crosslit.base.errors import InputError
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_clue, read_sizes, require_nonogram
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "zero"
PRIORITY = 55
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r"\s*(?:[0-9]+[ \t\r]*\n)?[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*\n")
SUMMARY = "nonograms: HEIGHT WIDTH, then clues that each end with 0, rows before columns; their number may come first"
EXAMPLE = "2 2\n2 0\n1 0\n1 0\n2 0\n"

_CLUE_LINE = re.compile(r"\s*(?:[1-9][0-9]*\s+)*0\s*")


def sniff(text: str) -> bool:
    """Return True if every line after the sizes has numbers that end with 0, and it is no file of ``nin``."""
    if set(text) - set("0123456789 \t\r\n"):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    clues = [line for line in lines if _CLUE_LINE.fullmatch(line)]
    others = [line.split() for line in lines if not _CLUE_LINE.fullmatch(line)]
    sizes = [words for words in others if len(words) == 2]
    # Without a clue, one puzzle could be of the format `nin`, unless the number of puzzles comes first.
    if max(map(len, others), default=0) > 2 or (len(others) < 2 and all(len(line.split()) == 1 for line in clues)):
        return False
    # The sizes in the file must account for exactly its clues; a count of puzzles may come first.
    return sum(int(number[:9]) for words in sizes for number in words) == len(clues) and len(others) - len(sizes) <= 1


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text; line ends count as blanks."""
    words = text.split()
    for word in words:
        if not (word.isascii() and word.isdigit()) or len(word) > 9:
            raise InputError(origin, f"expected whole numbers, found {word[:20]!r}")
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    first = text.lstrip().partition("\n")[0].split()
    at = 1 if len(first) == 1 else 0
    while at < len(words):
        sizes, at = words[at : at + 2], at + 2
        height, width = read_sizes(sizes if len(sizes) == 2 else ["0"], "height and width", origin, None)
        clues: list[Clue] = []
        while len(clues) < height + width:
            try:
                end = words.index("0", at)
            except ValueError:
                what = f"expected {height} row and {width} column clues that end with 0, found {len(clues)}"
                raise InputError(origin, what) from None
            clues.append(read_clue(" ".join(words[at:end]) or "0", f"clue {len(clues) + 1}", origin))
            at = end + 1
        yield Nonogram(clues[:height], clues[height:])


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the text of nonograms."""
    nonograms = (require_nonogram(puzzle, NAME) for puzzle in puzzles)
    first = [*islice(nonograms, 2)]
    if len(first) == 1 and not any(first[0].row_clues + first[0].column_clues):
        yield "1\n"  # the number of puzzles, without which this would be a file of `nin`: width first
    for nonogram in chain(first, nonograms):
        lines = [f"{nonogram.rows} {nonogram.columns}"]
        lines += [" ".join(map(str, (*clue, 0))) for clue in (*nonogram.row_clues, *nonogram.column_clues)]
        yield "\n".join(lines) + "\n"
