"""Nonograms to CNF by arrays: the direct and the order encoding of starts, automata, and tables of the allowed lines.

Each is a function from the lines of one length to clauses. `crosslit_encoders.nonogram.order` makes the default.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import GaveUp
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.blocks import (
    FALSE,
    TRUE,
    Clauses,
    LineGroup,
    encode_lines,
    line_encoding,
    lines_by_clue,
    ragged,
)

MAX_TABLE_CELLS = 1 << 21
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length.

Larger tables would take over 0.1 GB.
"""

_COUNTED = 10**15  # larger sizes are not distinguished: those of one puzzle can have thousands of digits


def order_cover(puzzle: Nonogram) -> Formula:
    """Encode blocks by order, with cover variables: s(j, p) says "block j starts by p", x(j, c) "it covers c".

    The order encoding of integers is that of Tamura, Taga, Kitagawa and Banbara, "Compiling finite linear CSP into
    SAT", Constraints 14 (2009). For each line: the ladder s(j, p) -> s(j, p + 1); precedence, s(j + 1, p) -> s(j, p -
    length(j) - 1); x(j, c) where block j has started and not ended, s(j, c) and not s(j, c - length(j)); a cell is
    filled if and only if some block covers it.

    Sizes: rows * columns cells, and for a line with k blocks and slack d (cells beyond the tightest packing, at least
    1) k * d variables s, and for each block of length b max(d - b, 0) variables x: where only the start or only the end
    is open, x is a literal of s. Clauses: k * (d - 1) of the ladder, (k - 1) * d of precedence; b + d from a block to
    its cells and 3 * max(d - b, 0) that define its x; for each cell that no block always covers, one. A line with a
    single arrangement has a clause for each cell; a clue that does not fit its line gives the clauses ``x`` and
    ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> list(order_cover(read("1|1,0")).clauses())
        [[1], [-2], [-3, 1], [3, 2], [-1, 3], [-2, -3]]
        >>> order_cover(read("1|1,0,0")).variables  # two of them s, and one x for the cell in the middle
        6
    """
    return encode_lines(puzzle, _add_order_cover)


def _add_order_cover(clauses: Clauses, lines: LineGroup) -> None:
    slack = lines.slack
    at_or_before = clauses.variables(len(lines.lengths), slack)
    part = lines.block_part
    clauses.add(-at_or_before[:, :-1], at_or_before[:, 1:], part=part)
    # Offsets count from each block's earliest start, so precedence compares equal offsets.
    clauses.add(-at_or_before[lines.follows + 1], at_or_before[lines.follows], part=part[lines.follows])

    # the cells that a block can cover, from its earliest start on
    block, offset = ragged(lines.lengths + slack)
    ending = offset - lines.lengths[block]
    # `where` evaluates both of its branches, so the indices are clipped.
    started = np.where(offset < slack, at_or_before[block, np.minimum(offset, slack - 1)], TRUE)
    ended = np.where(ending >= 0, at_or_before[block, np.maximum(ending, 0)], FALSE)
    # Elsewhere x equals one literal of s and needs no variable.
    both = (started != TRUE) & (ended != FALSE)
    covers = np.where(ended == FALSE, started, -ended)
    covers[both] = new = clauses.variables(int(both.sum()))
    part = part[block]
    clauses.add(-new, started[both], part=part[both])
    clauses.add(-new, -ended[both], part=part[both])
    clauses.add(new, -started[both], ended[both], part=part[both])

    cells = lines.cells.ravel()
    places = lines.line[block] * lines.cells.shape[1] + lines.earliest[block] + offset
    clauses.add(-covers, cells[places], part=part)
    clauses.add_supports(-cells, places, covers, part=lines.part)


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


