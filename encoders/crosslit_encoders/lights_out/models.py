"""Lights Out as finite-domain models: a variable for each press, or in the chased system for few of them."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders.finite_domain import CONTRADICTION, Linear, Model
from crosslit_encoders.lights_out.cnf import light_xors
from crosslit_encoders.lights_out.equations import chased_xors, shared


def xor(board: LightsOut) -> Model:
    """Model each light as one parity constraint.

    Sizes: rows * columns Boolean variables and as many constraints.
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


def chased(board: LightsOut) -> Model:
    """Model few presses that determine the others: on usual boards those of the first row, a parity for each column.

    Sizes: on usual boards columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> model = chased(read("10/01"))
        >>> model.sizes, model.grid([1, 0]).text
        ({'variables': 2, 'constraints': 2}, '10/01')
    """
    xors, extend = chased_xors(board)
    model = Model(1, len(extend.chosen), extend)
    model.add_parities(xors)
    return model


def chased_shared(board: LightsOut) -> Model:
    """Model the constraints of ``chased`` over parities of groups of presses, which they share; see `shared`."""
    xors, extend = chased_xors(board)
    model = Model(1, len(extend.chosen), extend)
    parities = shared(xors, model.cells)
    for _ in range(len(parities) - len(xors)):
        model.variable()
    model.add_parities(parities)
    return model
