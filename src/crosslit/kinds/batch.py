"""The rule checker for many packed grids at once, equivalent to `violations`.

Batches are checked by shifts of one long integer and by linearity (Lights Out), or by arrays (nonograms): under a
microsecond per grid, where `violations` takes ten to a hundred. Any grid that breaks the rules here, and the first grid
of every batch, is also checked by `violations`: the two must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from crosslit.grid import Grid
from crosslit.kinds.lights_out.puzzle import LightsOut
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit.kinds.puzzle import Puzzle

_MAX_UNBATCHED = 4  # grids: fewer are not worth setting up a batch
_MAX_SINGLE = 10  # small grids: checking that many one by one takes as long as setting up a batch
_LONG = 1 << 15  # bytes of an integer: the cache holds several of them
_ARRAY = 1 << 19  # bytes of grids converted to an array at a time


def record_bytes(puzzle: Puzzle) -> int:
    """Return the number of bytes of one packed grid of a puzzle."""
    return (puzzle.rows * puzzle.columns + 7) // 8


def first_wrong(puzzle: Puzzle, packed: bytes) -> tuple[int, str] | None:
    """Return the index of the first grid of a batch that breaks the rules, and the reason; None if none does.

    Raises:
        ValueError: if the batch is not a whole number of grids.

    Examples:
        >>> board = LightsOut(Grid.from_text("10/01"))
        >>> good, bad = Grid.from_text("10/01").packed, Grid.from_text("11/01").packed
        >>> first_wrong(board, good * 3), first_wrong(board, good * 5 + bad)
        (None, (5, 'row 1, column 1 stays lit'))
    """
    size = record_bytes(puzzle)
    count, rest = divmod(len(packed), size)
    if rest:
        raise ValueError(f"{len(packed)} bytes are not a whole number of grids of {size} bytes")
    # The first grid goes through both checkers in any case, so that a fault of the fast one shows at once.
    look = min(count, 1 if count > _MAX_UNBATCHED else _MAX_UNBATCHED)
    for index in range(look):
        if (wrong := _one(puzzle, packed[index * size : (index + 1) * size])) is not None:
            return index, wrong
    if look == count:
        return None
    fits = _FITS.get(puzzle.kind, _none_wrong)
    step = _power(_ARRAY // size)
    for first in range(0, count, step):
        chunk = packed[first * size : (first + step) * size]
        if fits(puzzle, chunk):
            continue
        for index, grid in enumerate(_each(puzzle, chunk)):
            if (wrong := _one(puzzle, grid)) is not None:
                return first + index, wrong
        raise AssertionError("a batch breaks the rules and none of its grids does")
    return None


def first_wrong_grid(puzzle: Puzzle, grids: Sequence[Grid]) -> tuple[Grid, str] | None:
    """Return the first of some grids of the puzzle's shape that breaks the rules, and the reason; None if none does.

    Examples:
        >>> board = LightsOut(Grid.from_text("10/01"))
        >>> first_wrong_grid(board, [Grid.from_text("10/01"), Grid.from_text("11/01")])
        (Grid.from_text('11/01'), 'row 1, column 1 stays lit')
    """
    if len(grids) > _MAX_SINGLE:
        found = first_wrong(puzzle, b"".join([grid.packed for grid in grids]))
        return None if found is None else (grids[found[0]], found[1])
    for grid in grids:
        if (wrong := next(puzzle.violations(grid), None)) is not None:
            return grid, wrong
    return None


def _each(puzzle: Puzzle, packed: bytes) -> Iterator[bytes]:
    size = record_bytes(puzzle)
    return (packed[first : first + size] for first in range(0, len(packed), size))


def _none_wrong(puzzle: Puzzle, packed: bytes) -> bool:
    """Check the grids one by one, for kinds without a faster way."""
    return all(_one(puzzle, grid) is None for grid in _each(puzzle, packed))


def _one(puzzle: Puzzle, packed: bytes) -> str | None:
    try:
        grid = Grid(puzzle.rows, puzzle.columns, packed)
    except ValueError as error:  # a bit after the last cell
        return str(error)
    return next(puzzle.violations(grid), None)


def _power(number: int) -> int:
    """Return the largest power of 2 up to a number, at least 1: backends make batches of such sizes."""
    return 1 << max(1, number).bit_length() - 1


def _all_dark(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid clears the board.

    A press changes the same lights whatever else is pressed. So if two grids clear the board, pressing the cells in
    which they differ changes no light; and if all grids of a block clear it, so do the grids that differ from them, one
    by one, in these same cells. Only the first block and the first grid of each further one go through the rules.
    """
    size = record_bytes(board)
    block = size * _power(_LONG // size)
    begin = 0
    while begin < len(packed):
        # Known grids double with every test: makers of batches list solutions so that each half is the other with the
        # same cells changed.
        known = block
        looked_at = [packed[begin : begin + known]]
        while begin + known < len(packed) and _differ_alike(packed, begin, known, size):
            looked_at.append(packed[begin + known : begin + known + size])
            known *= 2
        if not _are_dark(board, b"".join(looked_at)):
            return False
        begin += known
    return True


def _differ_alike(packed: bytes, begin: int, known: int, size: int) -> bool:
    """Return whether the grids of a block and up to as many after it differ in the same cells one by one."""
    import numpy as np

    cells = np.frombuffer(packed, np.uint8)
    behind = cells[begin + known : begin + 2 * known]
    # Compared with itself one grid further on: equal if every grid differs from its counterpart in the same cells.
    change = behind ^ cells[begin : begin + len(behind)]
    return np.array_equal(change[size:], change[:-size])


def _are_dark(board: LightsOut, packed: bytes) -> bool:
    """Return whether every grid clears a board, by shifts of all of them as one integer."""
    size = record_bytes(board)
    constants = _repeated(board, len(packed) // size)
    presses = int.from_bytes(packed, "little")
    # Missing cells, and the bits behind the last cell of each grid.
    if presses & constants.forbidden:
        return False
    left = constants.lit
    for sources, shift in constants.moves:
        moved = presses & sources
        left ^= moved << shift if shift >= 0 else moved >> -shift
    return not left & constants.present


class _Repeated:
    """The data for checking a board, repeated for a number of consecutive grids."""

    def __init__(self, board: LightsOut, count: int) -> None:
        size = record_bytes(board)

        def repeated(bits: int) -> int:
            return int.from_bytes(bits.to_bytes(size, "little") * count, "little")

        present = (1 << board.rows * board.columns) - 1
        if board.missing is not None:
            present &= ~board.missing.bits
        self.lit = repeated(board.lit.bits)
        self.present = repeated(present)
        self.forbidden = repeated((1 << 8 * size) - 1 ^ present)
        # omit presses whose light lies off the board, so that no grid reaches into the next one
        self.moves = [
            (repeated(sources), shift) for down, right in board.pattern for sources, shift in _moves(board, down, right)
        ]


@lru_cache(maxsize=4)
def _repeated(board: LightsOut, count: int) -> _Repeated:
    return _Repeated(board, count)


def _moves(board: LightsOut, down: int, right: int) -> Iterator[tuple[int, int]]:
    """Yield the presses whose lights are at equal distances in row-major order, as bits, and the distance."""
    for rows, by_rows in _ranges(board.rows, down, board.wraps_rows):
        for columns, by_columns in _ranges(board.columns, right, board.wraps_columns):
            row = sum(1 << column for column in columns)
            sources = Grid.from_rows([row if index in rows else 0 for index in range(board.rows)], board.columns).bits
            yield sources, by_rows * board.columns + by_columns


def _ranges(length: int, step: int, wraps: bool) -> Iterator[tuple[range, int]]:
    """Yield the places on a line from which a step leads equally far, and how far; joined edges make a difference."""
    # Around joined edges a step goes forward, or backward from the places at which forward would leave the line.
    steps = (step % length, step % length - length) if wraps else (step,)
    for by in steps:
        inside = range(max(0, -by), min(length, length - by))
        if inside:
            yield inside, by


def _all_drawn(puzzle: Nonogram, packed: bytes) -> bool:
    """Return whether every grid has the blocks of all clues."""
    import numpy as np

    rows, columns, size = puzzle.rows, puzzle.columns, record_bytes(puzzle)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    if bits[:, rows * columns :].any():
        return False
    cells = bits[:, : rows * columns].reshape(-1, rows, columns)
    return _has_blocks(cells, puzzle.row_clues) and _has_blocks(cells.transpose(0, 2, 1), puzzle.column_clues)


def _has_blocks(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues.

    A change of value starts a block, and the next one ends it: if every line has two changes per block, the changes of
    all lines in sequence are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    # An empty cell at both ends, so that blocks at the edges begin and end with a change too.
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    # Every line has an even number of changes here, so they pair up across the ends of lines.
    at = np.flatnonzero(changes)
    blocks = np.array([block for clue in clues for block in clue], np.int64)
    return bool(((at[1::2] - at[::2]).reshape(grids, -1) == blocks).all())


_FITS: Mapping[str, Callable[[Any, bytes], bool]] = MappingProxyType(
    {LightsOut.kind: _all_dark, Nonogram.kind: _all_drawn}
)
"""By kind, the function that checks many grids at once; other kinds are checked one by one."""
