"""Small boards with all their solutions, against which backends are checked."""

from __future__ import annotations

import random
from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.contract.family import random_grid
from crosslit.contract.puzzle import Puzzle
from crosslit.kinds.lights_out.families import each_press
from crosslit.kinds.lights_out.format import parse
from crosslit.kinds.lights_out.makers import random_board, random_rules
from crosslit.kinds.lights_out.puzzle import NEIGHBOURS, LightsOut

# An unsolvable board with an asymmetric pattern; one whose solutions differ only in the last cell; and one that a
# single press makes from the dark board.
_BOARDS = ("press=100,011,010/110/001/010", "press=000,000,001/00/01", "100/000", "press=king/wrap=torus/110/0_1/100")


def samples() -> tuple[Puzzle, ...]:
    """Return boards of several shapes and rules, from a fixed seed; the last has several solutions."""
    rng = random.Random(5)
    shapes = [(1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)]
    usual = [puzzle for shape in shapes for puzzle in _boards(rng, *shape)]
    shapes = [(2, 3), (3, 2), (3, 3), (3, 4)]
    unusual = [puzzle for shape in shapes for puzzle in _unusual_boards(rng, *shape)]
    return (*usual, *unusual, *[*(parse(text, "sample") for text in _BOARDS), LightsOut(Grid.from_bits(2, 3, 0))])


def _boards(rng: random.Random, rows: int, columns: int) -> list[LightsOut]:
    some = 1 if rows * columns > 10 else 3  # brute force takes longer than the backends
    usual = [random_board(rng, rows, columns) for _ in range(some)]
    return usual + [random_rules(rng, rows, columns) for _ in range(some + 1)]


def _unusual_boards(rng: random.Random, rows: int, columns: int) -> list[LightsOut]:
    neighbours = LightsOut(random_grid(rng, rows, columns), NEIGHBOURS)
    return [neighbours, *(random_rules(rng, rows, columns) for _ in range(2))]


def larger_samples() -> list[LightsOut]:
    """Return boards whose smallest solution is not found by luck."""
    rng = random.Random(11)
    shapes = [(4, 4), (5, 3), (4, 4)]
    boards = [LightsOut(Grid.from_bits(*shape, 0)).pressed(random_grid(rng, *shape)) for shape in shapes]
    return [*boards, random_board(rng, 4, 4)]


def solutions(board: LightsOut) -> Iterator[Grid]:
    """Yield the presses that leave no light."""
    return (Grid.from_bits(board.rows, board.columns, presses) for presses, lit in each_press(board) if not lit)


def satisfied(board: LightsOut, presses: Grid) -> int:
    """Return the lights that presses put out, as bits."""
    if board.missing is not None and presses.bits & board.missing.bits:
        return 0
    return ~board.pressed(presses).lit.bits
