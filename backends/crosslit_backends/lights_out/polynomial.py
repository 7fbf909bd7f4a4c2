"""Lights Out in near-linear time: one congruence of polynomials over GF(2) for the first row of presses.

Let B be the adjacency matrix of the path of the board's columns. The presses in the first row force all others, row by
row (the "chase"). Let x be the vector of the first row's presses, and f(k) the Fibonacci polynomial of degree k. Then x
toggles the lights g(B) x among those left in the last row. If a press toggles its own cell, g(t) = f(rows)(t + 1); if
it toggles only its neighbours, g(t) = f(rows)(t). Since f(k)(B) maps the first unit vector to unit vector k + 1, each
vector of presses corresponds to a polynomial modulo f(columns), the characteristic polynomial of B. So the linear
system is one congruence of polynomials.

Bit i of an integer is the coefficient of t^i, as in `crosslit.algebra.chase`.

arXiv:2208.09731 solves this congruence by dense linear algebra. We found no publication of the near-linear method used
here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from crosslit.algebra.chase import euclid, fibonacci, remainder, why_no_chase
from crosslit.base.grid import Grid
from crosslit.contract import Backend, Certificate, GaveUp, Task, Trace
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native
from crosslit_backends.lights_out import certificate
from crosslit_backends.lights_out.enumeration import batches_from_first_rows, chased, from_first_rows, row_text, stays

# measured with CPython 3.11 on random polynomials of 500 to 50,000 terms; twice or half the value costs at most a tenth
_FEW_TERMS = 64
_KARATSUBA_FROM = 8000


def multiply(one: int, other: int) -> int:
    """Return the product, by Karatsuba's three halves down to sizes that multiplying by bytes handles faster."""
    one, other = sorted((one, other))
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
    half = other.bit_length() // 2
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
    for byte in one.to_bytes(-(-one.bit_length() // 8), "big"):
        product = product << 8 ^ multiples[byte]
    return product


def divide(dividend: int, divisor: int) -> tuple[int, int]:
    """Return quotient and remainder."""
    if not divisor:
        raise ZeroDivisionError("division by the polynomial 0")
    size = divisor.bit_length()
    if size == 1:
        return dividend, 0  # the case of a nonsingular board
    digits = bytearray(b"0") * dividend.bit_length()  # setting bits of an integer would copy it every time
    while (shift := dividend.bit_length() - size) >= 0:
        dividend ^= divisor << shift
        digits[-1 - shift] = ord("1")
    return int(digits or b"0", 2), dividend


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
    bits = terms.bit_length()  # the masks have 2^bits bits: as many as the number
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


def solve_polynomially(rows: int, columns: int, residue: int, stay: bool = True) -> tuple[int | None, list[int]]:
    """Return a first row that leaves ``residue``, or None, and a basis of the first rows that leave no light.

    The residue is the lights of the last row after the chase from an empty first row, as bits; with ``stay``, a press
    toggles its own cell.
    """
    # The solutions of g x = c modulo f: with d = gcd(g, f), there are some exactly if d divides c, and those of g x = 0
    # are the multiples of f / d, below the degree of f.
    modulus = fibonacci(columns)
    own_row = 0b11 if stay else 0b10  # t + 1, or t: the effect of a row of presses on the same row
    common, factor, quotient = euclid(fibonacci(rows, own_row, modulus), modulus)
    kernel = []
    row = from_powers(quotient, columns)  # a row, unless there is no kernel
    for _ in range(common.bit_length() - 1):
        kernel.append(row)
        row = row << 1 ^ row >> 1  # apply B: multiply the polynomial by t
    target, rest = divide(to_powers(residue, columns), common)
    if rest:
        return None, kernel
    product = multiply(target, factor)
    if kernel:
        product = remainder(product, quotient)  # the first row of lowest degree, however it was found
    return from_product(product, columns), kernel


def first_row_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution (None if there is none) and a basis of the kernel, for a board on which the chase works.

    Cell (r, c) is bit r * columns + c.
    """
    lit, dark = board.lit.row_bits(), [0] * board.rows
    first, rows = solve_polynomially(board.rows, board.columns, chased(board, lit, 0)[1], stays(board))

    def presses(lights: list[int], row: int) -> int:
        return Grid.from_rows(chased(board, lights, row)[0], board.columns).bits

    return None if first is None else presses(lit, first), [presses(dark, row) for row in rows]


class Polynomial(Native):
    """The first row by a congruence modulo the characteristic polynomial of a path.

    Two chases take most of the time. Solutions come in Gray-code order over the kernel, the first one immediately
    however many there are.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> len(list(Polynomial().solutions(read("1111/1111/1111/1111"), Task())))
        16
    """

    name = "polynomial"
    summary = "Lights Out: one congruence of polynomials over GF(2), near-linear"
    kinds = frozenset({"lights-out"})
    certifies_at_limit = True
    trusted_base = frozenset({"chase", "polynomial"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Return a reason for boards on which the chase does not work."""
        assert isinstance(puzzle, LightsOut)
        return why_no_chase(puzzle)

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in Gray-code order over the kernel."""
        first, kernel = _first_rows(puzzle, task, task.trace)
        if first is not None:
            yield from from_first_rows(puzzle, first, kernel)

    def count(self, puzzle: LightsOut, task: Task) -> int:
        """Return 2^nullity, or 0 if no first row clears the lights that the chase leaves."""
        first, kernel = _first_rows(puzzle, task)
        return 0 if first is None else 1 << len(kernel)

    def certify(self, puzzle: LightsOut, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Certify with a parity that no press changes, or with the first row, which determines all others."""
        certificate.within_reach(puzzle)
        rows, columns = puzzle.rows, puzzle.columns
        if not solutions:
            _, residue = chased(puzzle, puzzle.lit.row_bits(), 0)
            # g(B) is symmetric, so there is no solution exactly if some quiet first row meets the residue in an odd
            # number of cells.
            for first in solve_polynomially(rows, columns, residue, stays(puzzle))[1]:
                if (first & residue).bit_count() & 1:
                    # a quiet pattern stays quiet upside down; it overlaps the lights that the chase cannot move out of
                    # the last row
                    quiet = chased(puzzle, [0] * rows, first)[0]
                    return certificate.parity(puzzle, Grid.from_rows(quiet[::-1], columns))
            raise GaveUp("the congruence does not agree that there is no solution")
        # The check begins with free presses, so it never uses a light with only one press around it, as at an end of a
        # single column.
        free = columns if columns > 1 else min(2, rows)
        certificate.within_reach(puzzle, free)
        first_row = Grid.from_bits(rows, columns, (1 << free) - 1)
        return certificate.complete(puzzle, first_row, first_row_space(puzzle)[1], solutions[0])

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, ascending and packed."""
        first, kernel = _first_rows(puzzle, task)
        if first is not None:
            yield from batches_from_first_rows(puzzle, first, kernel)


def _first_rows(puzzle: LightsOut, task: Task, trace: Trace | None = None) -> tuple[int | None, list[int]]:
    """Return a first row that clears the board, or None, and a basis of the quiet ones."""
    lit = puzzle.lit.row_bits()
    presses, residue = chased(puzzle, lit, 0)
    first, kernel = solve_polynomially(puzzle.rows, puzzle.columns, residue, stays(puzzle))
    task.stats["nullity"] = len(kernel)
    if trace:
        _tell_chase(trace, presses, puzzle.columns)
        trace(
            f"chased from an empty first row, the board leaves {row_text(residue, puzzle.columns)} lit in its last row"
        )
        trace(f"the greatest common divisor of the two polynomials has degree {len(kernel)}: the nullity")
        if first is None:
            trace("the congruence has no solution", bad=True)
        else:
            others = f"one of 2^{len(kernel)}" if kernel else "and no other"
            trace(f"the first row is {row_text(first, puzzle.columns)}, {others}")
            _tell_chase(trace, chased(puzzle, lit, first)[0], puzzle.columns)
    return first, kernel


def _tell_chase(trace: Trace, presses: Sequence[int], columns: int) -> None:
    for row, cells in enumerate(presses):
        below = f"below the lights left in row {row}" if row else "to begin with"
        made = Grid.from_rows([*presses[: row + 1], *[0] * (len(presses) - row - 1)], columns)
        trace(f"chase: press {row_text(cells, columns)} in row {row + 1}, {below}", made.text, line=row)


BACKENDS: list[Backend] = [Polynomial()]
