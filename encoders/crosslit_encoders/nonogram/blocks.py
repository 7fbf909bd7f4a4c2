"""Lines of nonograms in arrays, and clauses from arrays: the parts shared by several encodings.

Making arrays has a fixed cost and pays off on large puzzles, where loops over clauses would dominate.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import Encoding
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_encoders.formula import Formula, Literals

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

# Greater than every variable, and within 32 bits with either sign.
TRUE = 1 << 30  # literals that stand for constants until `Clauses.add` drops them
FALSE = -TRUE


@dataclass(frozen=True)
class LineGroup:
    """Lines of one length whose clues have the same slack (cells beyond the tightest packing of the blocks).

    Block j starts between ``earliest[j]`` and ``earliest[j] + slack``. The blocks of all lines are in sequence.
    """

    cells: Literals  # the variable of each cell, shape (lines, length)
    slack: int  # at least 1
    line: Integers  # of each block
    lengths: Integers  # of each block
    earliest: Integers  # start of each block
    part: Integers  # the place of each line among the rows and then the columns of the puzzle

    @property
    def follows(self) -> Integers:
        """The blocks that have a successor in their line."""
        return np.flatnonzero(self.line[1:] == self.line[:-1])

    @property
    def block_part(self) -> Integers:
        """The part of each block: that of its line."""
        return self.part[self.line]


def encode_lines(puzzle: Nonogram, add_lines: Callable[[Clauses, LineGroup], None]) -> Formula:
    """Return the formula of all lines of a puzzle; ``add_lines`` encodes each group of equal length and slack."""
    clauses = Clauses(puzzle.rows * puzzle.columns)
    # Equal length and slack make the blocks of a group equal in the number of their starts: one matrix has all of them.
    groups: dict[tuple[int, int], list[tuple[Clue, Literals, int]]] = defaultdict(list)
    for clue, cells, parts in lines_by_clue(puzzle, clauses):
        length = cells.shape[1]
        groups[length, length - sum(clue) - len(clue) + 1] += [(clue, *line) for line in zip(cells, parts, strict=True)]
    for (_, slack), lines in groups.items():
        add_lines(clauses, _lines(lines, slack))
    return clauses.formula(puzzle.rows, puzzle.columns)


def line_encoding(name: str, encode: Callable[[Nonogram], Formula], summary: str) -> Encoding:
    """Return an encoding to clauses that is built on this module."""
    trusted = frozenset({f"nonogram-{name}", "nonogram-blocks"})
    return Encoding(name, "nonogram", "cnf", encode, trusted, summary)


def lines_by_clue(puzzle: Nonogram, clauses: Clauses) -> list[tuple[Clue, Literals, Integers]]:
    """Return the lines with slack, grouped by clue and length, with cells and parts; add the clauses of all others.

    A line without blocks or without slack has one arrangement: one clause for each cell. A clue that does not fit its
    line gives the clauses ``x`` and ``not x`` over the line's first cell.
    """
    cells = np.arange(1, puzzle.rows * puzzle.columns + 1, dtype=np.int32).reshape(puzzle.rows, puzzle.columns)
    groups: dict[tuple[int, Clue], list[tuple[Literals, int]]] = defaultdict(list)
    for part, (clue, line) in enumerate(zip(puzzle.row_clues + puzzle.column_clues, [*cells, *cells.T], strict=True)):
        slack = len(line) - sum(clue) - len(clue) + 1
        if slack > 0 and clue:
            groups[len(line), clue].append((line, part))
        elif slack >= 0:
            clauses.add(_only_arrangement(clue, line), part=part)
        else:
            clauses.add(np.array([line[0], -line[0]]), part=part)
    return [
        (clue, np.array([line for line, _ in lines]), np.array([part for _, part in lines]))
        for (_, clue), lines in groups.items()
    ]


def _only_arrangement(clue: Clue, cells: Literals) -> Literals:
    """Return the cells of a line that has a single arrangement, as literals."""
    literals = -cells
    start = 0
    for block in clue:
        # Without slack the blocks follow each other at a distance of one cell.
        literals[start : start + block] *= -1
        start += block + 1
    return literals


def _lines(group: list[tuple[Clue, Literals, int]], slack: int) -> LineGroup:
    clues = [clue for clue, _, _ in group]
    cells, part = np.array([cells for _, cells, _ in group]), np.array([part for _, _, part in group])
    lengths = np.array([block for clue in clues for block in clue], np.int64)
    line = np.repeat(np.arange(len(clues)), [len(clue) for clue in clues])
    # offset of each block over all lines: every line takes length + 1 - slack
    before = np.cumsum(lengths + 1) - lengths - 1
    return LineGroup(cells, slack, line, lengths, before - line * (cells.shape[1] + 1 - slack), part)


def ragged(counts: Integers) -> tuple[Integers, Integers]:
    """Return, for consecutive rows of these lengths, the row of each entry and its index in that row."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass
