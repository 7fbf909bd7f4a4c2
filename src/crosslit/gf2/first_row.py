"""Lights Out from its first row: what the chase leaves, and the first rows that put it out, by polynomials.

Let B be the adjacency matrix of the path of the board's columns. Row by row, every press but those of the first row is
forced (the "chase"), and what the last row leaves depends on the first row x by g(B) x, with f the Fibonacci
polynomials, and g(t) = f(rows)(t + 1) where a press toggles its own cell,
g(t) = f(rows)(t) where it toggles its neighbours alone. As f(k)(B) applied to the first unit vector is the (k + 1)-th
one, a vector of presses is a polynomial modulo f(columns), the characteristic polynomial of B: so the system is one
congruence of polynomials.

The congruence by dense algebra is known (arXiv:2208.09731); the near-linear method was not found in print.
"""

from __future__ import annotations

from crosslit.gf2 import polynomials as poly
from crosslit.gf2.chase import chase
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut
from crosslit.puzzles.lights_out import PLUS

_MOVE = 0b10  # t: what a row of presses toggles in its own row, if these are the neighbours alone
_STAY_AND_MOVE = 0b11  # t + 1: and the pressed cell


def solve_polynomially(rows: int, columns: int, residue: int, stay: bool = True) -> tuple[int | None, list[int]]:
    """The first rows that leave ``residue`` in the last row of a dark board, by one congruence of polynomials.

    Args:
        rows: of the board.
        columns: of the board.
        residue: as bits; what the chase from an empty first row left.
        stay: whether a press toggles its own cell.

    Returns:
        One such first row, or None if there is none; and a basis of those that leave nothing.

    Examples:
        >>> solve_polynomially(4, 4, 0)
        (0, [1, 2, 5, 8])
        >>> solve_polynomially(3, 2, 0b01)[0] is None
        True
    """
    modulus = poly.fibonacci(columns)
    common, factor, quotient = poly.euclid(poly.fibonacci(rows, _own_row(stay), modulus), modulus)
    inside = (1 << columns) - 1
    kernel = []
    row = poly.from_powers(quotient & inside, columns)  # all of it, unless there is no kernel
    for _ in range(poly.degree(common)):
        kernel.append(row)
        row = (row << 1 ^ row >> 1) & inside  # B applied: the polynomial times t
    target, rest = poly.divide(poly.to_powers(residue, columns), common)
    if rest:
        return None, kernel
    product = poly.multiply(target, factor)
    if kernel:
        product = poly.remainder(product, quotient)  # of all first rows the one of lowest degree, however it was found
    return poly.from_product(product, columns), kernel


def first_row_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """One solution of a board on which the chase works, None if there is none, and a basis of the kernel.

    Cell (r, c) is bit r * columns + c.

    Examples:
        >>> first_row_space(LightsOut(Grid.from_text("00000/00000")))
        (0, [693])
    """
    columns, stay = board.columns, board.pattern == PLUS
    lit, dark = board.lit.row_bits(), [0] * board.rows
    residue = chase(lit, 0, columns, stay)[1]
    first, rows = solve_polynomially(board.rows, columns, residue, stay)

    def chased(lights: list[int], row: int) -> int:
        return Grid.from_rows(chase(lights, row, columns, stay)[0], columns).bits

    return None if first is None else chased(lit, first), [chased(dark, row) for row in rows]


def bezout(rows: int, columns: int, stay: bool = True) -> tuple[int, int, int]:
    """u, v and d with u g + v f(columns) = d, where d is the greatest common divisor, and so has the nullity as degree.

    Examples:
        >>> [f"{polynomial:b}" for polynomial in bezout(2, 3)]
        ['1', '0', '100']
    """
    modulus, full = poly.fibonacci(columns), poly.fibonacci(rows, _own_row(stay))
    common, factor, _ = poly.euclid(poly.remainder(full, modulus), modulus)
    return factor, poly.divide(poly.multiply(factor, full) ^ common, modulus)[0], common


def _own_row(stay: bool) -> int:
    """What a row of presses toggles in its own row, as a polynomial in B."""
    return _STAY_AND_MOVE if stay else _MOVE
