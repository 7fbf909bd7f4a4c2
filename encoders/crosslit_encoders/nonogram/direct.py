"""Nonograms to CNF, with one variable for each start of each block."""

from __future__ import annotations

import numpy as np

from crosslit.kinds import Nonogram
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.blocks import Clauses, Lines, encode_lines, line_encoding, ragged


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
    return encode_lines(puzzle, _add_lines)


def _add_lines(clauses: Clauses, lines: Lines) -> None:
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


ENCODINGS = [line_encoding("direct", direct, "one variable for each start of each block, with pairwise conflicts")]
