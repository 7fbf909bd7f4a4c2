"""The clues of all 65,536 grids of 4 x 4, against grouping the grids by their clues."""

from __future__ import annotations

import pytest

from tests.conftest import pictures_by_clues
from tests.driving import solve_inline

pytestmark = pytest.mark.slow

PAIRS = 58_196
UNIQUE = 52_362


def test_the_published_counts() -> None:
    assert len(pictures_by_clues(4, 4)) == PAIRS
    assert sum(len(grids) == 1 for grids in pictures_by_clues(4, 4).values()) == UNIQUE


@pytest.mark.parametrize(("engine", "step"), [("line", 1), ("alignment", 3)])
def test_all_solutions_of_clue_pairs(engine: str, step: int) -> None:
    for puzzle, grids in [*pictures_by_clues(4, 4).items()][::step]:
        found = solve_inline(engine, puzzle)
        assert len(found) == len(grids), puzzle.text
        assert set(found) == grids, puzzle.text
