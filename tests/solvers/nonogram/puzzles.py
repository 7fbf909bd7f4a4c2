"""Random puzzles of one or several colours, and what a solver makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from crosslit_backends import compiled

from crosslit import Nonogram
from crosslit.contract import Task
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.families import random_nonogram, random_picture
from crosslit.registry import select_one

KERNEL = pytest.mark.skipif(bool(compiled.missing()), reason=f"no compiled kernel: {compiled.missing()}")

PERMUTATIONS = [(Nonogram([[1]] * 5, [[1]] * 5), 120), (ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2), 36)]
"""Puzzles that need guesses, and the number of their solutions."""


def random_puzzle(rng: random.Random, rows: int, columns: int, colours: int, density: float) -> Nonogram:
    """The puzzle of a random picture: a plain nonogram if the number of colours is 0."""
    if colours:
        return random_picture(rng, rows, columns, colours, density)
    return random_nonogram(rng, rows, columns, density)


def shuffled(rng: random.Random, puzzle: Nonogram) -> Nonogram:
    """A puzzle with its columns in another order: few of these have a solution."""
    return puzzle.with_clues(puzzle.row_clues, rng.sample(puzzle.column_clues, puzzle.columns))


def small_puzzles(seed: int, number: int, side: int) -> Iterator[Nonogram]:
    """Puzzles of up to three colours, every other one with its columns shuffled."""
    rng = random.Random(seed)
    for count in range(number):
        rows, columns = rng.randint(1, side), rng.randint(1, side)
        puzzle = random_puzzle(rng, rows, columns, count // 2 % 4, rng.choice([0.3, 0.5, 0.8]))
        yield shuffled(rng, puzzle) if count % 2 else puzzle


def search(spec: str, puzzle: Nonogram, limit: int | None = None) -> tuple[list[str], dict[str, Any]]:
    """The first solutions, in their order and each once, and the stats of the search for them."""
    choice: Any = select_one(spec, puzzle)
    task = Task(max_solutions_hint=limit, options=choice.options)
    found = choice.backend.solutions(puzzle, task)
    grids = [*islice(found, limit)]
    found.close()
    assert not any(violation for grid in grids[:100] for violation in puzzle.violations(grid)), puzzle.text
    assert len({*grids}) == len(grids), puzzle.text
    return [grid.text for grid in grids], task.stats
