"""Small coloured nonograms, against which backends are checked."""

from __future__ import annotations

import itertools
import random

from crosslit.kinds.coloured_nonogram.makers import random_picture
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram

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
