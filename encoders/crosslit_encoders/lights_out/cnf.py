"""Lights Out as XORs, the basis of all its encodings, and as CNF with or without parity constraints.

The full system has a variable for each press, the chased system only for few of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crosslit.base.grid import Grid
from crosslit.contract import GaveUp
from crosslit.kinds import LightsOut
from crosslit_encoders.cells import Extension
from crosslit_encoders.formula import Formula, Literals, Xor
from crosslit_encoders.lights_out.equations import CellXor, chased_xors, shared

_MAX_SIZE = 4  # of an XOR
MAX_DIRECT = 16
"""Maximum number of variables of an XOR that is not cut: 32,768 clauses."""


def light_xors(board: LightsOut) -> list[CellXor]:
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
    auxiliary variable and 12 clauses for a light of 5 presses. See `clauses` for XORs of k presses and for the source.

    Raises:
        GaveUp: if more than `MAX_DIRECT` presses toggle a light and XORs are not cut.

    Examples:
        >>> from crosslit.formats import read
        >>> list(full(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
        >>> board = read("000/000/000")
        >>> [(formula.variables, len(formula)) for formula in (full(board), full(board, 4))]
        [(9, 64), (10, 60)]
    """
    return clausal(board.rows, board.columns, light_xors(board), max_size, missing=board.missing)


def full_xor(board: LightsOut) -> Formula:
    """Encode the full system as parity constraints; only an XOR that cannot hold becomes clauses.

    M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009.

    Sizes: rows * columns variables, and one XOR for each light that any press toggles.
    """
    return parities(board.rows, board.columns, light_xors(board))


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
    return clausal(1, len(extend.chosen), xors, _MAX_SIZE, extend)


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
    return clausal(1, len(extend.chosen), shared(xors, len(extend.chosen)), _MAX_SIZE, extend)


def chased_xor(board: LightsOut) -> Formula:
    """Encode the chased system as parity constraints; only an XOR that cannot hold becomes clauses.

    Sizes: on usual boards one variable and at most one XOR for each column.
    """
    xors, extend = chased_xors(board)
    return parities(1, len(extend.chosen), xors, extend)


# The XORs of a board have few sizes, and each pattern is used for all XORs of its size.
@cache
def direct_signs(size: int, value: int) -> Literals:
    """Return the sign patterns that forbid every assignment of the wrong parity: shape (2^(size - 1), size).

    A clause forbids the one assignment that makes all its literals false, which has as many ones as the clause has
    negative literals. So the clauses are those whose number of negative literals has the opposite parity of ``value``.
    """
    patterns = [signs for signs in itertools.product((1, -1), repeat=size) if signs.count(-1) % 2 != value]
    return np.array(patterns, np.int32).reshape(len(patterns), size)