def table(puzzle: Nonogram) -> Formula:
    """Encode each line as a table of the lines that its clue allows: variable t(a) says "the line is allowed line a".

    This is the table encoding of Bacchus, "GAC via unit propagation", CP 2007: an allowed line implies the value of
    each cell, and the value of a cell implies that some allowed line has it. Unit propagation finds every cell that its
    line determines.

    Sizes: rows * columns cells, and for a line of n cells with k blocks and slack d (cells beyond the tightest packing,
    at least 1) the binomial coefficient (d + k choose k) as auxiliary variables; n clauses for each of them, and two
    for each cell. A line with a single arrangement has a clause for each cell; a clue that does not fit its line gives
    the clauses ``x`` and ``not x``.

    Raises:
        GaveUp: if the tables would have more than `MAX_TABLE_CELLS` cells; the message says how many.

    Examples:
        >>> from crosslit.formats import read
        >>> list(table(read("1|1,0")).clauses())
        [[1], [-2], [-3, 1], [-3, -2], [-4, -1], [-4, 2], [-1, 3], [-2, 4], [1, 4], [2, 3]]
        >>> table(Nonogram([[1] * 8], [[]] * 30))
        Traceback (most recent call last):
            ...
        crosslit.base.errors.GaveUp: its tables of allowed lines would have 14,709,420 cells, more than 2,097,152
    """
    if reason := too_large(puzzle):
        raise GaveUp(reason)
    clauses = Clauses(puzzle.rows * puzzle.columns)
    for clue, cells, part in lines_by_clue(puzzle, clauses):
        allowed = allowed_lines(clue, cells.shape[1])
        selectors = clauses.variables(len(cells), len(allowed), 1)
        clauses.add(-selectors, np.where(allowed, cells[:, None], -cells[:, None]), part=part)
        places = np.broadcast_to(np.arange(cells.size).reshape(len(cells), 1, -1), (len(cells), *allowed.shape))
        chosen = np.broadcast_to(selectors, places.shape)
        clauses.add_supports(-cells.ravel(), places[:, allowed].ravel(), chosen[:, allowed].ravel(), part=part)
        clauses.add_supports(cells.ravel(), places[:, ~allowed].ravel(), chosen[:, ~allowed].ravel(), part=part)
    return clauses.formula(puzzle.rows, puzzle.columns)


def allowed_lines(clue: Clue, length: int) -> NDArray[np.bool_]:
    """Return every arrangement of a clue that fits its line: shape (arrangements, length)."""
    blocks = len(clue)
    slack = length - sum(clue) - blocks + 1
    # each block with the empty cell after it is one item among the remaining empty cells
    items = np.fromiter(chain.from_iterable(combinations(range(slack + blocks), blocks)), np.int64)
    starts = items.reshape(comb(slack + blocks, blocks), blocks) + np.cumsum([0, *clue[:-1]])
    # +1 where a block starts, -1 behind its end: the running sum is 1 inside blocks. A gap lies between an end and the
    # next start, so the two never share a place and neither overwrites the other.
    changes = np.zeros((len(starts), length + 1), np.int8)
    np.put_along_axis(changes, starts, 1, axis=1)
    np.put_along_axis(changes, starts + np.array(clue, np.int64), -1, axis=1)
    return changes[:, :-1].cumsum(axis=1).astype(bool)


def too_large(puzzle: Nonogram) -> str | None:
    """Return why the tables of a puzzle are too large, or None."""
    size = 0
    for clues, length in ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows)):
        for clue in clues:
            slack = length - sum(clue) - len(clue) + 1
            # A line without blocks or slack has one arrangement, which becomes unit clauses and no table.
            size += length * comb(slack + len(clue), len(clue)) if slack > 0 and clue else 0
            if size > _COUNTED:
                return f"its tables of allowed lines would have over 10^15 cells, more than {MAX_TABLE_CELLS:,}"
    return (
        f"its tables of allowed lines would have {size:,} cells, more than {MAX_TABLE_CELLS:,}"
        if size > MAX_TABLE_CELLS
        else None
    )


# lists of one each, so that all encodings of nonograms are listed by name
AUTOMATON = [
    replace(
        line_encoding("automaton", automaton, "one automaton per line, a variable for each state at each position"),
        trusted_base=frozenset({"nonogram-automaton-cnf", "nonogram-blocks"}),  # the models have another automaton
    )
]
DIRECT = [line_encoding("direct", direct, "one variable for each start of each block, with pairwise conflicts")]
ORDER_COVER = [line_encoding("order-cover", order_cover, "order encoding of the blocks' starts, with cover variables")]
_SUMMARY = f"the allowed lines of each clue, with a selector for each; up to {MAX_TABLE_CELLS:,} cells in all"
TABLE = [replace(line_encoding("table", table, _SUMMARY), unsupported_reason=too_large)]
