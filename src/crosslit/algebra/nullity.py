r"""The nullity of a board of two states, from polynomials or by elimination.

The nullities of whole boards come from the invariant factors of their lines.

Let t be the adjacency operator of a line of n cells: a path, or a ring if the edges are joined (in which the two
neighbours of a cell may be the same cell, and cancel). The vectors of the line, with t acting on them, are a module
over GF(2)[t]. For a path it is GF(2)[t] / f(n), with the Fibonacci polynomials f. For a ring it is GF(2)[x] / (x^n + 1)
with t = x + 1/x; as x^2 = t x + 1, that is the cokernel of X^n + I for the matrix X of rows (t, 1) and (1, 0), whose
entries are f(n) + 1, f(n - 1) and f(n - 2) + 1. So it is GF(2)[t] / d1 + GF(2)[t] / d2, where d1 is the greatest common
divisor of the entries, and d1 d2 the determinant, which is t f(n - 1).

The operator of a board is a polynomial in t of its rows and s of its columns: 1 + s + t (`PLUS`), s + t (`NEIGHBOURS`),
(1 + s)(1 + t) (`KING`) and 1 + s t (`DIAGONAL`). Its cokernel is the product of both modules modulo that polynomial, so
greatest common divisors have its dimension as their degrees: for squares OEIS A159257, on a torus A165738.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from crosslit.algebra.boards import COLUMNS, ROWS, Board, BoardSystem, Offset, elimination_work
from crosslit.algebra.chase import NEIGHBOURS, PLUS, euclid, fibonacci

KING = tuple(product((-1, 0, 1), repeat=2))
DIAGONAL = ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1))
KNOWN = (PLUS, NEIGHBOURS, KING, DIAGONAL)
_QUICK_WORK = 2_000_000


def invariant_factors(length: int, is_ring: bool, variable: int = 0b10) -> tuple[int, ...]:
    """Return the invariant factors of a line, each a divisor of the next, as polynomials in t."""
    if not is_ring:
        return (fibonacci(length, variable),)
    first, _, rest = euclid(fibonacci(length, variable) ^ 1, fibonacci(length - 1, variable))
    return first, rest << 1 ^ (rest if variable & 1 else 0)


@lru_cache(256)  # a campaign has many boards of one size
def nullity_by_factors(rows: int, columns: int, pattern: tuple[Offset, ...], wrap: str) -> int:
    """Return the dimension of the kernel of every board of a size without missing cells."""
    pattern = tuple(sorted(pattern))
    if pattern not in KNOWN:
        raise ValueError(f"nullities by invariant factors are for the usual patterns, not {pattern!r:.60}")
    # PLUS is s + (t + 1): with t + 1 in place of t in the rows' factors, the operator is a sum of two variables, as for
    # NEIGHBOURS, and its cokernel comes from common divisors.
    variable = 0b11 if pattern == PLUS else 0b10
    across = invariant_factors(columns, wrap in COLUMNS)
    down = invariant_factors(rows, wrap in ROWS, variable)
    if pattern == KING:  # a product of operators, singular where t = 1
        # A polynomial over GF(2) has the root 1 if its number of terms is even.
        singular, others = (sum(factor.bit_count() % 2 == 0 for factor in factors) for factors in (across, down))
        # The kernel of a tensor product: of one factor, or of the other, and what both have is counted once.
        return rows * singular + columns * others - singular * others
    if pattern == DIAGONAL:  # s = 1/t
        down = tuple(int(f"{factor:b}"[::-1], 2) for factor in down)  # without the root 0, which others may have
    return sum(euclid(*pair)[0].bit_length() - 1 for pair in product(across, down))


def board_nullity(board: Board) -> int | None:
    """Return the nullity of a board, missing cells included; None if it would take more than about a second."""
    if board.pattern in KNOWN and board.missing is None:
        return nullity_by_factors(board.rows, board.columns, board.pattern, board.wrap)
    # An extra witness of the number of solutions is not worth minutes of elimination.
    if elimination_work(board.rows, board.columns, board) > _QUICK_WORK:
        return None
    return BoardSystem(board).nullity


def count_up_to(board: Board, limit: int) -> int:
    """Count up to ``limit`` solutions."""
    system = BoardSystem(board)
    # The exponent is capped first: 2^nullity of a large board is a number of thousands of digits.
    return 0 if system.contradictions else min(limit, 1 << min(system.nullity, limit.bit_length()))
