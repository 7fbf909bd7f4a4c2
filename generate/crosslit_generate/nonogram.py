"""Nonograms with given properties, and the repair of pictures; every request ends, or is rejected with a reason."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, get_args

from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract.family import check_size, pick, random_grid, shuffled
from crosslit.kinds.nonogram.colours import ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.making import random_colours
from crosslit.kinds.nonogram.puzzle import Nonogram

T = TypeVar("T", bound=Nonogram)

MAX_JUDGED = 625  # maximum cells of a nonogram whose difficulty is determined
MAX_TRIES = 200  # pictures made to reach a difficulty, or changes of the given one

Difficulty = Literal["line", "probe", "search"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
"""Difficulty levels reported by `line`: decided by line solving, by probing single cells, or by guesses."""

_THINNER = {"probe": 0.4, "search": 0.4}  # densities at which a difficulty is most frequent
_SOLUTIONS = 4  # maximum solutions examined to find the open cells
_CANDIDATES = 6  # cells tried in every step
_CHANGED = 10  # by default, a picture changes in at most one of that many cells to reach a difficulty
# open cells: with more, trying is uninformative, and several are filled at once, because thick pictures have few
# solutions
_MANY = 40
_AT_A_TIME = 20  # one of that many open cells is filled


@dataclass(frozen=True)
class NonogramOrder:
    """The required properties of a nonogram."""

    rows: int
    columns: int
    density: float | None = None  # the probability that a cell is filled, before repair; None for the default
    unique: bool = False
    difficulty: str | None = None  # one of `DIFFICULTIES`, of a puzzle with one solution; None for any
    picture: Grid | None = None  # to start from; None for random pictures
    max_changes: int | None = None  # maximum number of cells in which the result differs from ``picture``


@dataclass(frozen=True)
class GeneratedNonogram(Generic[T]):
    """A nonogram, and the properties that were required."""

    puzzle: T
    picture: Grid  # the solution from which it was made
    changed: int = 0  # number of cells in which ``picture`` differs from the given one, or from the first random one
    unique: bool | None = None
    difficulty: str | None = None


def nonogram_to_order(
    order: NonogramOrder, rng: random.Random, on_step: Callable[[str], None] = lambda _: None
) -> GeneratedNonogram[Nonogram]:
    """Return a nonogram with the required properties: a random picture, repaired to uniqueness if required."""
    check_size(order.rows, order.columns)
    density = order.density if order.density is not None else _THINNER.get(order.difficulty or "", 0.5)

    def start() -> Grid:
        return order.picture or random_grid(rng, order.rows, order.columns, density)

    bound = order.max_changes
    if order.difficulty is None and bound is None:
        return from_picture(start(), order.unique, on_step)
    if order.difficulty and order.rows * order.columns > MAX_JUDGED:
        raise ValueError(f"difficulty is determined only up to {MAX_JUDGED} cells")
    if order.picture and bound is None:
        bound = order.rows * order.columns // _CHANGED
    for number in range(MAX_TRIES):
        on_step(f"picture {number + 1} of {MAX_TRIES}")
        picture, flips, seed = start(), 0, 0
        if bound is not None:  # each attempt changes other cells before the repair, first none, and repairs otherwise
            flips, seed = (number % (bound + 1) if order.difficulty else 0), number
        try:
            generated = from_picture(_flipped(picture, flips, rng), True, on_step, seed)
        except GaveUp:  # a picture that cannot be repaired does not have the difficulty
            continue
        changed = _differing(picture, generated.picture)
        if bound is not None and changed > bound:
            continue
        word = difficulty(generated.puzzle) if order.difficulty else None
        if word == order.difficulty:
            return GeneratedNonogram(generated.puzzle, generated.picture, changed, True, word)
    wanted = f"has the difficulty {order.difficulty}" if order.difficulty else "has one solution"
    if bound is not None:
        advice = "allow more with --max-changes"
        if not bound and order.difficulty is None:
            raise GaveUp(f"the picture as it is has several solutions: {advice}")
        raise GaveUp(f"none of {MAX_TRIES} attempts with at most {bound} changed cells {wanted}: {advice}")
    # of such pictures, repaired to uniqueness, one in 14 needs a search, and four in five need probing
    advice = "density 0.6" if order.difficulty == "line" else "size 15 and density 0.4"
    raise GaveUp(f"none of {MAX_TRIES} pictures {wanted}: try {advice}")


def from_picture(
    picture: Grid, unique: bool, on_step: Callable[[str], None] = lambda _: None, seed: int = 0
) -> GeneratedNonogram[Nonogram]:
    """Return the nonogram of a picture, or on request of a similar one whose clues have no other solution."""
    return similar(picture, Nonogram.of, "hybrid" if unique else None, on_step, seed)


def random_coloured(
    rng: random.Random, rows: int, columns: int, colours: int, density: float, unique: bool
) -> GeneratedNonogram[ColouredNonogram]:
    """Return the nonogram of a random picture in colours, or of a similar one that is its only solution."""
    picture, palette = random_colours(rng, rows, columns, colours, density), usual_palette(colours)
    return similar(picture, lambda grid: ColouredNonogram.of(grid, palette=palette), "line" if unique else None)


def similar(
    picture: Grid,
    puzzle_of: Callable[[Grid], T],
    backend: str | None,
    on_step: Callable[[str], None] = lambda _: None,
    seed: int = 0,
) -> GeneratedNonogram[T]:
    """Return the puzzle of a picture, or of a similar one whose clues have no other solution by a backend's claim."""
    if backend is None:
        return GeneratedNonogram(puzzle_of(picture), picture)
    repaired = repair(picture, puzzle_of, backend, on_step, seed)
    return GeneratedNonogram(puzzle_of(repaired), repaired, _differing(picture, repaired), True)


