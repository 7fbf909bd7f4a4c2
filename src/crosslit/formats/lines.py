"""Puzzles of any kind in their one-line form, one per line: a pack of levels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats._format import Format
from crosslit.kinds import Puzzle, kind_of_text

_TITLE = "# one puzzle per line"
_MAX_NAMED = 5  # further lines that a message names
_REMARK = re.compile(r"(?:^|\s+)#\s+")  # a lit cell has no blank after it, or none before it
_ROWS = re.compile(r"[\w.#][^\"'(\[{<*]*[|/]")  # of a puzzle on one line; no program begins so


def detect(text: str) -> str | None:
    """Return "" if the text begins with a title, or the first of several lines, or the only one, is a puzzle.

    Lines that contain only cells are the rows of one board, unless a title before them says otherwise.
    """
    if text.startswith(_TITLE):
        return ""
    if set(text[:1000].split()) <= {".", "#", "_"}:  # rows of a board, with blanks between cells
        return None
    # The first two lines decide; a file may have millions.
    written = (line for _, line in numbered_lines(text[:100_000]) if line.strip() and not line.startswith("# "))
    first, second = next(written, ""), next(written, None)
    form, *title = _REMARK.split(first.strip(), maxsplit=1)
    if kind_of_text(first) is not None or (title and form and second is None):
        return ""
    return "" if _ROWS.match(form) and (title or second is not None) else None


def read_all(text: str, origin: str) -> Iterator[Puzzle]:
    """Yield every puzzle in a text; blank lines are ignored, and lines that cannot be read raise at the end."""
    from crosslit.formats import from_line  # it imports the formats

    rejected: dict[int, InputError] = {}
    for number, line in numbered_lines(text):
        form, *title = _REMARK.split(line.strip(), maxsplit=1)
        try:
            if form:
                puzzle = from_line(form, f"{origin}:{number}")
                yield puzzle.named(title[0].strip()) if title and title[0].strip() else puzzle
        except InputError as error:
            rejected[number] = error
    if rejected:
        first, *others = rejected
        names = ", ".join(map(str, others[:_MAX_NAMED])) + ", ..." * (len(others) > _MAX_NAMED)
        raise rejected[first].with_advice(f"(nor can line {names} be read)") if others else rejected[first]


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


LINES = Format(
    name="lines",
    summary="puzzles of any kind in their one-line form, one per line; '# TITLE' may follow, '# ' begins a remark",
    example="01/10\n2,1|1,2\n",
    extensions=(".puzzles",),
    several=True,
    detect=detect,
    reader=read_all,
    writer=write_all,
)
