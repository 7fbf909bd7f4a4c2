"""Lights Out from its first row, by polynomials: the lights left by the chase, and the first rows that clear them.

Let B be the adjacency matrix of the path of the board's columns. The presses in the first row force all others, row by
row (the "chase"). Let x be the vector of the first row's presses, and f(k) the Fibonacci polynomial of degree k. Then x
toggles the lights g(B) x among those left in the last row. If a press toggles its own cell, g(t) = f(rows)(t + 1); if
it toggles only its neighbours, g(t) = f(rows)(t). Since f(k)(B) maps the first unit vector to unit vector k + 1, each
vector of presses corresponds to a polynomial modulo f(columns), the characteristic polynomial of B. So the linear
system is one congruence of polynomials.

arXiv:2208.09731 solves this congruence by dense linear algebra. We found no publication of the near-linear method used
here.
"""

from __future__ import annotations

from crosslit.gf2.polynomials import euclid, fibonacci, remainder
from crosslit.grid import Grid
from crosslit.kinds.lights_out.chase import chase
from crosslit.kinds.lights_out.puzzle import PLUS, LightsOut
from crosslit_backends.lights_out import polynomials as poly

_MOVE = 0b10  # t: the effect of a row of presses on the same row, if a press toggles only neighbours
_STAY_AND_MOVE = 0b11  # t + 1: with the pressed cell


def solve_polynomially(rows: int, columns: int, residue: int, stay: bool = True) -> tuple[int | None, list[int]]:
    """Return a first row that leaves ``residue``, or None, and a basis of the first rows that leave no light.

    The residue is the lights of the last row after the chase from an empty first row, as bits; with ``stay``, a press
    toggles its own cell.
    """
    # The solutions of g x = c modulo f: with d = gcd(g, f), there are some exactly if d divides c, and those of g x = 0
    # are the multiples of f / d, below the degree of f.
    modulus = fibonacci(columns)
    common, factor, quotient = euclid(fibonacci(rows, own_row(stay), modulus), modulus)
    inside = (1 << columns) - 1
    kernel = []
    row = poly.from_powers(quotient & inside, columns)  # the whole row, unless there is no kernel
    for _ in range(common.bit_length() - 1):
        kernel.append(row)
        row = (row << 1 ^ row >> 1) & inside  # apply B: multiply the polynomial by t
    target, rest = poly.divide(poly.to_powers(residue, columns), common)
    if rest:
        return None, kernel
    product = poly.multiply(target, factor)
    if kernel:
        product = remainder(product, quotient)  # the first row of lowest degree, however it was found
    return poly.from_product(product, columns), kernel


def first_row_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution (None if there is none) and a basis of the kernel, for a board on which the chase works.

    Cell (r, c) is bit r * columns + c.
    """
    columns, stay = board.columns, board.pattern == PLUS
    lit, dark = board.lit.row_bits(), [0] * board.rows
    residue = chase(lit, 0, columns, stay)[1]
    first, rows = solve_polynomially(board.rows, columns, residue, stay)

    def chased(lights: list[int], row: int) -> int:
        return Grid.from_rows(chase(lights, row, columns, stay)[0], columns).bits

    return None if first is None else chased(lit, first), [chased(dark, row) for row in rows]


def own_row(stay: bool) -> int:
    """Return the effect of a row of presses on the same row, as a polynomial in B."""
    return _STAY_AND_MOVE if stay else _MOVE