def _differing(picture: Grid, other: Grid) -> int:
    return sum(value != new for value, new in zip(picture.text, other.text, strict=True))


def _flipped(picture: Grid, count: int, rng: random.Random) -> Grid:
    """Return a picture with some cells flipped that differ from a neighbour: at outlines it changes the look least."""
    rows, columns, values = picture.rows, picture.columns, picture.array().tolist()

    def is_outline(row: int, column: int) -> bool:
        nearby = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        inside = [(r, c) for r, c in nearby if 0 <= r < rows and 0 <= c < columns]
        return any(values[r][c] != values[row][column] for r, c in inside)

    cells = [(row, column) for row in range(rows) for column in range(columns)]
    outline = [cell for cell in cells if is_outline(*cell)]
    bits = picture.bits
    for row, column in shuffled(rng, outline or cells)[:count]:
        bits ^= 1 << (row * columns + column)
    return Grid.from_bits(rows, columns, bits)


def difficulty(puzzle: Nonogram) -> str:
    """Return the difficulty of a nonogram by the backend `line`."""
    from crosslit import registry
    from crosslit.contract import Task
    from crosslit.runs.job import drive

    choice = registry.select_one("line", puzzle, "solutions")
    task = Task("solutions", 1, None, choice.options)
    for _ in drive(choice.backend, puzzle, task):
        break
    return str(task.stats.get("difficulty", ""))


def repair(
    picture: Grid,
    puzzle_of: Callable[[Grid], Nonogram],
    backend: str,
    on_step: Callable[[str], None],
    seed: int = 0,
) -> Grid:
    """Return a picture near ``picture`` that is the only solution of its clues, by the claim of a backend.

    If there is another solution, some cells in which it differs are tried, and the change that leaves the fewest cells
    that differ between solutions is kept; while these are many, some are filled without trying. No cell is changed
    twice, so it terminates. The number of changed cells need not be minimal.
    """
    # Its own sequence, so that the repair of a picture does not depend on how the picture was made.
    rng = random.Random(f"repair {seed}")
    layout = Layout(picture.rows, picture.columns, picture.states)
    values = [int(value) for value in picture.array().ravel()]
    changed = set[int]()

    def changed_at(cell: int) -> list[int]:
        others = [value for value in range(layout.states) if value != values[cell]]
        return [*values[:cell], others[0] if len(others) == 1 else pick(rng, others), *values[cell + 1 :]]

    def open_cells(values: list[int]) -> list[int]:
        return _open_cells(puzzle_of(layout.pack(values)), backend, values)

    left = open_cells(values)
    while left:
        on_step(f"repair, {len(left)} cells open")
        free = [cell for cell in left if cell not in changed]
        if not free:
            raise GaveUp("every open cell was changed, and the clues still have several solutions")
        empty = [cell for cell in free if not values[cell]]
        # Trying six candidates for every cell did not end in a minute for 30 x 30 at density 0.35; this takes 12 s.
        if len(free) > _MANY and empty:
            for cell in shuffled(rng, empty)[: len(free) // _AT_A_TIME]:
                values = changed_at(cell)
                changed.add(cell)
            left = open_cells(values)
            continue
        tried: list[tuple[int, int, int, list[int], list[int]]] = []
        for cell in shuffled(rng, free)[:_CANDIDATES]:
            after = changed_at(cell)
            # The number of the attempt breaks ties, so that the result does not depend on the cell's place.
            tried.append((len(still := open_cells(after)), len(tried), cell, after, still))
            # Nothing can be better than no open cell.
            if not still:
                break
        _, _, cell, values, left = min(tried)
        changed.add(cell)
    return layout.pack(values)


def _open_cells(puzzle: Nonogram, backend: str, values: list[int]) -> list[int]:
    """Return the cells in which the given values differ from those of some solutions."""
    from crosslit.questions.solve import solutions

    # Two solutions show that there are several; a few more show more of the cells that vary.
    found = [grid.array().ravel().tolist() for grid in itertools.islice(solutions(puzzle, backend), _SOLUTIONS)]
    return [cell for cell, value in enumerate(values) if any(other[cell] != value for other in found)]
