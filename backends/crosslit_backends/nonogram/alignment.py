"""Extreme alignment: the leftmost and the rightmost placement of a line's blocks, and a search around it."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from crosslit.base.grid import DIGITS, Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.colours import LETTERS
from crosslit_backends import compiled
from crosslit_backends.base import Native

if TYPE_CHECKING:
    import ctypes

Masks = Sequence[int]
"""The possible colours of cells, each as bits; bit 0 stands for an empty cell."""
Blocks = Sequence[tuple[int, int]]
"""The length and the colour of each block of a line."""

MAX_STATES = 32
SETTLED, CONTRADICTION, SPENT = -1, -2, -3
"""What aligning all lines leads to, if not to a guess: cell * MAX_STATES + colour; SPENT is of the kernel only."""
USEFUL, FREE = 2, 8
"""Solutions for each backtrack, and without any, up to which open cells are probed.

Where nearly every guess leads to a solution, as in permutations, probes find nothing.
"""
ALL, CONTINUE = -1, -2
"""What the kernel is to align, if not the lines of one cell: all lines, or what it has not yet."""


class Alignment(compiled.KernelBackend):
    """Extreme alignment with a complete backtracking search.

    The leftmost placement of a line ("front") is found by pushing blocks right: each *avoids* the cells that cannot
    have its colour, and is *aligned* to the cells that cannot be empty and that no block covers yet, until a fixpoint.
    A block of another colour begins behind such a cell. The rightmost ("back") is the same on the mirrored line. A cell
    that a block covers in both has its colour; a colour is possible where a block of it is between its two extremes.
    Blocks that no longer fit their line are a contradiction.

    At a fixpoint of all lines one open cell is tried with each of its colours, on a stack of states; so every solution
    is found exactly once. If rows and columns ask for different numbers of cells of a colour, the puzzle is refuted at
    once: no search could do so in reasonable time.

    The compiled kernel aligns lines in the same way, in ``alignment.c``, which shares nothing with the kernel's line
    solver, and probes the colours of open cells before a guess. The Python code of this module aligns them with
    ``kernel=no``, to trace its steps, or without a kernel.

    Examples:
        >>> from crosslit.formats import read
        >>> [grid.text for grid in Alignment().solutions(read("1 1,1 1,1,1|1 1,1,2,1"), Task())]
        ['0101/1010/0010/1000']
        >>> [grid.text for grid in Alignment().solutions(read("coloured-nonogram:1a 1b,1b|1a,2b"), Task())]
        ['12/02']
        >>> list(Alignment().solutions(read("0,2|2,0"), Task()))
        []
    """

    name = "alignment"
    summary = "nonograms: extreme alignment with backtracking"
    kinds = frozenset({"nonogram", "coloured-nonogram"})
    # the full name of the method, which only this backend has
    groups = Native.groups | {"extreme-alignment"}
    trusted_base = frozenset({"alignment"})

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, by depth-first search."""
        task.stats.update(lines=0, nodes=0, backtracks=0)
        if not _has_equal_sums(puzzle, task):
            return
        # Only Python reports its steps.
        by_kernel = not task.trace and compiled.is_used(puzzle, task.options)
        with closing(_Kernel(puzzle, task) if by_kernel else _Lines(puzzle, task)) as lines:
            yield from _search(puzzle, lines, task)


def _has_equal_sums(puzzle: Nonogram, task: Task) -> bool:
    # Its own sums and not those of `Nonogram`, by which `line` and `hybrid` refute: a mistake there would otherwise be
    # confirmed here.
    for colour in range(1, puzzle.states):
        rows, columns = (
            sum(length for clue in clues for length, own in puzzle.pairs(clue) if own == colour)
            for clues in (puzzle.row_clues, puzzle.column_clues)
        )
        if rows != columns:
            if task.trace:
                task.trace(f"the rows need {rows} filled cells, the columns {columns}: contradiction", bad=True)
            of = f"colour {LETTERS[colour - 1]}" if puzzle.palette else "row and column clues"
            task.stats["refuted_by"] = f"the sums of {of} differ"
            return False
    return True


