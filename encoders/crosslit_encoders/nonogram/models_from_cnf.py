"""Nonograms as finite-domain models whose clauses and tables come from the CNF encodings."""

from __future__ import annotations

from dataclasses import replace

from crosslit.contract import GaveUp
from crosslit.kinds import Nonogram
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import AllowedRows, Linear, Model
from crosslit_encoders.nonogram import cnf
from crosslit_encoders.nonogram import order as nonogram_order
from crosslit_encoders.nonogram.models import encodings, lines_that_fit


def order(puzzle: Nonogram) -> Model:
    """Model the clauses of the order encoding of the blocks' starts (`crosslit_encoders.nonogram.order`).

    Sizes: the variables and clauses of that encoding.

    Examples:
        >>> from crosslit.formats import read
        >>> order(read("1,0|1")).sizes
        {'variables': 3, 'constraints': 6}
    """
    clauses = nonogram_order.order(puzzle)
    model = Model(puzzle.rows, puzzle.columns, domains=[(0, 1)] * clauses.variables)
    for clause in clauses.clauses():
        # A negated literal is 1 - x. So "at least one literal is true" is a sum of +-x of at least 1 - negated
        # literals.
        terms = tuple((1 if literal > 0 else -1, abs(literal) - 1) for literal in clause)
        model.add(Linear(terms, 1 - sum(literal < 0 for literal in clause)))
    return model


def table(puzzle: Nonogram) -> Model:
    """Model each line as a table of the lines that its clue allows.

    Sizes: rows * columns Boolean variables and a constraint for each line, which for k blocks and slack d (cells beyond
    the tightest packing) has the binomial coefficient (d + k choose k) of rows. A clue that does not fit its line makes
    the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> table(read("1,0|1")).sizes
        {'variables': 2, 'constraints': 3}
    """
    if reason := cnf.too_large(puzzle):
        raise GaveUp(reason)
    model = Model(puzzle.rows, puzzle.columns)
    for clue, line in lines_that_fit(puzzle, model):
        allowed = cnf.allowed_lines(clue, len(line)).astype(int).tolist()
        model.add(AllowedRows(line, tuple(map(tuple, allowed))))
    return model


_TABLE = ("table", "fd", table, f"the allowed lines; up to {cnf.MAX_TABLE_CELLS:,} cells in all")

ENCODINGS = [
    *(
        # straight from the clauses: the model of sums takes ten times as long to make
        replace(encoding, encode=cp_sat_of(nonogram_order.order)) if encoding.target == "cp-sat" else encoding
        for encoding in encodings([("order", "linear", order, "the clauses of the order encoding")])
    ),
    *(replace(encoding, unsupported_reason=cnf.too_large) for encoding in encodings([_TABLE])),
]
