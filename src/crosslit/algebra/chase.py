"""The chase down a board, in which each row of presses puts out the row above it, and the polynomials that describe it.

In a polynomial over GF(2), bit i of an integer is the coefficient of t^i.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit.algebra.boards import Board

# The patterns as `crosslit.kinds.lights_out.rules` has them: the rules import nothing from here, nor this from there.
PLUS = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
NEIGHBOURS = ((-1, 0), (0, -1), (0, 1), (1, 0))


def why_no_chase(board: Board) -> str | None:
    """Return why the first row of presses does not force all others on a board; None if it does."""
    # With these patterns a single press of the next row toggles a light, the one right below it; with king there are
    # three.
    if board.pattern not in (PLUS, NEIGHBOURS):
        return "the chase from the first row is for press=plus and press=neighbours"
    if board.wrap != "none":
        return "the chase from the first row is for boards whose edges are not joined"
    if board.missing is not None:
        return "the chase from the first row is for boards without missing cells"
    return None


def chase(lit: Iterable[int], first: int, columns: int, stay: bool = True) -> tuple[list[int], int]:
    """Return the rows of presses that follow from the first, and the lights left in the last row, as bits.

    Each press puts out the light above it; ``stay`` says whether it toggles its own cell.
    """
    inside = (1 << columns) - 1
    presses = []
    above, row = 0, first
    own = -1 if stay else 0
    for lights in lit:
        presses.append(row)
        # One mask for the whole sum suffices: only the shift to the left can leave the board.
        above, row = row, (lights ^ above ^ row & own ^ row << 1 ^ row >> 1) & inside
    return presses, row


def remainder(dividend: int, divisor: int) -> int:
    """Return the remainder of a division."""
    size = divisor.bit_length()
    while (shift := dividend.bit_length() - size) >= 0:
        dividend ^= divisor << shift
    return dividend


def euclid(polynomial: int, modulus: int) -> tuple[int, int, int]:
    """Return the greatest common divisor d, a with a * polynomial = d modulo ``modulus``, and ``modulus`` / d."""
    # Invariant: factor * polynomial = rest modulo the modulus, and likewise for the other two.
    rest, other = modulus, polynomial
    factor, other_factor = 0, 1
    while other:
        size = other.bit_length()
        while (shift := rest.bit_length() - size) >= 0:
            rest ^= other << shift
            factor ^= other_factor << shift
        rest, other = other, rest
        factor, other_factor = other_factor, factor
    return rest, factor, other_factor  # the factor that makes the polynomial 0 has the lowest possible degree


def fibonacci(index: int, variable: int = 0b10, modulus: int = 0) -> int:
    """Return the Fibonacci polynomial f(index) of ``variable``, modulo ``modulus`` if it is not 0.

    f(0) = 1, f(1) = v, f(k + 1) = v f(k) + f(k - 1), by doubling: f(2k) = f(k)^2 + f(k - 1)^2, f(2k + 1) = v f(k)^2.
    v is t or t + 1; with t, f(n) is the characteristic polynomial of the path of n vertices.
    """

    def reduced(polynomial: int) -> int:
        return remainder(polynomial, modulus) if modulus else polynomial

    def times(polynomial: int) -> int:
        return polynomial << 1 ^ (polynomial if variable & 1 else 0)

    def square(polynomial: int) -> int:
        return int(f"{polynomial:b}", 4)  # coefficient i moves to 2 i

    current, before = 1, 0  # f(0), f(-1)
    for bit in f"{index:b}" if index else "":
        squared, squared_before = square(current), square(before)
        even = reduced(squared ^ squared_before)
        if bit == "0":
            current, before = even, reduced(times(squared_before))
        else:
            current, before = reduced(times(squared)), even
    return current
