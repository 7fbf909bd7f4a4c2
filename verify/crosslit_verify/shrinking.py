"""Shrinking of a puzzle on which a solver fails: greedy delta debugging until no reduction fails.

This is not left to Hypothesis, because shrinking must start from any puzzle, and can use a known solution to stay among
solvable puzzles. It also ended with smaller puzzles (``benchmarks/shrinking.py``).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.lights_out.puzzle import PLUS
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.symmetry import TRANSPOSED

Clues = tuple[Clue, ...]
Picture = Callable[[Puzzle], Grid | None]

SECONDS = 30.0
ASKS = 5_000
MIN_EXCHANGE_ASKS = 64
"""Minimum number of asks for puzzles with two exchanged clues; otherwise as many as were needed before."""


@dataclass(frozen=True)
class ShrinkResult:
    """The smallest puzzle that shrinking found.

    Args:
        puzzle: the smallest puzzle found that still fails.
        minimal: whether every reduction of it was tried and passes; otherwise the limit on time or on asks was reached.
        asks: number of puzzles tried.
    """

    puzzle: Puzzle
    minimal: bool
    asks: int


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
    ends. If none fails, two row or column clues of a nonogram are exchanged, and the reductions of that are tried if it
    fails too. Finally the puzzle is transposed if that fails too and has fewer rows than columns, or the smaller text.

    Args:
        puzzle: a puzzle that fails.
        fails: returns whether a puzzle still fails.
        picture: returns a solution of a puzzle if one is known, for reductions that keep the puzzle solvable.
        square: keep as many rows as columns.
        seconds: maximum wall time; a running call of ``fails`` is not interrupted.
        asks: maximum number of calls of ``fails``.

    Examples:
        >>> from crosslit.formats import read
        >>> shrink(read("0000/0110/0000"), lambda board: board.lit.count() > 0).puzzle.text
        '1'
    """
    search = _Search(fails, time.monotonic() + seconds, asks)
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


class _Search:
    """A search that tries no puzzle twice, and stops when the time or the number of asks is used up."""

    def __init__(self, fails: Callable[[Puzzle], bool], deadline: float, most: int) -> None:
        self._fails, self._deadline, self._most = fails, deadline, most
        self._passed: set[Puzzle] = set()
        self.asks = 0

    @property
    def over(self) -> bool:
        return self.asks >= self._most or time.monotonic() > self._deadline

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


def _first(search: _Search, puzzle: Puzzle, picture: Picture, square: bool) -> tuple[Puzzle | None, bool]:
    """Return the first reduction that fails, and whether all were tried and pass."""
    # Begun again after each success, because the largest steps may be possible now.
    for smaller in reductions(puzzle, picture(puzzle), square):
        if search.tried(smaller):
            return smaller, False
        if search.over:
            return None, False
    return None, True


