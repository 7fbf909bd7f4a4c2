"""Nonograms of one or several colours by complete line solving, probing and search."""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import nullcontext

from crosslit.base.grid import Grid
from crosslit.contract import Backend, Task
from crosslit.kinds import Nonogram
from crosslit_backends.compiled import KernelBackend, is_used
from crosslit_backends.nonogram.kernel import Counts, KernelSearch

MEMO = 1 << 17
"""Maximum number of solved lines kept: about 50 MB."""
Clue = Sequence[tuple[int, int]]
"""The length and the colour of each block."""
Can = tuple[int, ...]
"""For each colour, the background first, the cells that can have it, as bits; cell 0 is the lowest."""


def solve_line(clue: Clue, length: int, can: Can) -> Can | None:
    """Return the cells that each colour has in some arrangement of a line's blocks; None if there is none.

    Bit p is cell p, and also the boundary in front of it. For the gap before each block, a bit set has the boundaries
    that the gap can reach when the blocks before are somewhere on its left: cells that can be empty carry a boundary to
    the next one, by the carry of an addition. A block begins where enough cells can have its colour; after a block of
    the same colour the gap has a cell. The same from the right, and together they give every possible cell.

    The bit sets of starts follow dynamic programming over blocks and cells (K. J. Batenburg, W. A. Kosters: Solving
    nonograms by combining relaxations, Pattern Recognition 42, 2009); the carry is that of bit-parallel string matching
    (G. Myers: A fast bit-vector algorithm for approximate string matching, Journal of the ACM 46, 1999).

    Examples:
        >>> from crosslit.kinds.nonogram.colours import read_clue
        >>> [f"{cells:04b}" for cells in solve_line(read_clue("2a 1b"), 4, (0b1111, 0b1111, 0b1111))]
        ['1101', '0111', '1100']
        >>> [f"{cells:03b}" for cells in solve_line([(1, 1), (1, 1)], 3, (0b111, 0b111))]
        ['010', '101']
        >>> solve_line(read_clue("2a 1b"), 3, (0b111, 0b101, 0b111)) is None
        True
    """
    clear = can[0]
    starts: dict[tuple[int, int], int] = {}
    gaps = [_reach(1, clear)]
    for place, block in enumerate(clue):
        size, colour = block
        if block not in starts:
            starts[block] = _runs(can[colour], size)
        gaps.append(_reach((_begin(clue, place, gaps[-1], clear) & starts[block]) << size, clear))
    if not gaps[-1] >> length & 1:
        return None
    after, found = _reach_back(1 << length, clear), [0] * len(can)
    found[0] = clear & gaps[-1] & after >> 1
    for place in range(len(clue) - 1, -1, -1):
        size, colour = block = clue[place]
        if place + 1 < len(clue) and clue[place + 1][1] == colour:
            after = after >> 1 & clear
        begun = _begin(clue, place, gaps[place], clear) & starts[block] & after >> size
        found[colour] |= _spread(begun, size)
        after = _reach_back(begun, clear)
        found[0] |= clear & gaps[place] & after >> 1
    return tuple(found)


def _begin(clue: Clue, place: int, gap: int, clear: int) -> int:
    """Return the boundaries where a block can begin, given those that the gap before it can reach."""
    return (gap & clear) << 1 if place and clue[place][1] == clue[place - 1][1] else gap


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


REFUTED = "the sums of row and column clues differ"


