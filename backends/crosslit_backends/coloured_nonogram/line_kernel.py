"""The search of the compiled kernel for coloured nonograms: the method of `line_search`, many steps in one call."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import pairwise

from crosslit.kinds.coloured_nonogram.puzzle import Clue, ColouredNonogram
from crosslit_backends.nonogram.line_kernel import MAX_BATCH, MAX_BATCH_BYTES, STEP, Status, library
from crosslit_backends.nonogram.line_state import Counts


def has_room(puzzle: ColouredNonogram) -> bool:
    """Return whether every clue fits its line, as the kernel requires."""

    # Not `CluePuzzle.space`, which the models of other engines use: a mistake in it would look like agreement.
    def needed(clue: Clue) -> int:
        return sum(block.length for block in clue) + sum(one.colour == other.colour for one, other in pairwise(clue))

    return all(needed(clue) <= len(cells) for clue, cells in puzzle.lines())


def batches(puzzle: ColouredNonogram, counts: Counts) -> Iterator[bytes]:
    """Yield all solutions in batches, packed; every clue must fit its line."""
    from ctypes import create_string_buffer, string_at

    clues = [*puzzle.row_clues, *puzzle.column_clues]
    numbers = (
        array("i", map(len, clues)),
        array("i", [block.length for clue in clues for block in clue]),
        array("i", [block.colour for clue in clues for block in clue]),
    )
    addresses = (given.buffer_info()[0] for given in numbers)
    handle = library().crosslit_coloured_new(puzzle.rows, puzzle.columns, puzzle.colours + 1, *addresses)
    if not handle:
        raise MemoryError
    size, found, status = puzzle.layout.size, 0, Status.SPENT
    try:
        done = library().crosslit_coloured_counts(handle)
        while status is not Status.EXHAUSTED:
            # The first solution comes at once, and later calls find thousands.
            capacity = max(1, min(found, MAX_BATCH, MAX_BATCH_BYTES // size))
            room = create_string_buffer(capacity * size)
            # One call takes about 20 ms; interrupts are handled between calls.
            status = Status(library().crosslit_coloured_run(handle, STEP, room, capacity))
            new = counts.add(done)
            found += new
            if new:
                yield string_at(room, new * size)
    finally:
        library().crosslit_coloured_free(handle)
