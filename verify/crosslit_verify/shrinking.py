"""Shrinking of a puzzle on which a solver fails: greedy delta debugging until no reduction fails.

This is not left to Hypothesis, because shrinking must start from any puzzle, and can use a known solution to stay among
solvable puzzles. It also ended with smaller puzzles (``benchmarks/shrinking.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crosslit.contract.symmetry import TRANSPOSED
from crosslit.grid import Grid
from crosslit.kinds import Puzzle, kind_of

Picture = Callable[[Puzzle], Grid | None]

SECONDS = 30.0
ASKS = 5_000
MIN_EXCHANGE_ASKS = 64
"""Minimum number of asks for puzzles with exchanged parts; otherwise as many as were needed before."""


@dataclass(frozen=True)
class ShrinkResult:
    """The smallest puzzle that shrinking found."""

    puzzle: Puzzle
    minimal: bool  # every reduction of it was tried and passes; otherwise the limit on time or on asks was reached
    asks: int  # number of puzzles tried


def shrink(
    puzzle: Puzzle,
    fails: Callable[[Puzzle], bool],
    *,
    picture: Picture = lambda _: None,
    square: bool = False,
    seconds: float = SECONDS,
    asks: int = ASKS,
) -> ShrinkResult:
    """Return the smallest puzzle that greedy reduction finds: 1-minimal under `reductions`, unless a limit is reached.

    The first reduction that still fails replaces the puzzle. Every reduction is smaller (`Puzzle.measure`), so this
    ends. If none fails, parts of it are exchanged (such as two clues), and the reductions of that are tried if it
    fails too. Finally the puzzle is transposed if that fails too and has fewer rows than columns, or the smaller text.
    ``picture`` returns a solution of a puzzle if one is known, for reductions that keep the puzzle solvable. The time
    limit does not interrupt a call of ``fails``.
    """
    search = _Shrinker(fails, time.monotonic() + seconds, asks)
    minimal = False
    while not minimal and not search.over:
        smaller, minimal = _first(search, puzzle, picture, square)
        if minimal:
            smaller = _after_exchange(search, puzzle, picture, square)
            minimal = smaller is None
        puzzle = smaller or puzzle
    # Last of all, towards a normal form: failures of one fault then end in the same puzzle more often.
    turned = puzzle.image(TRANSPOSED)
    if turned is not None and minimal and not search.over and _turn(turned) < _turn(puzzle) and search.tried(turned):
        puzzle = turned
    return ShrinkResult(puzzle, minimal, search.asks)


class _Shrinker:
    """A search that tries no puzzle twice, and stops when the time or the number of asks is used up."""

    def __init__(self, fails: Callable[[Puzzle], bool], deadline: float, max_asks: int) -> None:
        self._fails, self._deadline, self._max_asks = fails, deadline, max_asks
        self._passed: set[Puzzle] = set()
        self.asks = 0

    @property
    def over(self) -> bool:
        return self.asks >= self._max_asks or time.monotonic() > self._deadline

    def tried(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle fails; False also if it was tried before."""
        if puzzle in self._passed or self.over:
            return False
        self.asks += 1
        if self._fails(puzzle):
            return True
        # Only puzzles that pass are remembered: one that fails replaces the current puzzle.
        self._passed.add(puzzle)
        return False


def _first(search: _Shrinker, puzzle: Puzzle, picture: Picture, square: bool) -> tuple[Puzzle | None, bool]:
    """Return the first reduction that fails, and whether all were tried and pass."""
    # Begun again after each success, because the largest steps may be possible now.
    for smaller in reductions(puzzle, picture(puzzle), square):
        if search.tried(smaller):
            return smaller, False
        if search.over:
            return None, False
    return None, True


def _after_exchange(search: _Shrinker, puzzle: Puzzle, picture: Picture, square: bool) -> Puzzle | None:
    """Return a smaller puzzle that fails after an exchange; use at most as many asks as before."""
    # An exchange makes no puzzle smaller by itself, so its cost is bounded by that of the search before.
    max_asks = search.asks + max(MIN_EXCHANGE_ASKS, search.asks)
    for other in kind_of(puzzle).exchanged(puzzle):
        if search.asks >= max_asks:
            break
        if search.tried(other):
            smaller, _ = _first(search, other, picture, square)
            if smaller is not None:
                return smaller
    return None


def _turn(puzzle: Puzzle) -> tuple[int, str]:
    return puzzle.rows - puzzle.columns if puzzle.rows > puzzle.columns else 0, puzzle.text


def reductions(puzzle: Puzzle, picture: Grid | None = None, square: bool = False) -> Iterator[Puzzle]:
    """Yield all reductions of a puzzle, the largest steps first; all are smaller by `Puzzle.measure`.

    The kind of the puzzle gives them. If a solution is known, its lines are dropped and its cells cleared, and a puzzle
    is derived from the rest, so that it stays solvable. Those of a square puzzle stay square if requested.

    Examples:
        >>> from crosslit.formats import read
        >>> [smaller.text for smaller in reductions(read("11"))]
        ['0', '00', '1', '10', '01']
    """
    seen: set[Puzzle] = set()
    for smaller in kind_of(puzzle).smaller(puzzle, picture, square):
        # The measure decreases strictly with each accepted reduction, so shrinking ends.
        if smaller not in seen and smaller.measure < puzzle.measure:
            seen.add(smaller)
            yield smaller
