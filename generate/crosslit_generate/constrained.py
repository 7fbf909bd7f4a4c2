"""Puzzles with given properties; every request either ends, or is rejected with a reason."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

from crosslit.errors import GaveUp, wrong_type
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram
from crosslit.kinds.chance import pick, random_grid, seeded, shuffled
from crosslit.kinds.lights_out.board_system import BoardSystem, elimination_work
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.format import pattern
from crosslit.kinds.lights_out.nullity import nullity, solution_space
from crosslit.kinds.lights_out.puzzle import Wrap
from crosslit_generate.uniqueness import repair

MAX_CELLS = 25_000_000  # a few seconds
MAX_WORK = 200_000_000  # row operations of an elimination: a few seconds
MAX_QUIET = 24  # dimensions of a kernel that is searched for the fewest presses
MAX_JUDGED = 625  # maximum cells of a nonogram whose difficulty is determined

DIFFICULTIES = ("line", "probe", "search")
"""Difficulty levels reported by `line`: decided by line solving, by probing single cells, or by guesses."""

_TRIES = 200
_CLIMB = 1000  # steps; fewer if one takes longer
_LONGEST_SQUARE, _LONGEST_SIDE = 60, 24  # maximum sizes in the search for a nullity
_THINNER = {"probe": 0.4, "search": 0.4}  # densities at which a difficulty is most frequent


def generate(
    kind: str,
    size: int | tuple[int, int],
    *,
    count: int = 1,
    seed: int = 0,
    density: float | None = None,
    unique: bool = False,
    difficulty: str | None = None,
    solvable: bool = True,
    min_presses: int = 0,
    press: str = "plus",
    wrap: Wrap = "none",
) -> list[LightsOut | Nonogram]:
    """Return random puzzles; equal arguments give equal puzzles, those of the command `crosslit generate`.

    Args:
        kind: ``lights-out`` or ``nonogram``.
        size: rows and columns, or one number for a square.
        count: number of puzzles.
        seed: seed of the random numbers.
        density: nonograms: the fraction of filled cells, from 0 to 1; by default 0.5, and 0.4 with a difficulty.
        unique: nonograms: change cells of the picture until there is one solution.
        difficulty: nonograms: with one solution that needs only ``line`` solving, ``probe`` of cells, or ``search``.
        solvable: boards: whether it has a solution.
        min_presses: boards: no solution has fewer presses.
        press: boards: the cells that a press toggles, ``plus``, ``neighbours``, ``king``, ``diagonal`` or a picture.
        wrap: boards: the edges that are joined, ``none``, ``horizontal``, ``vertical`` or ``torus``.

    Returns:
        The puzzles, ``count`` of them.

    Raises:
        GaveUp: if no such puzzle was found.
        TypeError: if the size is neither a number nor a pair.
        ValueError: if there are no such puzzles, or an argument is out of range.

    See Also:
        audit: checks the properties of puzzles.
        write: writes puzzles to a file.

    Examples:
        >>> generate("nonogram", 4, unique=True, seed=1)[0].text
        '1 1,1 1,1,1|2 1,1,0,2'
        >>> [board.text for board in generate("lights-out", (2, 3), count=2)]
        ['010/010', '101/000']
    """
    rows, columns = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise wrong_type("a size such as 5 or (5, 7)", size)
    if min(rows, columns, count) < 1 or not 0 <= (density or 0) <= 1:
        raise ValueError("rows, columns and count are at least 1, and a density is from 0 to 1")
    if kind == Nonogram.kind:
        if difficulty not in (None, *DIFFICULTIES):
            raise ValueError(f"a difficulty is one of {', '.join(DIFFICULTIES)}, not {difficulty!r:.40}")
        order = NonogramOrder(rows, columns, density, unique, difficulty)
        # Each number has a source of random numbers for itself, so puzzle 7 is the same whether 7 or 100 are made.
        return [nonogram_to_order(order, seeded(kind, seed, number)).puzzle for number in range(1, count + 1)]
    if kind != LightsOut.kind:
        raise ValueError(f"the kind is {LightsOut.kind} or {Nonogram.kind}, not {kind!r:.40}")
    if min_presses and not solvable:
        raise ValueError("a board without a solution has no fewest presses")
    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern(press, "press"), wrap)
    board = BoardSpec(rows, columns, rules, solvable, min_presses)
    return [board_to_order(board, seeded(kind, seed, number)) for number in range(1, count + 1)]


@dataclass(frozen=True)
class BoardSpec:
    """The required properties of a Lights Out board.

    Args:
        rows: number of rows.
        columns: number of columns.
        rules: any board with the press pattern and joined edges.
        solvable: whether it has a solution; None for random lights, which may have one.
        presses: minimum presses of its solutions; above 0, it is solvable.
    """

    rows: int
    columns: int
    rules: LightsOut
    solvable: bool | None = True
    presses: int = 0

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


def check_size(rows: int, columns: int) -> None:
    """Raise a `ValueError` if making the puzzle would take too long."""
    if rows * columns > MAX_CELLS:
        raise ValueError(f"{rows} x {columns} are more than {MAX_CELLS:,} cells")


def size_of_nullity(wanted: int, rules: LightsOut) -> tuple[int, int]:
    """Return the smallest square whose boards have a nullity, or else the smallest rectangle.

    Raises:
        ValueError: if there is none among squares up to 60 x 60 and rectangles up to 24 x 24 (a third of that for rules
            that need elimination).

    Examples:
        >>> board = LightsOut(Grid.from_text("0"))
        >>> [size_of_nullity(wanted, board) for wanted in (0, 1, 2, 4, 8)]
        [(1, 1), (1, 2), (5, 5), (4, 4), (9, 9)]
    """
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
    """Return a board with the required properties.

    Raises:
        ValueError: if there is none, or deciding that would take too long.
        GaveUp: if none was found.

    Examples:
        >>> rules = LightsOut(Grid.from_text("0"))
        >>> board_to_order(BoardSpec(4, 4, rules, solvable=False), random.Random(1)).text
        '1001/1100/1101/0110'
    """
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
    if why_no_chase(board) is None:
        return solution_space(board)[0] is not None
    return BoardSystem(board).particular() is not None


def _demanding(order: BoardSpec, rng: random.Random) -> LightsOut:
    """Return a board that needs at least ``order.presses`` presses.

    A random search adds one press at a time, unless the board would then need fewer presses. If the search fails, the
    result is a board that needs the most presses of its size (`gods_number`), if that many are enough.

    Raises:
        ValueError: if no such board exists, or the kernel has too many elements to search.
        GaveUp: if none was found, and the maximum for this size is unknown.
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
    if board is not None:
        return board
    from crosslit_generate.gods_number import gods_number

    try:
        maximum, worst = gods_number(order.rows, order.columns, order.rules.pattern, order.rules.wrap)
    except ValueError as error:
        raise GaveUp(f"no board that needs {wanted} presses was found; the maximum is unknown: {error}") from None
    if maximum < wanted:
        raise ValueError(f"no board of {order.rows} x {order.columns} needs more than {maximum} presses")
    return worst


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


