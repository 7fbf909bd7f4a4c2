"""All coloured nonograms of small shapes in two colours."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract.family import Member, Sort
from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.coloured_nonogram.puzzle import Clue, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.samples import lines_by_clue

_COLOURS = 2
_MAX_CELLS = 8  # 6,561 pictures
_MAX_PAIRS = 50_000
_PALETTE = usual_palette(_COLOURS)


def families() -> tuple[Sort, ...]:
    """Return all pairs of clues of a shape, including contradictory ones, and for larger shapes those of pictures."""
    return (
        Sort("clue pair {} in two colours", _count_pairs, _pairs, most_cells=_MAX_CELLS, most=_MAX_PAIRS),
        Sort("picture {} in two colours", _count, _pictures, most_cells=_MAX_CELLS, solvable=True),
    )


def _count(rows: int, columns: int) -> int:
    return int((_COLOURS + 1) ** (rows * columns))


def _clues(length: int) -> dict[Clue, list[str]]:
    return lines_by_clue(ColouredNonogram, length, _COLOURS + 1)


def _count_pairs(rows: int, columns: int) -> int:
    return int(len(_clues(columns)) ** rows * len(_clues(rows)) ** columns)


def _pairs(rows: int, columns: int) -> Iterator[Member]:
    found = dict(_pictures(rows, columns))
    for across in itertools.product(_clues(columns), repeat=rows):
        for down in itertools.product(_clues(rows), repeat=columns):
            puzzle = ColouredNonogram(across, down, _PALETTE)
            yield puzzle, found.get(puzzle, frozenset())


def _pictures(rows: int, columns: int) -> Iterator[Member]:
    if rows * columns > _MAX_CELLS:
        return
    found: dict[Puzzle, list[Grid]] = defaultdict(list)
    layout = Layout(rows, columns, _COLOURS + 1)
    lines = itertools.chain(*_clues(columns).values())
    for picture in map(layout.parse, map("/".join, itertools.product(lines, repeat=rows))):
        found[ColouredNonogram.of(picture, _PALETTE)].append(picture)
    yield from ((puzzle, frozenset(grids)) for puzzle, grids in found.items())
