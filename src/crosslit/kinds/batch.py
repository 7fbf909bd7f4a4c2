"""The rule checker for many packed grids at once, equivalent to `violations`.

A kind may have a function for whole batches: those of Lights Out and nonograms take under a microsecond per grid, where
`violations` takes ten to a hundred. Such a function shares no code with a solver. The first, the last and two other
grids of every batch, and all grids of a batch in which one breaks the rules, are also checked by `violations`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from crosslit.base.errors import InternalError
from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.registry import kind_of

_LOOKS = 4  # grids that go through both checkers, so that a fault of the fast one shows
_FEW = 500, 16  # grids: checking them one by one takes as long as loading numpy, and as setting up a batch with it
_ARRAY = 1 << 19  # bytes of grids converted to an array at a time


def record_bytes(puzzle: Puzzle) -> int:
    """Return the number of bytes of one packed grid of a puzzle."""
    return puzzle.layout.size


def first_wrong(puzzle: Puzzle, packed: bytes) -> tuple[int, str] | None:
    """Return the index of the first grid of a batch that breaks the rules, and the reason; None if none does."""
    return next(wrong_grids(puzzle, packed), None)


def wrong_grids(puzzle: Puzzle, packed: bytes) -> Iterator[tuple[int, str]]:
    """Yield the index of each grid of a batch that breaks the rules, and the reason."""
    size = record_bytes(puzzle)
    count, rest = divmod(len(packed), size)
    if rest:
        raise ValueError(f"{len(packed)} bytes are not a whole number of grids of {size} bytes")
    fits = kind_of(puzzle).all_right
    if fits is None or count <= _FEW["numpy" in sys.modules]:
        yield from _wrong(puzzle, packed)
        return
    step = power(_ARRAY // size)
    for first in range(0, count, step):
        chunk = packed[first * size : (first + step) * size]
        last = len(chunk) // size - 1
        # Solutions in sequence often differ by a vector, so if that is wrong, half of them are, and the last one too.
        looks = {number * last // (_LOOKS - 1) for number in range(_LOOKS)}
        right = all(_one(puzzle, chunk[index * size : (index + 1) * size]) is None for index in looks)
        if right and fits(puzzle, chunk):
            continue
        wrong = False
        for index, reason in _wrong(puzzle, chunk):
            wrong = True
            yield first + index, reason
        if not wrong:
            raise InternalError(f"a batch of grids of {puzzle.text:.60} breaks the rules, and none of its grids does")


def _wrong(puzzle: Puzzle, packed: bytes) -> Iterator[tuple[int, str]]:
    """Yield the index of each grid that breaks the rules, and the reason, checking one by one."""
    size = record_bytes(puzzle)
    for index, first in enumerate(range(0, len(packed), size)):
        if (reason := _one(puzzle, packed[first : first + size])) is not None:
            yield index, reason


def _one(puzzle: Puzzle, packed: bytes) -> str | None:
    try:
        (grid,) = puzzle.layout.answers(packed)
    except ValueError as error:  # a bit after the last cell, or a value that a cell cannot have
        return str(error)
    return next(puzzle.violations(grid), None)


def power(number: int) -> int:
    """Return the largest power of 2 up to a number, at least 1: backends make batches of such sizes."""
    return 1 << max(1, number).bit_length() - 1
