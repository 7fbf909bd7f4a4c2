"""Small puzzles with all their solutions by the rules, against which backends are checked."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

from crosslit.grid import Grid
from crosslit.kinds import Puzzle, find_kind, kind_of
from crosslit.kinds.rules import solutions_by_rules


@dataclass(frozen=True)
class Specimen:
    """A puzzle, and all of its solutions."""

    puzzle: Puzzle
    solutions: frozenset[Grid]


@functools.cache
def by_rules(puzzle: Puzzle) -> Specimen:
    """Return the puzzle with all its solutions, by brute force."""
    return Specimen(puzzle, frozenset((kind_of(puzzle).solutions or solutions_by_rules)(puzzle)))


@functools.cache
def floor(kind: str, rows: int, columns: int) -> tuple[Specimen, ...]:
    """Return every puzzle of a kind and shape: all boards of the usual rules, or all clues of pictures; else samples.

    Examples:
        >>> from crosslit.kinds.registry import OWN
        >>> [[len(floor(kind, 2, 2)), len(floor(kind, 3, 3))] for kind in OWN]
        [[16, 512], [15, 445]]
    """
    sorts = find_kind(kind).families()
    if not sorts:
        return tuple(
            specimen for specimen in samples(kind) if (specimen.puzzle.rows, specimen.puzzle.columns) == (rows, columns)
        )
    return tuple(itertools.starmap(Specimen, max(sorts, key=lambda sort: sort.solvable).members(rows, columns)))


def samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles of other shapes and rules, from a fixed seed, including some with no or many solutions."""
    return tuple(map(by_rules, sample_puzzles(kind)))


@functools.cache
def sample_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of `samples` without their solutions, which take a while to find."""
    return tuple(find_kind(kind).samples())


@functools.cache
def larger_samples(kind: str) -> tuple[Specimen, ...]:
    """Return puzzles whose smallest solution is not found by luck: some with several solutions, some with none."""
    return tuple(map(by_rules, find_kind(kind).larger_samples()))
