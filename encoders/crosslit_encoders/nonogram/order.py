"""Nonograms to CNF by the order encoding of the blocks' starts, without cover variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import Encoding
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit_encoders.formula import Formula, Literals

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

# Greater than every variable, and within 32 bits with either sign.
TRUE = 1 << 30  # literals that stand for constants while lines are assembled; in `encode_lines` also known cells
FALSE = -TRUE

# Measured: larger groups are not faster, groups of 2000 take three times as long.
_CHUNK = 1 << 17
"""Blocks times cells assembled at a time: about 10 MB."""
_OUTER = 2
"""Blocks that `encode_lines` adds to each line: one in front and one behind."""


def order(puzzle: Nonogram) -> Formula:
    """Encode the starts of blocks by order: variable s(j, p) says "block j starts at or before p".

    The order encoding of integers is that of Tamura, Taga, Kitagawa and Banbara, "Compiling finite linear CSP into
    SAT", Constraints 14 (2009). For each line: the ladder s(j, p) -> s(j, p + 1); precedence, s(j + 1, p) -> s(j, p -
    length(j) - 1); a cell is filled where a block has started and not ended, s(j, c) and not s(j, c - length(j)); and
    empty where block j has ended, s(j, c - length(j)), and block j + 1 has not started, not s(j + 1, c). Starts outside
    the range that the clue allows are constants and drop out.

    Sizes: rows * columns cells, and for a line with k blocks and slack d (cells beyond the tightest packing) k * d
    auxiliary variables; clauses of at most three literals. A clue that is longer than its line even without
    slack gives the clauses ``x`` and ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> list(order(read("1,0|1")).clauses())
        [[1], [-2], [-3, 1], [3, 2], [3, -1], [-3, -2]]
    """
    cells = np.arange(1, puzzle.rows * puzzle.columns + 1, dtype=np.int32).reshape(puzzle.rows, puzzle.columns)
    lines = [*_chunks(puzzle.row_clues, cells), *_chunks(puzzle.column_clues, cells.T)]
    return _formula(puzzle.rows, puzzle.columns, lines)


def residue(
    puzzle: Nonogram, filled: Sequence[int], empty: Sequence[int], rows: Iterable[int] | None = None
) -> Formula:
    """Encode the open part of a puzzle with known cells, by the order encoding, as a grid of one row of open cells.

    Only lines with open cells are encoded. A start of a block is possible if some arrangement consistent with the known
    cells has it; s(j, p) is a variable for every possible start of block j except the last. Without known cells these
    are the clauses of `order`. The known cells of each row are bits, cell 0 the lowest. If only some rows are encoded,
    with the columns in which they have open cells, no other row may have an open cell in these columns.

    Raises:
        ValueError: if no cell is open.
    """
    known_filled, known_empty = _bits(filled, puzzle.columns), _bits(empty, puzzle.columns)
    opened = ~(known_filled | known_empty)
    if rows is not None:
        # An open cell of another row becomes FALSE below, as if it were empty: hence the condition on the columns.
        own = np.zeros((puzzle.rows, 1), bool)
        own[list(rows)] = True
        opened &= own
    count = int(opened.sum())
    if not count:
        raise ValueError("no cell is open")
    cells = np.where(known_filled, TRUE, FALSE).astype(np.int32)
    cells[opened] = np.arange(1, count + 1)
    across, down = (np.flatnonzero(opened.any(axis=axis)) for axis in (1, 0))
    row_clues = [puzzle.row_clues[row] for row in across]
    column_clues = [puzzle.column_clues[column] for column in down]
    return _formula(1, count, [*_chunks(row_clues, cells[across]), *_chunks(column_clues, cells.T[down])])


def _bits(lines: Sequence[int], length: int) -> Truths:
    """Convert lines as bits, cell 0 the lowest, to an array of shape (lines, length)."""
    size = -(-length // 8)
    packed = np.frombuffer(b"".join(line.to_bytes(size, "little") for line in lines), np.uint8).reshape(
        len(lines), size
    )
    # The bytes are all 0 or 1, so they can be viewed as Booleans without a copy.
    return np.unpackbits(packed, axis=1, count=length, bitorder="little").view(bool)


def _chunks(clues: Sequence[Clue], cells: Literals) -> Iterator[tuple[Sequence[Clue], Literals]]:
    """Yield lines in groups small enough to be assembled at once."""
    groups = np.cumsum([(len(clue) + _OUTER) * cells.shape[1] for clue in clues]) // _CHUNK
    starts = np.unique(groups, return_index=True)[1].tolist()
    for first, end in pairwise([*starts, len(clues)]):
        yield clues[first:end], cells[first:end]


def _formula(rows: int, columns: int, chunks: Iterable[tuple[Sequence[Clue], Literals]]) -> Formula:
    literals, sizes, lines = [], [], []
    variables, first = rows * columns, 0
    for clues, cells in chunks:
        auxiliary, some, lengths, line_of_clause = encode_lines(clues, cells, variables + 1)
        variables += auxiliary
        literals.append(some)
        sizes.append(lengths)
        lines.append((line_of_clause, first))
        first += len(clues)

    def owners() -> Integers:
        return np.concatenate([line_of_clause() + first for line_of_clause, first in lines])

    ends = np.cumsum(np.concatenate(sizes))
    return Formula(rows, columns, variables, np.concatenate(literals), ends, owners=owners)


def encode_lines(
    clues: Sequence[Clue], cells: Literals, first: int
) -> tuple[int, Literals, Integers, Callable[[], Integers]]:
    """Encode lines of one length, all at once; a cell is its variable, or `TRUE` or `FALSE` if it is known.

    It returns the number of auxiliary variables, numbered from ``first``; the literals of all clauses; the size of each
    clause; and a function that returns the line of each clause.
    """
    count, length = cells.shape
    # a clue with too many cells becomes one without blocks: absurdly long ones must not get into the arrays
    fits = [sum(clue) <= length for clue in clues]
    clues = [clue if fit else () for clue, fit in zip(clues, fits, strict=True)]
    per_line = np.array([len(clue) for clue in clues])
    lengths = np.array([block for clue in clues for block in clue], np.int64)
    line = np.repeat(np.arange(count), per_line)  # the line of each block
    # Starts outside every arrangement become constants, so that the clauses contain what line solving knows.
    reachable = reachable_starts(clues, lengths, cells == TRUE, cells == FALSE)
    # A line without blocks has no row in `reachable`, so its contradiction is a filled cell.
    possible = np.array(fits) & ~((per_line == 0) & (cells == TRUE).any(axis=1))
    # A block that can start nowhere refutes its line.
    possible[line[~reachable.any(axis=1)]] = False
    refuted = [int(known[np.abs(known) != TRUE][0]) for known in cells[~possible]]
    cells = np.where(possible[:, None], cells, FALSE)  # an impossible line gets no other clauses

    # each line's blocks lie between a block of length 0 that has always started and one that never starts, so that the
    # outer gaps are like the inner ones; starts[row, margin + p] is the literal of s(j, p)
    inner = np.arange(len(lengths)) + _OUTER * line + 1
    always = np.concatenate([[0], np.cumsum(per_line + _OUTER)[:-1]])
    # The leftmost place that is read is -(length + 1), for a block as long as the line.
    margin = length + 1
    starts = np.full((len(lengths) + _OUTER * count, margin + length), FALSE, np.int32)
    starts[always] = TRUE
    reached = np.cumsum(reachable, axis=1, dtype=np.int32)
    choices = reached[:, -1:]
    auxiliary = np.maximum(choices[:, 0] - 1, 0)
    # s(j, p) changes only at reachable starts, so the places between two of them share a variable. Before the first it
    # is FALSE; from the last one on it is TRUE, because the block must have started.
    names = (first - 1 + np.cumsum(auxiliary) - auxiliary)[:, None] + reached
    starts[inner, margin:] = np.where(reached == 0, FALSE, np.where(reached < choices, names, TRUE))

    cell = np.arange(length)
    started = starts[inner, margin:]
    ended = starts[inner[:, None], margin + cell - lengths[:, None]]
    follows = (line[1:] == line[:-1]).nonzero()[0]  # blocks that have a successor
    behind = starts[inner[follows, None], margin + cell - lengths[follows, None] - 1]
    gaps = np.concatenate([always, inner])  # each gap by the block before it
    gap_line = np.concatenate([np.arange(count), line])
    before = np.concatenate([starts[always, margin:], ended])
    after = starts[gaps + 1, margin:]
    clauses = np.concatenate(
        [
            _stack(-started[:, :-1], started[:, 1:], FALSE),  # the ladder
            # where the next block cannot start, its literal equals that of the previous start and nothing new follows
            _stack(np.where(reachable[follows + 1], -started[follows + 1], TRUE), behind, FALSE),
            # Started and not ended: the cell is filled.
            _stack(-started, ended, cells[line]),
            # The block before has ended and the next has not started: the cell is empty.
            _stack(-before, after, -cells[gap_line]),
            *(np.array([[literal, FALSE, FALSE], [-literal, FALSE, FALSE]], np.int32) for literal in refuted),
        ]
    )
    # Two places that share a variable make their rung of the ladder a tautology: x or not x.
    chosen = ~((clauses == TRUE).any(axis=1) | (clauses[:, 0] == -clauses[:, 1]))
    clauses = clauses[chosen]
    kept = clauses != FALSE

    def line_of_clause() -> Integers:
        wide = np.repeat(np.concatenate([line[follows], line, gap_line]), length)
        lines = [np.repeat(line, length - 1), wide, np.repeat(np.flatnonzero(~possible), 2)]
        every: Integers = np.concatenate(lines)[chosen]
        return every

    return int(auxiliary.sum()), clauses[kept], kept.sum(axis=1), line_of_clause


def _stack(*literals: Literals | int) -> Literals:
    """Return clauses of three literals, from arrays that broadcast."""
    return np.stack([*map(np.ravel, np.broadcast_arrays(*literals))], axis=1).astype(np.int32)


def reachable_starts(clues: Sequence[Clue], lengths: Integers, filled: Truths, empty: Truths) -> Truths:
    """Return where each block starts in some arrangement consistent with the known cells: shape (blocks, length)."""
    length = filled.shape[1]
    from_left = _from_left(clues, filled, empty)
    # reverse everything: lines, blocks and cells
    mirrored = _from_left([clue[::-1] for clue in reversed(clues)], filled[::-1, ::-1], empty[::-1, ::-1])[::-1]
    start = length - lengths[:, None] - np.arange(length)
    # A block at p starts at length - block - p on the mirrored line. Places outside are clipped, then masked.
    from_right: Truths = np.take_along_axis(mirrored, np.maximum(start, 0), axis=1) & (start >= 0)
    # With the block in place, its two sides do not influence each other. So a start that each side allows is in some
    # arrangement of the whole line.
    return from_left & from_right


def _from_left(clues: Sequence[Clue], filled: Truths, empty: Truths) -> Truths:
    """Return where each block can start, given its own cells and all cells on its left: shape (blocks, length).

    Each line is one integer, with an extra cell in front. The cells that can lie between two blocks are those reached
    from the end of the first over cells that are not filled; the carry of one addition reaches them all.
    """
    length = filled.shape[1]
    every = (2 << length) - 1
    # One line at a time as integers: 1.5 ms for the encoding of a 25 x 25 puzzle; arrays, a block at a time for all
    # lines, took 3.3 ms.
    found = []
    for clue, full, none in zip(clues, _integers(filled), _integers(empty), strict=True):
        fits: dict[int, int] = {}
        clear = every & ~(full << 1)
        seed = 1
        for block in clue:
            if block not in fits:
                starts, covered = every & ~(none << 1) & ~1, 1
                while covered < block:
                    # Two runs of `covered` cells, at most `covered` apart, make one longer run: log2(block) steps
                    # instead of block.
                    step = min(covered, block - covered)
                    starts &= starts >> step
                    covered += step
                fits[block] = starts
            # Seeds lie in `clear`, so no carry starts outside a run. The addition may leave a seed above the lowest of
            # its run unchanged; `| seed` restores it.
            gap = ((clear + seed) ^ clear | seed) & clear
            starts = gap << 1 & fits[block]
            found.append(starts >> 1)
            seed = starts << block & clear
    return _bits(found, length)


def _integers(lines: Truths) -> list[int]:
    """Return each line as an integer, cell 0 its lowest bit."""
    return [int.from_bytes(line, "little") for line in np.packbits(lines, axis=1, bitorder="little")]


ENCODINGS = [
    Encoding(
        name="order",
        kind="nonogram",
        target="cnf",
        encode=order,
        trusted_base=frozenset({"nonogram-order"}),
        summary="order encoding of the blocks' starts, without cover variables",
        # The survey's puzzles take glucose4 225 ms in all, 735 with automaton, 1192 with direct.
        default=True,
    )
]
