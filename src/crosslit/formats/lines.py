"""Puzzles of any kind in their one-line form, one per line: a pack of levels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Puzzle, kind_of_text

NAME = "lines"
PRIORITY = 80  # before `board`, which accepts any rows
EXTENSIONS = frozenset({".puzzles"})
HEAD = re.compile(r"\s*(?:#\s|[^\n]*(?:[|/:]|\s#\s))")
SUMMARY = "puzzles of any kind in their one-line form, one per line; '# TITLE' may follow, '# ' begins a remark"
EXAMPLE = "01/10\n2,1|1,2\n"

_TITLE = "# one puzzle per line"
_CELLS = {".", "#", "_"}
_MAX_NAMED = 5  # further lines that a message names
_REMARK = re.compile(r"(?:^|\s+)#\s+")  # a lit cell has no blank after it, or none before it


def sniff(text: str) -> bool:
    """Return whether the text begins with a title, or the first of several lines is a puzzle by itself.

    Lines that contain only cells are the rows of one board, unless a remark before them says otherwise.
    """
    if text.startswith(_TITLE):
        return True
    if len(cells := set(text[:1000].split())) > 1 and cells <= _CELLS:  # rows of a board, with blanks between cells
        return False
    # The first two lines decide; a file may have millions.
    written = (line for _, line in numbered_lines(text[:100_000]) if line.strip() and not line.startswith("# "))
    first = next(written, "")
    if _REMARK.search(first):
        return True
    if kind_of_text(first) is not None:
        return True
    return ("|" in first or "/" in first) and next(written, None) is not None


def parse_all(text: str, origin: str) -> Iterator[Puzzle]:
    """Yield every puzzle in a text; blank lines are ignored, and lines that cannot be read raise at the end."""
    rejected: list[tuple[int, InputError]] = []
    for number, line in numbered_lines(text):
        form, *title = _REMARK.split(line.strip(), maxsplit=1)
        try:
            if form:
                yield _puzzle(form, title[0].strip() if title else "", f"{origin}:{number}")
        except InputError as error:
            rejected.append((number, error))
    if rejected:
        others = ", ".join(str(number) for number, _ in rejected[1 : _MAX_NAMED + 1])
        more = ", ..." if len(rejected) > _MAX_NAMED + 1 else ""
        raise rejected[0][1].with_advice(f"(nor can line {others}{more} be read)") if others else rejected[0][1]


def _puzzle(form: str, title: str, place: str) -> Puzzle:
    from crosslit.formats import from_line  # it imports the formats

    puzzle = from_line(form, place)
    return puzzle.named(title) if title else puzzle


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """Yield the puzzles with their names; if the first is a board of one row, a remark explains the lines."""
    coming = iter(puzzles)
    # Lines of cells only would be read as the rows of one board.
    first = list(islice(coming, 1))
    if first and not set(first[0].text) - set("01_"):
        first += islice(coming, 1)
        if len(first) > 1:
            yield f"{_TITLE}\n"
    for puzzle in chain(first, coming):
        title = " ".join(puzzle.name.split())
        yield f"{puzzle.text} # {title}\n" if title else f"{puzzle.text}\n"
