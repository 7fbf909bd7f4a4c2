"""Nonograms to CNF by arrays: starts of blocks encoded directly, and automata.

Each is a function from the lines of one length to clauses. Making arrays has a fixed cost and pays off on large
puzzles, where loops over clauses would dominate. `crosslit_encoders.nonogram.order` makes the default.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

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


def direct(puzzle: Nonogram) -> Formula:
    """Encode the starts of blocks directly: variable y(j, p) says "block j starts at p".

    This is the direct encoding of Walsh, "SAT v CSP", CP 2000: each block has a start; no block has two (pairwise);
    block j + 1 does not start before the end of block j (a conflict for each pair of starts). Each start fills the
    cells that it covers, and a filled cell is covered by some start.

    Sizes: rows * columns cells, and for a line with k blocks, of b cells in all, and slack d (cells beyond the tightest
    packing, at least 1) k * (d + 1) auxiliary variables. Clauses: k, one for each block; k * d * (d + 1) / 2 pairs of
    starts of a block; (k - 1) * d * (d + 1) / 2 conflicts of neighbours; b * (d + 1) from starts to cells; one for each
    cell. A line with a single arrangement has a clause for each cell; a clue that does not fit its line gives the
    clauses ``x`` and ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> list(direct(read("1|1,0")).clauses())
        [[1], [-2], [3, 4], [-3, -4], [-3, 1], [-4, 2], [-1, 3], [-2, 4]]
    """
    return encode_lines(puzzle, _add_direct)


def _add_direct(clauses: Clauses, lines: LineGroup) -> None:
    starts = clauses.variables(len(lines.lengths), lines.slack + 1)
    part = lines.block_part
    clauses.add(*starts.T, part=part)
    earlier, later = np.triu_indices(lines.slack + 1, 1)
    absent = -starts
    clauses.add(absent[:, earlier], absent[:, later], part=part)
    # Offsets count from each block's earliest start: the next block starts too early exactly if its offset is smaller.
    clauses.add(absent[lines.follows][:, later], absent[lines.follows + 1][:, earlier], part=part[lines.follows])

    block, offset = ragged(lines.lengths)
    length = lines.cells.shape[1]
    covered = (lines.line[block] * length + lines.earliest[block] + offset)[:, None] + np.arange(lines.slack + 1)
    cells = lines.cells.ravel()
    clauses.add(absent[block], cells[covered], part=part[block])
    clauses.add_supports(-cells, covered.ravel(), starts[block].ravel(), part=lines.part)


def automaton(puzzle: Nonogram) -> Formula:
    """Encode each line as an automaton: variable q(s, i) says "after i cells, s cells of the pattern have been read".

    The pattern is the blocks, each followed by one empty cell; the line is extended by one empty cell, so that each
    state is entered by one kind of cell. Where more empty cells may come, the automaton may stay in its state. A state
    has a variable at each position where the start reaches it and it reaches the end. The clauses say: which kind of
    cell enters a state; a state has a predecessor and a successor; a filled cell enters some state that filled cells
    enter, and likewise for empty cells. The states are those of the regular constraint (Pesant, "A regular language
    membership constraint for finite sequences of variables", CP 2004), encoded as in Bacchus, "GAC via unit
    propagation", CP 2007. Transitions need no variables, because their two states determine them. Unit propagation
    finds every cell that its line determines.

    Sizes: rows * columns cells, and for a line with k blocks, of b cells in all, and slack d (cells beyond the tightest
    packing, at least 1) (b + k + 1) * (d + 1) - 2 auxiliary variables; three clauses for each of them and two for each
    cell, minus two at the line's ends. A line with a single arrangement has a clause for each cell; a clue that does
    not fit its line gives the clauses ``x`` and ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = automaton(read("1|1,0"))
        >>> formula.variables, len(formula)
        (6, 16)
    """
    return encode_lines(puzzle, _add_automaton)


def _add_automaton(clauses: Clauses, lines: LineGroup) -> None:
    count, length = lines.cells.shape
    slack = lines.slack
    # The cells of all blocks, and one empty cell for each block.
    pattern = length + 1 - slack
    block, offset = ragged(lines.lengths)
    by_filled = np.zeros((count, pattern + 1), bool)  # whether filled cells enter a state
    by_filled[lines.line[block], lines.earliest[block] + offset + 1] = True
    # state s, entered at position s + w, where w is the number of empty cells beyond the pattern's, from 0 to the slack
    states = np.full((count, pattern + 1, slack + 1), TRUE, np.int32)
    inner = np.ones(states.shape[1:], bool)
    inner[0, 0] = inner[-1, -1] = False  # the only states before and after the line
    # A state has variables only at the positions s to s + slack: earlier the start cannot have reached it, later it
    # cannot reach the end.
    states[:, inner] = clauses.variables(count, int(inner.sum()))

    position = np.arange(pattern + 1)[:, None] + np.arange(slack + 1)
    # The added cell is empty. In front of the first cell there is only the state (0, 0), which has no variable.
    outside = np.zeros((count, 1), np.int32) + FALSE
    entered = np.concatenate([outside, lines.cells, outside], axis=1)[:, position]  # the cell that enters each state
    # Positive if filled cells enter the state, negative if empty ones do: a state fixes the kind of its cell.
    clauses.add(-states[:, inner], np.where(by_filled[:, :, None], entered, -entered)[:, inner], part=lines.part)

    # the automaton may stay only in a state that empty cells enter
    loop = np.where(by_filled[:, :, None], FALSE, states)
    none = np.full((count, 1, slack + 1), FALSE, np.int32)
    never = np.full((count, pattern + 1, 1), FALSE, np.int32)
    # The position is s + w: a cell of the pattern advances s and keeps w, a further empty cell keeps s and advances w.
    before = np.concatenate([none, states[:, :-1]], axis=1), np.concatenate([never, loop[:, :, :-1]], axis=2)
    behind = np.concatenate([states[:, 1:], none], axis=1), np.concatenate([loop[:, :, 1:], never], axis=2)
    later, earlier = position > 0, position <= length
    clauses.add(-states[:, later], *(literals[:, later] for literals in before), part=lines.part)
    clauses.add(-states[:, earlier], *(literals[:, earlier] for literals in behind), part=lines.part)

    cells = lines.cells.ravel()
    # The cell that was added has no variable, so it needs no support.
    within = inner & (position <= length)
    places = (np.arange(count)[:, None, None] * length + position - 1)[:, within]
    filled = np.broadcast_to(by_filled[:, :, None], states.shape)[:, within]
    inside = states[:, within]
    clauses.add_supports(-cells, places[filled], inside[filled], part=lines.part)
    clauses.add_supports(cells, places[~filled], inside[~filled], part=lines.part)


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
    """Return the formula of all lines of a puzzle; ``add_lines`` encodes each group of equal length and slack.

    A line without blocks or without slack has one arrangement: one clause for each cell. A clue that does not fit its
    line gives the clauses ``x`` and ``not x`` over the line's first cell.
    """
    clauses = Clauses(puzzle.rows * puzzle.columns)
    cells = np.arange(1, puzzle.rows * puzzle.columns + 1, dtype=np.int32).reshape(puzzle.rows, puzzle.columns)
    # Equal length and slack make the blocks of a group equal in the number of their starts: one matrix has all of them.
    groups: dict[tuple[int, int], dict[Clue, list[tuple[Clue, Literals, int]]]] = defaultdict(lambda: defaultdict(list))
    for part, (clue, line) in enumerate(zip(puzzle.row_clues + puzzle.column_clues, [*cells, *cells.T], strict=True)):
        slack = len(line) - sum(clue) - len(clue) + 1
        if slack > 0 and clue:
            groups[len(line), slack][clue].append((clue, line, part))
        elif slack >= 0:
            clauses.add(_only_arrangement(clue, line), part=part)
        else:
            clauses.add(np.array([line[0], -line[0]]), part=part)
    for (_, slack), by_clue in groups.items():
        add_lines(clauses, _lines([*chain(*by_clue.values())], slack))
    return clauses.formula(puzzle.rows, puzzle.columns)


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


ENCODINGS = [
    Encoding(
        "automaton",
        "nonogram",
        "cnf",
        automaton,
        frozenset({"nonogram-automaton-cnf", "nonogram-blocks"}),  # the models have another automaton
        "one automaton per line, a variable for each state at each position",
    ),
    Encoding(
        "direct",
        "nonogram",
        "cnf",
        direct,
        frozenset({"nonogram-direct", "nonogram-blocks"}),
        "one variable for each start of each block, with pairwise conflicts",
    ),
]
