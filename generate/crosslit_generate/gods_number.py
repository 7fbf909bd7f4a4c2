"""The most presses that any solvable board of a size needs."""

from __future__ import annotations

from crosslit.grid import Grid
from crosslit.kinds import LightsOut
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.puzzle import PLUS, Offset, Wrap

_MAX_WORK = 50_000_000  # row operations: about ten seconds


_MAX_QUIET = 64  # dimensions: beyond, even codes that split into parts take too long


def gods_number(
    rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none"
) -> tuple[int, LightsOut]:
    """Return the most presses that any solvable board of a size needs, and such a board.

    This is the maximum, over all solvable boards, of the fewest presses. It is exact: the covering radius of the code
    of quiet patterns, see `crosslit_generate.covering`. If the nullity is 0, every board has one solution, and the
    worst takes all presses.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        pattern: the cells that a press toggles, as in `LightsOut`.
        wrap: which edges are joined, as in `LightsOut`.

    Returns:
        The number of presses, and a board that needs them.

    Raises:
        ValueError: if there are no such boards, or the search would take more than about a minute.

    See Also:
        fewest: the fewest presses of one board.
        nullity: the dimension of the code.

    Examples:
        >>> from crosslit.questions.solve import fewest
        >>> [gods_number(size, size)[0] for size in (3, 4, 5)]
        [9, 7, 15]
        >>> _, board = gods_number(4, 4)
        >>> fewest(board).count()
        7
    """
    from crosslit.kinds.lights_out.board_system import elimination_work
    from crosslit.kinds.lights_out.nullity import nullity, solution_space
    from crosslit_generate.covering import covering_radius

    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    # Boards with a chase need no elimination: their nullity comes from polynomials.
    if why_no_chase(rules) and elimination_work(rows, columns, rules) > _MAX_WORK:
        raise ValueError(f"boards of {rows} x {columns} are too large for elimination, and {why_no_chase(rules)}")
    dimension = nullity(rows, columns, pattern, wrap)
    if dimension > _MAX_QUIET:
        raise ValueError(f"the worst of 2^{dimension} solutions each is out of reach: at most 2^{_MAX_QUIET}")
    dark = LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)
    _, kernel = solution_space(dark)
    number, presses = covering_radius(kernel, rows * columns)
    return number, dark.pressed(Grid.from_bits(rows, columns, presses))
