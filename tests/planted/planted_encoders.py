"""Encoders that are broken, each in one way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.order import order

from crosslit.contract import Encoding


def drops(puzzle) -> Formula:
    """The first cell is empty, which no clue says."""
    return _with(order(puzzle), [-1])


def drops_across_lines(puzzle) -> Formula:
    """The first cell and the last one are not both filled, which no single line can say."""
    return _with(order(puzzle), [-1, -puzzle.rows * puzzle.columns])


def adds(puzzle) -> Formula:
    """A clause over the first row is lacking."""
    return replace(order(puzzle), ends=np.empty(0, np.int64), literals=np.empty(0, np.int32))


def _with(formula: Formula, clause: list[int]) -> Formula:
    literals = np.append(formula.literals, np.array(clause, np.int32))
    return replace(formula, literals=literals, ends=np.append(formula.ends, len(literals)))


ENCODINGS = [
    Encoding(encode.__name__.replace("_", "-"), "nonogram", "cnf", encode, frozenset(), "planted")
    for encode in (drops, drops_across_lines, adds)
]
