"""Polynomials over GF(2): bit i of an integer is the coefficient of t^i."""

from __future__ import annotations


def square(polynomial: int) -> int:
    """Return the square: coefficient i moves to 2 i."""
    # The binary digits, read in base 4: digit i has the weight 4^i, which is bit 2 i.
    return int(f"{polynomial:b}", 4)


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

    current, before = 1, 0  # f(0), f(-1)
    for bit in f"{index:b}" if index else "":
        squared, squared_before = square(current), square(before)
        even = reduced(squared ^ squared_before)
        if bit == "0":
            current, before = even, reduced(times(squared_before))
        else:
            current, before = reduced(times(squared)), even
    return current
