"""Lights Out to CP-SAT."""

from __future__ import annotations

from crosslit.contract import Encoding
from crosslit.puzzles import LightsOut
from crosslit_encoders.cp_model import CpFormula, cell_model
from crosslit_encoders.lights_out_system import light_xors


def xor(board: LightsOut) -> CpFormula:
    """One ``add_bool_xor`` for each light.

    Sizes: rows * columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = xor(read("10/01"))
        >>> len(formula.cells), len(formula.model.proto.constraints)
        (4, 4)
    """
    formula = cell_model(board)
    for presses, lit in light_xors(board):
        literals = [formula.cells[press] for press in presses]
        if not literals:  # a light that no press toggles: whether it is dark is no question of parity
            formula.model.add_bool_or([] if lit else [True])
            continue
        if not lit:  # add_bool_xor asks for odd parity: one negation makes it even
            literals[0] = ~literals[0]
        formula.model.add_bool_xor(literals)
    return formula


ENCODINGS = [
    Encoding(
        name="xor",
        kind="lights-out",
        target="cp-sat",
        encode=xor,
        trusts=frozenset({"light-xors"}),
        summary="one add_bool_xor a light",
        default=True,
    )
]