def clauses(
    xors: Sequence[Xor], max_size: int | None, first: int
) -> tuple[int, list[Literals], list[NDArray[np.int64]]]:
    """Return the clauses of XORs over the variables 1, 2, ...: encoded directly, or cut into short XORs first.

    An XOR of k variables takes 2^(k - 1) clauses of k literals. An XOR of more than ``max_size`` variables is cut: a
    new variable, from ``first`` on, equals the XOR of its first ``max_size`` - 1 variables and replaces them, until it
    is short enough (M. Soos, K. Nohl and C. Castelluccia, "Extending SAT solvers to cryptographic problems", SAT 2009).
    The variables that it replaces determine each new variable. An XOR without variables is dropped if it holds, and
    otherwise gives the clauses ``x`` and ``not x``. With None for ``max_size``, an XOR has at most `MAX_DIRECT`.

    Sizes: for an XOR of k > s = ``max_size`` variables, a = ceil((k - s) / (s - 2)) new variables, and
    a 2^(s - 1) + 2^(k - a (s - 2) - 1) clauses of at most s literals.

    Returns:
        The number of new variables; arrays of clauses of equal length; for each array, the index of the XOR to which
            each clause belongs.
    """

    def shape(number: int) -> tuple[int, int]:
        variables, value = xors[number]
        return len(variables), value

    new, arrays, owners = 0, [], []
    # Sorted, so that all XORs of one size and value are encoded by a few operations on arrays. The sort is stable, so
    # the order of the clauses depends on nothing else.
    for (size, value), group in itertools.groupby(sorted(range(len(xors)), key=shape), key=shape):
        numbers = list(group)
        if size == 0:
            if value:
                arrays.append(np.array([[1], [-1]] * len(numbers), np.int32))
                owners.append(np.repeat(numbers, 2))
            continue
        if max_size is None and size > MAX_DIRECT:
            raise GaveUp(f"an XOR of {size} variables takes 2^{size - 1} clauses: at most 2^{MAX_DIRECT - 1}")
        variables = np.array([xors[number][0] for number in numbers], np.int32)
        # Each cut replaces max_size - 1 variables by one: the XOR becomes shorter by max_size - 2.
        links = 0 if max_size is None else max(0, -(-(size - max_size) // (max_size - 2)))
        linking = np.arange(first + new, first + new + links * len(variables), dtype=np.int32)
        new += linking.size
        for part, parity in _cut(variables, linking.reshape(len(variables), links), value, max_size or size):
            signs = direct_signs(part.shape[1], parity)
            arrays.append((part[:, None, :] * signs).reshape(len(part) * len(signs), part.shape[1]))
            owners.append(np.repeat(numbers, len(signs)))
    return new, arrays, owners


def _numbered(xors: list[CellXor]) -> list[Xor]:
    """Return the XORs over variables, numbered from 1, instead of cells."""
    return [(tuple(cell + 1 for cell in cells), value) for cells, value in xors]


def clausal(
    rows: int,
    columns: int,
    xors: list[CellXor],
    max_size: int | None,
    extend: Extension | None = None,
    missing: Grid | None = None,
) -> Formula:
    """Return the formula of XORs over cells, and over further variables from ``rows * columns`` on, as clauses."""
    variables = max([rows * columns, *(cell + 1 for cells, _ in xors for cell in cells)])
    new, arrays, lights = clauses(_numbered(xors), max_size, variables + 1)
    # `concatenate` rejects an empty list, and a formula of native XORs has no clauses.
    literals = np.concatenate([np.empty(0, np.int32), *(array.ravel() for array in arrays)])
    sizes = [np.full(len(array), array.shape[1], np.int64) for array in arrays]
    ends = np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))

    def owners() -> NDArray[np.int64]:
        light = np.concatenate([np.empty(0, np.int64), *lights])
        # A missing cell is no light: that it is not pressed always holds.
        return light if missing is None else np.where(missing.array().ravel()[light], -1, light)

    # the equation of a column of a chase belongs to no single light
    return Formula(rows, columns, variables + new, literals, ends, extend=extend, owners=None if extend else owners)


def parities(rows: int, columns: int, xors: list[CellXor], extend: Extension | None = None) -> Formula:
    """Return the formula of XORs over cells as parity constraints."""
    # A native XOR without variables is rejected by solvers, so it becomes clauses, or nothing if it holds.
    constant = clausal(rows, columns, [each for each in xors if not each[0]], None)
    kept = tuple(_numbered([each for each in xors if each[0]]))
    return Formula(rows, columns, rows * columns, constant.literals, constant.ends, kept, extend)


def _cut(variables: Literals, linking: Literals, value: int, max_size: int) -> Iterator[tuple[Literals, int]]:
    """Yield XORs of one length, one per row, in parts of at most ``max_size`` variables with the value of each part."""
    for new in linking.T[:, :, None]:
        # The new variable equals the XOR of the others exactly if all together have the XOR 0.
        yield np.hstack([variables[:, : max_size - 1], new]), 0
        variables = np.hstack([new, variables[:, max_size - 1 :]])
    yield variables, value
