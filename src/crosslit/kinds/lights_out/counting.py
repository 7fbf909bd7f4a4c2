"""The number of solutions of a board, by algebra."""

from __future__ import annotations

from crosslit.kinds.lights_out.nullity import solution_space
from crosslit.kinds.lights_out.puzzle import LightsOut


def count_up_to(board: LightsOut, most: int) -> int:
    """Count up to ``most`` solutions."""
    solution, kernel = solution_space(board)
    # The exponent is capped first: 2^nullity of a large board is a number of thousands of digits.
    return 0 if solution is None else min(most, 1 << min(len(kernel), most.bit_length()))
