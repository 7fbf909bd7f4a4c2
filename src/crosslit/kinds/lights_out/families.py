"""All boards of small shapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from crosslit.base.grid import Grid
from crosslit.contract.family import MAX_LISTED_CELLS, MAX_SIDE, Sort, count_grids, to_grids
from crosslit.kinds.lights_out.puzzle import LightsOut


def families() -> tuple[Sort, ...]:
    """Return all boards of every shape up to 12 cells, and of 4 x 4, whose nullity is 4."""
    return (Sort("{} board", count_grids, _boards, MAX_SIDE, MAX_LISTED_CELLS),)


def _boards(rows: int, columns: int) -> Iterator[tuple[LightsOut, frozenset[Grid]]]:
    """Yield all boards by their lights; the presses that make a board from the dark one solve it."""
    solutions = defaultdict(list)
    for presses, lit in each_press(LightsOut(Grid.from_bits(rows, columns, 0))):
        solutions[lit].append(presses)
    for bits in range(1 << rows * columns):
        yield LightsOut(Grid.from_bits(rows, columns, bits)), to_grids(rows, columns, solutions.get(bits, ()))


def each_press(board: LightsOut) -> Iterator[tuple[int, int]]:
    """Yield every grid of presses and the lights that it leaves, as bits; in Gray-code order a step is one press."""
    rows, columns, lit = board.rows, board.columns, board.lit.bits
    missing = 0 if board.missing is None else board.missing.bits
    cells = [1 << cell for cell in range(rows * columns) if not missing >> cell & 1]
    # By the rule checker, once for each cell; after that each of the 2^cells boards is one XOR away.
    toggled = [board.pressed(Grid.from_bits(rows, columns, cell)).lit.bits ^ lit for cell in cells]
    presses = 0
    yield presses, lit
    for step in range(1, 1 << len(cells)):
        # The lowest set bit of the step is the one that changes in a Gray code.
        place = (step & -step).bit_length() - 1
        presses ^= cells[place]
        lit ^= toggled[place]
        yield presses, lit
