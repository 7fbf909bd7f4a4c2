"""The chased system of Lights Out as CNF, with or without parity constraints: variables for few presses."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders import xor
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out.sums import chased_xors, shared

_MAX_SIZE = 4  # of an XOR


def chased(board: LightsOut) -> Formula:
    """Encode the chased system as clauses: few presses determine the others, on usual boards those of the first row.

    Each XOR is cut into XORs of at most 4.

    The chase is folklore; arXiv:2208.09731, among others, states that it leaves one equation for each column.

    Sizes: on usual boards one press and one XOR for each column; on a large board an XOR has about half of the presses.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = chased(read("10/00"))
        >>> list(formula.clauses()), formula.grid([1, 2]).text
        ([[1], [2]], '11/10')
    """
    xors, extend = chased_xors(board)
    return xor.clausal(1, len(extend.chosen), xors, _MAX_SIZE, extend)


def chased_shared(board: LightsOut) -> Formula:
    """Encode the chased system as clauses over parities of groups of presses, which the XORs share; see `shared`.

    Sizes: on usual boards of n columns at most n presses, 26 parities for five of them, and n XORs of a fifth of the
    length, cut to 4.

    Examples:
        >>> from crosslit.formats import read
        >>> board = read("/".join(["0" * 50] * 50))
        >>> chased(board).sizes["clauses"], chased_shared(board).sizes["clauses"]
        (2176, 1376)
    """
    xors, extend = chased_xors(board)
    return xor.clausal(1, len(extend.chosen), shared(xors, len(extend.chosen)), _MAX_SIZE, extend)


def chased_xor(board: LightsOut) -> Formula:
    """Encode the chased system as parity constraints; only an XOR that cannot hold becomes clauses.

    Sizes: on usual boards one variable and at most one XOR for each column.

    Examples:
        >>> from crosslit.formats import read
        >>> chased_xor(read("11/11")).xors
        (((1,), 1), ((2,), 1))
    """
    xors, extend = chased_xors(board)
    return xor.parities(1, len(extend.chosen), xors, extend)
