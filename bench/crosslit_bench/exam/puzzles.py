"""Puzzles of a grade whose number of solutions is as requested, from a random number generator."""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any, Literal, NamedTuple

from crosslit_generate.coloured_nonogram import random_coloured
from crosslit_generate.nonogram import from_picture
from crosslit_generate.solution_count import count_up_to

from crosslit.answer import Layout, differing
from crosslit.errors import GaveUp
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.chance import between, pick, random_grid
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit.questions.solve import solutions
from crosslit_bench.exam.lines import Grade, grade_of_board, grade_of_clues

Truth = Literal["one", "several", "none"]
"""Number of solutions: one (of a board: one or more), several, none."""

KINDS: tuple[str, ...] = (Nonogram.kind, LightsOut.kind, ColouredNonogram.kind, ModularLightsOut.kind)
"""The kinds with grades."""

MAX_SIZE = 20
"""Maximum rows; larger puzzles are not graded in reasonable time."""

_TRIES = 60
_COLOURS = 3
_MAX_SOLUTIONS = 50  # of a puzzle with several, so that they can be counted by hand
_STATES = (3, 4, 6)  # of modular boards: a prime, a power of a prime, a product
_MAX_WIDER = 12  # columns more than rows, until a shape has boards without a solution


Made = tuple[Puzzle, Grid | None]


class Drawn(NamedTuple):
    """A puzzle, and what it is for."""

    kind: str
    size: int
    question: str
    grade: Grade
    truth: Truth
    puzzle: Puzzle
    solution: Grid | None


def is_board(kind: str) -> bool:
    """Return whether puzzles of a kind are boards of lights, not nonograms."""
    return kind in (LightsOut.kind, ModularLightsOut.kind)


def puzzle_of(kind: str, size: int, grade: Grade, truth: Truth, rng: random.Random) -> Made:
    """Return a puzzle, and a solution if it has one; raise `GaveUp` if none is found, as for small ones with search."""
    for _ in range(_TRIES):
        found = (_board if is_board(kind) else _nonogram)(kind, size, truth, grade, rng)
        if found is not None:
            return found
    raise GaveUp(f"no {kind} of size {size} has the grade {grade}, with {truth} of its grids a solution")


def _nonogram(kind: str, size: int, truth: Truth, grade: Grade, rng: random.Random) -> Made | None:
    density = 0.55 if grade == "line" else 0.4
    made: Any
    try:
        if kind == Nonogram.kind:
            made = from_picture(random_grid(rng, size, size, density), truth == "one")
        else:
            made = random_coloured(rng, size, size, _COLOURS, density + 0.15, truth == "one")
    except GaveUp:  # a picture that cannot be repaired
        return None
    puzzle: CluePuzzle = made.puzzle
    solution, varying = made.picture, frozenset[int]()
    if truth == "none":
        puzzle, solution = _exchanged(puzzle, rng), None
        if count_up_to(puzzle, 1) or any(puzzle.contradictions()):  # neither solvable nor seen at a glance
            return None
    elif truth == "several":
        found = list(itertools.islice(solutions(puzzle), _MAX_SOLUTIONS + 1))
        if not 1 < len(found) <= _MAX_SOLUTIONS:
            return None
        cells = {cell for other in found[1:] for cell in differing(found[0], other).cells()}
        solution, varying = found[0], frozenset(row * size + column for row, column in cells)
    return (puzzle, solution) if grade_of_clues(puzzle, varying) == grade else None


def _exchanged(puzzle: CluePuzzle, rng: random.Random) -> CluePuzzle:
    """Return the puzzle with two clues of rows exchanged, so that all sums stay as they are."""
    clues = list(puzzle.row_clues)
    one, other = pick(rng, range(len(clues))), pick(rng, range(len(clues)))
    clues[one], clues[other] = clues[other], clues[one]
    return puzzle.with_clues(clues, puzzle.column_clues)


def _board(kind: str, size: int, truth: Truth, grade: Grade, rng: random.Random) -> Made | None:
    states = 2 if kind == LightsOut.kind else pick(rng, _STATES)
    rows, columns = shape(size, states)
    cells = [between(rng, 0, states - 1) for _ in range(rows * columns)]
    if truth == "none":
        board = _lit(Layout(rows, columns, states).pack(cells))
        return (board, None) if grade == "search" and not count_up_to(board, 1) else None
    # The presses of the first row decide the grade: the chase finds all others.
    guessed = {"line": 0, "probe": 1, "search": columns}[grade]
    kept = {pick(rng, range(columns)) for _ in range(guessed)}
    cells[:columns] = [cells[column] if column in kept else 0 for column in range(columns)]
    presses = Layout(rows, columns, states).pack(cells)
    board = _dark(states, rows, columns).pressed(presses)
    return (board, presses) if grade_of_board(board) == grade else None


def _lit(lights: Grid) -> Any:
    if lights.states == 2:
        return LightsOut(lights)
    return ModularLightsOut(lights.states, tuple(lights.text().split("/")))


@functools.lru_cache
def _dark(states: int, rows: int, columns: int) -> Any:
    return _lit(Layout(rows, columns, states).pack([0] * rows * columns))


@functools.lru_cache
def shape(size: int, states: int) -> tuple[int, int]:
    """Return the shape nearest to a square of a size that has boards without a solution; the square if none has."""
    shapes = itertools.product((size, size - 1, size + 1), range(size, size + _MAX_WIDER))
    for rows, columns in sorted(shapes, key=lambda sides: (abs(sides[0] - size) + sides[1] - size, sides)):
        if rows and count_up_to(_dark(states, rows, columns), 2) > 1:
            return rows, columns
    return size, size
