"""Counting the solutions of a nonogram without enumeration: a dynamic programme over the frontier between cells."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import ClassVar, NamedTuple

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_backends.base import Native
from crosslit_backends.nonogram.diagram import Segment, Table, members, segments, settle

Cell = tuple[int, int]

STATES_PER_MB = 3 * 2**20 // 4 // 400
"""States of a frontier in a MB: 400 bytes each (measured, with working memory), and a quarter is left to Python."""

PROBE = 10_000
"""Number of states from which it pays to probe the open cells first, and to start again.

Without probing, 3 of the first 16 TAAI puzzles stayed undecided with 400,000 states; with it, all are decided.
"""

DEFAULT_MB = 1024
_TELL = 0.2  # seconds between two progress reports


class Frontier(Native):
    """Exact counting: line propagation, independent parts, and one sweep over the cells of each part.

    Lines are solved until none changes. The cells that stay open fall into parts that no line connects; a line connects
    two open cells only if one restricts the other, as its smallest layered automaton shows
    (`crosslit_backends.nonogram.diagram`). The count is the product of the counts of the parts.

    A part is swept cell by cell. A partial solution affects later cells only through the state of each column's
    automaton and that of the current row: all partial solutions with equal states are counted together (a transfer
    matrix or "broken profile" dynamic programme; the states are the nodes of a decision diagram in this order of the
    cells). The sweep follows the side that promises fewer states. If states become many, the open cells are probed
    first, and a colour that line solving refutes is excluded. Beyond a limit on states it gives up.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> Frontier().count(read(",".join("1" * 8) + "|" + ",".join("1" * 8)), Task(question="count"))
        40320
    """

    name = "frontier"
    summary = "nonograms: counts solutions by dynamic programming over the frontier between cells"
    kinds = frozenset({"nonogram", "coloured-nonogram"})
    trusted_base = frozenset({"frontier"})
    options: ClassVar[Mapping[str, Option]] = {
        "states": Option("maximum number of frontier states; the default follows from the memory limit", 1, 10**9)
    }

    def count(self, puzzle: Nonogram, task: Task) -> int:
        """Return the number of solutions."""
        max_states = task.options.get("states") or (task.memory_mb or DEFAULT_MB) * STATES_PER_MB
        stats = task.stats
        stats.update(open=0, parts=0, states=0)
        # Its own sums, as in `alignment`; the sweep of a pigeonhole puzzle would have millions of states.
        if _totals(puzzle, puzzle.row_clues) != _totals(puzzle, puzzle.column_clues):
            stats["refuted_by"] = "the sums of row and column clues differ"
            return 0
        known = Knowledge(puzzle)
        if not known.propagate(range(len(known.lines))):
            return 0
        # First with few states, because probing pays only for a sweep that becomes wide (`PROBE`).
        try:
            return _count(known, min(max_states, PROBE), task)
        except GaveUp:
            if max_states <= PROBE:
                raise
        stats["probed"] = 1
        return _count(known, max_states, task) if known.probe() else 0


def _totals(puzzle: Nonogram, clues: Iterable[Clue]) -> Counter[int]:
    """Return the number of cells of each colour that some clues ask for."""
    totals = Counter[int]()
    for length, colour in (block for clue in clues for block in puzzle.pairs(clue)):
        totals[colour] += length
    return totals


def _count(known: Knowledge, max_states: int, task: Task) -> int:
    """Return the product of the counts of the parts."""
    rows, columns = known.segments()
    found = parts(rows, columns)
    stats, total = task.stats, sum(map(len, found))
    stats.update(open=total, parts=len(found), states=0)
    product, done = 1, 0
    for part in sorted(found, key=len):  # small parts first: contradictions are found early, excessive work late
        sweep = Sweep(part, rows, columns, max_states)
        try:
            product *= sweep.count(lambda swept: task.on_progress(done + swept, total))  # noqa: B023
        finally:
            stats["states"] = max(sweep.peak, int(stats["states"]))
        done += len(part)
        if not product:
            break
    return product


class Knowledge:
    """The possible colours of each cell of a puzzle, as bits."""

    def __init__(self, puzzle: Nonogram) -> None:
        self.rows, self.columns, self.states = puzzle.rows, puzzle.columns, puzzle.states
        self.lines = [(tuple(puzzle.pairs(clue)), cells) for clue, cells in puzzle.lines()]
        self.masks = [(1 << self.states) - 1] * (self.rows * self.columns)

    def propagate(self, lines: Iterable[int]) -> bool:
        """Solve these lines, and those that change, until none changes; return False on a contradiction."""
        masks, rows = self.masks, self.rows
        # A dictionary as an ordered set: first in, first out, and no line twice.
        waiting = dict.fromkeys(lines)
        while waiting:
            line = next(iter(waiting))
            del waiting[line]
            clue, cells = self.lines[line]
            before = tuple([masks[cell] for cell in cells])
            settled = settle(clue, before)
            if settled is None:
                return False
            for across, (cell, old, new) in enumerate(zip(cells, before, settled, strict=True)):
                if old != new:
                    masks[cell] = new
                    waiting[rows + across if line < rows else across] = None
        return True

    def restrict(self, cell: int, colours: int) -> bool:
        """Leave an open cell only these colours, and all consequences; return False on a contradiction."""
        self.masks[cell] = colours
        return self.propagate((cell // self.columns, self.rows + cell % self.columns))

    def probe(self) -> bool:
        """Assume each colour of each open cell until none is refuted; return False if all colours of a cell are."""
        moved = True
        while moved:
            moved = False
            for cell in range(len(self.masks)):
                for colour in members(self.masks[cell]):
                    mask = self.masks[cell]
                    if not mask & mask - 1:  # settled
                        continue
                    before = self.masks.copy()
                    possible = self.restrict(cell, 1 << colour)
                    self.masks = before
                    if not possible:
                        moved = True
                        if not self.restrict(cell, mask & ~(1 << colour)):
                            return False
        return True

    def segments(self) -> tuple[dict[Cell, Place], dict[Cell, Place]]:
        """Return, for every open cell, its places in its row and in its column."""
        in_rows: dict[Cell, Place] = {}
        in_columns: dict[Cell, Place] = {}
        for line, (clue, cells) in enumerate(self.lines):
            for segment in segments(clue, tuple([self.masks[cell] for cell in cells]), self.states):
                for index, cell in enumerate(segment.cells):
                    place = Place(line, segment, index)
                    if line < self.rows:
                        in_rows[line, cell] = place
                    else:
                        in_columns[cell, line - self.rows] = place
        return in_rows, in_columns


class Place(NamedTuple):
    """The segment of a line that contains an open cell, and the cell's index in it."""

    line: int
    segment: Segment
    number: int

    @property
    def table(self) -> Table:
        """The transitions of the line's state at the cell."""
        return self.segment.tables[self.number]

    @property
    def last(self) -> bool:
        """True if the cell is the last of the segment."""
        return self.number == len(self.segment.cells) - 1