def _search(puzzle: Nonogram, lines: _Lines | _Kernel, task: Task) -> Generator[Grid, None, None]:
    stats, trace = task.stats, task.trace
    nodes = backtracks = found = 0
    start = array("I", [(1 << puzzle.states) - 1]) * (puzzle.rows * puzzle.columns)
    stack: list[tuple[array[int], int, int]] = [(start, ALL, ALL)]  # with the cell that is guessed, and its colour
    while stack:
        before, cell, colour = stack.pop()
        masks = before[:]
        if cell != ALL:
            masks[cell] = 1 << colour
            if trace:
                name = puzzle.palette[colour][0] if puzzle.palette and colour else "filled" if colour else "empty"
                place = f"row {cell // puzzle.columns + 1}, column {cell % puzzle.columns + 1}"
                trace(f"guess: {place} is {name} ({len(stack)} left to try)", _known(masks), cell=cell)
        nodes += 1
        choice = lines.align(masks, cell, probes=found <= USEFUL * backtracks + FREE)
        backtracks += choice == CONTRADICTION
        stats.update(nodes=nodes, backtracks=backtracks)
        if choice == CONTRADICTION and trace:
            trace(f"back ({len(stack)} left to try)")
        elif choice == SETTLED:
            found += 1
            yield puzzle.layout.pack([mask.bit_length() - 1 for mask in masks])
        elif choice >= 0:
            cell, best = divmod(choice, MAX_STATES)
            colours = [colour for colour in range(puzzle.states) if masks[cell] >> colour & 1 and colour != best]
            stack += [(masks, cell, colour) for colour in [*colours, best]]  # the last one is tried first


class _Kernel:
    """The compiled kernel for one search; see ``alignment.c``."""

    def __init__(self, puzzle: Nonogram, task: Task) -> None:
        clues = [puzzle.pairs(clue) for clue in (*puzzle.row_clues, *puzzle.column_clues)]
        numbers = (
            array("i", map(len, clues)),
            array("i", [length for clue in clues for length, _ in clue]),
            array("i", [colour for clue in clues for _, colour in clue]),
        )
        addresses = [given.buffer_info()[0] for given in numbers]
        self._task = task
        self._address = _library().crosslit_alignment_new(puzzle.rows, puzzle.columns, puzzle.states, *addresses)
        if not self._address:
            raise MemoryError

    def align(self, masks: array[int], cell: int, probes: bool) -> int:
        """Align all lines, or those of a cell, and all that follows; probe if wanted. Return what it leads to."""
        run, address = _library().crosslit_alignment_run, masks.buffer_info()[0]
        choice: int = run(self._address, address, cell, probes, compiled.STEP)
        while choice == SPENT:  # an interrupt is handled in between
            choice = run(self._address, address, CONTINUE, probes, compiled.STEP)
        self._task.stats["lines"] = _library().crosslit_alignment_aligned(self._address)
        return choice

    def close(self) -> None:
        """Free its memory."""
        _library().crosslit_alignment_free(self._address)


@cache
def _library() -> ctypes.CDLL:
    """Load the library and declare its functions as in ``alignment.c``."""
    from ctypes import c_bool, c_int32, c_int64, c_void_p

    return compiled.load(
        "crosslit_alignment_",
        ("new", c_void_p, c_int32, c_int32, c_int32, c_void_p, c_void_p, c_void_p),
        ("free", None, c_void_p),
        ("run", c_int64, c_void_p, c_void_p, c_int32, c_bool, c_int64),
        ("aligned", c_int64, c_void_p),
    )


