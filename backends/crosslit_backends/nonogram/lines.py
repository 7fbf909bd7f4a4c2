"""The complete line solver by bit operations on whole lines, and its fixpoint, with a trail that undoes changes."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def solve_line(clue: Clue, length: int, filled: int, empty: int) -> tuple[int, int] | None:
    """Settle exactly the cells on which all arrangements of a line's blocks agree; see `LineSolver`.

    The known cells are given, and all settled ones returned, as bits with cell 0 lowest: the filled and the empty ones.
    None means that the blocks do not fit.
    """
    return LineSolver(clue, length).solve(filled, empty)


class LineSolver:
    """Complete line solving for one clue, on lines of one length.

    The line gets an empty cell before and after it, so that every block lies between two gaps of at least one cell. For
    gap j, a bit set holds the cells that can belong to it when the blocks before it are somewhere on their left. The
    starts of block j are the cells next to gap j from which enough cells are not empty. After the block come the first
    cells of gap j + 1, and the gap grows from those over cells that are not filled. One addition does this, whose carry
    sweeps a run: ``((run + seed) ^ run | seed) & run``. The same on the mirrored line gives the cells that can belong
    to gap j when the blocks after it are on their right. A cell in both sets, for any j, is empty in some arrangement;
    a block between such gaps is filled in some arrangement. All other cells are settled.

    For k blocks of at most L cells this takes O(k log L) operations on integers of the line's length.

    The bit sets of starts follow dynamic programming over blocks and cells (K. J. Batenburg, W. A. Kosters: Solving
    nonograms by combining relaxations, Pattern Recognition 42, 2009); the carry is that of bit-parallel string matching
    (G. Myers: A fast bit-vector algorithm for approximate string matching, Journal of the ACM 46, 1999).
    """

    __slots__ = ("_clue", "_every", "_fits", "_inner", "_levels", "_reversed", "_width")

    def __init__(self, clue: Clue, length: int) -> None:
        self._fits = sum(clue) + len(clue) - 1 <= length  # this also keeps absurdly long blocks away from the shifts
        self._clue = clue
        self._reversed = clue[::-1]
        self._width = length + 2
        self._every = (1 << self._width) - 1
        self._inner = self._every >> 2 << 1
        longest = max(clue, default=0).bit_length() if self._fits else 0
        # the lengths from 2^level to less than twice that, each with the excess over 2^level
        self._levels = [
            (1 << level, [(block, block - (1 << level)) for block in sorted(set(clue)) if block >> level == 1])
            for level in range(longest)
        ]

    def solve(self, filled: int, empty: int) -> tuple[int, int] | None:
        """Settle a line, like `solve_line`."""
        if not self._fits:
            return None
        clue, width, every = self._clue, self._width, self._every
        clear = every & ~(filled << 1)

        # for every block length, the cells from which that many cells in a row can be filled
        cells = self._inner & ~(empty << 1)
        starts = {}
        for covered, blocks in self._levels:
            for block, longer in blocks:
                # Two runs of 2^level cells that touch or overlap make one run of any length up to twice that.
                starts[block] = cells & cells >> longer
            cells &= cells >> covered

        # gap by gap from the left: the cells of each gap
        gap = ((clear + 1) ^ clear | 1) & clear
        left = [gap]
        for block in clue:
            seed = ((gap << 1 & starts[block]) << block) & clear
            gap = ((clear + seed) ^ clear | seed) & clear
            left.append(gap)
        if not gap >> width - 1:
            return None

        # the same from the right, on the mirrored line; everything to be mirrored goes into one integer, to need only
        # one call
        packed = clear
        for cells in starts.values():
            packed = packed << width | cells
        packed = _mirror(packed, width * (len(starts) + 1))
        # Mirroring also reverses the order, so `clear`, which went in first, is now the lowest.
        mirrored_clear = packed & every
        mirrored_starts = {}
        for block in starts:
            packed >>= width
            # A start becomes the last cell of its block; the block's start on the mirrored line is block - 1 cells
            # before.
            mirrored_starts[block] = (packed & every) >> block - 1
        gap = ((mirrored_clear + 1) ^ mirrored_clear | 1) & mirrored_clear
        right = gap
        for block in self._reversed:
            seed = ((gap << 1 & mirrored_starts[block]) << block) & mirrored_clear
            gap = ((mirrored_clear + seed) ^ mirrored_clear | seed) & mirrored_clear
            right = right << width | gap
        right = _mirror(right, width * len(left))

        after = right & every
        can_be_empty = left.pop() & after
        can_be_filled = 0
        for block in self._reversed:
            gap = left.pop()
            # Starts of the block between gap j from the left and gap j + 1 from the right, then the cells that they
            # cover.
            body = gap << 1 & starts[block] & after >> block
            covered = 1
            while covered << 1 <= block:
                body |= body << covered
                covered <<= 1
            # The rest is shorter than what is covered already, so one more shift suffices.
            can_be_filled |= body | body << block - covered
            right >>= width
            after = right & every
            can_be_empty |= gap & after
        return (every & ~can_be_empty) >> 1, (every >> 2) & ~(can_be_filled >> 1)


def _mirror(cells: int, length: int) -> int:
    size = length + 7 >> 3
    return int.from_bytes(cells.to_bytes(size, "little").translate(_REVERSED), "big") >> 8 * size - length


Cell = tuple[int, int]
Rows = dict[int, tuple[int, int]]
"""The filled and the empty cells of the rows that a probe changed."""

MEMO = 1 << 17
"""Maximum number of solved lines kept: about 50 MB."""


class Counts:
    """Counts of the work of a run."""

    def __init__(self) -> None:
        self.lines = 0
        self.probes = 0
        self.nodes = 1  # the root, and one for each guess
        self.backtracks = 0
        self.depth = 0
        self.difficulty = ""

    def add(self, done: Sequence[int], level: int = 0) -> int:
        """Add the counts of a call of the kernel, made after some guesses; return its number of solutions."""
        lines, probes, nodes, backtracks, depth, found = done[:6]
        self.lines += lines
        self.probes += probes
        self.nodes += nodes
        self.backtracks += backtracks
        self.depth = max(self.depth, level + depth)
        return found

    def first_found(self) -> None:
        """Set the difficulty by the work for the first solution, or for its refutation."""
        if not self.difficulty:
            self.difficulty = "search" if self.nodes > 1 else "probe" if self.probes else "line"

    def stats(self) -> dict[str, int | str]:
        """Return all counts, for the stats of a run."""
        self.first_found()
        return vars(self).copy()


class Lines:
    """The lines of a puzzle, rows then columns, with solved lines and conflicts."""

    def __init__(self, puzzle: Nonogram, counts: Counts) -> None:
        self.rows = puzzle.rows
        self.columns = puzzle.columns
        clues = [(clue, puzzle.columns) for clue in puzzle.row_clues]
        clues += [(clue, puzzle.rows) for clue in puzzle.column_clues]
        numbers = {clue: number for number, clue in enumerate(dict.fromkeys(clues))}
        self.numbers = [numbers[clue] for clue in clues]  # equal clues share their solved lines
        solvers = [LineSolver(*clue).solve for clue in numbers]
        self._solve = [solvers[number] for number in self.numbers]
        self.memo: dict[tuple[int, int, int], tuple[int, ...]] = {}
        # one more than the number of contradictions that a value of the cell led to
        self.conflicts: dict[Cell, int] = {}
        self.counts = counts

    def solve(self, line: int, filled: int, empty: int) -> tuple[int, ...]:
        """Solve a line that is not in the memo, and store the result; return () for a contradiction."""
        memo = self.memo
        if len(memo) >= MEMO:
            memo.clear()
        self.counts.lines += 1
        result = memo[self.numbers[line], filled, empty] = self._solve[line](filled, empty) or ()
        return result


class State:
    """The known cells as bits of every line, rows then columns, in lists that it changes; all changes can be undone."""

    def __init__(self, lines: Lines, filled: list[int], empty: list[int]) -> None:
        self.lines = lines
        self.filled = filled
        self.empty = empty
        self.gained = 0  # cells settled so far, including undone ones but not those of probes
        self.trail: list[tuple[int, int, int]] = []  # lines as they were before they changed
        self._epoch = 1  # advanced with every mark in the trail and every return to one
        self._saved = [0] * len(filled)  # the epoch in which a line was last put on the trail

    def mark(self) -> int:
        """Return a mark in the trail, to which `undo` returns."""
        self._epoch += 1
        return len(self.trail)

    def propagate(self, rows: int, columns: int) -> int:
        """Solve lines until none changes, rows and columns in turn, starting with those given as bits.

        It returns the lines touched, as bits; 0 on a contradiction.
        """
        filled, empty, saved, trail, epoch = self.filled, self.empty, self._saved, self.trail, self._epoch
        lines = self.lines
        numbers = lines.numbers
        known = lines.memo.get
        across = lines.rows
        touched = rows | columns << across
        # All waiting rows before any column, and the reverse: a line then meets the changes of many lines at once.
        base, other, dirty, waiting = 0, across, rows, columns
        while dirty or waiting:
            if not dirty:
                base, other, dirty, waiting = other, base, waiting, 0
            low = dirty & -dirty
            dirty ^= low
            line = base + low.bit_length() - 1
            before_filled = filled[line]
            before_empty = empty[line]
            result = known((numbers[line], before_filled, before_empty))
            if result is None:
                result = lines.solve(line, before_filled, before_empty)
            if not result:
                return 0
            after_filled, after_empty = result
            fresh = after_filled ^ before_filled | after_empty ^ before_empty
            if not fresh:
                continue
            # Between two marks only the first change of a line goes on the trail.
            if saved[line] != epoch:
                saved[line] = epoch
                trail.append((line, before_filled, before_empty))
            filled[line] = after_filled
            empty[line] = after_empty
            waiting |= fresh
            touched |= fresh << other
            self.gained += fresh.bit_count()
            while fresh:
                cell = fresh & -fresh
                fresh ^= cell
                line = other + cell.bit_length() - 1
                if saved[line] != epoch:
                    saved[line] = epoch
                    trail.append((line, filled[line], empty[line]))
                if after_filled & cell:
                    filled[line] |= low
                else:
                    empty[line] |= low
        return touched

    def undo(self, mark: int) -> int:
        """Return to a mark in the trail; return the lines that this changes, as bits."""
        filled, empty, trail = self.filled, self.empty, self.trail
        touched = 0
        while len(trail) > mark:
            line, filled[line], empty[line] = trail.pop()
            touched |= 1 << line
        # The lines are as they were, so they must be put on the trail again before they change.
        self._epoch += 1
        return touched

    def assume(self, cell: Cell, value: bool) -> int:
        """Settle an open cell and its consequences; return the lines touched, as bits, or 0 on a contradiction."""
        row, column = cell
        across = self.lines.rows + column
        side = self.filled if value else self.empty
        self._save(row)
        self._save(across)
        side[row] |= 1 << column
        side[across] |= 1 << row
        self.gained += 1
        touched = self.propagate(1 << row, 1 << column)
        if not touched:
            self.lines.conflicts[cell] = self.lines.conflicts.get(cell, 1) + 1
        return touched

    def probe(self, cell: Cell, value: bool) -> tuple[int, int, Rows]:
        """Try a value and undo it.

        It returns the lines touched (0 on a contradiction), the number of cells settled, and the rows that it changed.
        """
        mark = self.mark()
        before = self.gained
        self.lines.counts.probes += 1
        touched = self.assume(cell, value)
        left: Rows = {}
        if touched:
            # Rows suffice, because every cell is in one.
            filled, empty, rows = self.filled, self.empty, self.lines.rows
            left = {line: (filled[line], empty[line]) for line, _, _ in self.trail[mark:] if line < rows}
        gained = self.gained - before
        self.gained = before
        self.undo(mark)
        return touched, gained, left

    def adopt(self, some: Rows, others: Rows) -> int | None:
        """Settle the cells on which two probes agree, by the rows that each changed, and their consequences.

        It returns the lines touched, as bits; 0 on a contradiction; None if they agree on nothing new.
        """
        filled, empty, across = self.filled, self.empty, self.lines.rows
        rows = columns = 0
        # A row that only one of the probes changed has no new cell in common.
        for row in some.keys() & others.keys():
            fresh_filled = some[row][0] & others[row][0] & ~filled[row]
            fresh_empty = some[row][1] & others[row][1] & ~empty[row]
            fresh = fresh_filled | fresh_empty
            if not fresh:
                continue
            rows |= 1 << row
            columns |= fresh
            self.gained += fresh.bit_count()
            self._save(row)
            filled[row] |= fresh_filled
            empty[row] |= fresh_empty
            while fresh:
                bit = fresh & -fresh
                fresh ^= bit
                line = across + bit.bit_length() - 1
                self._save(line)
                side = filled if fresh_filled & bit else empty
                side[line] |= 1 << row
        return self.propagate(rows, columns) if rows else None

    def _save(self, line: int) -> None:
        """Put a line on the trail before it changes."""
        if self._saved[line] != self._epoch:
            self._saved[line] = self._epoch
            self.trail.append((line, self.filled[line], self.empty[line]))