class Line(KernelBackend):
    """Complete line solving, then probing, then search.

    Lines that changed are solved again until none changes. If cells stay open, each possible colour of each (empty is
    one of them) is *probed*, with all consequences by line solving: a contradiction excludes the colour, and what all
    colours of the cell exclude is excluded too. If no probe excludes anything, the search branches on the cell whose
    colours all exclude much: first it has the colour that excludes most, then it does not.

    The compiled kernel does this. The Python code of this module does it with ``kernel=no``, or without a kernel. Both
    implement the same method, so they do not count as independent.

    The difficulty in the stats is ``line`` if line solving (or the sums) decides the puzzle, ``probe`` if probing does,
    and ``search`` if finding the first solution, or that there is none, takes a guess.

    Examples:
        >>> from crosslit.formats import read
        >>> task = Task()
        >>> [grid.text for grid in Line().solutions(read("1 1,1 1,1,1|1 1,1,2,1"), task)]
        ['0101/1010/0010/1000']
        >>> task.stats["difficulty"]
        'probe'
        >>> [grid.text for grid in Line().solutions(read("coloured-nonogram:1a 1b,1b|1a,2b"), task)]
        ['12/02']
    """

    name = "line"
    summary = "nonograms: complete line solving, probing and search"
    kinds = frozenset({"nonogram", "coloured-nonogram"})
    trusted_base = frozenset({"line solving", "kernel"})

    def solutions(self, puzzle: Nonogram, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, by depth-first search."""
        for packed in self.batches(puzzle, task):
            yield from puzzle.layout.grids(packed)

    def batches(self, puzzle: Nonogram, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in no particular order; one at a time without the kernel."""
        counts = Counts()
        try:
            if puzzle.is_refuted:
                task.stats["refuted_by"] = REFUTED
                return
            by_kernel = is_used(puzzle, task.options)
            with KernelSearch(puzzle, counts) if by_kernel else nullcontext(Search(puzzle, counts)) as search:
                for packed in search.batches():
                    counts.first_found()
                    yield packed
        finally:
            task.stats.update(counts.stats())


class Search:
    """The possible colours of all cells, as bits of every line for each colour, rows before columns, and a trail."""

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        self.puzzle, self.counts = puzzle, counts
        self.clues = [(tuple(puzzle.pairs(clue)), len(cells)) for clue, cells in puzzle.lines()]
        self.can: list[Can] = [((1 << length) - 1,) * puzzle.states for _, length in self.clues]
        self.trail: list[tuple[int, Can]] = []
        self.solve = functools.lru_cache(MEMO)(solve_line)

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
        rows, columns = self.puzzle.rows, self.puzzle.columns
        cells = [cell for cell in range(rows * columns) if len(self.colours(cell)) > 1]
        in_row, in_column = Counter(cell // columns for cell in cells), Counter(cell % columns for cell in cells)
        return sorted(cells, key=lambda cell: in_row[cell // columns] + in_column[cell % columns])

    def propagate(self, lines: Iterable[int]) -> bool:
        """Solve lines until none changes; return False on a contradiction."""
        waiting = dict.fromkeys(lines)
        while waiting:
            line = next(iter(waiting))
            del waiting[line]
            clue, length = self.clues[line]
            after = self.solve(clue, length, self.can[line])
            self.counts.lines = self.solve.cache_info().misses
            if after is None:
                return False
            waiting |= dict.fromkeys(self.narrow(line, after))
        return True

    def narrow(self, line: int, can: Can) -> list[int]:
        """Keep only these colours of a line's cells; return the lines that cross it where some were excluded."""
        gone = [old & ~new for old, new in zip(self.can[line], can, strict=True)]
        if not any(gone):
            return []
        self._set(line, can)
        place, first = (line, self.puzzle.rows) if line < self.puzzle.rows else (line - self.puzzle.rows, 0)
        changed, crossing = functools.reduce(operator.or_, gone), []
        while changed:
            low = changed & -changed
            changed ^= low
            crossing.append(other := first + low.bit_length() - 1)
            bits = zip(self.can[other], gone, strict=True)
            self._set(other, tuple(own & ~(1 << place) if cells & low else own for own, cells in bits))
        return crossing

    def restrict(self, cell: int, colours: int) -> bool:
        """Leave a cell only some of its colours, given as bits, and all consequences; False on a contradiction."""
        row, column = divmod(cell, self.puzzle.columns)
        kept = tuple(c if colours >> k & 1 else c & ~(1 << column) for k, c in enumerate(self.can[row]))
        return self.propagate([row, *self.narrow(row, kept)])

    def undo(self, mark: int) -> None:
        """Take back what was excluded since a mark in the trail."""
        while len(self.trail) > mark:
            line, self.can[line] = self.trail.pop()

    def _set(self, line: int, can: Can) -> None:
        self.trail.append((line, self.can[line]))
        self.can[line] = can

    def probe_all(self, cells: list[int]) -> dict[tuple[int, int], float] | None:
        """Probe all colours of open cells: None on a contradiction, {} if one was excluded, else their weights."""
        weights: dict[tuple[int, int], float] = {}
        before = len(self.trail)
        for cell in cells:
            colours = self.colours(cell)
            gains: dict[int, int] = {}
            left: dict[int, Can] = {}  # the colours that some probe leaves, for the lines that all of them change
            for colour in colours if len(colours) > 1 else ():
                mark = len(self.trail)
                self.counts.probes += 1
                possible = self.restrict(cell, 1 << colour)
                changed, grown = {line: self.can[line] for line, _ in self.trail[mark:]}, len(self.trail) - mark
                self.undo(mark)
                if not possible:
                    if not self.restrict(cell, ~(1 << colour)):
                        return None
                    break
                left = _either(left, changed) if gains else changed
                gains[colour] = grown
            else:
                for line, can in left.items():
                    crossing = self.narrow(line, tuple(map(operator.and_, self.can[line], can)))
                    if crossing and not self.propagate([line, *crossing]):
                        return None
                total = sum(1 / gain for gain in gains.values())
                weights |= {(cell, colour): (1 + gain * 1e-9) / total for colour, gain in gains.items()}
        return {} if len(self.trail) > before else weights


def _either(one: dict[int, Can], other: dict[int, Can]) -> dict[int, Can]:
    return {line: tuple(map(operator.or_, one[line], other[line])) for line in one.keys() & other.keys()}


BACKENDS: list[Backend] = [Line()]
