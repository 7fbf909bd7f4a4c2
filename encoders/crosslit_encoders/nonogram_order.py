"""Nonograms to CNF by the order encoding of the blocks' starts, without cover variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import Encoding
from crosslit.puzzles import Nonogram
from crosslit.puzzles.nonogram import Clue
from crosslit_encoders.formula import Formula, Literals

_TRUE = 1 << 30  # literals that stand for the constants while a line is put together
_FALSE = -_TRUE


def order(puzzle: Nonogram) -> Formula:
    """The order encoding: variable s(j, p) says "block j starts at or before p".

    The order encoding of integers is that of Tamura, Taga, Kitagawa and Banbara, "Compiling finite linear CSP into
    SAT", Constraints 14 (2009). For each line: the ladder s(j, p) -> s(j, p + 1); precedence, s(j + 1, p) ->
    s(j, p - length(j) - 1); a cell is filled where a block has started and not ended, s(j, c) and not
    s(j, c - length(j)); and empty where block j has ended before it, s(j, c - length(j)), and block j + 1 has not
    started, not s(j + 1, c). Starts outside the range that the clue leaves them are constants and drop out.

    Sizes: rows * columns cells, and for a line with k blocks and slack d (cells beyond the tightest packing) k * d
    auxiliary variables; clauses of at most three literals. A clue that does not fit its line gives the clauses ``x``
    and ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> list(order(read("1,0|1")).clauses())
        [[1], [-2], [-3, 1], [3, 2], [3, -1], [-3, -2]]
    """
    cells = np.arange(1, puzzle.rows * puzzle.columns + 1, dtype=np.int32).reshape(puzzle.rows, puzzle.columns)
    variables = puzzle.rows * puzzle.columns
    literals, sizes = [], []
    lines = [*zip(puzzle.row_clues, cells, strict=True), *zip(puzzle.column_clues, cells.T, strict=True)]
    for clue, line in lines:
        template = _line(clue, len(line))
        names = np.concatenate([[0], line, np.arange(variables + 1, variables + 1 + template.auxiliary)]).astype(
            np.int32
        )
        literals.append(np.sign(template.literals) * names[np.abs(template.literals)])
        sizes.append(template.sizes)
        variables += template.auxiliary
    return Formula(puzzle.rows, puzzle.columns, variables, np.concatenate(literals), np.cumsum(np.concatenate(sizes)))


@dataclass(frozen=True)
class _Template:
    """The clauses of one line over local variables: its cells from 1, then its auxiliary ones."""

    auxiliary: int
    literals: Literals
    sizes: NDArray[np.int64]


@lru_cache(maxsize=4096)
def _line(clue: Clue, length: int) -> _Template:
    slack = length - sum(clue) - len(clue) + 1
    if slack < 0:
        return _Template(0, np.array([1, -1], np.int32), np.array([1, 1]))
    blocks = np.array(clue, np.int64)
    earliest = np.concatenate([[0], np.cumsum(blocks + 1)[:-1]]) if clue else blocks

    # starts[1 + j, margin + p] is the literal of s(j, p); row 0 is a block that always has started and has no length,
    # the last row one that never starts: so the outer gaps are like the inner ones
    margin = length + 1
    starts = np.full((len(clue) + 2, margin + length + 1), _FALSE, np.int64)
    starts[0] = _TRUE
    offsets = np.arange(-margin, length + 1)
    relative = offsets[None, :] - earliest[:, None]
    names = length + 1 + np.arange(len(clue))[:, None] * slack + relative
    starts[1:-1] = np.where(relative < 0, _FALSE, np.where(relative < slack, names, _TRUE))

    at = margin + np.arange(length)
    inner, lengths = np.arange(1, len(clue) + 1), blocks
    cell = np.arange(1, length + 1)
    started = starts[inner[:, None], at]
    ended = starts[inner[:, None], at - lengths[:, None]]
    ladder = (-starts[1:-1, margin : margin + length - 1], starts[1:-1, margin + 1 : margin + length])
    precedence = (-started[1:], starts[inner[:-1, None], at - lengths[:-1, None] - 1])
    filled = (-started, ended, cell)
    before = np.concatenate([starts[:1, at], ended])  # the block before the gap has ended
    after = np.concatenate([started, starts[-1:, at]])  # the block after the gap has started
    empty = (-before, after, -cell)

    rows = [_stack(literals) for literals in (ladder, precedence, filled, empty)]
    clauses = np.concatenate(rows)
    clauses = clauses[~(clauses == _TRUE).any(axis=1)]
    kept = clauses != _FALSE
    return _Template(len(clue) * slack, clauses[kept].astype(np.int32), kept.sum(axis=1))


def _stack(literals: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    """Clauses of three literals from arrays that broadcast; a missing literal is false."""
    three = [*literals, np.array(_FALSE)][:3]
    return np.stack(np.broadcast_arrays(*three), axis=-1).reshape(-1, 3)


ENCODINGS = [
    Encoding(
        name="order",
        kind="nonogram",
        target="cnf",
        encode=order,
        trusts=frozenset({"nonogram-order"}),
        summary="order encoding of the blocks' starts, without cover variables",
        default=True,
    )
]