def _after_exchange(search: _Search, puzzle: Puzzle, picture: Picture, square: bool) -> Puzzle | None:
    """Return a smaller puzzle that fails after an exchange of two clues; use at most as many asks as before."""
    # An exchange makes no puzzle smaller by itself, so its cost is bounded by that of the search before.
    most = search.asks + max(MIN_EXCHANGE_ASKS, search.asks)
    if not isinstance(puzzle, Nonogram):
        return None
    exchanged = [Nonogram(rows, puzzle.column_clues) for rows in _swapped(puzzle.row_clues)]
    exchanged += [Nonogram(puzzle.row_clues, columns) for columns in _swapped(puzzle.column_clues)]
    for other in exchanged:
        if search.asks >= most:
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

    Lines are dropped, many at once and then one at a time (a row with a column if the puzzle must stay square). For a
    board, unusual rules are removed one by one, and lights are cleared, many at once and one at a time; the dark board
    is tried in every smaller shape, and boards with one light in every shape that results from dropping lines once. For
    a nonogram, blocks are dropped or shortened, also in a row and a column together, which keeps the sums equal. If a
    solution is known, its lines are dropped and its cells cleared, and a puzzle is derived from the rest, so that it
    stays solvable.

    Args:
        puzzle: the puzzle to reduce.
        picture: one of its solutions.
        square: drop rows and columns only in pairs.

    Examples:
        >>> from crosslit.formats import read
        >>> [smaller.text for smaller in reductions(read("11"))]
        ['0', '00', '1', '10', '01']
        >>> [smaller.text for smaller in reductions(read("1|2"))]
        ['0|2', '1|0', '1|1', '0|1']
    """
    seen: set[Puzzle] = set()
    of_kind = REDUCTIONS.get(puzzle.kind)
    found = puzzle.smaller(picture) if of_kind is None else of_kind(puzzle, picture, square)
    for smaller in found:
        # The measure decreases strictly with each accepted reduction, so shrinking ends.
        if smaller not in seen and smaller.measure < puzzle.measure:
            seen.add(smaller)
            yield smaller


def _of_board(board: LightsOut, picture: Grid | None, square: bool) -> Iterator[LightsOut]:
    kept = list(_kept_lines(board.rows, board.columns, square))
    yield from _smaller_and_dark(board, square)
    for rows, columns in kept:
        yield _cut(board, rows, columns)
        if picture is not None:
            yield _dark(_cut(board, rows, columns)).pressed(_part(picture, rows, columns))
    for cut in {(len(rows), len(columns)): _cut(board, rows, columns) for rows, columns in kept}.values():
        yield from _one_light(cut)
    yield from _plainer(board)
    yield from _darker(board, picture)


def _of_nonogram(puzzle: Nonogram, picture: Grid | None, square: bool) -> Iterator[Nonogram]:
    for rows, columns in _kept_lines(puzzle.rows, puzzle.columns, square):
        yield Nonogram([puzzle.row_clues[row] for row in rows], [puzzle.column_clues[c] for c in columns])
        if picture is not None:
            yield Nonogram.of(_part(picture, rows, columns))
    if picture is not None:
        yield from (Nonogram.of(fewer) for fewer in _cleared(picture))
    yield from _shorter(puzzle)


REDUCTIONS: dict[str, Callable[[Any, Grid | None, bool], Iterator[Puzzle]]] = {
    LightsOut.kind: _of_board,
    Nonogram.kind: _of_nonogram,
}
"""Functions that yield smaller puzzles, as `reductions` does, by kind; other kinds have `Puzzle.smaller`."""


def _kept_lines(rows: int, columns: int, square: bool) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the remaining rows and columns after dropping some: half of them first, then ever fewer, down to one."""
    every_row, every_column = list(range(rows)), list(range(columns))
    # Halving the chunks, as in delta debugging (Zeller and Hildebrandt 2002): large puzzles shrink in few questions.
    chunk = max(rows, columns) // 2 or 1
    while True:
        cut_rows, cut_columns = _without(every_row, chunk), _without(every_column, chunk)
        if square and rows == columns:
            yield from ((some, others) for some in cut_rows for others in cut_columns if len(some) == len(others))
        elif not square:
            yield from ((some, every_column) for some in cut_rows)
            yield from ((every_row, some) for some in cut_columns)
        if chunk == 1:
            return
        chunk //= 2


def _without(lines: list[int], chunk: int) -> list[list[int]]:
    """Return the lines without each chunk in turn, except if none remain."""
    cuts = (lines[:first] + lines[first + chunk :] for first in range(0, len(lines), chunk))
    return [kept for kept in cuts if kept]


def _part(grid: Grid, rows: list[int], columns: list[int]) -> Grid:
    lines = grid.lines()
    return Grid.from_text("/".join("".join(lines[row][column] for column in columns) for row in rows))


def _dark(board: LightsOut) -> LightsOut:
    return replace(board, lit=Grid.from_bits(board.rows, board.columns, 0))


def _smaller_and_dark(board: LightsOut, square: bool) -> Iterator[LightsOut]:
    """Yield the dark board of every smaller shape."""
    # dropping one line at a time can end in a local minimum: a greedy solver kept 6 x 8, but fails on 2 x 11 too
    shapes = itertools.product(range(1, board.rows + 1), range(1, board.columns + 1))
    for rows, columns in sorted(shapes, key=lambda shape: shape[0] * shape[1]):
        if rows == columns or not square:
            yield LightsOut(Grid.from_bits(rows, columns, 0), board.pattern, board.wrap)


def _cut(board: LightsOut, rows: list[int], columns: list[int]) -> LightsOut:
    missing = None if board.missing is None else _part(board.missing, rows, columns)
    return LightsOut(_part(board.lit, rows, columns), board.pattern, board.wrap, missing)


