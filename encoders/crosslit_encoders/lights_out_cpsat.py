"""Lights Out to CP-SAT."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from crosslit.contract import Encoding
from crosslit.puzzles import LightsOut
from crosslit_encoders.cp_model import CpFormula, cell_model
from crosslit_encoders.lights_out_chase import chased_xors
from crosslit_encoders.lights_out_system import Xor, light_xors

Add = Callable[[Any, list[Any], int], object]  # to a model: that so many presses are even (0) or odd (1) in number


def xor(board: LightsOut) -> CpFormula:
    """One ``add_bool_xor`` for each light.

    Sizes: rows * columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = xor(read("10/01"))
        >>> len(formula.cells), len(formula.model.proto.constraints)
        (4, 4)
    """
    return _each_light(board, _add_xor)


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

    def add(model: Any, cells: list[Any], lit: int) -> None:
        model.add(sum(cells) == 2 * model.new_int_var(0, len(cells) // 2, "") + lit)

    return _each_light(board, add)


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
    parity = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    return _each_light(board, lambda model, cells, lit: model.add_automaton(cells, 0, [lit], parity))


def chased(board: LightsOut) -> CpFormula:
    """One ``add_bool_xor`` for each column, over the presses of the first row; the other rows follow.

    Sizes: columns Boolean variables and as many constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = chased(read("10/01"))
        >>> len(formula.cells), len(formula.model.proto.constraints), formula.grid([1, 0]).text()
        (2, 2, '10/01')
    """
    xors, extend = chased_xors(board)
    return _with(cell_model(1, board.columns, extend), xors, _add_xor)


def _each_light(board: LightsOut, add: Add) -> CpFormula:
    return _with(cell_model(board.rows, board.columns), light_xors(board), add)


def _with(formula: CpFormula, xors: Iterable[Xor], add: Add) -> CpFormula:
    """The model with a constraint for each XOR: of no presses, it holds or not without any question of parity."""
    for presses, value in xors:
        if presses:
            add(formula.model, [formula.cells[press] for press in presses], value)
        else:
            formula.model.add_bool_or([] if value else [True])
    return formula


def _add_xor(model: Any, cells: list[Any], value: int) -> None:
    # add_bool_xor asks for odd parity: one negation makes it even
    model.add_bool_xor(cells if value else [~cells[0], *cells[1:]])


ENCODINGS = [
    Encoding(
        name=name,
        kind="lights-out",
        target="cp-sat",
        encode=encode,
        trusted_base=frozenset({trusted}),
        summary=summary,
        default=name == "xor",
    )
    for name, encode, trusted, summary in (
        ("xor", xor, "light-xors", "one add_bool_xor a light"),
        ("sum", sums, "light-xors", "number of presses = 2 k + lit"),
        ("automaton", automaton, "light-xors", "one add_automaton of two states a light"),
        ("chased", chased, "chase", "first row alone, one add_bool_xor a column"),
    )
]
