"""How many solutions a nonogram has, without enumerating them: a dynamic programme over the frontier between cells."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task
from crosslit.puzzles import Nonogram
from crosslit_backends.line_diagram import Segment, Table, segments, settle
from crosslit_backends.native import Native

Cell = tuple[int, int]

STATE_BYTES = 400
"""Of memory for each state of a frontier, measured, with the frontier before it and that which grows: 250 to 400."""

DEFAULT_MB = 1024
_SHARE = 0.75  # of the memory, for states; the rest is Python and numpy
_TELL = 0.2  # seconds between two words on how far it is


class Frontier(Native):
    """Exact counting: line propagation, independent parts, and one sweep over the cells of each part.

    Lines are settled until all stand still. The cells that stay open fall into parts that no line connects: a line
    connects two open cells only if the one restricts the other, which its smallest layered automaton tells
    (`crosslit_backends.line_diagram`). The counts of the parts are multiplied.

    A part is swept cell by cell. What the cells so far mean for those to come is one state of each column's automaton
    and one of the row's: all partial solutions with the same states are counted together (a transfer matrix, or
    "broken profile" dynamic programme; the states are the nodes of a decision diagram in this order of the cells). The
    sweep goes along the side that promises fewer states. Their number is bounded: beyond the limit it gives up.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> Frontier().count(read(",".join("1" * 8) + "|" + ",".join("1" * 8)), Task(question="count"))
        40320
    """

    name = "frontier"
    summary = "nonograms: counts solutions by dynamic programming over the frontier between cells"
    kinds: ClassVar[frozenset[str]] = frozenset({"nonogram"})
    trusts: ClassVar[frozenset[str]] = frozenset({"frontier"})
    options: ClassVar[Mapping[str, Option]] = {
        "states": Option("the most states that a frontier may have; default by the memory limit", 1, 10**9)
    }

    def count(self, puzzle: Nonogram, task: Task) -> int:
        """How many solutions there are.

        Raises:
            GaveUp: if a frontier has more states than the limit.
        """
        most = task.options.get("states") or int((task.memory_mb or DEFAULT_MB) * _SHARE * 2**20 / STATE_BYTES)
        stats = task.stats
        stats.update(open=0, parts=0, states=0)
        if sum(map(sum, puzzle.row_clues)) != sum(map(sum, puzzle.column_clues)):
            stats["refuted_by"] = "the sums of row and column clues differ"
            return 0
        settled = propagate(puzzle)
        if settled is None:
            return 0
        rows, columns = _segments(puzzle, *settled)
        found = parts(rows, columns)
        stats.update(open=sum(map(len, found)), parts=len(found))
        product, done = 1, 0
        for part in sorted(found, key=len):  # what gives up gives up late; what is contradictory is found early
            sweep = Sweep(part, rows, columns, most)
            product *= sweep.count(lambda swept, before=done: task.step(before + swept, sum(map(len, found))))  # type: ignore[misc]
            stats["states"] = max(sweep.peak, int(stats["states"]))
            done += len(part)
            if not product:
                break
        return product


def propagate(puzzle: Nonogram) -> tuple[list[int], list[int]] | None:
    """Settle the lines of a puzzle, rows then columns, until all stand still.

    Returns:
        The filled and the empty cells of every line, as bits; None on a contradiction.
    """
    rows, columns = puzzle.rows, puzzle.columns
    clues = [(clue, columns) for clue in puzzle.row_clues] + [(clue, rows) for clue in puzzle.column_clues]
    filled, empty = [0] * len(clues), [0] * len(clues)
    waiting = dict.fromkeys(range(len(clues)))
    while waiting:
        line = next(iter(waiting))
        del waiting[line]
        settled = settle(*clues[line], filled[line], empty[line])
        if settled is None:
            return None
        here, first = (1 << line, rows) if line < rows else (1 << line - rows, 0)
        for known, fresh in ((filled, settled[0] & ~filled[line]), (empty, settled[1] & ~empty[line])):
            known[line] |= fresh
            while fresh:
                low = fresh & -fresh
                fresh ^= low
                across = first + low.bit_length() - 1
                known[across] |= here
                waiting[across] = None
    return filled, empty


class Place:
    """Where an open cell is in a line: its segment, and the how manieth of it."""

    __slots__ = ("index", "line", "segment")

    def __init__(self, line: int, segment: Segment, index: int) -> None:
        self.line = line
        self.segment = segment
        self.index = index

    @property
    def table(self) -> Table:
        """What the cell does to the state of the line."""
        return self.segment.tables[self.index]

    @property
    def last(self) -> bool:
        """Whether the segment ends with this cell."""
        return self.index == len(self.segment.cells) - 1


def _segments(puzzle: Nonogram, filled: list[int], empty: list[int]) -> tuple[dict[Cell, Place], dict[Cell, Place]]:
    """For every open cell, its places in its row and in its column."""
    in_rows, in_columns = {}, {}
    for row, clue in enumerate(puzzle.row_clues):
        for segment in segments(clue, puzzle.columns, filled[row], empty[row]):
            for index, column in enumerate(segment.cells):
                in_rows[row, column] = Place(row, segment, index)
    for column, clue in enumerate(puzzle.column_clues):
        line = puzzle.rows + column
        for segment in segments(clue, puzzle.rows, filled[line], empty[line]):
            for index, row in enumerate(segment.cells):
                in_columns[row, column] = Place(column, segment, index)
    return in_rows, in_columns


def parts(in_rows: dict[Cell, Place], in_columns: dict[Cell, Place]) -> list[list[Cell]]:
    """The open cells, in groups that no segment of a line connects."""
    apart = set(in_rows)
    found = []
    while apart:
        reached = [apart.pop()]
        for row, column in reached:  # it grows meanwhile
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

    Args:
        part: its cells.
        along: their places in the rows.
        across: their places in the columns.
        most: states that a frontier may have.
    """

    def __init__(self, part: list[Cell], along: dict[Cell, Place], across: dict[Cell, Place], most: int) -> None:
        turned = sorted(part, key=lambda cell: (cell[1], cell[0]))
        if _frontier_bits(turned, along) < _frontier_bits(part, across):
            part, along, across = turned, across, along
        self.steps = [(along[cell], across[cell]) for cell in part]
        self.most = most
        self.peak = 1
        self._row_bits = max(_bits(place) for place, _ in self.steps)
        self._shifts: dict[int, tuple[int, int]] = {}
        widths: dict[int, int] = {}
        for _, place in self.steps:
            widths[place.line] = max(widths.get(place.line, 0), _bits(place))
        shift = self._row_bits
        for line, width in widths.items():
            self._shifts[line] = shift, (1 << width) - 1
            shift += width

    def count(self, step: Callable[[int], None]) -> int:
        """How many solutions the part has.

        Args:
            step: called now and then with the number of cells swept.

        Raises:
            GaveUp: if a frontier has more states than allowed.
        """
        frontier = {0: 1}
        inside = (1 << self._row_bits) - 1
        told = time.monotonic()
        for number, (along, across) in enumerate(self.steps):
            shift, mask = self._shifts[across.line]
            deltas = self._deltas(along, across, shift)
            after: dict[int, int] = {}
            known = after.get
            for key, ways in frontier.items():
                for delta in deltas[key & inside][key >> shift & mask]:
                    after[key + delta] = known(key + delta, 0) + ways
            frontier = after
            self.peak = max(self.peak, len(frontier))
            if len(frontier) > self.most:
                raise GaveUp(
                    f"more than {self.most} states after {number + 1} of {len(self.steps)} cells of a part: "
                    "more memory allows more of them"
                )
            if time.monotonic() - told > _TELL:
                told = time.monotonic()
                step(number + 1)
        return frontier.get(0, 0)

    def _deltas(self, along: Place, across: Place, shift: int) -> list[list[tuple[int, ...]]]:
        """By the state of the row and that of the column: what the next cell, empty or filled, adds to the state."""
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
    """The logarithm of how many states the columns together could have at the widest, sweeping in this order."""
    widest = bits = 0.0
    for cell in part:
        place = across[cell]
        bits -= math.log2(len(place.table))
        if not place.last:
            bits += math.log2(len(place.segment.tables[place.index + 1]))
        widest = max(widest, bits)
    return widest


BACKENDS: list[Backend] = [Frontier()]