@dataclass(frozen=True)
class NonogramOrder:
    """The required properties of a nonogram.

    Args:
        rows: number of rows.
        columns: number of columns.
        density: the probability that a cell is filled, before repair; None for the default.
        unique: whether it has one solution.
        difficulty: one of `DIFFICULTIES`, of a puzzle with one solution; None for any.
        tries: maximum number of pictures made to reach a difficulty.
    """

    rows: int
    columns: int
    density: float | None = None
    unique: bool = False
    difficulty: str | None = None
    tries: int = 200


@dataclass(frozen=True)
class GeneratedNonogram:
    """A nonogram and its properties.

    Args:
        puzzle: the nonogram.
        picture: the solution from which it was made.
        changed: number of cells in which ``picture`` differs from the given one, or from the first random one.
        unique: True if that was required.
        difficulty: the difficulty, if that was required.
    """

    puzzle: Nonogram
    picture: Grid
    changed: int = 0
    unique: bool | None = None
    difficulty: str | None = None


def nonogram_to_order(
    order: NonogramOrder, rng: random.Random, on_step: Callable[[str], None] = lambda _: None
) -> GeneratedNonogram:
    """Return a nonogram with the required properties: a random picture, repaired to uniqueness if required.

    Raises:
        ValueError: if there is none, or deciding that would take too long.
        GaveUp: if no picture had the difficulty.

    Examples:
        >>> made = nonogram_to_order(NonogramOrder(4, 4, difficulty="probe"), random.Random(1))
        >>> made.unique, made.difficulty
        (True, 'probe')
    """
    check_size(order.rows, order.columns)
    density = order.density if order.density is not None else _THINNER.get(order.difficulty or "", 0.5)
    if order.difficulty is None:
        picture = random_grid(rng, order.rows, order.columns, density)
        return from_picture(picture, order.unique, on_step)
    if order.rows * order.columns > MAX_JUDGED:
        raise ValueError(f"difficulty is determined only up to {MAX_JUDGED} cells")
    for number in range(1, order.tries + 1):
        on_step(f"picture {number} of {order.tries}")
        try:
            generated = from_picture(random_grid(rng, order.rows, order.columns, density), True)
        except GaveUp:  # a picture that cannot be repaired does not have the difficulty
            continue
        word = difficulty(generated.puzzle)
        if word == order.difficulty:
            return GeneratedNonogram(generated.puzzle, generated.picture, generated.changed, True, word)
    raise GaveUp(f"none of {order.tries} pictures has the difficulty {order.difficulty}: try another size or density")


def from_picture(picture: Grid, unique: bool, on_step: Callable[[str], None] = lambda _: None) -> GeneratedNonogram:
    """Return the nonogram of a picture, or on request of a similar one whose clues have no other solution.

    Raises:
        GaveUp: if no such picture was found.
    """
    if not unique:
        return GeneratedNonogram(Nonogram.of(picture), picture)
    repaired = repair(picture, on_step=lambda cells: on_step(f"repair, {cells} cells open"))
    return GeneratedNonogram(Nonogram.of(repaired), repaired, (repaired.bits ^ picture.bits).bit_count(), True)


def difficulty(puzzle: Nonogram) -> str:
    """Return the difficulty of a nonogram by the backend `line`."""
    from crosslit import registry
    from crosslit.contract import Task
    from crosslit.runs.inline import drive

    choice = registry.select_one("line", puzzle, "solutions")
    task = Task("solutions", 1, None, choice.options)
    for _ in drive(choice.backend, puzzle, task):
        break
    return str(task.stats.get("difficulty", ""))