class Clauses:
    """A formula under construction, to which clauses are added as arrays."""

    used: int
    _literals: list[Literals] = field(default_factory=list)
    _sizes: list[Integers] = field(default_factory=list)
    _parts: list[tuple[Integers | int, int, Truths | slice]] = field(default_factory=list)

    def variables(self, *shape: int) -> Literals:
        """Return new variables as an array."""
        first = self.used + 1
        self.used += int(np.prod(shape))
        return np.arange(first, self.used + 1, dtype=np.int32).reshape(shape)

    def add(self, *literals: NDArray[np.integer] | int, part: Integers | int) -> None:
        """Add one clause for each entry of arrays that broadcast: the literals at that entry, and its part.

        The first axes of the clauses are those of ``part``. A clause that contains `TRUE` is dropped, and `FALSE` is
        dropped from a clause.
        """
        width = len(literals)
        shape = np.broadcast_shapes(*map(np.shape, literals))
        clauses = np.empty((*shape, width), np.int32)
        for place, array in enumerate(literals):
            clauses[..., place] = array
        clauses = clauses.reshape(-1, width)
        chosen: Truths | slice = slice(None)
        true, kept = clauses == TRUE, clauses != FALSE
        if true.any():
            chosen = ~true.any(axis=1)
            clauses, kept = clauses[chosen], kept[chosen]
        # Most groups of clauses have no constants; then the selection and its copies are saved.
        if kept.all():
            self._literals.append(clauses.ravel())
            self._sizes.append(np.full(len(clauses), width))
        else:
            self._literals.append(clauses[kept])
            self._sizes.append(kept.sum(axis=1))
        self._parts.append((part, math.prod(shape[np.ndim(part) :]), chosen))

    def add_supports(self, heads: NDArray[np.integer], places: Integers, literals: Literals, *, part: Integers) -> None:
        """Add one clause for each head: the head, a variable of either sign, or a literal at the same place.

        There are equally many heads for each entry of ``part``. `TRUE` and `FALSE` among the literals are as in `add`.
        """
        true = np.bincount(places[literals == TRUE], minlength=len(heads)) > 0
        kept = literals != FALSE
        places, literals = places[kept], literals[kept]
        # Stable, so that the literals of a clause keep their order.
        order = np.argsort(places, kind="stable")
        # One more for the head of each clause.
        sizes = np.bincount(places, minlength=len(heads)) + 1
        firsts = np.cumsum(sizes) - sizes
        clauses = np.empty(int(sizes.sum()), np.int32)
        head = np.zeros(len(clauses), bool)
        head[firsts] = True
        clauses[head] = heads
        clauses[~head] = literals[order]
        self._literals.append(clauses[np.repeat(~true, sizes)])
        self._sizes.append(sizes[~true])
        self._parts.append((part, len(heads) // len(part), ~true))

    def formula(self, rows: int, columns: int) -> Formula:
        """Return the formula of all clauses."""

        def part() -> Integers:
            return np.concatenate([np.repeat(part, size)[chosen] for part, size, chosen in self._parts])

        literals, ends = np.concatenate(self._literals), np.cumsum(np.concatenate(self._sizes))
        return Formula(rows, columns, self.used, literals, ends, part=part)
