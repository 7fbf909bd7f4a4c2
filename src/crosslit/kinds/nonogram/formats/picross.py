"""The native format of Pierre Dejoue's picross-solver: GRID, ROWS and COLUMNS with clues in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.formats._clues import append_clue, require_nonogram
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "picross"
PRIORITY = 86
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t]*GRID\b")
SUMMARY = "nonograms: of picross-solver; GRID NAME, ROWS and COLUMNS, below them clues as [ 1 2 ]"
EXAMPLE = "GRID\nROWS\n[ 2 ]\n[ 1 ]\nCOLUMNS\n[ 1 ]\n[ 2 ]\n"

_SECTIONS = ("ROWS", "COLUMNS")


def parse_all(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text."""
    name, clues, section, begun = "", dict[str, list[Clue]](), "", 0
    for number, line in numbered_lines(text):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if words.split()[0] == "GRID":
            # A new grid ends the one before it; nothing else marks the end.
            if begun:
                yield _finished(clues, name, origin, begun)
            name, clues, section, begun = words[4:].strip(), {}, "", number
        elif words in _SECTIONS and begun and words not in clues:
            section, clues[words] = words, []
        elif section and words.startswith("[") and words.endswith("]"):
            append_clue(clues[section], words[1:-1].strip() or "0", section.lower()[:-1], origin, number)
        else:
            expected = "a clue such as [ 1 2 ]" if section else "ROWS or COLUMNS" if begun else "GRID"
            raise InputError(origin, f"expected {expected}, found {words[:20]!r}", number)
    if begun:
        yield _finished(clues, name, origin, begun)


def _finished(clues: dict[str, list[Clue]], name: str, origin: str, line: int) -> Nonogram:
    for section in _SECTIONS:
        if not clues.get(section):
            raise InputError(origin, f"expected clues below {section} in this grid", line)
    return Nonogram(clues["ROWS"], clues["COLUMNS"], name)


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the text of nonograms, with their names."""
    for puzzle in puzzles:
        nonogram = require_nonogram(puzzle, NAME)
        lines = [f"GRID {' '.join(nonogram.name.split())}".rstrip()]
        for section, clues in zip(_SECTIONS, (nonogram.row_clues, nonogram.column_clues), strict=True):
            lines += [section, *(" ".join(["[", *map(str, clue), "]"]) for clue in clues)]
        yield "\n".join(lines) + "\n"
