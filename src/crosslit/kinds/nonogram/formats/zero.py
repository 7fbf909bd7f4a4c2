"""Clues that each end with a 0, after the numbers of rows and of columns, as in programming contests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from crosslit.errors import InputError
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import read_sizes, require_nonogram

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
    if (not any(len(line.split()) > 1 for line in clues) and len(others) < 2) or any(
        len(words) > 2 for words in others
    ):
        return False
    # The sizes in the file must account for exactly its clues; a count of puzzles may come first.
    return sum(int(number[:9]) for words in sizes for number in words) == len(clues) and len(others) - len(sizes) <= 1


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    r"""Yield every nonogram in a text; line ends count as blanks.

    Examples:
        >>> [puzzle.text for puzzle in parse_all("1\n2 3\n1 1 0\n0\n1 0\n0\n1 0\n", "here")]
        ['1 1,0|1,0,1']
    """
    words = text.split()
    for word in words:
        if not (word.isascii() and word.isdigit()) or len(word) > 9:
            raise InputError(origin, f"expected whole numbers, found {word[:20]!r}")
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    first = text.lstrip().partition("\n")[0].split()
    at = 1 if len(first) == 1 else 0
    while at < len(words):
        height, width = read_sizes(
            words[at : at + 2] if at + 2 <= len(words) else ["0"], "height and width", origin, None
        )
        at += 2
        clues: list[list[int]] = []
        while len(clues) < height + width:
            try:
                end = words.index("0", at)
            except ValueError:
                what = f"expected {height} row and {width} column clues that end with 0, found {len(clues)}"
                raise InputError(origin, what) from None
            clues.append([int(word) for word in words[at:end]])
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
