"""Products and quotients of polynomials over GF(2), and the basis of Fibonacci polynomials.

Bit i of an integer is the coefficient of t^i, as in `crosslit.gf2.polynomials`.
"""

from __future__ import annotations

# measured with CPython 3.11 on random polynomials of 500 to 50,000 terms; twice or half the value costs at most a tenth
_FEW_TERMS = 64
_KARATSUBA_FROM = 8000


def multiply(one: int, other: int) -> int:
    """Return the product, by Karatsuba's three halves down to sizes that multiplying by bytes handles faster."""
    if one.bit_length() > other.bit_length():
        one, other = other, one
    # Few terms, such as t or t + 1: a shift for each is faster than making a table.
    if one.bit_count() <= _FEW_TERMS:
        product = 0
        while one:
            low = one & -one
            product ^= other << low.bit_length() - 1
            one ^= low
        return product
    if one.bit_length() <= _KARATSUBA_FROM:
        return _multiply_by_bytes(one, other)
    half = (other.bit_length() + 1) // 2
    low = (1 << half) - 1
    lower, upper = multiply(one & low, other & low), multiply(one >> half, other >> half)
    middle = multiply(one & low ^ one >> half, other & low ^ other >> half) ^ lower ^ upper
    return lower ^ middle << half ^ upper << 2 * half


def _multiply_by_bytes(one: int, other: int) -> int:
    """Return the product, by a table of ``other`` times every polynomial of eight terms."""
    # Multiples 2 n and 2 n + 1 from multiple n: one shift and one XOR for each pair.
    multiples = [0, other]
    for number in range(1, 128):
        doubled = multiples[number] << 1
        multiples += [doubled, doubled ^ other]
    product = 0
    for byte in one.to_bytes((one.bit_length() + 7) // 8, "big"):
        product = product << 8 ^ multiples[byte]
    return product


def divide(dividend: int, divisor: int) -> tuple[int, int]:
    """Return quotient and remainder."""
    if not divisor:
        raise ZeroDivisionError("division by the polynomial 0")
    size = divisor.bit_length()
    if size == 1:
        return dividend, 0  # the case of a nonsingular board
    digits = bytearray(b"0") * max(1, dividend.bit_length())  # setting bits of an integer would copy it every time
    while (shift := dividend.bit_length() - size) >= 0:
        dividend ^= divisor << shift
        digits[-1 - shift] = ord("1")
    return int(digits, 2), dividend


def to_powers(coefficients: int, terms: int) -> int:
    """Return the coefficients p(k) of t^k that give the same polynomial as coefficients c(k) of f(k), k < terms.

    Let U(k + 1) = f(k), and let s be a power of two. Then U(s) = t^(s - 1) and U(s + b) = t^s U(b) + U(s - b). A block
    is the 2 s - 1 coefficients of U(1) to U(2 s - 1). By the second equation, the coefficient of U(s + b) is added to
    the one of U(s - b). This leaves two blocks of half the size, one on each side of U(s); the upper one is multiplied
    by t^s. All blocks of one size are converted together, by a few operations on whole integers.
    """
    # The levels in reverse undo `from_powers`: reflecting the upper half onto the lower one is its own inverse.
    for level in reversed(_levels(terms)):
        coefficients ^= _reflected(coefficients, level, terms)
    return coefficients


def from_powers(polynomial: int, terms: int) -> int:
    """Return the inverse of `to_powers`."""
    for level in _levels(terms):
        polynomial ^= _reflected(polynomial, level, terms)
    return polynomial


def from_product(polynomial: int, terms: int) -> int:
    """Return `from_powers` modulo f(terms), for a polynomial of fewer than 2 * terms terms.

    Modulo f(n), f(n + k) = f(n - k): both follow by the recurrence from f(n) = 0 and f(n + 1) = f(n - 1), in either
    direction. So the upper half is reflected onto the lower one, without a division.
    """
    coefficients = from_powers(polynomial, 2 * terms)
    upper = coefficients >> terms + 1
    reflected = int(f"{upper:0{terms}b}"[::-1], 2)
    return (coefficients ^ reflected) & (1 << terms) - 1


def _levels(terms: int) -> range:
    return range(1, terms.bit_length())


def _reflected(coefficients: int, level: int, terms: int) -> int:
    """Return, in every block of 2^(level + 1) bits, the upper coefficients reflected about the middle bit."""
    # The masks have 2^bits bits: as many as the number, and at least one block.
    bits = max(terms.bit_length(), level + 1)
    half = 1 << level
    upper = coefficients & _blocks(half - 1, level, bits) << half  # the last bit is the middle of a larger block
    for step in range(level, -1, -1):  # reverse blocks of 2 s bits: swap halves, quarters, and so on
        low = _blocks(1 << step, step, bits)
        upper = (upper >> (1 << step) & low) | (upper & low) << (1 << step)
    return upper >> 1


def _blocks(width: int, level: int, bits: int) -> int:
    """Return the lowest ``width`` bits of every block of 2^(level + 1) bits, in 2^bits bits."""
    mask = (1 << width) - 1
    for wider in range(level + 1, bits):
        mask |= mask << (1 << wider)
    return mask
