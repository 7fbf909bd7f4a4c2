"""The clues of all 65,536 grids of 4 x 4, through the contract, against grouping the grids by their clues."""

from __future__ import annotations

import pytest

from crosslit import Grid, Nonogram
from tests.conftest import pictures_by_clues
from tests.driving import solve_inline

PAIRS = 58_196
UNIQUE = 52_362
PARTS = 2  # so that two processes can share the work
STEPS = {"line": 1, "alignment": 3, "hybrid": 17, "glucose4": 17}
"""Each engine is tested on every n-th pair. Line solving is tested on all; hybrid has its own tests on all pairs that
line solving does not decide; and the formulas of clause engines are tested line by line."""


def test_the_published_counts() -> None:
    assert len(pictures_by_clues(4, 4)) == PAIRS
    assert sum(len(grids) == 1 for grids in pictures_by_clues(4, 4).values()) == UNIQUE


def spread(step: int) -> list[tuple[Nonogram, set[Grid]]]:
    """Some of the pairs with several solutions, and of the others, in equal parts."""
    several = [pair for pair in pictures_by_clues(4, 4).items() if len(pair[1]) > 1]
    return several[::step] + [pair for pair in pictures_by_clues(4, 4).items() if len(pair[1]) == 1][::step]


@pytest.mark.parametrize("step", set(STEPS.values()))
def test_a_spread_has_every_clue_in_every_line(step: int) -> None:
    for lines in zip(*((*puzzle.row_clues, *puzzle.column_clues) for puzzle, _ in spread(step)), strict=True):
        assert len(set(lines)) == 8


@pytest.mark.parametrize("engine", STEPS)
@pytest.mark.parametrize("part", range(PARTS))
def test_all_solutions_of_clue_pairs(engine: str, part: int) -> None:
    for puzzle, grids in spread(STEPS[engine])[part::PARTS]:
        found = solve_inline(engine, puzzle)
        assert len(found) == len(grids), puzzle.text
        assert set(found) == grids, puzzle.text
