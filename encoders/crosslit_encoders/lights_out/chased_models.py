"""The chased system of Lights Out as finite-domain models: variables for few presses."""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders.finite_domain import Model
from crosslit_encoders.lights_out.sums import chased_xors, shared


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
    """Model the constraints of ``chased`` over parities of groups of presses, which they share; see `shared`.

    Examples:
        >>> from crosslit.formats import read
        >>> chased_shared(read("10/01")).sizes
        {'variables': 2, 'constraints': 2}
    """
    xors, extend = chased_xors(board)
    model = Model(1, len(extend.chosen), extend)
    parities = shared(xors, model.cells)
    for _ in range(len(parities) - len(xors)):
        model.variable()
    model.add_parities(parities)
    return model
