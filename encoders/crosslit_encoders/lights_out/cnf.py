"""Lights Out to CNF, with or without parity constraints: a system of XORs, and the clauses of each.

The *full* system has a variable for each press and an XOR for each light; the *chased* system has a variable for each
press of the first row and an XOR for each column. Cutting XORs to three variables (``cut3``) is both the encoding by
partial parities and the one by a decision diagram, whose nodes are these parities and their complements; so there is no
separate encoding for either.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from crosslit.contract import Encoding
from crosslit.grid import Grid
from crosslit.kinds import LightsOut
from crosslit_encoders import xor
from crosslit_encoders.cells import Extension
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out.chase import chased_xors
from crosslit_encoders.lights_out.system import Xor, light_xors


def full(board: LightsOut, max_size: int | None = None) -> Formula:
    """Encode the full system as clauses, directly or with XORs cut to at most ``max_size`` presses.

    Sizes: rows * columns presses. For the plus pattern: at most 16 clauses of 5 literals per light, directly or with
    ``cut5``; cut to 4, one auxiliary variable and 12 clauses for a light of 5 presses; cut to 3, two auxiliary
    variables and 12 clauses. See `crosslit_encoders.xor.clauses` for XORs of k presses and for the source.

    Raises:
        GaveUp: if more than `xor.MAX_DIRECT` presses toggle a light and XORs are not cut.

    Examples:
        >>> from crosslit.formats import read
        >>> list(full(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
        >>> board = read("000/000/000")
        >>> [(formula.variables, len(formula)) for formula in (full(board), full(board, 4), full(board, 3))]
        [(9, 64), (10, 60), (15, 60)]
    """
    return _clausal(board.rows, board.columns, light_xors(board), max_size, missing=board.missing)


def chased(board: LightsOut, max_size: int | None = None) -> Formula:
    """Encode the chased system as clauses; the first row determines the other rows of a solution.

    The chase is folklore; arXiv:2208.09731, among others, states that it leaves one equation for each column.

    Sizes: one press and one XOR for each column; on a large board an XOR has about half of the presses.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = chased(read("10/00"))
        >>> list(formula.clauses()), formula.grid([1, 2]).text()
        ([[1], [2]], '11/10')
    """
    xors, extend = chased_xors(board)
    return _clausal(1, board.columns, xors, max_size, extend)


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
    return _parities(board.rows, board.columns, light_xors(board))


def chased_xor(board: LightsOut) -> Formula:
    """Encode the chased system as parity constraints; only an XOR that cannot hold becomes clauses.

    Sizes: one variable and at most one XOR for each column.

    Examples:
        >>> from crosslit.formats import read
        >>> chased_xor(read("11/11")).xors
        (((1,), 1), ((2,), 1))
    """
    xors, extend = chased_xors(board)
    return _parities(1, board.columns, xors, extend)


def _numbered(xors: list[Xor]) -> list[Xor]:
    """Return the XORs over variables, numbered from 1, instead of cells."""
    return [(tuple(cell + 1 for cell in cells), value) for cells, value in xors]


def _clausal(
    rows: int,
    columns: int,
    xors: list[Xor],
    max_size: int | None,
    extend: Extension | None = None,
    missing: Grid | None = None,
) -> Formula:
    cells = rows * columns
    new, arrays, owners = xor.clauses(_numbered(xors), max_size, cells + 1)
    # `concatenate` rejects an empty list, and a formula of native XORs has no clauses.
    literals = np.concatenate([np.empty(0, np.int32), *(array.ravel() for array in arrays)])
    sizes = [np.full(len(array), array.shape[1], np.int64) for array in arrays]
    ends = np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))

    def part() -> NDArray[np.int64]:
        light = np.concatenate([np.empty(0, np.int64), *(np.repeat(numbers, count) for numbers, count in owners)])
        # A missing cell is no light: that it is not pressed always holds.
        return light if missing is None else np.where(missing.array().ravel()[light], -1, light)

    # the equation of a column of a chase belongs to no single light
    return Formula(rows, columns, cells + new, literals, ends, extend=extend, part=None if extend else part)


def _parities(rows: int, columns: int, xors: list[Xor], extend: Extension | None = None) -> Formula:
    # A native XOR without variables is rejected by solvers, so it becomes clauses, or nothing if it holds.
    constant = _clausal(rows, columns, [each for each in xors if not each[0]], None)
    kept = tuple(_numbered([each for each in xors if each[0]]))
    return Formula(rows, columns, rows * columns, constant.literals, constant.ends, kept, extend)


_SYSTEMS = (
    ("full", full, "light-xors", "one XOR per light"),
    ("chased", chased, "chase", "first row only, one XOR per column"),
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
            # Cutting does not help the full system, whose XORs are short: on 11 x 11 full-cut3 takes twice as long. The
            # chased system is faster, but exists only where the first row forces the others.
            default=system == "full",
        )
        for system, encode, trusted, summary in _SYSTEMS
    ),
    *(
        Encoding(
            name=f"{system}-cut{max_size}",
            kind="lights-out",
            target="cnf",
            encode=partial(encode, max_size=max_size),
            trusted_base=frozenset({trusted, "xor-direct", "xor-cut"}),  # the parts of a cut XOR are encoded directly
            summary=f"{summary}, cut into XORs of at most {max_size}",
        )
        for system, encode, trusted, summary in _SYSTEMS
        for max_size in (3, 4, 5)
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
            ("full-xor", full_xor, "light-xors", "one XOR per light, native"),
            ("chased-xor", chased_xor, "chase", "first row only, one native XOR per column"),
        )
    ),
]
