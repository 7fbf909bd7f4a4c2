"""Small puzzles with all their solutions by the rules, on which backends are checked."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Literal

from crosslit.base.grid import Grid
from crosslit.kinds import Puzzle, find_kind

Size = Literal["quick", "usual", "full"]


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    return Specimen(puzzle, frozenset(puzzle.all_solutions()))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Return every puzzle of a kind and shape: boards of the usual rules, or clues of pictures; otherwise samples."""
    sorts = find_kind(kind).population().sorts
    if not sorts:
        return tuple(each for each in samples(kind) if (each.puzzle.rows, each.puzzle.columns) == (rows, columns))
    sort = max(sorts, key=lambda sort: sort.solvable)
    return tuple(itertools.starmap(Specimen, sort.members(rows, columns))) if sort.has(rows, columns) else ()


def samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles of other shapes and rules, from a fixed seed, including some with no or many solutions."""
    return tuple(map(by_rules, sample_puzzles(kind)))


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of `samples` without their solutions, which take a while to find."""
    return tuple(find_kind(kind).samples())


def puzzles(kind: str, size: Size) -> list[Puzzle]:
    """Return every puzzle of some shapes, and samples of others; only ``full`` has every puzzle of 3 x 3."""
    shapes = [(1, 3), (2, 2)] if size == "quick" else [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 3)]
    small = [specimen.puzzle for shape in shapes for specimen in floor(kind, *shape)]
    # odd steps: a power of two would leave some cells dark in every board
    squares = floor(kind, 3, 3)[:: {"quick": 31, "usual": 3, "full": 1}[size]]
    larger = find_kind(kind).larger_samples()[: {"quick": 0, "usual": 2, "full": 4}[size]]
    return [*small, *(each.puzzle for each in squares), *sample_puzzles(kind)[:: 3 if size == "quick" else 1], *larger]
