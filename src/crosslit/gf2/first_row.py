"""Lights Out from its first row: the chase, what it leaves, and the system for the first row in two forms.

Let B be the adjacency matrix of the path of the board's columns. Row by row, every press but those of the first row is
forced (the "chase"), and what the last row leaves depends on the first row x by g(B) x, with f the Fibonacci
polynomials, and g(t) = f(rows)(t + 1) where a press toggles its own cell,
g(t) = f(rows)(t) where it toggles its neighbours alone. As f(k)(B) applied to the first unit vector is the (k + 1)-th
one, a vector of presses is a polynomial modulo f(columns), the characteristic polynomial of B: so the system is one
congruence of polynomials.

The congruence by dense algebra is known (arXiv:2208.09731); the near-linear method was not found in print.
"""

from __future__ import annotations

from collections.abc import Iterable

from crosslit.gf2 import polynomials as poly
from crosslit.gf2.elimination import LinearSystem
from crosslit.puzzles import LightsOut
from crosslit.puzzles.lights_out import NEIGHBOURS, PLUS, Offset

_MOVE = 0b10  # t: what a row of presses toggles in its own row, if these are the neighbours alone
_STAY_AND_MOVE = 0b11  # t + 1: and the pressed cell


def why_no_chase(board: LightsOut) -> str | None:
    """Why the first row of presses does not force all others on a board; None if it does.

    Examples:
        >>> from crosslit.formats import read
        >>> why_no_chase(read("press=king/11/11"))
        'the chase from the first row is for press=plus and press=neighbours'
    """
    if board.pattern not in (PLUS, NEIGHBOURS):
        return "the chase from the first row is for press=plus and press=neighbours"
    if board.wrap != "none":
        return "the chase from the first row is for boards whose edges are not joined"
    if board.missing is not None:
        return "the chase from the first row is for boards without missing cells"
    return None


def chase(lit: Iterable[int], first: int, columns: int, stay: bool = True) -> tuple[list[int], int]:
    """The presses that follow from the first row, each putting out what is lit above it.

    Args:
        lit: the rows of the board as bits.
        first: the presses of the first row.
        columns: of the board.
        stay: whether a press toggles its own cell.

    Returns:
        The rows of presses, and what stays lit in the last row.

    Examples:
        >>> chase([0b11, 0b11], 0b11, 2)
        ([3, 3], 0)
        >>> chase([0b11, 0b11], 0b11, 2, stay=False)
        ([3, 0], 0)
    """
    inside = (1 << columns) - 1
    presses = []
    above, row = 0, first
    if stay:
        for lights in lit:
            presses.append(row)
            above, row = row, (lights ^ above ^ row ^ row << 1 ^ row >> 1) & inside
    else:
        for lights in lit:
            presses.append(row)
            above, row = row, (lights ^ above ^ row << 1 ^ row >> 1) & inside
    return presses, row


def press_also(presses: list[int], first: int, columns: int, stay: bool = True) -> None:
    """Add to rows of presses, in place, those that chase a dark board from the first row ``first``.

    The chase is linear: so the presses of a board from an empty first row become those from ``first``, and its lights
    are not needed again. Replacing the rows one by one takes no more memory, which would take as long to get.

    Args:
        presses: rows of presses as bits.
        first: the presses of the first row that are added.
        columns: of the board.
        stay: whether a press toggles its own cell.

    Examples:
        >>> presses, _ = chase([0b10, 0b11], 0, 2)
        >>> press_also(presses, 0b11, 2)
        >>> presses == chase([0b10, 0b11], 0b11, 2)[0]
        True
    """
    inside = (1 << columns) - 1
    above, row = 0, first
    if stay:
        for index, pressed in enumerate(presses):
            presses[index] = pressed ^ row
            above, row = row, (above ^ row ^ row << 1 ^ row >> 1) & inside
    else:
        for index, pressed in enumerate(presses):
            presses[index] = pressed ^ row
            above, row = row, (above ^ row << 1 ^ row >> 1) & inside


def nullity(rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS) -> int:
    """Dimension of the kernel (the "quiet patterns") of every board of a size: a solvable one has 2^nullity solutions.

    With `PLUS` it is the degree of the greatest common divisor of f(rows)(t + 1) and f(columns)(t); for squares, OEIS
    A159257. With `NEIGHBOURS` it is that of f(rows)(t) and f(columns)(t), which is gcd(rows + 1, columns + 1) - 1.

    Args:
        rows: of the board, at least 1.
        columns: of the board, at least 1.
        pattern: what a press toggles, `PLUS` or `NEIGHBOURS`, on a board without joined edges or missing cells.

    Raises:
        ValueError: if a size is below 1, or the pattern is another.

    Examples:
        >>> [nullity(size, size) for size in range(1, 20)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16]
        >>> nullity(2, 3) == nullity(3, 2) == 2
        True
        >>> nullity(5, 8, NEIGHBOURS)
        2
    """
    pattern = tuple(sorted(pattern))
    if pattern not in (PLUS, NEIGHBOURS):
        raise ValueError(f"the nullity by polynomials is for the patterns PLUS and NEIGHBOURS, not {pattern!r:.60}")
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one row and one column, not {rows} x {columns}")
    modulus = poly.fibonacci(min(rows, columns))
    common, _, _ = poly.euclid(poly.fibonacci(max(rows, columns), _own_row((0, 0) in pattern), modulus), modulus)
    return poly.degree(common)


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


def bezout(rows: int, columns: int, stay: bool = True) -> tuple[int, int, int]:
    """u, v and d with u g + v f(columns) = d, where d is the greatest common divisor, and so has the nullity as degree.

    Args:
        rows: of the board.
        columns: of the board.
        stay: whether a press toggles its own cell.

    Examples:
        >>> [f"{polynomial:b}" for polynomial in bezout(2, 3)]
        ['1', '0', '100']
    """
    modulus, full = poly.fibonacci(columns), poly.fibonacci(rows, _own_row(stay))
    common, factor, _ = poly.euclid(poly.remainder(full, modulus), modulus)
    return factor, poly.divide(poly.multiply(factor, full) ^ common, modulus)[0], common


def first_row_system(rows: int, columns: int, residue: int, stay: bool = True) -> LinearSystem:
    """The linear system for the first row: unknown c is the press in column c, one equation a light of the last row.

    The chase from an unknown first row, its rows kept as matrices over the unknowns: rows * columns operations on
    integers of ``columns`` bits.

    Args:
        rows: of the board.
        columns: of the board.
        residue: as bits; what the chase from an empty first row left.
        stay: whether a press toggles its own cell.

    Examples:
        >>> first_row_system(4, 4, 0).nullity
        4
    """
    above, row = [0] * columns, [1 << column for column in range(columns)]
    for _ in range(rows):
        left, right = [0, *row[:-1]], [*row[1:], 0]
        own = row if stay else [0] * columns
        above, row = row, [a ^ b ^ c ^ d for a, b, c, d in zip(above, own, left, right, strict=True)]
    system = LinearSystem(columns)
    for column, equation in enumerate(row):
        system.add(equation, residue >> column & 1)
    return system


def _own_row(stay: bool) -> int:
    """What a row of presses toggles in its own row, as a polynomial in B."""
    return _STAY_AND_MOVE if stay else _MOVE
