"""The full system of Lights Out as finite-domain models: a variable for each press."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders.finite_domain import Model
from crosslit_encoders.lights_out.xors import light_xors
from crosslit_encoders.parities import in_sums, with_parities


def xor(board: LightsOut) -> Model:
    """Model each light as one parity constraint.

    Sizes: rows * columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> xor(read("10/01")).sizes
        {'variables': 4, 'constraints': 4}
    """
    return with_parities(Model(board.rows, board.columns), light_xors(board))


def sums(board: LightsOut) -> Model:
    """Model each light as an integer sum: its presses add up to 2 k + 1 if it is lit and to 2 k if not.

    This is the textbook integer program; for the equations modulo 2 see M. Anderson and T. Feil, "Turning lights out
    with linear algebra", Mathematics Magazine 71 (1998). CP-SAT learns little from these sums; see ``xor``.

    Sizes: rows * columns Boolean variables, an integer variable for each light, and as many constraints. The presses
    determine the integers.

    Examples:
        >>> from crosslit.formats import read
        >>> sums(read("10/01")).sizes
        {'variables': 8, 'constraints': 4}
    """
    return in_sums(xor(board))
