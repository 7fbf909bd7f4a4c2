"""Coloured nonograms by complete line solving, probing and search, in Python or by the compiled kernel."""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterable, Iterator
from contextlib import nullcontext
from itertools import pairwise

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_backends.compiled import KernelBackend, is_used
from crosslit_backends.nonogram.kernel import KernelSearch, library
from crosslit_backends.nonogram.lines import MEMO, Counts


def has_room(puzzle: ColouredNonogram) -> bool:
    """Return whether every clue fits its line, as the kernel requires."""

    # Not `Nonogram.space`, which the models of other engines use: a mistake in it would look like agreement.
    def needed(clue: Clue) -> int:
        return sum(block.length for block in clue) + sum(one.colour == other.colour for one, other in pairwise(clue))

    return all(needed(clue) <= len(cells) for clue, cells in puzzle.lines())


class KernelColours(KernelSearch):
    """A search of the kernel over the cells of a coloured nonogram; every clue must fit its line."""

    functions = "crosslit_coloured"

    def __init__(self, puzzle: ColouredNonogram, counts: Counts) -> None:
        clues = [*puzzle.row_clues, *puzzle.column_clues]
        numbers = (
            array("i", map(len, clues)),
            array("i", [block.length for clue in clues for block in clue]),
            array("i", [block.colour for clue in clues for block in clue]),
        )
        addresses = (given.buffer_info()[0] for given in numbers)
        handle = library().crosslit_coloured_new(puzzle.rows, puzzle.columns, puzzle.colours + 1, *addresses)
        self._begin(puzzle, handle, counts, range(puzzle.rows))
        self.size = puzzle.layout.size

    def masks(self) -> list[int] | None:
        """Return the colours that each cell can have without any guess, as bits; None on a contradiction."""
        masks = array("I", bytes(4 * self._puzzle.rows * self._puzzle.columns))
        return list(masks) if self._call("root", masks.buffer_info()[0]) else None


Can = tuple[int, ...]
"""For each colour, the background first, the cells that can have it, as bits; cell 0 is the lowest."""


def solve_line(clue: Clue, length: int, can: Can) -> Can | None:
    """Return the cells that each colour has in some arrangement of a line's blocks; None if there is none.

    Bit p is cell p, and also the boundary in front of it. For the gap before each block, a bit set has the boundaries
    that the gap can reach when the blocks before are somewhere on its left: cells that can be empty carry a boundary to
    the next one, by the carry of an addition. A block begins where enough cells can have its colour; after a block of
    the same colour the gap has a cell. The same from the right, and together they give every possible cell. This is
    `crosslit_backends.nonogram.lines` with a bit set for each colour.

    Examples:
        >>> from crosslit.kinds.nonogram.colours import read_clue
        >>> [f"{cells:04b}" for cells in solve_line(read_clue("2a 1b"), 4, (0b1111, 0b1111, 0b1111))]
        ['1101', '0111', '1100']
        >>> [f"{cells:03b}" for cells in solve_line(read_clue("1a 1a"), 3, (0b111, 0b111))]
        ['010', '101']
        >>> solve_line(read_clue("2a 1b"), 3, (0b111, 0b101, 0b111)) is None
        True
    """
    clear = can[0]
    starts: dict[tuple[int, int], int] = {}
    gaps = [_reach(1, clear)]
    for place, block in enumerate(clue):
        if block not in starts:
            starts[block] = _runs(can[block.colour], block.length)
        gaps.append(_reach((_begin(clue, place, gaps[-1], clear) & starts[block]) << block.length, clear))
    if not gaps[-1] >> length & 1:
        return None
    after, found = _reach_back(1 << length, clear), [0] * len(can)
    found[0] = clear & gaps[-1] & after >> 1
    for place in range(len(clue) - 1, -1, -1):
        block = clue[place]
        if place + 1 < len(clue) and clue[place + 1].colour == block.colour:
            after = after >> 1 & clear
        begun = _begin(clue, place, gaps[place], clear) & starts[block] & after >> block.length
        found[block.colour] |= _spread(begun, block.length)
        after = _reach_back(begun, clear)
        found[0] |= clear & gaps[place] & after >> 1
    return tuple(found)


