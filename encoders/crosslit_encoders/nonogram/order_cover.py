"""Nonograms to CNF by the order encoding of the blocks' starts, with cover variables."""

from __future__ import annotations

import numpy as np

from crosslit.kinds import Nonogram
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.blocks import FALSE, TRUE, Clauses, Lines, encode_lines, line_encoding, ragged


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
    return encode_lines(puzzle, _add_lines)


def _add_lines(clauses: Clauses, lines: Lines) -> None:
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


ENCODINGS = [line_encoding("order-cover", order_cover, "order encoding of the blocks' starts, with cover variables")]
