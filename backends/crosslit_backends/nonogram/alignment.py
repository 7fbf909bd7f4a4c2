"""Extreme alignment: the leftmost and the rightmost placement of a line's blocks, and a search around it."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task, Trace
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_backends import compiled
from crosslit_backends.native import Native
from crosslit_backends.nonogram.certificate import RefutesByClues

if TYPE_CHECKING:
    import ctypes

_SHORT = 6
"""Maximum length of lines whose alignment is cached: with it, 5 x 5 takes a quarter of the time."""

_MAX_SHORT_LINES = 1 << 15
"""Size of that cache: more than the number of states of lines of six cells with any clue."""

_EXHAUSTED = 0
"""A call of the compiled search returns this when it has found all solutions."""


class Alignment(RefutesByClues, compiled.KernelBackend):
    """Extreme alignment with a complete backtracking search.

    The segments of a line are numbered: gap 0, block 0, gap 1, and so on. Its leftmost placement ("front") is found by
    pushing blocks right: each *avoids* the cells known to be empty and is *aligned* to the filled cells that no block
    covers yet, until a fixpoint; the rightmost ("back") is the same on the mirrored line. A cell in the same segment of
    both placements is settled. Blocks that no longer fit their line are a contradiction.

    At a fixpoint of all lines one open cell is tried both ways, filled first, on a stack of states; so every solution
    is found exactly once. If rows and columns ask for different numbers of filled cells, the puzzle is refuted at once:
    no search could do so in reasonable time.

    The compiled kernel aligns lines in the same way, in ``alignment.c``, which shares nothing with the kernel's line
    solver, but probes both values of the open cells before it guesses. The Python code of this module searches with
    ``kernel=no``, to trace its steps, or without a kernel.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.text() for grid in Alignment().solutions(read("1 1,1 1,1,1|1 1,1,2,1"), Task())]
        ['0101/1010/0010/1000']
        >>> list(Alignment().solutions(read("0,2|2,0"), Task()))
        []
    """

    name = "alignment"
    summary = "nonograms: extreme alignment with backtracking"
    kinds = frozenset({"nonogram"})
    # the full name of the method, which only this backend has
    groups = Native.groups | {"extreme-alignment"}
    trusted_base = frozenset({"alignment"})

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, by depth-first search."""
        for packed in self.batches(puzzle, task):
            yield from puzzle.layout.answers(packed)

    def batches(self, puzzle: Nonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed; one at a time without the kernel."""
        stats, trace = task.stats, task.trace
        stats.update(lines=0, nodes=0, backtracks=0)
        # Its own sums and not those of `Nonogram`, by which `line` and `hybrid` refute: a mistake there would otherwise
        # be confirmed here.
        by_rows, by_columns = sum(map(sum, puzzle.row_clues)), sum(map(sum, puzzle.column_clues))
        if by_rows != by_columns:
            if trace:
                trace("sums", {"rows": by_rows, "columns": by_columns})
            stats["refuted_by"] = "the sums of row and column clues differ"
            return
        counts = _Counts()
        # Only Python reports its steps. It also ends at the first clue that does not fit, whose sum C may not hold.
        is_compiled = not trace and _fits(puzzle) and compiled.is_used(puzzle, task.options)
        try:
            yield from _search_compiled(puzzle, counts) if is_compiled else _search(puzzle, counts, trace)
        finally:
            stats.update(vars(counts))


def _fits(puzzle: Nonogram) -> bool:
    """Return whether every clue fits its line."""
    sides = ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows))
    return all(sum(clue) + len(clue) - 1 <= length for clues, length in sides for clue in clues)


def _search(puzzle: Nonogram, counts: _Counts, trace: Trace | None) -> Generator[bytes, None, None]:
    clues = [*puzzle.row_clues, *puzzle.column_clues]
    stack = [(_State([0] * len(clues), [0] * len(clues), puzzle.rows, puzzle.columns), list(range(len(clues))))]
    while stack:
        state, dirty = stack.pop()
        counts.nodes += 1
        if trace and state.guess:
            trace("guess", {"cell": state.guess[:2], "value": state.guess[2], "left": len(stack)})
        if not _propagate(state, clues, dirty, counts, trace):
            counts.backtracks += 1
            if trace:
                trace("backtrack", {"left": len(stack)})
            continue
        cell = state.open_cell()
        if cell is None:
            yield Grid.from_rows(state.filled[: puzzle.rows], puzzle.columns).packed
            continue
        row, column = cell
        changed = [row, puzzle.rows + column]
        for value in (False, True):  # the value pushed last is tried first
            branch = state.copy()
            branch.settle(row, column, value)
            branch.guess = (row, column, int(value))
            stack.append((branch, changed))


@cache
def _library() -> ctypes.CDLL:
    """Load the library and declare its functions as in ``alignment.c``."""
    from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p

    library = compiled.load()
    for name, result, *arguments in (
        ("new", c_void_p, c_int32, c_int32, c_void_p, c_void_p),
        ("free", None, c_void_p),
        ("run", c_int, c_void_p, c_int64, c_char_p, c_int64),
        ("counts", POINTER(c_int64), c_void_p),
    ):
        function = getattr(library, f"crosslit_alignment_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _search_compiled(puzzle: Nonogram, counts: _Counts) -> Generator[bytes, None, None]:
    from ctypes import create_string_buffer, string_at

    clues = [*puzzle.row_clues, *puzzle.column_clues]
    numbers, blocks = array("i", map(len, clues)), array("i", chain.from_iterable(clues))
    library = _library()
    addresses = (given.buffer_info()[0] for given in (numbers, blocks))
    search = library.crosslit_alignment_new(puzzle.rows, puzzle.columns, *addresses)
    if not search:
        raise MemoryError
    try:
        done = library.crosslit_alignment_counts(search)
        size, found, is_over = puzzle.layout.size, 0, False
        while not is_over:
            # The first solution comes at once, and later calls find thousands.
            capacity = max(1, min(found, compiled.MAX_BATCH, compiled.MAX_BATCH_BYTES // size))
            room = create_string_buffer(capacity * size)
            is_over = library.crosslit_alignment_run(search, compiled.STEP, room, capacity) == _EXHAUSTED
            counts.lines, counts.nodes, counts.backtracks, new = done[:4]
            found += new
            if new:
                yield string_at(room, new * size)
    finally:
        library.crosslit_alignment_free(search)


@dataclass
class _Counts:
    lines: int = 0
    nodes: int = 0
    backtracks: int = 0


@dataclass
class _State:
    """The filled and the empty cells known so far, as bits of each line, rows then columns."""

    filled: list[int]
    empty: list[int]
    rows: int
    columns: int
    guess: tuple[int, int, int] | None = None  # the cell (row, column) and the value guessed to get here

    def copy(self) -> _State:
        return _State(self.filled.copy(), self.empty.copy(), self.rows, self.columns)

    def settle(self, row: int, column: int, value: bool) -> None:
        known = self.filled if value else self.empty
        known[row] |= 1 << column
        known[self.rows + column] |= 1 << row

    def open_cell(self) -> tuple[int, int] | None:
        """Return the first open cell in row-major order; None if all are settled.

        Neighbouring guesses contradict each other soon: of four orders measured on puzzles that line solving leaves
        open, this one solved most. Choosing the lines with the fewest open cells, for example, did worse.
        """
        inside = (1 << self.columns) - 1
        for row in range(self.rows):
            still_open = inside & ~(self.filled[row] | self.empty[row])
            if still_open:
                return row, (still_open & -still_open).bit_length() - 1
        return None


def _propagate(state: _State, clues: list[Clue], dirty: list[int], counts: _Counts, trace: Trace | None) -> bool:
    """Align lines, ``dirty`` ones first, until none changes; return False on a contradiction."""
    queue = deque(dirty)
    waiting = set(dirty)
    rows = state.rows
    while queue:
        line = queue.popleft()
        waiting.discard(line)
        counts.lines += 1
        is_row = line < rows
        length = state.columns if is_row else rows
        known = (state.filled[line], state.empty[line])
        if trace:
            place = {"axis": "row" if is_row else "column", "line": line if is_row else line - rows}
            trace("line", {**place, "clue": clues[line], "known": _values(length, *known)})
        # The cached function cannot report steps.
        if trace or length > _SHORT:
            settled = align(clues[line], length, *known, trace)
        else:
            settled = _align_short(clues[line], length, *known)
        if settled is None:
            if trace:
                trace("contradiction", {})
            return False
        if trace:
            trace("settled", {"known": _values(length, *settled)})
        crossing = rows if is_row else 0
        own = line if is_row else line - rows
        for new, before, side in zip(settled, known, (state.filled, state.empty), strict=True):
            side[line] = new
            fresh = new & ~before
            while fresh:
                low = fresh & -fresh
                fresh ^= low
                other = crossing + low.bit_length() - 1
                side[other] |= 1 << own
                if other not in waiting:
                    waiting.add(other)
                    queue.append(other)
    return True


def _values(length: int, filled: int, empty: int) -> str:
    """Return the known cells of a line for a trace: ``1`` for filled, ``0`` for empty, ``?`` for unknown."""
    return "".join("1" if filled >> cell & 1 else "0" if empty >> cell & 1 else "?" for cell in range(length))


def align(clue: Clue, length: int, filled: int, empty: int, trace: Trace | None = None) -> tuple[int, int] | None:
    """Return the filled and the empty cells of a line on which both extreme placements agree, as bits, cell 0 lowest.

    The cells known before are among them. None means that the blocks do not fit. ``trace`` receives the starts of the
    blocks in both placements whenever they move.
    """
    report = None if trace is None else teller(trace, "front")
    front = _leftmost(clue, length, filled, empty, report)
    if front is None:
        return None
    if trace is not None:
        report = teller(trace, "back", partial(turned, clue, length))
    mirrored = _leftmost(clue[::-1], length, _mirror(filled, length), _mirror(empty, length), report)
    if mirrored is None:
        return None
    back = turned(clue, length, mirrored)
    gap = 0  # start of the gap before the block in the rightmost placement
    for first, last, block in zip(front, back, clue, strict=True):
        if first > gap:
            empty |= (1 << first) - (1 << gap)
        if last < first + block:
            filled |= (1 << first + block) - (1 << last)
        gap = last + block
    empty |= (1 << length) - (1 << gap)
    return None if filled & empty else (filled, empty)


_align_short = lru_cache(_MAX_SHORT_LINES)(align)


def turned(clue: Sequence[int], length: int, starts: list[int]) -> list[int]:
    """Convert starts on the mirrored line to starts on the line."""
    return [length - start - block for start, block in zip(reversed(starts), clue, strict=True)]


def teller(
    trace: Trace, which: str, convert: Callable[[list[int]], list[int]] = list
) -> Callable[[str, list[int]], None]:
    """Return a function that traces the starts of a placement whenever they have changed."""
    reported: list[int] = [-1]

    def report(why: str, starts: list[int]) -> None:
        nonlocal reported
        if starts != reported:
            reported = [*starts]
            trace(which, {"why": why, "starts": convert(starts)})

    return report


def _leftmost(
    clue: Clue, length: int, filled: int, empty: int, report: Callable[[str, list[int]], None] | None = None
) -> list[int] | None:
    """Return the starts of the leftmost placement that avoids empty cells and covers filled ones; None if none fits."""
    if sum(clue) + len(clue) - 1 > length:
        return None
    # Invariant: each start is at most that of its block in any arrangement, and it only grows. So the loop ends, with
    # the leftmost arrangement or none.
    starts: list[int] = []
    end = 0
    for block in clue:
        starts.append(end)
        end += block + 1
    if report:
        report("pack", starts)
    while True:
        # avoid: push each block past the empty cells under it and past the previous block
        end, covered = 0, 0
        for index, block in enumerate(clue):
            start = max(starts[index], end)
            body = (1 << block) - 1
            while under := empty >> start & body:
                start += under.bit_length()
            end = start + block + 1
            # `end` includes the gap behind the block, which the last block does not need.
            if end > length + 1:
                return None
            starts[index] = start
            covered |= body << start
        if report:
            report("avoid", starts)
        # align: the last block that starts before the first uncovered filled cell must reach it
        missed = filled & ~covered
        if not missed:
            return starts
        cell = (missed & -missed).bit_length() - 1
        # Later blocks start behind the cell and cannot move left, so this is the last block that can cover it.
        before = sum(start <= cell for start in starts) - 1
        if before < 0:
            return None
        starts[before] = cell - clue[before] + 1
        if report:
            report("align", starts)


def _mirror(cells: int, length: int) -> int:
    return int(f"{cells:0{length}b}"[::-1], 2)


BACKENDS: list[Backend] = [Alignment()]
