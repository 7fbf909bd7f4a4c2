"""Changes to a coloured nonogram: some with a known effect on its solutions, others that make it smaller."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS, parse_any
from crosslit.contract.family import Relation
from crosslit.kinds.coloured_nonogram.puzzle import Block, Clue, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.smaller import fewer_cells, fewer_lines

Clues = tuple[Clue, ...]


def relations(puzzle: ColouredNonogram) -> Iterator[Relation]:
    """Yield the puzzle with its colours renamed, and with another row, full of one colour."""
    if puzzle.colours > 1:
        order = [0, *range(2, puzzle.colours + 1), 1]  # the next colour for each
        yield Relation(
            "colours exchanged",
            puzzle.with_clues(_renamed(puzzle.row_clues, order), _renamed(puzzle.column_clues, order)),
            lambda grid: puzzle.layout.pack([order[value] for value in values(grid)]),
        )
    # A new last row of a colour that ends no column is a new block in each column, and leaves the others as they are.
    last = {clue[-1].colour for clue in puzzle.column_clues if clue}
    free = next((colour for colour in range(1, puzzle.colours + 1) if colour not in last), None)
    if free is not None:
        rows, columns = (*puzzle.row_clues, (Block(puzzle.columns, free),)), puzzle.column_clues
        longer = puzzle.with_clues(rows, [(*clue, Block(1, free)) for clue in columns])
        yield Relation(
            "a row of one colour added",
            longer,
            lambda grid: longer.layout.pack([*values(grid), *[free] * puzzle.columns]),
        )


def values(grid: Grid) -> list[int]:
    """Return the numbers of the colours of all cells, in row-major order."""
    return [int(value) for value in grid.array().ravel()]


def smaller(puzzle: ColouredNonogram, picture: Grid | None, square: bool) -> Iterator[ColouredNonogram]:
    """Yield the puzzle without some lines, then with two colours made one, then with fewer cells."""
    # The usual palette has only the colours in use, so it becomes smaller with the puzzle.
    palette = () if puzzle.palette == usual_palette(puzzle.colours) else puzzle.palette
    for found in fewer_lines(puzzle, picture, square):
        yield ColouredNonogram(found.row_clues, found.column_clues, palette)
    for one, other in itertools.permutations(range(1, puzzle.colours + 1), 2):
        # `one` becomes `other`, and later colours move down
        numbers = [number - (number > one) for number in range(puzzle.colours + 1)]
        numbers[one] = numbers[other]
        yield ColouredNonogram(_renamed(puzzle.row_clues, numbers), _renamed(puzzle.column_clues, numbers))
        if picture is not None:
            table = {ord(digit): DIGITS[number] for digit, number in zip(DIGITS, numbers, strict=False)}
            yield ColouredNonogram(*puzzle.clues_of(parse_any(picture.text().translate(table), puzzle.states)))
    for found in fewer_cells(puzzle, picture):
        yield ColouredNonogram(found.row_clues, found.column_clues, palette)


def _renamed(clues: Clues, numbers: Sequence[int]) -> list[Clue]:
    return [tuple(Block(length, numbers[colour]) for length, colour in clue) for clue in clues]
