"""The full system of Lights Out as CNF, with or without parity constraints: a variable for each press."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders import xor
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out.xors import light_xors


def full(board: LightsOut, max_size: int | None = None) -> Formula:
    """Encode the full system as clauses, directly or with XORs cut to at most ``max_size`` presses.

    Sizes: rows * columns presses. For the plus pattern: at most 16 clauses of 5 literals per light; cut to 4, one
    auxiliary variable and 12 clauses for a light of 5 presses. See `crosslit_encoders.xor.clauses` for XORs of k
    presses and for the source.

    Raises:
        GaveUp: if more than `xor.MAX_DIRECT` presses toggle a light and XORs are not cut.

    Examples:
        >>> from crosslit.formats import read
        >>> list(full(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
        >>> board = read("000/000/000")
        >>> [(formula.variables, len(formula)) for formula in (full(board), full(board, 4))]
        [(9, 64), (10, 60)]
    """
    return xor.clausal(board.rows, board.columns, light_xors(board), max_size, missing=board.missing)


def full_xor(board: LightsOut) -> Formula:
    """Encode the full system as parity constraints; only an XOR that cannot hold becomes clauses.

    M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009.

    Sizes: rows * columns variables, and one XOR for each light that any press toggles.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = full_xor(read("10"))
        >>> formula.xors, len(formula)
        ((((1, 2), 1), ((1, 2), 0)), 0)
    """
    return xor.parities(board.rows, board.columns, light_xors(board))
