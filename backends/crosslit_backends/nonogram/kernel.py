"""The search of the compiled kernel: the method of `line_search`, with one call for many steps."""

from __future__ import annotations

import functools
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain, islice, product
from operator import or_
from typing import TYPE_CHECKING, Any, Self

from crosslit.base.grid import Grid
from crosslit.kinds import Nonogram
from crosslit_backends import compiled
from crosslit_backends.compiled import MAX_BATCH, MAX_BATCH_BYTES, STEP
from crosslit_backends.nonogram.lines import Counts

if TYPE_CHECKING:
    import ctypes

MAX_VARIABLES = 1 << 30
"""Variables of an encoding that the kernel cannot write; its clauses would take hundreds of gigabytes."""

OPEN = 7
"""The place of the number of open cells in what a call of the kernel did; see ``kernel.h``."""

Sides = tuple[bytes, ...]
"""What is known, in the words of the kernel: filled and empty cells of all rows, or the colours of each cell."""


class Status(IntEnum):
    """The reason why a call of the kernel returned; see ``crosslit_run`` in ``line_search.c``."""

    EXHAUSTED = 0
    FULL = 1
    SPENT = 2
    SPLIT = 3
    STILL = 4


MIN_SPLIT_CELLS = 24
"""Number of open cells from which parts are searched separately.

Fewer are searched together: the probes at each node refute an impossible part, and starting a search takes time.
"""


def has_room(puzzle: Nonogram) -> bool:
    """Return whether every clue fits its line, as the kernel requires."""
    # Not `Nonogram.space`, which the models of other engines use: a mistake in it would look like agreement.
    sides = ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows))
    return all(sum(clue) + len(clue) - 1 <= length for clues, length in sides for clue in clues)


def grids(puzzle: Nonogram, packed: bytes) -> Iterator[Grid]:
    """Yield the grids of a batch, as `Layout.answers` does in a tenth more time for a puzzle of 5 x 5."""
    size = (puzzle.rows * puzzle.columns + 7) // 8
    for start in range(0, len(packed), size):
        yield Grid(puzzle.rows, puzzle.columns, packed[start : start + size])


