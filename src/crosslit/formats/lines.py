"""Puzzles of any kind in their one-line form, one per line: a pack of levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats._format import Format
from crosslit.formats.detection import REMARK, TITLE
from crosslit.kinds import Puzzle

_MAX_NAMED = 5  # further lines that a message names


def read_all(text: str, origin: str) -> Iterator[Puzzle]:
    """Yield every puzzle in a text; blank lines are ignored, and lines that cannot be read raise at the end."""
    from crosslit.formats import from_line  # it imports the formats

    rejected: dict[int, InputError] = {}
    for number, line in numbered_lines(text):
        form, *title = REMARK.split(line.strip(), maxsplit=1)
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
            yield f"{TITLE}\n"
    for puzzle in chain(first, coming):
        title = " ".join(puzzle.name.split())
        yield f"{puzzle.text} # {title}\n" if title else f"{puzzle.text}\n"


LINES = Format(
    name="lines",
    summary="puzzles of any kind in their one-line form, one per line; '# TITLE' may follow, '# ' begins a remark",
    extensions=(".puzzles",),
    several=True,
    reader=read_all,
    writer=write_all,
)
