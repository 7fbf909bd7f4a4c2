"""One solution of a board of any rules and a basis of its quiet patterns, by the fastest method."""

from __future__ import annotations

from crosslit.kinds.lights_out.board_system import BoardSystem
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.puzzle import LightsOut
from crosslit_backends.lights_out.congruence import first_row_space


def solution_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution of a board (None if there is none) and a basis of the kernel.

    Cell (r, c) is bit r * columns + c. Polynomials are used if the chase from the first row works, otherwise
    elimination.
    """
    if why_no_chase(board) is not None:
        system = BoardSystem(board)
        return system.particular(), list(system.kernel())
    return first_row_space(board)
