"""Boards with given properties, and nullities; every request ends, or is rejected with a reason."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from operator import index

from crosslit.algebra.boards import BoardSystem, elimination_work
from crosslit.algebra.chase import why_no_chase
from crosslit.algebra.nullity import KNOWN, nullity_by_factors
from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid
from crosslit.contract.family import check_size, pick, random_grid, shuffled
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import PLUS, Offset, Wrap

MAX_WORK = 200_000_000  # row operations of an elimination: a few seconds
MAX_QUIET = 24  # dimensions of a kernel that is searched for the fewest presses

_TRIES = 200
_CLIMB = 1000  # steps; fewer if one takes longer
_LONGEST_SQUARE, _LONGEST_SIDE = 60, 24  # maximum sizes in the search for a nullity


@dataclass(frozen=True)
class BoardSpec:
    """The required properties of a Lights Out board."""

    rows: int
    columns: int
    rules: LightsOut  # any board with the press pattern and joined edges
    solvable: bool | None = True  # None for random lights, which may have a solution
    presses: int = 0  # minimum presses of its solutions; above 0, it is solvable

    @property
    def dark(self) -> LightsOut:
        """The board of this size with no light on."""
        return self.lit(Grid.from_bits(self.rows, self.columns, 0))

    def lit(self, grid: Grid) -> LightsOut:
        """Return the board with these lights."""
        return LightsOut(grid, self.rules.pattern, self.rules.wrap)

    def nullity(self) -> int:
        """Return the nullity of such boards; raise a `ValueError` if that takes too long."""
        why = why_no_chase(self.rules)
        if why and elimination_work(self.rows, self.columns, self.rules) > MAX_WORK:
            raise ValueError(f"{self.rows} x {self.columns} is too large for elimination, and {why}")
        return nullity(self.rows, self.columns, self.rules.pattern, self.rules.wrap)


def nullity(rows: int, columns: int | None = None, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none") -> int:
    """Return the nullity of boards of a size: a solvable board has exactly 2^nullity solutions.

    The nullity is the dimension of the kernel, the space of "quiet patterns" that change no light. For the usual
    patterns and any joined edges it comes from polynomials, without a matrix as large as the board (see
    `crosslit.algebra.nullity`). Boards of other patterns are eliminated.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1; by default that of rows.
        pattern: the cells that a press toggles, as in `LightsOut`.
        wrap: which edges are joined, as in `LightsOut`.

    Returns:
        The dimension, from 0 to ``rows * columns``.

    Raises:
        TypeError: if a size is not a whole number.
        ValueError: if a size is below 1, or the pattern or the wrap does not exist.

    References:
        For squares OEIS A159257; on a torus A165738.

    Examples:
        >>> [nullity(size) for size in range(1, 20)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16]
        >>> [nullity(size, size, wrap="torus") for size in range(1, 11)]
        [0, 0, 4, 0, 8, 8, 0, 0, 4, 16]
    """
    rows, columns = index(rows), index(rows if columns is None else columns)
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one row and one column, not {rows} x {columns}")
    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    if rules.pattern in KNOWN:
        return nullity_by_factors(rows, columns, rules.pattern, wrap)
    return BoardSystem(LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)).nullity


def size_of_nullity(wanted: int, rules: LightsOut) -> tuple[int, int]:
    """Return the smallest square whose boards have a nullity, or else the smallest rectangle."""
    # Rules without a chase need an elimination for every size, which takes far longer, so fewer sizes are tried.
    part = 1 if why_no_chase(rules) is None else 3
    square, side = _LONGEST_SQUARE // part, _LONGEST_SIDE // part
    squares = [(size, size) for size in range(1, square + 1)]
    rectangles = sorted(itertools.product(range(1, side + 1), repeat=2), key=lambda size: (size[0] * size[1], size))
    for rows, columns in [*squares, *rectangles]:
        if nullity(rows, columns, rules.pattern, rules.wrap) == wanted:
            return rows, columns
    raise ValueError(f"no square up to {square} x {square} and no board up to {side} x {side} has nullity {wanted}")


def board_to_order(order: BoardSpec, rng: random.Random) -> LightsOut:
    """Return a board with the required properties; a `ValueError` if there is none, a `GaveUp` if none was found."""
    check_size(order.rows, order.columns)
    if order.presses:
        return _demanding(order, rng)
    if order.solvable is None:
        return order.lit(random_grid(rng, order.rows, order.columns))
    if not order.solvable:
        return _unsolvable(order, rng)
    # Pressing a dark board makes it solvable without a solver, by the very presses.
    return order.dark.pressed(random_grid(rng, order.rows, order.columns))


def _unsolvable(order: BoardSpec, rng: random.Random) -> LightsOut:
    """Return an unsolvable board: with a positive nullity, at least half of all boards are."""
    if not order.nullity():
        raise ValueError(f"every board of {order.rows} x {order.columns} has a solution: its nullity is 0")
    for _ in range(_TRIES):
        board = order.lit(random_grid(rng, order.rows, order.columns))
        if not solvable(board):
            return board
    raise GaveUp(f"all of {_TRIES} boards had a solution")


def solvable(board: LightsOut) -> bool:
    """Return whether a board has a solution, by algebra."""
    from crosslit.questions.solve import solve

    if why_no_chase(board) is None:
        return solve(board, "polynomial") is not None
    return BoardSystem(board).particular() is not None


def _demanding(order: BoardSpec, rng: random.Random) -> LightsOut:
    """Return a board that needs at least ``order.presses`` presses.

    A random search adds one press at a time, unless the board would then need fewer presses.
    """
    quiet, wanted = order.nullity(), order.presses
    if wanted > order.rows * order.columns:
        raise ValueError(f"no board of {order.rows} x {order.columns} needs {wanted} presses: it has fewer cells")
    if quiet > MAX_QUIET:
        raise ValueError(f"the fewest of 2^{quiet} solutions are not searched for here: at most 2^{MAX_QUIET}")
    presses = random_grid(rng, order.rows, order.columns)
    if presses.count() < wanted:
        # A board made by some presses never needs more than these, so begin with at least as many as are wanted.
        cells = shuffled(rng, range(order.rows * order.columns))[:wanted]
        presses = Grid.from_bits(order.rows, order.columns, sum(1 << cell for cell in cells))
    board = _climbed(order.dark.pressed(presses), wanted, rng, quiet)
    if board is None:
        raise GaveUp(f"no board that needs {wanted} presses was found")
    return board


def _climbed(board: LightsOut, wanted: int, rng: random.Random, quiet: int) -> LightsOut | None:
    cells = board.rows * board.columns
    presses = _fewest(board)
    # The fewest presses cost time that doubles with each dimension of the kernel, so fewer steps are made.
    for _ in range(_CLIMB if quiet <= 12 else _CLIMB // 20):
        if presses.count() >= wanted:
            return board
        free = [cell for cell in range(cells) if not presses.bits >> cell & 1]
        further = board.pressed(Grid.from_bits(board.rows, board.columns, 1 << pick(rng, free)))
        fewest = _fewest(further)
        # Equal counts are accepted too, so that the search can cross a plateau.
        if fewest.count() >= presses.count():
            board, presses = further, fewest
    return board if presses.count() >= wanted else None


def _fewest(board: LightsOut) -> Grid:
    from crosslit.questions.solve import fewest

    found = fewest(board)
    if found is None:
        raise AssertionError("a board that was made by presses has no solution")
    return found