def _begin(clue: Clue, place: int, gap: int, clear: int) -> int:
    """Return the boundaries where a block can begin, given those that the gap before it can reach."""
    return (gap & clear) << 1 if place and clue[place].colour == clue[place - 1].colour else gap


def _reach(boundaries: int, clear: int) -> int:
    seeds = boundaries & clear
    return boundaries | (((clear + seeds) ^ clear | seeds) & clear) << 1


def _reach_back(boundaries: int, clear: int) -> int:
    fill, step = boundaries >> 1 & clear, 1
    while clear:  # until no run has as many cells as the step
        fill |= clear & fill >> step
        clear &= clear >> step
        step <<= 1
    return boundaries | fill


def _runs(cells: int, length: int) -> int:
    """Return the first cells of all runs of a length."""
    covered = 1
    while covered < length and cells:
        step = min(covered, length - covered)
        cells &= cells >> step
        covered += step
    return cells


def _spread(cells: int, length: int) -> int:
    """Return the cells of the runs of a length that begin at some cells."""
    covered = 1
    while covered < length and cells:
        step = min(covered, length - covered)
        cells |= cells << step
        covered += step
    return cells


REFUTED = "the sums of a colour differ in rows and columns, or a clue does not fit its line"


class ColouredLine(KernelBackend):
    """Complete line solving with colours, then probing, then search.

    Lines that changed are solved again until none changes. If cells stay open, every possible colour of each is
    *probed*, with all consequences by line solving: a contradiction excludes the colour, and in the kernel also what
    all colours of the cell exclude is excluded. If no probe excludes anything, the search branches on the cell whose
    colours exclude most: first it has the colour that excludes most, then it does not.

    The compiled kernel does this. The Python code of this module does it with ``kernel=no``, or without a kernel. The
    difficulty in the stats is as for `line` of nonograms.

    Examples:
        >>> from crosslit.formats import read
        >>> puzzle = read("coloured-nonogram:1a 1b,1b|1a,2b")
        >>> [grid.text() for grid in ColouredLine().solutions(puzzle, Task())]
        ['12/02']
    """

    name = "coloured-line"
    summary = "coloured nonograms: complete line solving, probing and search"
    kinds = frozenset({"coloured-nonogram"})
    trusted_base = frozenset({"coloured-line", "kernel"})

    def solutions(self, puzzle: ColouredNonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, by depth-first search."""
        for packed in self.batches(puzzle, task):
            yield from puzzle.layout.answers(packed)

    def batches(self, puzzle: ColouredNonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in no particular order; one at a time without the kernel."""
        counts = Counts()
        try:
            if puzzle.is_refuted or not has_room(puzzle):
                task.stats["refuted_by"] = REFUTED
                return
            by_kernel = is_used(puzzle, task.options)
            with KernelColours(puzzle, counts) if by_kernel else nullcontext(Search(puzzle, counts)) as search:
                for packed in search.batches():
                    counts.first_found()
                    yield packed
        finally:
            task.stats.update(counts.stats())

    def count(self, puzzle: ColouredNonogram, task: Task) -> int:
        """Count the solutions, finding each."""
        return sum(len(packed) // puzzle.layout.size for packed in self.batches(puzzle, task))


class Search:
    """The possible colours of all cells, as bits of every line for each colour, rows then columns, and a trail."""

    def __init__(self, puzzle: ColouredNonogram, counts: Counts) -> None:
        self.puzzle, self.counts = puzzle, counts
        self.clues = [(clue, len(cells)) for clue, cells in puzzle.lines()]
        self.can: list[Can] = [((1 << length) - 1,) * (puzzle.colours + 1) for _, length in self.clues]
        self.trail: list[tuple[int, Can]] = []
        self.memo: dict[tuple[object, Can], Can | None] = {}

    def batches(self) -> Iterator[bytes]:
        """Yield all solutions, packed, one at a time."""
        counts = self.counts
        guesses: list[tuple[int, int, int]] = []  # marks in the trail, and what was guessed there
        possible = self.propagate(range(len(self.clues)))
        while True:
            cells = self.open_cells() if possible else []
            if possible and cells:
                gains = self.probe_all(cells)
                if gains is None:
                    possible = False
                elif gains:  # nothing was excluded: branch
                    cell, colour = max(gains, key=gains.__getitem__)
                    guesses.append((len(self.trail), cell, colour))
                    counts.nodes += 1
                    counts.depth = max(counts.depth, len(guesses))
                    possible = self.restrict(cell, 1 << colour)
                continue
            if possible:
                yield self.solution().packed
            if not guesses:
                return
            counts.backtracks += 1
            mark, cell, colour = guesses.pop()
            self.undo(mark)
            possible = self.restrict(cell, ~(1 << colour))

    def colours(self, cell: int) -> list[int]:
        """Return the possible colours of a cell."""
        row, column = divmod(cell, self.puzzle.columns)
        return [colour for colour, cells in enumerate(self.can[row]) if cells >> column & 1]

    def solution(self) -> Grid:
        """Return the grid of the first possible colour of each cell: a solution if no cell is open."""
        cells = range(self.puzzle.rows * self.puzzle.columns)
        return self.puzzle.layout.pack([self.colours(cell)[0] for cell in cells])

    def open_cells(self) -> list[int]:
        """Return the cells with several possible colours; those in lines with few of them come first."""
        columns = self.puzzle.columns
        cells = [cell for cell in range(self.puzzle.rows * columns) if len(self.colours(cell)) > 1]
        lines = [line for cell in cells for line in (cell // columns, self.puzzle.rows + cell % columns)]
        return sorted(cells, key=lambda c: lines.count(c // columns) + lines.count(self.puzzle.rows + c % columns))

    def propagate(self, lines: Iterable[int]) -> bool:
        """Solve lines until none changes; return False on a contradiction."""
        waiting, rows = dict.fromkeys(lines), self.puzzle.rows
        while waiting:
            line = next(iter(waiting))
            del waiting[line]
            before = self.can[line]
            (clue, length), key = self.clues[line], (self.clues[line], before)
            if key not in self.memo:
                if len(self.memo) > MEMO:
                    self.memo.clear()
                self.counts.lines += 1
                self.memo[key] = solve_line(clue, length, before)
            after = self.memo[key]
            if after is None:
                return False
            gone = [old & ~new for old, new in zip(before, after, strict=True)]
            self._set(line, after)
            place, base = (line, rows) if line < rows else (line - rows, 0)
            changed = 0
            for cells in gone:
                changed |= cells
            while changed:
                low = changed & -changed
                changed ^= low
                other = base + low.bit_length() - 1
                bits = zip(self.can[other], gone, strict=True)
                self._set(other, tuple(own & ~(1 << place) if cells & low else own for own, cells in bits))
                waiting[other] = None
        return True

    def restrict(self, cell: int, colours: int) -> bool:
        """Leave a cell only some of its colours, given as bits, and all consequences; False on a contradiction."""
        row, column = divmod(cell, self.puzzle.columns)
        for line, place in ((row, column), (self.puzzle.rows + column, row)):
            pairs = enumerate(self.can[line])
            self._set(line, tuple(c if colours >> colour & 1 else c & ~(1 << place) for colour, c in pairs))
        return self.propagate([row, self.puzzle.rows + column])

    def undo(self, mark: int) -> None:
        """Take back what was excluded since a mark in the trail."""
        while len(self.trail) > mark:
            line, self.can[line] = self.trail.pop()

    def _set(self, line: int, can: Can) -> None:
        self.trail.append((line, self.can[line]))
        self.can[line] = can

    def probe_all(self, cells: list[int]) -> dict[tuple[int, int], float] | None:
        """Probe all colours of open cells: None on a contradiction, {} if one was excluded, else weighed changes."""
        gains: dict[tuple[int, int], float] = {}
        excluded = False
        for cell in cells:
            sizes = {}
            colours = self.colours(cell)
            for colour in colours if len(colours) > 1 else ():
                mark = len(self.trail)
                self.counts.probes += 1
                possible = self.restrict(cell, 1 << colour)
                sizes[colour] = len(self.trail) - mark
                self.undo(mark)
                if not possible:
                    excluded, sizes = True, {}
                    if not self.restrict(cell, ~(1 << colour)):
                        return None
                    break
            weight = 1 / sum(1 / size for size in sizes.values()) if sizes else 0
            gains |= {(cell, colour): weight * (1 + size * 1e-9) for colour, size in sizes.items()}
        return {} if excluded else gains


BACKENDS: list[Backend] = [ColouredLine()]
