"""The data of a board for its page, and the solvers whose steps the page shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crosslit.base.grid import Grid
from crosslit.kinds.lights_out.board_system import elimination_work
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.nullity import solution_space
from crosslit.kinds.lights_out.puzzle import LightsOut

MAX_QUIET = 16
"""Maximum dimension of a kernel that a page searches for the fewest presses after every press."""
_MAX_WORK = 20_000_000  # row operations: a few seconds
_MAX_CHASED = 120_000  # cells of all first rows of a board, chased: the page repeats that


def page(board: LightsOut) -> dict[str, Any]:
    """Return the rules of a board, its lights, and its kernel if a page can use it."""
    nullity: int | None = None
    kernel: list[str] | None = None
    if why_no_chase(board) is None or elimination_work(board.rows, board.columns, board) <= _MAX_WORK:
        _, basis = solution_space(board)
        nullity = len(basis)
        if nullity <= MAX_QUIET:
            kernel = [Grid.from_bits(board.rows, board.columns, quiet).text() for quiet in basis]
    return {
        "lit": board.lit.text(),
        "missing": None if board.missing is None else board.missing.text(),
        "pattern": board.pattern,
        "joined": {"rows": board.wraps_rows, "columns": board.wraps_columns},
        "settings": list(board.settings),
        "nullity": nullity,
        "kernel": kernel,
    }


def stories(board: LightsOut) -> Iterator[tuple[str, str, str]]:
    """Yield the solvers whose steps a page shows."""
    if why_no_chase(board) is not None:
        yield "gauss", "gauss: elimination, light by light", ""
        return
    yield "polynomial", "polynomial: one chase and one congruence", ""
    if board.columns <= 10 and board.rows * board.columns << board.columns <= _MAX_CHASED:
        yield "first-row", "first-row: every first row, chased", ""
