"""Nonograms with given properties, and the repair of pictures; every request ends, or is rejected with a reason."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from crosslit.errors import GaveUp
from crosslit.grid import Grid
from crosslit.kinds.chance import random_grid, shuffled
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit_generate.constrained import check_size

T = TypeVar("T", bound=CluePuzzle)

MAX_JUDGED = 625  # maximum cells of a nonogram whose difficulty is determined

DIFFICULTIES = ("line", "probe", "search")
"""Difficulty levels reported by `line`: decided by line solving, by probing single cells, or by guesses."""

_THINNER = {"probe": 0.4, "search": 0.4}  # densities at which a difficulty is most frequent
_SOLUTIONS = 4  # maximum solutions examined to find the open cells
_CANDIDATES = 6  # cells tried in every step
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
    tries: int = 200  # maximum number of pictures made to reach a difficulty


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
    """Return a nonogram with the required properties: a random picture, repaired to uniqueness if required.

    Raises:
        ValueError: if there is none, or deciding that would take too long.
        GaveUp: if no picture had the difficulty.
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


def from_picture(
    picture: Grid, unique: bool, on_step: Callable[[str], None] = lambda _: None
) -> GeneratedNonogram[Nonogram]:
    """Return the nonogram of a picture, or on request of a similar one whose clues have no other solution."""
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


def repair(picture: Grid, on_step: Callable[[int], None] = lambda _: None) -> Grid:
    """Return a picture near ``picture`` that is the only solution of its clues, by the claim of `hybrid`.

    If there is another solution, some cells in which it differs are tried, and the change that leaves the fewest cells
    that differ between solutions is kept; while these are many, some are filled without trying. No cell is changed
    twice, so it terminates. The number of changed cells need not be minimal.
    """
    # Its own sequence, so that the repair of a picture does not depend on how the picture was made.
    rng = random.Random("repair 0")
    rows, columns = picture.rows, picture.columns
    bits, changed = picture.bits, 0
    open_cells = _open_cells(picture)
    while open_cells:
        on_step(open_cells.bit_count())
        free = [cell for cell in range(rows * columns) if (open_cells & ~changed) >> cell & 1]
        if not free:
            raise GaveUp("every open cell was changed, and the clues still have several solutions")
        empty = [cell for cell in free if not bits >> cell & 1]
        # Trying six candidates for every cell did not end in a minute for 30 x 30 at density 0.35; this takes 12 s.
        if len(free) > _MANY and empty:
            for cell in shuffled(rng, empty)[: len(free) // _AT_A_TIME]:
                bits |= 1 << cell
                changed |= 1 << cell
            open_cells = _open_cells(Grid.from_bits(rows, columns, bits))
            continue
        tried: list[tuple[int, int, int, int]] = []
        for cell in shuffled(rng, free)[:_CANDIDATES]:
            left = _open_cells(Grid.from_bits(rows, columns, bits ^ 1 << cell))
            # The number of the attempt breaks ties, so that the result does not depend on the cell's place.
            tried.append((left.bit_count(), len(tried), cell, left))
            # Nothing can be better than no open cell.
            if not left:
                break
        _, _, cell, open_cells = min(tried)
        bits ^= 1 << cell
        changed |= 1 << cell
    return Grid.from_bits(rows, columns, bits)


def _open_cells(picture: Grid) -> int:
    """Return the number of cells in which a picture differs from some solutions of the picture's clues."""
    from crosslit.questions.solve import solutions

    # Two solutions show that there are several; a few more show more of the cells that vary.
    found = itertools.islice(solutions(Nonogram.of(picture), "hybrid"), _SOLUTIONS)
    open_cells = 0
    for grid in found:
        open_cells |= grid.bits ^ picture.bits
    return open_cells
