"""Changes to a coloured nonogram: some with a known effect on its solutions, others that make it smaller."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds.coloured_nonogram.puzzle import Block, Clue, Colour, ColouredNonogram, usual_palette
from crosslit.kinds.family import Relation
from crosslit.kinds.reduction import kept_lines

Clues = tuple[Clue, ...]


def relations(puzzle: ColouredNonogram) -> Iterator[Relation]:
    """Yield the puzzle with its colours renamed, and with another row, full of one colour."""
    order = [*range(2, puzzle.colours + 1), 1]  # the next colour for each
    if puzzle.colours > 1:

        def renamed(clues: Clues) -> list[Clue]:
            return [tuple(Block(block.length, order[block.colour - 1]) for block in clue) for clue in clues]

        yield Relation(
            "colours exchanged",
            ColouredNonogram(renamed(puzzle.row_clues), renamed(puzzle.column_clues), puzzle.palette),
            lambda grid: puzzle.layout.pack([value and order[value - 1] for value in values(grid)]),
        )
    # A new last row of a colour that ends no column is a new block in each column, and leaves the others as they are.
    last = {clue[-1].colour for clue in puzzle.column_clues if clue}
    free = next((colour for colour in range(1, puzzle.colours + 1) if colour not in last), None)
    if free is not None:
        longer = ColouredNonogram(
            (*puzzle.row_clues, (Block(puzzle.columns, free),)),
            [(*clue, Block(1, free)) for clue in puzzle.column_clues],
            puzzle.palette,
        )
        yield Relation(
            "a row of one colour added",
            longer,
            lambda grid: longer.layout.pack([*values(grid), *[free] * puzzle.columns]),
        )


def values(grid: Grid) -> list[int]:
    """Return the numbers of the colours of all cells, in row-major order."""
    return [int(value) for value in grid.array().ravel()]


def smaller(puzzle: ColouredNonogram, picture: Grid | None, square: bool) -> Iterator[ColouredNonogram]:
    """Yield smaller puzzles, the largest steps first: lines dropped, two colours made one, blocks dropped or shortened.

    Blocks are also dropped or shortened in a row and a column together, which keeps the sums of the colours equal.
    """
    rows, columns = puzzle.row_clues, puzzle.column_clues
    # The usual palette has only the colours in use, so it becomes smaller with the puzzle.
    palette = () if puzzle.palette == usual_palette(puzzle.colours) else puzzle.palette
    cells = picture.lines() if picture is not None else []
    for some, others in kept_lines(puzzle.rows, puzzle.columns, square):
        yield ColouredNonogram([rows[row] for row in some], [columns[column] for column in others], palette)
        if cells:
            yield _of(["".join(cells[row][column] for column in others) for row in some], puzzle, palette)
    for one, other in itertools.permutations(range(1, puzzle.colours + 1), 2):
        merged = [
            [tuple(Block(block.length, _merged(block.colour, one, other)) for block in clue) for clue in clues]
            for clues in (rows, columns)
        ]
        yield ColouredNonogram(merged[0], merged[1])
        table = {ord(DIGITS[colour]): DIGITS[_merged(colour, one, other)] for colour in range(puzzle.colours + 1)}
        if cells:
            yield _of([line.translate(table) for line in cells], puzzle, ())
    for row, line in enumerate(cells):
        for column in (column for column, cell in enumerate(line) if cell != "0"):
            fewer = f"{line[:column]}0{line[column + 1 :]}"
            yield _of([*cells[:row], fewer, *cells[row + 1 :]], puzzle, palette)
    fewer_rows, fewer_columns = list(_smaller_clues(rows)), list(_smaller_clues(columns))
    yield from (ColouredNonogram(clues, columns, palette) for clues, _ in fewer_rows)
    yield from (ColouredNonogram(rows, clues, palette) for clues, _ in fewer_columns)
    for clues, taken in fewer_rows:
        yield from (ColouredNonogram(clues, others, palette) for others, less in fewer_columns if taken == less)


def _merged(colour: int, one: int, other: int) -> int:
    """Return the number of a colour after ``one`` has become ``other`` and the later colours have moved down."""
    colour = other if colour == one else colour
    return colour - (colour > one)


def _of(lines: list[str], puzzle: ColouredNonogram, palette: Sequence[Colour]) -> ColouredNonogram:
    layout = puzzle.layout._replace(rows=len(lines), columns=len(lines[0]))
    found = ColouredNonogram.of(layout.parse("/".join(lines)), puzzle.palette)
    return ColouredNonogram(found.row_clues, found.column_clues, palette)


def _smaller_clues(clues: Clues) -> Iterator[tuple[Clues, Block]]:
    """Yield the clues of one direction with a block dropped or shortened, and the cells and the colour removed."""
    for index, clue in enumerate(clues):
        for place, (length, colour) in enumerate(clue):
            for left in {0, length // 2, length - 1}:
                kept = [Block(left, colour)] if left else []
                changed = (*clue[:place], *kept, *clue[place + 1 :])
                yield (*clues[:index], changed, *clues[index + 1 :]), Block(length - left, colour)
