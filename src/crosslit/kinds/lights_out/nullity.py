"""Nullities and solutions of Lights Out boards, by polynomials if the rules allow it, otherwise by elimination."""

from __future__ import annotations

from crosslit.grid import Grid
from crosslit.kinds.lights_out.board_system import BoardSystem, elimination_work
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.first_row import first_row_space
from crosslit.kinds.lights_out.invariant_factors import KNOWN, nullity_by_factors
from crosslit.kinds.lights_out.puzzle import PLUS, LightsOut, Offset, Wrap

_QUICK_WORK = 2_000_000


def nullity(rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none") -> int:
    """Return the nullity of boards of a size: a solvable board has exactly 2^nullity solutions.

    The nullity is the dimension of the kernel, the space of "quiet patterns" that change no light. For the usual
    patterns and any joined edges it comes from polynomials, without a matrix as large as the board (see
    `crosslit.kinds.lights_out.invariant_factors`). Boards of other patterns are eliminated.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        pattern: the cells that a press toggles, as in `LightsOut`.
        wrap: which edges are joined, as in `LightsOut`.

    Returns:
        The dimension, from 0 to ``rows * columns``.

    Raises:
        ValueError: if a size is below 1, or the pattern or the wrap does not exist.

    See Also:
        gods_number: the most presses that any board of a size needs.

    References:
        For squares OEIS A159257; on a torus A165738.

    Examples:
        >>> [nullity(size, size) for size in range(1, 20)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16]
        >>> [nullity(size, size, wrap="torus") for size in range(1, 11)]
        [0, 0, 4, 0, 8, 8, 0, 0, 4, 16]
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one row and one column, not {rows} x {columns}")
    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    if has_known_nullity(rules):
        return nullity_by_factors(rows, columns, rules.pattern, wrap)
    return BoardSystem(LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)).nullity


def has_known_nullity(board: LightsOut) -> bool:
    """Return whether the nullity of boards of these rules can be computed without elimination.

    Examples:
        >>> has_known_nullity(LightsOut(Grid.from_text("0"), wrap="torus"))
        True
    """
    return board.pattern in KNOWN and board.missing is None


def board_nullity(board: LightsOut) -> int | None:
    """Return the nullity of a board, missing cells included; None if it would take more than about a second.

    Examples:
        >>> board_nullity(LightsOut(Grid.from_text("0000"), missing=Grid.from_text("0100")))
        1
    """
    if has_known_nullity(board):
        return nullity_by_factors(board.rows, board.columns, board.pattern, board.wrap)
    # An extra witness of the number of solutions is not worth minutes of elimination.
    if elimination_work(board.rows, board.columns, board) > _QUICK_WORK:
        return None
    return BoardSystem(board).nullity


def solution_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution of a board (None if there is none) and a basis of the kernel.

    Cell (r, c) is bit r * columns + c. Polynomials are used if the chase from the first row works, otherwise
    elimination.

    Examples:
        >>> solution, kernel = solution_space(LightsOut(Grid.from_text("00000/00000")))
        >>> solution, [Grid.from_bits(2, 5, quiet).text() for quiet in kernel]
        (0, ['10101/10101'])
    """
    if why_no_chase(board) is not None:
        system = BoardSystem(board)
        return system.particular(), list(system.kernel())
    return first_row_space(board)


def count_up_to(board: LightsOut, most: int) -> int:
    """Count up to ``most`` solutions."""
    solution, kernel = solution_space(board)
    # The exponent is capped first: 2^nullity of a large board is a number of thousands of digits.
    return 0 if solution is None else min(most, 1 << min(len(kernel), most.bit_length()))
