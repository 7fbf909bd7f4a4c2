"""The search of the compiled kernel: the method of `line`, with one call for many steps."""

from __future__ import annotations

import functools
import itertools
from array import array
from collections.abc import Generator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from crosslit.kinds import Nonogram
from crosslit_backends import compiled
from crosslit_backends.compiled import MAX_BATCH, MAX_BATCH_BYTES, STEP

if TYPE_CHECKING:
    import ctypes

MAX_VARIABLES = 1 << 30
"""Variables of an encoding that the kernel cannot write; its clauses would take hundreds of gigabytes."""

OPEN = 7
"""The place of the number of open cells in what a call of the kernel did; see ``nonogram.c``."""


class Status(IntEnum):
    """The reason why a call of the kernel returned; see ``crosslit_run`` in ``nonogram.c``."""

    EXHAUSTED = 0
    FULL = 1
    SPENT = 2
    STILL = 3


@functools.cache
def library() -> ctypes.CDLL:
    """Load the library of the kernel and declare its functions as in its sources."""
    from ctypes import POINTER, c_bool, c_char_p, c_int, c_int32, c_int64, c_void_p

    return compiled.load(
        "crosslit_",
        ("new", c_void_p, c_int32, c_int32, c_int32, c_bool, c_void_p, c_void_p),
        ("free", None, c_void_p),
        ("run", c_int, c_void_p, c_int64, c_bool, c_char_p, c_int64),
        ("counts", POINTER(c_int64), c_void_p),
        ("root", c_bool, c_void_p, c_void_p),
        ("encode", c_bool, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
        ("decided", c_int64, c_void_p),
        ("decisions", None, c_void_p, c_void_p),
    )


class Counts:
    """Counts of the work of a run."""

    def __init__(self) -> None:
        self.lines = 0
        self.probes = 0
        self.nodes = 1  # the root, and one for each guess
        self.backtracks = 0
        self.depth = 0
        self.difficulty = ""

    def add(self, done: Sequence[int]) -> int:
        """Add the counts of a call of the kernel; return its number of solutions."""
        lines, probes, nodes, backtracks, depth, found = done[:6]
        self.lines += lines
        self.probes += probes
        self.nodes += nodes
        self.backtracks += backtracks
        self.depth = max(self.depth, depth)
        return found

    def first_found(self) -> None:
        """Set the difficulty by the work for the first solution, or for its refutation."""
        if not self.difficulty:
            self.difficulty = "search" if self.nodes > 1 else "probe" if self.probes else "line"

    def stats(self) -> dict[str, int | str]:
        """Return all counts, for the stats of a run."""
        self.first_found()
        return vars(self).copy()


class KernelSearch:
    """A search of the kernel; use it in a ``with`` block, which frees it."""

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        clues = (*puzzle.row_clues, *puzzle.column_clues)
        numbers, blocks = array("i", map(len, clues)), array("i")
        for clue in clues:  # of one colour lengths only, as they are: pairs take as long as an easy puzzle
            blocks.extend(itertools.chain.from_iterable(clue) if puzzle.palette else clue)
        addresses = (numbers.buffer_info()[0], blocks.buffer_info()[0])
        self._cells, self.size, self.counts = puzzle.rows * puzzle.columns, puzzle.layout.size, counts
        self._address = library().crosslit_new(
            puzzle.rows, puzzle.columns, puzzle.states, bool(puzzle.palette), *addresses
        )
        if not self._address:
            raise MemoryError
        self._did, self._found = self._call("counts"), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory of the search."""
        if self._address:
            self._call("free")
            self._address = None

    def _call(self, name: str, *arguments: object) -> Any:
        if self._address is None:  # the kernel would follow the null pointer and crash the process
            raise ValueError("the search is closed")
        return getattr(library(), f"crosslit_{name}")(self._address, *arguments)

    def run(self, *, guesses: bool = True, work: int = STEP) -> tuple[Status, bytes]:
        """Continue the search for about 20 ms, or other ``work``; return the reason for stopping, and packed solutions.

        Without ``guesses`` it stops when only branching could continue.
        """
        from ctypes import create_string_buffer, string_at

        # As many as it has found, so batches grow: the first solution comes at once, and later calls find thousands.
        capacity = max(1, min(self._found, MAX_BATCH, MAX_BATCH_BYTES // self.size))
        room = create_string_buffer(capacity * self.size)
        status = self._call("run", work, guesses, room, capacity)
        found = self.counts.add(self._did)
        self._found += found
        return Status(status), string_at(room, found * self.size)

    def until_a_guess(self) -> Generator[bytes, None, int]:
        """Yield the only solution if it takes no guess; return how many cells are open if only a guess can go on."""
        status, found = Status.SPENT, b""
        while status is Status.SPENT:
            status, found = self.run(guesses=False)
        if found:
            yield found
        return int(self._did[OPEN]) if status is Status.STILL else 0

    def batches(self) -> Generator[bytes, None, None]:
        """Yield the remaining solutions in batches."""
        status = Status.SPENT
        while status is not Status.EXHAUSTED:
            status, packed = self.run()
            if packed:
                yield packed

    def masks(self) -> array[int] | None:
        """Return the colours that each cell can have without any guess, as bits; None on a contradiction."""
        masks = array("I", bytes(4 * self._cells))
        return masks if self._call("root", masks.buffer_info()[0]) else None

    def encode(self, masks: array[int], literals: int | None = None, ends: int | None = None) -> array[int]:
        """Write the order encoding of the open cells to two addresses, if they are given.

        It returns the numbers of open cells (or of their colours, of several), variables, clauses and literals.
        """
        sizes = array("q", bytes(32))
        known = self._call("encode", masks.buffer_info()[0], literals, ends, sizes.buffer_info()[0])
        if not known or sizes[1] >= MAX_VARIABLES:
            raise MemoryError
        return sizes

    def decisions(self) -> list[tuple[int, int, int]]:
        """Return the guesses, and the colours that have been searched under each, in their order.

        Each is a cell (row * columns + column), a colour, and whether it is a guess.
        """
        decisions = array("i", bytes(12 * self._call("decided")))  # three numbers of 32 bits for each
        self._call("decisions", decisions.buffer_info()[0])
        return list(zip(decisions[::3], decisions[1::3], decisions[2::3], strict=True))
