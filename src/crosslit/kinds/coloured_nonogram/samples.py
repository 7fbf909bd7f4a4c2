"""Small coloured nonograms with all their solutions, against which backends are checked."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator

from crosslit.answer import DIGITS, Layout
from crosslit.grid import Grid
from crosslit.kinds.coloured_nonogram.makers import random_picture
from crosslit.kinds.coloured_nonogram.puzzle import Clue, ColouredNonogram

# touching and separate blocks, clues that do not fit, sums that differ in one colour only, an unused colour
_SPECIAL = (
    "1a 1b,1b|1a,2b",
    "1a 1a|1a,0,1a",
    "1a 1a|1a,1a",
    "2a 1b|1a,1a",
    "9a|1a,1b",
    "999999999a|999999999a",
    "1a|1b",
    "1b,1a|1a,1b",
    "white=ffffff,ink=000000,none=ff0000;1a|1a",
    "0,0|0,0,0",
    "1a,1a|1a,1a",
    "1a 1b,1a 1b|1a,1a,1b,1b",
)


def samples() -> tuple[ColouredNonogram, ...]:
    """Return puzzles of several shapes and 1 to 3 colours, from a fixed seed; the last has several solutions."""
    rng, found = random.Random(7), []
    for (rows, columns), colours in itertools.product([(1, 4), (4, 1), (2, 3), (3, 2), (2, 2)], (1, 2, 3)):
        one, other = (random_picture(rng, rows, columns, colours, 0.6) for _ in range(2))
        found += [one, ColouredNonogram(one.row_clues, other.column_clues, one.palette)]
    return (*found, *(ColouredNonogram.parse(f"coloured-nonogram:{text}") for text in _SPECIAL))


def solutions(puzzle: ColouredNonogram) -> Iterator[Grid]:
    """Yield the grids without a violation among those whose rows fit: far fewer than all grids."""
    by_clue = lines_by_clue(puzzle.columns, puzzle.colours)
    for rows in itertools.product(*(by_clue.get(clue, ()) for clue in puzzle.row_clues)):
        grid = puzzle.layout.parse("/".join(rows))
        if next(puzzle.violations(grid), None) is None:
            yield grid


@functools.cache
def lines_by_clue(length: int, colours: int) -> dict[Clue, list[str]]:
    """Return every line of a length, as text, by its clue."""
    lines: dict[Clue, list[str]] = {}
    layout = Layout(1, length, colours + 1)
    for line in map("".join, itertools.product(DIGITS[: colours + 1], repeat=length)):
        lines.setdefault(ColouredNonogram.of(layout.parse(line)).row_clues[0], []).append(line)
    return lines


def satisfied(puzzle: ColouredNonogram, picture: Grid) -> int:
    """Return the lines whose clue a picture satisfies, as bits: rows first, then columns."""
    own = ColouredNonogram.of(picture, puzzle.palette)
    pairs = zip(puzzle.lines(), own.lines(), strict=True)
    return sum((one == other) << place for place, (one, other) in enumerate(pairs))
