"""The rule checker for many packed grids at once, equivalent to `violations`.

A kind may have a function for whole batches: those of Lights Out and nonograms take under a microsecond per grid, where
`violations` takes ten to a hundred. Any grid that breaks the rules here, and the first grid
of every batch, is also checked by `violations`: the two must agree.
"""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.kinds.puzzle import Puzzle
from crosslit.kinds.registry import kind_of

_MAX_UNBATCHED = 4  # grids: fewer are not worth setting up a batch
_ARRAY = 1 << 19  # bytes of grids converted to an array at a time


def record_bytes(puzzle: Puzzle) -> int:
    """Return the number of bytes of one packed grid of a puzzle."""
    return puzzle.layout.size


def first_wrong(puzzle: Puzzle, packed: bytes) -> tuple[int, str] | None:
    """Return the index of the first grid of a batch that breaks the rules, and the reason; None if none does."""
    size = record_bytes(puzzle)
    count, rest = divmod(len(packed), size)
    if rest:
        raise ValueError(f"{len(packed)} bytes are not a whole number of grids of {size} bytes")
    # The first grid goes through both checkers in any case, so that a fault of the fast one shows at once.
    look = min(count, 1 if count > _MAX_UNBATCHED else _MAX_UNBATCHED)
    for index in range(look):
        if (reason := _one(puzzle, packed[index * size : (index + 1) * size])) is not None:
            return index, reason
    if look == count:
        return None
    fits = kind_of(puzzle).all_right or _none_wrong
    step = power(_ARRAY // size)
    for first in range(0, count, step):
        chunk = packed[first * size : (first + step) * size]
        if fits(puzzle, chunk):
            continue
        for index, grid in enumerate(_each(puzzle, chunk)):
            if (reason := _one(puzzle, grid)) is not None:
                return first + index, reason
        raise AssertionError("a batch breaks the rules and none of its grids does")
    return None


def _each(puzzle: Puzzle, packed: bytes) -> Iterator[bytes]:
    size = record_bytes(puzzle)
    return (packed[first : first + size] for first in range(0, len(packed), size))


def _none_wrong(puzzle: Puzzle, packed: bytes) -> bool:
    """Check the grids one by one, for kinds without a faster way."""
    return all(_one(puzzle, grid) is None for grid in _each(puzzle, packed))


def _one(puzzle: Puzzle, packed: bytes) -> str | None:
    try:
        (grid,) = puzzle.layout.answers(packed)
    except ValueError as error:  # a bit after the last cell, or a value that a cell cannot have
        return str(error)
    return next(puzzle.violations(grid), None)


def power(number: int) -> int:
    """Return the largest power of 2 up to a number, at least 1: backends make batches of such sizes."""
    return 1 << max(1, number).bit_length() - 1
