"""The full system of Lights Out as finite-domain models: a variable for each press."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders.finite_domain import CONTRADICTION, Linear, Model
from crosslit_encoders.lights_out.xors import light_xors


def xor(board: LightsOut) -> Model:
    """Model each light as one parity constraint.

    Sizes: rows * columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> xor(read("10/01")).sizes
        {'variables': 4, 'constraints': 4}
    """
    model = Model(board.rows, board.columns)
    model.add_parities(light_xors(board))
    return model


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
    model = Model(board.rows, board.columns)
    for presses, lit in light_xors(board):
        if presses:
            # Determined by the presses: half of their number, rounded down. So solutions do not multiply.
            pairs = model.variable(0, len(presses) // 2)
            model.add(Linear((*((1, press) for press in presses), (-2, pairs)), lit, lit))
        elif lit:
            model.add(CONTRADICTION)
    return model