def parts(in_rows: dict[Cell, Place], in_columns: dict[Cell, Place]) -> list[list[Cell]]:
    """Return the open cells in groups that no segment of a line connects."""
    apart = set(in_rows)
    found = []
    while apart:
        reached = [apart.pop()]
        for row, column in reached:  # the list grows during the loop
            near = [(row, other) for other in in_rows[row, column].segment.cells]
            near += [(other, column) for other in in_columns[row, column].segment.cells]
            fresh = apart.intersection(near)
            apart -= fresh
            reached += fresh
        found.append(sorted(reached))
    return found


class Sweep:
    """The count of one part, cell by cell.

    A state of the frontier is one integer: the row's state in the lowest bits, then a field for each column.
    """

    def __init__(self, part: list[Cell], along: dict[Cell, Place], across: dict[Cell, Place], max_states: int) -> None:
        # Row by row, the frontier has the state of one row and of every column; column by column it is the reverse. The
        # narrower frontier decides.
        turned = sorted(part, key=itemgetter(1))
        if _frontier_bits(turned, along) < _frontier_bits(part, across):
            part, along, across = turned, across, along
        self.steps = [(along[cell], across[cell]) for cell in part]
        self.peak = 1
        # One field for all rows: a row's segments end in state 0 before the next one begins.
        self._row_bits = max(_bits(place) for place, _ in self.steps)
        self._shifts: dict[int, tuple[int, int]] = {}
        widths = defaultdict[int, int](int)
        for _, place in self.steps:
            # The segments of a column share its field too: they follow each other, each from state 0 to state 0.
            widths[place.line] = max(widths[place.line], _bits(place))
        shift = self._row_bits
        for line, width in widths.items():
            self._shifts[line] = shift, (1 << width) - 1
            shift += width
        self.max_states = max_states

    def count(self, step: Callable[[int], None]) -> int:
        """Return the number of solutions of the part."""
        # One partial solution, the empty one, with every automaton in state 0.
        frontier = {0: 1}
        inside = (1 << self._row_bits) - 1
        reported = time.monotonic()
        for number, (along, across) in enumerate(self.steps):
            shift, mask = self._shifts[across.line]
            deltas = self._deltas(along, across, shift)
            after: dict[int, int] = {}
            known = after.get
            for key, ways in frontier.items():
                for delta in deltas[key & inside][key >> shift & mask]:
                    # A difference of valid states changes both fields in one addition, and no field overflows into the
                    # next.
                    after[key + delta] = known(key + delta, 0) + ways
            frontier = after
            self.peak = max(self.peak, len(frontier))
            if len(frontier) > self.max_states:
                raise GaveUp(
                    f"more than {self.max_states} states after {number + 1} of {len(self.steps)} cells of a part; "
                    "a higher limit allows more"
                )
            if time.monotonic() - reported > _TELL:
                reported = time.monotonic()
                step(number + 1)
        return sum(frontier.values())  # at most one state, as every segment ends in state 0

    def _deltas(self, along: Place, across: Place, shift: int) -> list[list[tuple[int, ...]]]:
        """Return, by the states of row and column, the changes to the state for each colour of the next cell."""
        return [
            [
                tuple(
                    to_along - here_along + (to_across - here_across << shift)
                    for to_along, to_across in zip(row, column, strict=True)
                    if to_along >= 0 and to_across >= 0
                )
                for here_across, column in enumerate(across.table)
            ]
            for here_along, row in enumerate(along.table)
        ]


def _bits(place: Place) -> int:
    return max(len(table) - 1 for table in place.segment.tables).bit_length()


def _frontier_bits(part: list[Cell], across: dict[Cell, Place]) -> float:
    """Return the logarithm of the maximum number of column states in a sweep in this order."""
    widest = bits = 0.0
    for cell in part:
        place = across[cell]
        # Passing a cell replaces the number of states before it by that behind it; after a segment's last cell there is
        # one.
        bits -= math.log2(len(place.table))
        if not place.last:
            bits += math.log2(len(place.segment.tables[place.number + 1]))
        widest = max(widest, bits)
    return widest


BACKENDS: list[Backend] = [Frontier()]
