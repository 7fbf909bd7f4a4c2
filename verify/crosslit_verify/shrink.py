"""The search for a smaller puzzle that fails too: greedy delta debugging until no reduction fails.

It is not left to Hypothesis, because it must start from any puzzle, and a known solution keeps it among solvable ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crosslit.base.grid import Grid
from crosslit.contract.puzzle import TRANSPOSED
from crosslit.kinds import Puzzle

EXCHANGE_ASKS = 64  # minimum number of asks for puzzles with exchanged parts; otherwise as many as before


@dataclass(frozen=True)
class ShrinkResult:
    """A smaller puzzle that fails."""

    puzzle: Puzzle
    minimal: bool  # every reduction of it was tried and passes
    asks: int  # number of puzzles tried


def shrink(
    puzzle: Puzzle,
    fails: Callable[[Puzzle], bool],
    picture: Callable[[Puzzle], Grid | None] = lambda _: None,
    square: bool = False,
) -> Iterator[ShrinkResult]:
    """Yield ever smaller puzzles that fail; the last one, also if it is the first, is 1-minimal.

    The first reduction that still fails replaces the puzzle. If none fails, parts of it are exchanged (such as two
    clues), and the reductions of that are tried if it fails too. Finally the puzzle is transposed if that fails too and
    has fewer rows than columns, or the smaller text. ``picture`` returns a solution of a puzzle if one is known.
    ``fails`` may raise to stop.
    """
    passed: set[Puzzle] = set()  # only puzzles that pass are remembered: one that fails replaces the current puzzle
    number = 0

    def tried(other: Puzzle) -> bool:
        nonlocal number
        if other in passed:
            return False
        number += 1
        if not (has_failed := fails(other)):
            passed.add(other)
        return has_failed

    def smaller(current: Puzzle) -> Puzzle | None:
        # Begun again after each success, because the largest steps may be possible now.
        return next(filter(tried, reductions(current, picture(current), square)), None)

    def smaller_after_exchange(current: Puzzle) -> Puzzle | None:
        # An exchange makes no puzzle smaller by itself, so its cost is bounded by that of the search before.
        limit = number + max(EXCHANGE_ASKS, number)
        others = itertools.takewhile(lambda _: number < limit, current.exchanged())
        return next(filter(None, map(smaller, filter(tried, others))), None)

    while (found := smaller(puzzle) or smaller_after_exchange(puzzle)) is not None:
        puzzle = found
        yield ShrinkResult(puzzle, False, number)
    # Last of all, towards a normal form: failures of one fault then end in the same puzzle more often.
    turned = puzzle.image(TRANSPOSED)
    if turned is not None and _turn(turned) < _turn(puzzle) and tried(turned):
        puzzle = turned
    yield ShrinkResult(puzzle, True, number)


def _turn(puzzle: Puzzle) -> tuple[int, str]:
    return max(0, puzzle.rows - puzzle.columns), puzzle.text


def reductions(puzzle: Puzzle, picture: Grid | None = None, square: bool = False) -> Iterator[Puzzle]:
    """Yield all reductions of a puzzle, the largest steps first; all smaller by `Puzzle.measure`, so that it ends.

    If a solution is known, its lines are dropped and its cells cleared, and a puzzle is derived from the rest, so that
    it stays solvable. Those of a square puzzle stay square if requested.
    """
    return (smaller for smaller in puzzle.smaller(picture, square) if smaller.measure < puzzle.measure)
