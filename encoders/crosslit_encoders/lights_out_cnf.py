"""Lights Out to CNF, with parity constraints or without: a system of XORs, and how each becomes clauses.

The *full* system has one variable a press and one XOR a light; the *chased* one has a variable for each press of the
first row, and one XOR for each column. Cutting with a new variable for every two of an XOR (``cut3``) is at once the
encoding by partial parities and that by a decision diagram, whose nodes are these parities and their complements: so
there is no fourth way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from crosslit.contract import Encoding
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut
from crosslit_encoders import xor
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out_chase import chased_xors
from crosslit_encoders.lights_out_system import Xor, light_xors


def full(board: LightsOut, most: int | None = None) -> Formula:
    """The full system by clauses: directly, or cut into XORs of at most ``most`` presses.

    Sizes: rows * columns presses; for the plus pattern at most 16 clauses of 5 literals for each light, directly or by
    ``cut5``; cut to 4, one auxiliary variable and 12 clauses for a light of 5 presses; cut to 3, two of them and 12.
    What an XOR of k presses takes in general: see `crosslit_encoders.xor.clauses`, where the source is named too.

    Raises:
        GaveUp: if a light is toggled by more than `xor.MAX_DIRECT` presses, and none is cut.

    Examples:
        >>> from crosslit.formats import read
        >>> list(full(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
        >>> board = read("000/000/000")
        >>> [(formula.variables, len(formula)) for formula in (full(board), full(board, 4), full(board, 3))]
        [(9, 64), (10, 60), (15, 60)]
    """
    return _clausal(board.rows, board.columns, light_xors(board), most)


def chased(board: LightsOut, most: int | None = None) -> Formula:
    """The chased system by clauses, as in `full`; a solution's other rows follow from its first.

    The chase is old; that it leaves one equation a column is in arXiv:2208.09731, among others.

    Sizes: columns presses and columns XORs of at most so many presses each, about half of them on a large board.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = chased(read("10/00"))
        >>> list(formula.clauses()), formula.grid([1, 2]).text()
        ([[1], [2]], '11/10')
    """
    xors, extend = chased_xors(board)
    return _clausal(1, board.columns, xors, most, extend)


def full_xor(board: LightsOut) -> Formula:
    """The full system as parity constraints, for engines that know them; clauses only for one that cannot hold.

    M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009.

    Sizes: rows * columns variables, one XOR for each light that any press toggles.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = full_xor(read("10"))
        >>> formula.xors, len(formula)
        ((((1, 2), 1), ((1, 2), 0)), 0)
    """
    return _parities(board.rows, board.columns, light_xors(board))


def chased_xor(board: LightsOut) -> Formula:
    """The chased system as parity constraints; clauses only for one that cannot hold.

    Sizes: columns variables, and at most so many XORs.

    Examples:
        >>> from crosslit.formats import read
        >>> chased_xor(read("11/11")).xors
        (((1,), 1), ((2,), 1))
    """
    xors, extend = chased_xors(board)
    return _parities(1, board.columns, xors, extend)


def _numbered(xors: list[Xor]) -> list[Xor]:
    """XORs of variables, which are numbered from 1, instead of cells."""
    return [(tuple(cell + 1 for cell in cells), value) for cells, value in xors]


def _clausal(
    rows: int, columns: int, xors: list[Xor], most: int | None, extend: Callable[[Grid], Grid] | None = None
) -> Formula:
    cells = rows * columns
    new, arrays = xor.clauses(_numbered(xors), most, cells + 1)
    literals = np.concatenate([np.empty(0, np.int32), *(array.ravel() for array in arrays)])
    sizes = [np.full(len(array), array.shape[1], np.int64) for array in arrays]
    ends = np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))
    return Formula(rows, columns, cells + new, literals, ends, extend=extend)


def _parities(rows: int, columns: int, xors: list[Xor], extend: Callable[[Grid], Grid] | None = None) -> Formula:
    constant = _clausal(rows, columns, [each for each in xors if not each[0]], None)
    kept = tuple(_numbered([each for each in xors if each[0]]))
    return Formula(rows, columns, rows * columns, constant.literals, constant.ends, kept, extend)


_SYSTEMS = (
    ("full", full, "light-xors", "one XOR a light"),
    ("chased", chased, "chase", "first row alone, one XOR a column"),
)

ENCODINGS = [
    *(
        Encoding(
            name=f"{system}-direct",
            kind="lights-out",
            target="cnf",
            encode=encode,
            trusted_base=frozenset({trusted, "xor-direct"}),
            summary=f"{summary}, each by 2^(k-1) clauses",
            default=system == "full",
        )
        for system, encode, trusted, summary in _SYSTEMS
    ),
    *(
        Encoding(
            name=f"{system}-cut{most}",
            kind="lights-out",
            target="cnf",
            encode=partial(encode, most=most),
            trusted_base=frozenset({trusted, "xor-direct", "xor-cut"}),  # the parts are encoded directly
            summary=f"{summary}, cut into XORs of at most {most}",
        )
        for system, encode, trusted, summary in _SYSTEMS
        for most in (3, 4, 5)
    ),
    *(
        Encoding(
            name=name,
            kind="lights-out",
            target="cnf-xor",
            encode=encode,
            trusted_base=frozenset({trusted}),
            summary=summary,
            default=name == "full-xor",
        )
        for name, encode, trusted, summary in (
            ("full-xor", full_xor, "light-xors", "one XOR a light, native"),
            ("chased-xor", chased_xor, "chase", "first row alone, one native XOR a column"),
        )
    ),
]
