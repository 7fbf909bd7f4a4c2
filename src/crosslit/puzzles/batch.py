"""The rules, for many grids at once: the same as `violations`, on whole batches of packed grids.

Batches are checked by shifts of one long integer (Lights Out) or by arrays (nonograms): per grid that takes under a
microsecond where `violations` takes ten to a hundred. A grid that breaks the rules here is looked at by `violations`
too, and so is the first of every batch: the two have to agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from crosslit.grid import Grid
from crosslit.puzzles.lights_out import LightsOut
from crosslit.puzzles.nonogram import Nonogram
from crosslit.puzzles.puzzle import Puzzle

_MAX_UNBATCHED = 4  # grids: for so few no batch is set up
_LONG = 1 << 15  # bytes of an integer: what the cache holds several times
_ARRAY = 1 << 19  # bytes of grids, whose cells become an array


def record_bytes(puzzle: Puzzle) -> int:
    """Bytes of one packed grid of a puzzle."""
    return (puzzle.rows * puzzle.columns + 7) // 8


def first_wrong(puzzle: Puzzle, packed: bytes) -> tuple[int, str] | None:
    """The first grid of a batch that breaks the rules, by its index, and what is wrong with it; None if none does.

    Raises:
        ValueError: if that is not a whole number of grids.

    Examples:
        >>> board = LightsOut(Grid.from_text("10/01"))
        >>> good, bad = Grid.from_text("10/01").packed, Grid.from_text("11/01").packed
        >>> first_wrong(board, good * 3), first_wrong(board, good * 5 + bad)
        (None, (5, 'row 1, column 1 stays lit'))
    """
    size = record_bytes(puzzle)
    count, rest = divmod(len(packed), size)
    if rest:
        raise ValueError(f"{len(packed)} bytes are no grids of {size} bytes each")
    look = min(count, 1 if count > _MAX_UNBATCHED else _MAX_UNBATCHED)
    for index in range(look):
        if (wrong := _one(puzzle, packed[index * size : (index + 1) * size])) is not None:
            return index, wrong
    if look == count:
        return None
    fits, room = _FITS.get(puzzle.kind, (_none_wrong, _LONG))
    step = max(1, room // size)
    for first in range(0, count, step):
        chunk = packed[first * size : (first + step) * size]
        if fits(puzzle, chunk):
            continue
        for index, grid in enumerate(_each(puzzle, chunk)):
            if (wrong := _one(puzzle, grid)) is not None:
                return first + index, wrong
        raise AssertionError("a batch breaks the rules and none of its grids does")
    return None


def _each(puzzle: Puzzle, packed: bytes) -> Iterator[bytes]:
    size = record_bytes(puzzle)
    return (packed[first : first + size] for first in range(0, len(packed), size))


def _none_wrong(puzzle: Puzzle, packed: bytes) -> bool:
    """Check each of some grids, of a kind for which there is no faster way."""
    return all(_one(puzzle, grid) is None for grid in _each(puzzle, packed))


def _one(puzzle: Puzzle, packed: bytes) -> str | None:
    try:
        grid = Grid(puzzle.rows, puzzle.columns, packed)
    except ValueError as error:  # a bit beyond the last cell
        return str(error)
    return next(puzzle.violations(grid), None)


def _all_dark(board: LightsOut, packed: bytes) -> bool:
    """Whether each of some grids puts a board out."""
    size = record_bytes(board)
    constants = _repeated(board, len(packed) // size)
    presses = int.from_bytes(packed, "little")
    if presses & constants.forbidden:
        return False
    left = constants.lit
    for sources, shift in constants.moves:
        moved = presses & sources
        left ^= moved << shift if shift >= 0 else moved >> -shift
    return not left & constants.present


class _Repeated:
    """What the check of a board needs, repeated for so many grids one after the other."""

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
        # a press whose light lies off the board is left out, so that no grid reaches into the next one
        self.moves = [
            (repeated(sources), shift) for down, right in board.pattern for sources, shift in _moves(board, down, right)
        ]


@lru_cache(maxsize=4)
def _repeated(board: LightsOut, count: int) -> _Repeated:
    return _Repeated(board, count)


def _moves(board: LightsOut, down: int, right: int) -> Iterator[tuple[int, int]]:
    """The presses whose light lies so far on in row-major order, as bits, and how far."""
    for rows, by_rows in _ranges(board.rows, down, board.wraps_rows):
        for columns, by_columns in _ranges(board.columns, right, board.wraps_columns):
            row = sum(1 << column for column in columns)
            sources = Grid.from_rows([row if index in rows else 0 for index in range(board.rows)], board.columns).bits
            yield sources, by_rows * board.columns + by_columns


def _ranges(length: int, step: int, wraps: bool) -> Iterator[tuple[range, int]]:
    """Where on a line a step leads how far: all to the same, but for those that leave it over a joined edge."""
    steps = (step % length, step % length - length) if wraps else (step,)
    for by in steps:
        inside = range(max(0, -by), min(length, length - by))
        if inside:
            yield inside, by


def _all_drawn(puzzle: Nonogram, packed: bytes) -> bool:
    """Whether each of some grids has the blocks of all clues."""
    import numpy as np

    rows, columns, size = puzzle.rows, puzzle.columns, record_bytes(puzzle)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    if bits[:, rows * columns :].any():
        return False
    cells = bits[:, : rows * columns].reshape(-1, rows, columns)
    return _has_blocks(cells, puzzle.row_clues) and _has_blocks(cells.transpose(0, 2, 1), puzzle.column_clues)


def _has_blocks(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues.

    A change of value begins a block, and the next one ends it: where every line has two for each block, the changes of
    all lines in a row are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    at = np.flatnonzero(changes)
    blocks = np.array([block for clue in clues for block in clue], np.int64)
    return bool(((at[1::2] - at[::2]).reshape(grids, -1) == blocks).all())


_FITS: Mapping[str, tuple[Callable[[Any, bytes], bool], int]] = MappingProxyType(
    {LightsOut.kind: (_all_dark, _LONG), Nonogram.kind: (_all_drawn, _ARRAY)}
)
"""By kind, what checks many grids at once, and how many bytes of them at a time; other kinds are checked one by one."""
