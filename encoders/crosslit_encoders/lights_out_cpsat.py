"""Lights Out to CP-SAT."""

from __future__ import annotations

from crosslit.contract import Encoding
from crosslit.puzzles import LightsOut
from crosslit_encoders.cp_model import CpFormula, cell_model
from crosslit_encoders.lights_out_chase import chased_xors
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
    formula = cell_model(board.rows, board.columns)
    for presses, lit in light_xors(board):
        _add_xor(formula, presses, lit)
    return formula


def sums(board: LightsOut) -> CpFormula:
    """For each light, the number of presses that toggle it is 2 k + 1 if it is lit and 2 k if not, k an integer.

    The textbook integer program; see M. Anderson and T. Feil, "Turning lights out with linear algebra", Mathematics
    Magazine 71 (1998), for the equations modulo 2. CP-SAT learns little from them: see ``xor``.

    Sizes: rows * columns Boolean variables, an integer one for each light, and as many constraints. The integers follow
    from the presses.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = sums(read("10/01"))
        >>> len(formula.model.proto.variables), len(formula.model.proto.constraints)
        (8, 4)
    """
    formula = cell_model(board.rows, board.columns)
    for presses, lit in light_xors(board):
        if not presses:
            _add_constant(formula, lit)
            continue
        pairs = formula.model.new_int_var(0, len(presses) // 2, "")
        formula.model.add(sum(formula.cells[press] for press in presses) == 2 * pairs + lit)
    return formula


def automaton(board: LightsOut) -> CpFormula:
    """One ``add_automaton`` for each light, of two states: the parity of the presses read so far.

    G. Pesant, "A regular language membership constraint for finite sequences of variables", CP 2004.

    Sizes: rows * columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = automaton(read("10/01"))
        >>> len(formula.cells), len(formula.model.proto.constraints)
        (4, 4)
    """
    formula = cell_model(board.rows, board.columns)
    for presses, lit in light_xors(board):
        if not presses:
            _add_constant(formula, lit)
            continue
        cells = [formula.cells[press] for press in presses]
        formula.model.add_automaton(cells, 0, [lit], [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
    return formula


def chased(board: LightsOut) -> CpFormula:
    """One ``add_bool_xor`` for each column, over the presses of the first row; the other rows follow.

    Sizes: columns Boolean variables and as many constraints.

    Raises:
        GaveUp: if the first row does not force the others.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = chased(read("10/01"))
        >>> len(formula.cells), len(formula.model.proto.constraints), formula.grid([1, 0]).text()
        (2, 2, '10/01')
    """
    xors, extend = chased_xors(board)
    formula = cell_model(1, board.columns, extend)
    for presses, value in xors:
        _add_xor(formula, presses, value)
    return formula


def _add_xor(formula: CpFormula, presses: tuple[int, ...], value: int) -> None:
    literals = [formula.cells[press] for press in presses]
    if not literals:
        _add_constant(formula, value)
        return
    if not value:  # add_bool_xor asks for odd parity: one negation makes it even
        literals[0] = ~literals[0]
    formula.model.add_bool_xor(literals)


def _add_constant(formula: CpFormula, value: int) -> None:
    """A light that no press toggles: whether it is dark is no question of parity."""
    formula.model.add_bool_or([] if value else [True])


ENCODINGS = [
    Encoding(
        name="xor",
        kind="lights-out",
        target="cp-sat",
        encode=xor,
        trusted_base=frozenset({"light-xors"}),
        summary="one add_bool_xor a light",
        default=True,
    ),
    Encoding(
        name="sum",
        kind="lights-out",
        target="cp-sat",
        encode=sums,
        trusted_base=frozenset({"light-xors"}),
        summary="number of presses = 2 k + lit",
    ),
    Encoding(
        name="automaton",
        kind="lights-out",
        target="cp-sat",
        encode=automaton,
        trusted_base=frozenset({"light-xors"}),
        summary="one add_automaton of two states a light",
    ),
    Encoding(
        name="chased",
        kind="lights-out",
        target="cp-sat",
        encode=chased,
        trusted_base=frozenset({"chase"}),
        summary="first row alone, one add_bool_xor a column",
    ),
]