@functools.cache
def library() -> ctypes.CDLL:
    """Load the library of the kernel and declare its functions as in its sources."""
    from ctypes import POINTER, c_bool, c_char_p, c_int, c_int32, c_int64, c_void_p

    library = compiled.load()
    for name, result, *arguments in (
        ("new", c_void_p, c_int32, c_int32, c_void_p, c_void_p),
        ("new_part", c_void_p, c_void_p, c_void_p, c_int32),
        ("free", None, c_void_p),
        ("run", c_int, c_void_p, c_int64, c_int64, c_bool, c_char_p, c_int64),
        ("halt", None, c_void_p),
        ("leave", None, c_void_p),
        ("counts", POINTER(c_int64), c_void_p),
        ("root", c_bool, c_void_p, c_char_p, c_char_p),
        ("settled", None, c_void_p, c_char_p),
        ("parts", c_int32, c_void_p, c_void_p),
        ("solve_lines", c_bool, c_int32, c_int32, c_void_p, c_int64, c_void_p, c_void_p, c_void_p),
        ("encode", c_bool, c_void_p, c_char_p, c_char_p, c_void_p, c_void_p, c_void_p),
        ("decided", c_int64, c_void_p),
        ("decisions", None, c_void_p, c_void_p),
        ("coloured_new", c_void_p, c_int32, c_int32, c_int32, c_void_p, c_void_p, c_void_p),
        ("coloured_free", None, c_void_p),
        ("coloured_run", c_int, c_void_p, c_int64, c_int64, c_bool, c_char_p, c_int64),
        ("coloured_root", c_bool, c_void_p, c_void_p),
        ("coloured_decided", c_int64, c_void_p),
        ("coloured_decisions", None, c_void_p, c_void_p),
        ("coloured_counts", POINTER(c_int64), c_void_p),
        ("coloured_encode", c_bool, c_void_p, c_char_p, c_void_p, c_void_p, c_void_p),
    ):
        function = getattr(library, f"crosslit_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class KernelSearch:
    """A search of the kernel over the open cells of some rows; use it in a ``with`` block, which frees it.

    All clues of the puzzle fit their lines.
    """

    functions = "crosslit"
    """The beginning of the names of the kernel's functions."""

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        clues = [*puzzle.row_clues, *puzzle.column_clues]
        numbers, blocks = array("i", map(len, clues)), array("i", chain.from_iterable(clues))
        addresses = (given.buffer_info()[0] for given in (numbers, blocks))
        handle = library().crosslit_new(puzzle.rows, puzzle.columns, *addresses)
        self._begin(puzzle, handle, counts, range(puzzle.rows))

    def _begin(self, puzzle: Nonogram, handle: int | None, counts: Counts, own: Sequence[int], level: int = 0) -> None:
        self._puzzle = puzzle
        self._address = handle
        self.counts = counts
        self._level = level  # guesses made to get here
        self.own = own  # the rows whose cells it settles
        self.size = (puzzle.rows * puzzle.columns + 7) // 8
        if not handle:
            raise MemoryError
        self._did = self._call("counts")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory of the search."""
        if self._address:
            self._call("free")
            self._address = None

    @property
    def _handle(self) -> int:
        # The kernel would follow the null pointer and crash the process.
        if self._address is None:
            raise ValueError("the search is closed")
        return self._address

    def _call(self, name: str, *arguments: object) -> Any:
        return getattr(library(), f"{self.functions}_{name}")(self._handle, *arguments)

    def run(
        self, *, splits: bool = True, guesses: bool = True, capacity: int = 1, work: int | None = None
    ) -> tuple[Status, bytes]:
        """Continue the search for about 20 ms, or other ``work``; return the reason for stopping, and solutions.

        These are the filled cells of the search's own rows, packed as in `crosslit.Grid`, at most ``capacity`` of
        them but always one. With ``splits`` it stops when the open cells fall into parts, and without ``guesses`` when
        only branching could continue.
        """
        from ctypes import create_string_buffer, string_at

        # The caller asks for as many as it has found, so batches grow: the first solution comes at once, and later
        # calls find thousands.
        capacity = max(1, min(capacity, MAX_BATCH, MAX_BATCH_BYTES // self.size))
        room = create_string_buffer(capacity * self.size)
        budget = STEP if work is None else work
        status = self._call("run", budget, splits and MIN_SPLIT_CELLS, guesses, room, capacity)
        found = self.counts.add(self._did, self._level)
        return Status(status), string_at(room, found * self.size)

    def until_a_guess(self) -> Generator[bytes, None, int]:
        """Yield the only solution if it takes no guess; return how many cells are open if only a guess can go on."""
        status, found = Status.SPENT, b""
        while status is Status.SPENT:
            status, found = self.run(splits=False, guesses=False)
        if found:
            yield found
        return int(self._did[OPEN]) if status is Status.STILL else 0

    def halt(self) -> None:
        """End a call of `run` in another thread, which returns that its work is done."""
        library().crosslit_halt(self._handle)

    def batches(self) -> Generator[bytes, None, None]:
        """Yield the remaining solutions in batches; if the open cells fall into parts, search each part only once."""
        found = 0
        while True:
            status, packed = self.run(capacity=found)
            if packed:
                found += len(packed) // self.size
                yield packed
            if status is Status.SPLIT:
                parts = self.parts()
                try:
                    yield from combined(self.settled(), [part.batches() for part in parts], self.size)
                finally:
                    for part in parts:
                        part.close()
                library().crosslit_leave(self._handle)
            elif status is Status.EXHAUSTED:
                return

    def root(self) -> Sides | None:
        """Return what holds without any guess: the filled and the empty cells of all rows; None on a contradiction."""
        from ctypes import create_string_buffer

        size = self._puzzle.rows * self._row_bytes
        filled, empty = create_string_buffer(size), create_string_buffer(size)
        return (filled.raw, empty.raw) if library().crosslit_root(self._handle, filled, empty) else None

    def rows(self, sides: Sides) -> tuple[list[int], list[int]]:
        """Return the filled and the empty cells of all rows, as bits."""
        width = self._row_bytes
        # The kernel has an empty cell in front of each line, so its cell c is bit c + 1.
        filled, empty = (
            [int.from_bytes(side[start : start + width], "little") >> 1 for start in range(0, len(side), width)]
            for side in sides
        )
        return filled, empty

    @property
    def _row_bytes(self) -> int:
        return 8 * ((self._puzzle.columns + 2 + 63) // 64)

    def encode(self, sides: Sides, literals: int | None = None, ends: int | None = None) -> array[int]:
        """Write the order encoding of its open cells to two addresses, if they are given.

        It returns the numbers of open cells, variables, clauses and literals. Another thread may run the search
        meanwhile.
        """
        sizes = array("q", bytes(32))
        known = self._call("encode", *sides, literals, ends, sizes.buffer_info()[0])
        if not known or sizes[1] >= MAX_VARIABLES:
            raise MemoryError
        return sizes

    def settled(self) -> bytes:
        """Return the settled filled cells of its rows, packed."""
        from ctypes import create_string_buffer

        room = create_string_buffer(self.size)
        library().crosslit_settled(self._handle, room)
        return room.raw

    def decisions(self) -> list[tuple[int, int, int]]:
        """Return the guesses, and the values that follow because their opposites have been searched, in their order.

        Each is a cell (row * columns + column), its value, and whether it is a guess.
        """
        # Three numbers of 32 bits for each.
        decisions = array("i", bytes(12 * self._call("decided")))
        self._call("decisions", decisions.buffer_info()[0])
        return list(zip(decisions[::3], decisions[1::3], decisions[2::3], strict=True))

    def parts(self) -> list[KernelSearch]:
        """Return searches of groups of rows that share no column with open cells; itself if there is only one group."""
        part = array("i", bytes(4 * self._puzzle.rows))
        count = library().crosslit_parts(self._handle, part.buffer_info()[0])
        # Not a copy: the search goes on where it is.
        if count == 1:
            return [self]
        guesses = sum(is_guess for _, _, is_guess in self.decisions())
        found: list[KernelSearch] = []
        try:
            for number in range(count):
                # `__init__` would begin with the whole puzzle.
                search = KernelSearch.__new__(KernelSearch)
                handle = library().crosslit_new_part(self._handle, part.buffer_info()[0], number)
                own = [row for row, of in enumerate(part) if of == number]
                search._begin(self._puzzle, handle, self.counts, own, self._level + guesses)
                found.append(search)
        except MemoryError:
            for search in found:
                search.close()
            raise
        return found


def combined(settled: bytes, searches: Sequence[Iterator[bytes]], size: int) -> Generator[bytes, None, None]:
    """Yield all combinations of the solutions of parts in batches; all solutions but the first part's are kept.

    ``settled`` are the filled cells that all solutions share. They and the solutions are packed in ``size`` bytes each.
    """
    kept = []
    for search in searches:  # a part without a solution: the others need not continue
        first = next(search, None)
        if first is None:
            return
        kept.append(_numbers(first, size))
    base = int.from_bytes(settled, "little")
    yield from _joined(base, kept, size)
    for number in reversed(range(len(kept))):
        # Parts behind this one are complete and parts before it have their first batch only: the rest of those meets
        # everything when their turn comes. So each combination appears once.
        for batch in searches[number]:
            found = _numbers(batch, size)
            yield from _joined(base, [*kept[:number], found, *kept[number + 1 :]], size)
            if number:
                kept[number] += found


def _numbers(packed: bytes, size: int) -> list[int]:
    return [int.from_bytes(packed[start : start + size], "little") for start in range(0, len(packed), size)]


def _joined(base: int, lists: Iterable[list[int]], size: int) -> Iterator[bytes]:
    chosen = (functools.reduce(or_, each, base).to_bytes(size, "little") for each in product(*lists))
    while packed := b"".join(islice(chosen, MAX_BATCH)):
        yield packed
