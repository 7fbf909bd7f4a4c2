"""Nonograms to CNF by one variable for each start of each block."""

from __future__ import annotations

import numpy as np

from crosslit.contract import Encoding
from crosslit.puzzles import Nonogram
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram_blocks import Clauses, Lines, each_line, encode_lines, ragged


def direct(puzzle: Nonogram) -> Formula:
    """The direct encoding of the blocks' starts: variable y(j, p) says "block j starts at p".

    The direct encoding is that of Walsh, "SAT v CSP", CP 2000: some start; not two (pairwise); no start of block j + 1
    before the end of block j (a conflict for each pair of starts). A cell is filled by each start that covers it, and a
    filled cell has one of them.

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
    return encode_lines(each_line(puzzle), puzzle.rows, puzzle.columns, _add_lines)


def _add_lines(clauses: Clauses, lines: Lines) -> None:
    starts = clauses.variables(len(lines.lengths), lines.slack + 1)
    clauses.add(*starts.T)
    earlier, later = np.triu_indices(lines.slack + 1, 1)
    absent = -starts
    clauses.add(absent[:, earlier], absent[:, later])
    clauses.add(absent[lines.follows][:, later], absent[lines.follows + 1][:, earlier])

    block, offset = ragged(lines.lengths)
    length = lines.cells.shape[1]
    covered = (lines.line[block] * length + lines.earliest[block] + offset)[:, None] + np.arange(lines.slack + 1)
    cells = lines.cells.ravel()
    clauses.add(absent[block], cells[covered])
    clauses.add_supports(-cells, covered.ravel(), starts[block].ravel())


ENCODINGS = [
    Encoding(
        name="direct",
        kind="nonogram",
        target="cnf",
        encode=direct,
        trusted_base=frozenset({"nonogram-direct", "nonogram-blocks"}),
        summary="one variable for each start of each block, with pairwise conflicts",
    )
]
