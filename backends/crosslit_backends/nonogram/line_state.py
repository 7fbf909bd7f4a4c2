"""The known cells of a nonogram: line solving to a fixpoint, probes, and a trail that undoes changes."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.kinds import Nonogram
from crosslit_backends.nonogram.line_solver import LineSolver

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