class _Lines:
    """The lines of a puzzle, in Python."""

    def __init__(self, puzzle: Nonogram, task: Task) -> None:
        self._puzzle, self._task, self._lines = puzzle, task, puzzle.lines()
        self._aligned = 0

    def align(self, masks: array[int], cell: int, probes: bool) -> int:  # noqa: ARG002  (it aligns only)
        """Align all lines, or those of a cell, and all that follows; return what it leads to."""
        rows, columns, trace = self._puzzle.rows, self._puzzle.columns, self._task.trace
        queue = dict.fromkeys(range(rows + columns) if cell == ALL else (cell // columns, rows + cell % columns))
        while queue:
            line = next(iter(queue))
            del queue[line]
            self._aligned += 1
            self._task.stats["lines"] = self._aligned
            clue, cells = self._lines[line]
            before = [masks[cell] for cell in cells]
            is_row = line < rows
            after = _align(tuple(self._puzzle.pairs(clue)), tuple(before))
            if after is None:
                if trace:
                    trace(f"{self._name(line)}: contradiction", line=line, bad=True)
                return CONTRADICTION
            for across, (cell, old, new) in enumerate(zip(cells, before, after, strict=True)):
                if old != new:
                    masks[cell] = new
                    queue[rows + across if is_row else across] = None
            if trace:
                found = "nothing new" if after == before else _known(after)
                trace(f"{self._name(line)}: {found}", _known(masks), line=line)
        # Neighbouring guesses contradict each other soon: of four orders measured on puzzles that line solving leaves
        # open, row-major order solved most. Choosing the lines with the fewest open cells, for example, did worse.
        opened = (cell * MAX_STATES + mask.bit_length() - 1 for cell, mask in enumerate(masks) if mask & mask - 1)
        return next(opened, SETTLED)

    def _name(self, line: int) -> str:
        """Return the name of a line and its clue."""
        rows, clue = self._puzzle.rows, " ".join(map(str, self._lines[line][0])) or "0"
        return f"row {line + 1} ({clue})" if line < rows else f"column {line - rows + 1} ({clue})"

    def close(self) -> None:
        """Do nothing: it has no memory of its own."""


def _known(masks: Masks) -> str:
    return "".join("?" if mask & mask - 1 else DIGITS[mask.bit_length() - 1] for mask in masks)


def align(clue: Blocks, masks: Masks) -> list[int] | None:
    """Return the colours of a line's cells that both extreme placements leave; None if the blocks do not fit.

    Examples:
        >>> align([(2, 1), (2, 2)], [0b111] * 5)
        [3, 2, 7, 4, 5]
        >>> align([(1, 1), (1, 1)], [0b11, 0b10])
    """
    if (front := _leftmost(clue, masks)) is None or (back := _leftmost(clue[::-1], masks[::-1])) is None:
        return None
    left = [mask & 1 for mask in masks]
    for (length, colour), first, mirrored in zip(clue, front, reversed(back), strict=True):
        last = len(masks) - mirrored - length
        for cell in range(first, last + length):
            left[cell] |= masks[cell] & 1 << colour
        for cell in range(last, first + length):
            left[cell] &= 1 << colour
    return left if all(left) else None


_align = lru_cache(1 << 15)(align)


def _leftmost(clue: Blocks, masks: Masks) -> list[int] | None:
    """Return the starts of the leftmost placement that the possible colours allow; None if there is none."""
    colours = {0, *(colour for _, colour in clue)}
    # read by `int`, the last cell first: several times as fast as a sum of bits
    barred = {k: int("0" + "".join(["1" if not mask >> k & 1 else "0" for mask in masks[::-1]]), 2) for k in colours}
    gaps = [int(place > 0 and clue[place - 1][1] == colour) for place, (_, colour) in enumerate(clue)]
    # Invariant: each start is at most that of its block in any arrangement, and it only grows. So the loop ends, with
    # the leftmost arrangement or none.
    starts = [0] * len(clue)
    while True:
        # avoid: push each block past the previous one and past the cells under it that cannot have its colour
        end = covered = 0
        for place, (length, colour) in enumerate(clue):
            start = max(starts[place], end + gaps[place])
            end = start + length
            while end <= len(masks) and (under := barred[colour] >> start & (1 << length) - 1):
                start += under.bit_length()
                end = start + length
            if end > len(masks):
                return None
            starts[place] = start
            covered |= (1 << end) - (1 << start)
        # align: the last block that starts before the first uncovered cell that cannot be empty must reach it
        missed = barred[0] & ~covered
        if not missed:
            return starts
        cell = (missed & -missed).bit_length() - 1
        # Later blocks start behind the cell and cannot move left, so this is the last block that can cover it. If the
        # cell cannot have its colour, an earlier one does, and this one is pushed behind it.
        before = bisect(starts, cell) - 1
        if before < 0:
            return None
        starts[before] = cell - clue[before][0] + 1


BACKENDS: list[Backend] = [Alignment()]
