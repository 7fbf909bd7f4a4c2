"""The nullity of a board, and its solutions and quiet patterns by elimination."""

from __future__ import annotations

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.board_system import BoardSystem, elimination_work, first_row_system
from crosslit.kinds.lights_out.chase import chase, why_no_chase
from crosslit.kinds.lights_out.invariant_factors import KNOWN, nullity_by_factors
from crosslit.kinds.lights_out.puzzle import PLUS, LightsOut

_QUICK_WORK = 2_000_000


def board_nullity(board: LightsOut) -> int | None:
    """Return the nullity of a board, missing cells included; None if it would take more than about a second."""
    if board.pattern in KNOWN and board.missing is None:
        return nullity_by_factors(board.rows, board.columns, board.pattern, board.wrap)
    # An extra witness of the number of solutions is not worth minutes of elimination.
    if elimination_work(board.rows, board.columns, board) > _QUICK_WORK:
        return None
    return BoardSystem(board).nullity


def solution_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution of a board (None if there is none) and a basis of the kernel, by elimination.

    Cell (r, c) is bit r * columns + c. If the chase works, only the first row is eliminated.
    """
    if why_no_chase(board) is not None:
        system = BoardSystem(board)
        return system.particular(), list(system.kernel())
    columns, stay, lit, dark = board.columns, board.pattern == PLUS, board.lit.row_bits(), [0] * board.rows
    first_row = first_row_system(board.rows, columns, chase(lit, 0, columns, stay)[1], stay)
    first, quiet = first_row.particular(), first_row.kernel()[:1]
    # Moving every press of a quiet first row to both neighbours gives another, so all follow from the one that ends
    # first.
    while len(quiet) < first_row.nullity:
        quiet.append((quiet[-1] << 1 ^ quiet[-1] >> 1) & (1 << columns) - 1)

    def chased(lights: list[int], row: int) -> int:
        return Grid.from_rows(chase(lights, row, columns, stay)[0], columns).bits

    return None if first is None else chased(lit, first), [chased(dark, row) for row in quiet]


def count_up_to(board: LightsOut, most: int) -> int:
    """Count up to ``most`` solutions."""
    solution, kernel = solution_space(board)
    # The exponent is capped first: 2^nullity of a large board is a number of thousands of digits.
    return 0 if solution is None else min(most, 1 << min(len(kernel), most.bit_length()))
