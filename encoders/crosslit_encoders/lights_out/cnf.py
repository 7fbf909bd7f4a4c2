"""Lights Out as XORs, the basis of all its encodings, and as CNF with or without parity constraints.

The full system has a variable for each press, the chased system only for few of them.
"""

from __future__ import annotations

from crosslit.kinds import LightsOut
from crosslit_encoders import xor
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out.sums import chased_xors, shared

_MAX_SIZE = 4  # of an XOR
Xor = tuple[tuple[int, ...], int]
"""Cells, and whether the XOR of their presses is 1. (The XORs of formulas are over variables instead.)"""


def light_xors(board: LightsOut) -> list[Xor]:
    """Return an XOR for each cell: the cells (row-major, from 0) whose presses toggle its light, and 1 if it is lit.

    The XOR of a missing cell says that it is not pressed; the other XORs leave it out. With joined edges or missing
    cells an XOR may have no cells: no press changes such a light.
    """
    rows, columns = board.rows, board.columns
    missing = set() if board.missing is None else {row * columns + column for row, column in board.missing.cells()}
    togglers: list[list[int]] = [[] for _ in range(rows * columns)]
    # From presses to lights, as the rules state it: no offset has to be reversed. Ascending presses make each XOR
    # ascending.
    for press in range(rows * columns):
        if press not in missing:
            for light in _toggled(board, *divmod(press, columns)):
                togglers[light].append(press)
    for cell in missing:
        # A missing cell is never lit, so this XOR is 0: left free, its press would double the number of models.
        togglers[cell] = [cell]
    lit = board.lit.text.replace("/", "")
    return [(tuple(cells), int(light)) for cells, light in zip(togglers, lit, strict=True)]


def _toggled(board: LightsOut, row: int, column: int) -> set[int]:
    """Return the lights that a press toggles; with joined edges it may hit a light twice, which changes nothing."""
    lights: set[int] = set()
    for down, right in board.pattern:
        below, beside = row + down, column + right
        if board.wraps_rows:
            below %= board.rows
        if board.wraps_columns:
            beside %= board.columns
        if 0 <= below < board.rows and 0 <= beside < board.columns:
            lights ^= {below * board.columns + beside}
    return lights


def full(board: LightsOut, max_size: int | None = None) -> Formula:
    """Encode the full system as clauses, directly or with XORs cut to at most ``max_size`` presses.

    Sizes: rows * columns presses. For the plus pattern: at most 16 clauses of 5 literals per light; cut to 4, one
    auxiliary variable and 12 clauses for a light of 5 presses. See `crosslit_encoders.xor.clauses` for XORs of k
    presses and for the source.

    Raises:
        GaveUp: if more than `xor.MAX_DIRECT` presses toggle a light and XORs are not cut.

    Examples:
        >>> from crosslit.formats import read
        >>> list(full(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
        >>> board = read("000/000/000")
        >>> [(formula.variables, len(formula)) for formula in (full(board), full(board, 4))]
        [(9, 64), (10, 60)]
    """
    return xor.clausal(board.rows, board.columns, light_xors(board), max_size, missing=board.missing)


def full_xor(board: LightsOut) -> Formula:
    """Encode the full system as parity constraints; only an XOR that cannot hold becomes clauses.

    M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009.

    Sizes: rows * columns variables, and one XOR for each light that any press toggles.
    """
    return xor.parities(board.rows, board.columns, light_xors(board))


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
    """
    xors, extend = chased_xors(board)
    return xor.parities(1, len(extend.chosen), xors, extend)