def _plainer(board: LightsOut) -> Iterator[LightsOut]:
    """Yield boards with more usual rules: plus, no joined edges, no missing cells, one offset or missing cell fewer."""
    lit, pattern, wrap, missing = board.lit, board.pattern, board.wrap, board.missing
    if board.settings or missing is not None:
        yield LightsOut(lit)
    if pattern != PLUS:
        yield LightsOut(lit, PLUS, wrap, missing)
    if wrap != "none":
        yield LightsOut(lit, pattern, "none", missing)
    if missing is not None:
        yield LightsOut(lit, pattern, wrap)
        yield from (LightsOut(lit, pattern, wrap, fewer) for fewer in _cleared(missing))
    if pattern != PLUS and len(pattern) > 1:
        for index in range(len(pattern)):
            yield LightsOut(lit, (*pattern[:index], *pattern[index + 1 :]), wrap, missing)


def _darker(board: LightsOut, picture: Grid | None) -> Iterator[LightsOut]:
    """Yield boards with fewer lights: none, one anywhere, fewer of the lit ones, and those of fewer presses."""
    yield from _one_light(board)
    for fewer in _cleared(board.lit):
        yield replace(board, lit=fewer)
    if picture is not None:
        for fewer in _cleared(picture):
            yield _dark(board).pressed(fewer)


def _one_light(board: LightsOut) -> Iterator[LightsOut]:
    """Yield the dark board, and those with one light."""
    gone = board.missing.bits if board.missing is not None else 0
    yield _dark(board)
    for cell in range(board.rows * board.columns):
        if not gone >> cell & 1:
            yield replace(board, lit=Grid.from_bits(board.rows, board.columns, 1 << cell))


def _cleared(grid: Grid) -> Iterator[Grid]:
    """Yield the grid with some true cells cleared: half of them first, then ever fewer, down to one."""
    cells = [row * grid.columns + column for row, column in grid.cells()]
    bits, chunk = grid.bits, len(cells) // 2 or 1
    while cells:
        for first in range(0, len(cells), chunk):
            gone = sum(1 << cell for cell in cells[first : first + chunk])
            yield Grid.from_bits(grid.rows, grid.columns, bits & ~gone)
        if chunk == 1:
            return
        chunk //= 2


def _shorter(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Smaller clues: lines without blocks, blocks dropped, blocks shortened; then one of a row and one of a column."""
    rows, columns = puzzle.row_clues, puzzle.column_clues
    fewer_rows, fewer_columns = list(_smaller_clues(rows)), list(_smaller_clues(columns))
    yield from (Nonogram(some, columns) for some, _ in fewer_rows)
    yield from (Nonogram(rows, some) for some, _ in fewer_columns)
    for some, taken in fewer_rows:
        for others, as_many in fewer_columns:
            if taken == as_many:
                yield Nonogram(some, others)
    yield from (Nonogram(merged, columns) for merged in _merged(rows))
    yield from (Nonogram(rows, merged) for merged in _merged(columns))
    yield from _exchanged(puzzle)


def _merged(clues: Clues) -> Iterator[Clues]:
    """Yield the clues with two adjacent blocks of one clue merged, keeping the sum."""
    for index, clue in enumerate(clues):
        for place in range(len(clue) - 1):
            joined = (*clue[:place], clue[place] + clue[place + 1], *clue[place + 2 :])
            yield (*clues[:index], joined, *clues[index + 1 :])


def _exchanged(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Yield the puzzle with two clues exchanged and two adjacent blocks of the other direction merged."""
    for rows in _swapped(puzzle.row_clues):
        yield from (Nonogram(rows, columns) for columns in _merged(puzzle.column_clues))
    for columns in _swapped(puzzle.column_clues):
        yield from (Nonogram(rows, columns) for rows in _merged(puzzle.row_clues))


def _swapped(clues: Clues) -> Iterator[Clues]:
    for one, other in itertools.combinations(range(len(clues)), 2):
        if clues[one] != clues[other]:
            swapped = list(clues)
            swapped[one], swapped[other] = clues[other], clues[one]
            yield tuple(swapped)


def _smaller_clues(clues: Clues) -> Iterator[tuple[Clues, int]]:
    """Yield the clues of one direction with one clue smaller, and the number of cells removed."""
    for index, clue in enumerate(clues):
        before, behind = clues[:index], clues[index + 1 :]
        if len(clue) > 1:
            yield (*before, (), *behind), sum(clue)
        for place, block in enumerate(clue):
            yield (*before, (*clue[:place], *clue[place + 1 :]), *behind), block
            if block > 3:  # halving, because a block of 10^9 would take that many steps of one
                yield (*before, (*clue[:place], block // 2, *clue[place + 1 :]), *behind), block - block // 2
            if block > 1:
                yield (*before, (*clue[:place], block - 1, *clue[place + 1 :]), *behind), 1
