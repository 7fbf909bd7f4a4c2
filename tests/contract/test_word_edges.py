"""Native backends on lines that end at the ends of machine words, where carries go wrong."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from crosslit import Nonogram, registry
from crosslit.contract import SOLUTIONS, GaveUp, Task
from crosslit.contract.family import random_grid
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.making import planted, random_board, random_lights
from crosslit.kinds.nonogram.making import random_picture

SIZES = (63, 64, 65, 127, 128, 129)
MANY = 64
"""Solutions from which on a list is cut, so that two lists need not be equal."""


def puzzles(size: int) -> list[Puzzle]:
    """Puzzles with a solution: with nearly empty and with full lines, wide and high."""
    rng = random.Random(size)
    made: list[Puzzle] = []
    for rows, columns in ((1, size), (size, 1), (2, size), (size, 3)):
        made += [Nonogram.of(random_grid(rng, rows, columns, density)) for density in (0.02, 0.9)]
        made += [random_picture(rng, rows, columns, 2, density) for density in (0.02, 0.9)]
        made += [random_board(rng, rows, columns, solvable=True)]
        made += [planted(rng, random_lights(rng, rows, columns, states)) for states in (2, 6)]
    return made


@pytest.mark.parametrize("size", [*SIZES[:3], *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES[3:])])
def test_all_native_backends_list_the_same_solutions(size: int) -> None:
    for puzzle in puzzles(size):
        lists = {}
        for choice in registry.select(["native"], puzzle, SOLUTIONS.name):
            if choice.refusal is None:
                task = Task(encoding=choice.encoding, options=choice.options)
                try:
                    grids = [*islice(choice.backend.solutions(puzzle, task), MANY + 1)]
                except GaveUp:
                    continue
                assert not any(next(iter(puzzle.violations(grid)), None) for grid in grids), (choice.spec, puzzle.text)
                lists[choice.spec] = sorted(grid.text for grid in grids)
        counts = {len(texts) for texts in lists.values()}
        assert len(counts) == 1, (puzzle.text, counts)
        for texts in lists.values():
            assert 0 < len(texts) == len(set(texts))
            assert texts == next(iter(lists.values())) or len(texts) > MANY
