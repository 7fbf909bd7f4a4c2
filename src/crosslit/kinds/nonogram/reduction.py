"""Smaller nonograms, to find a small one on which a solver fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from crosslit.base.grid import DIGITS, Grid
from crosslit.kinds.nonogram.colours import Block, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.puzzle import Clue, Clues, Nonogram
from crosslit.kinds.reduction import cleared, kept_lines, part


def coloured_smaller(puzzle: ColouredNonogram, picture: Grid | None, square: bool) -> Iterator[ColouredNonogram]:
    """Yield the puzzle without some lines, then with two colours made one, then with fewer cells."""
    # The usual palette has only the colours in use, so it becomes smaller with the puzzle.
    palette = () if puzzle.palette == usual_palette(puzzle.colours) else puzzle.palette
    for found in fewer_lines(puzzle, picture, square):
        yield ColouredNonogram(found.row_clues, found.column_clues, palette)
    for one, other in itertools.permutations(range(1, puzzle.colours + 1), 2):
        # `one` becomes `other`, and later colours move down
        numbers = [*range(one + 1), *range(one, puzzle.colours)]
        numbers[one] = numbers[other]
        yield ColouredNonogram(_renamed(puzzle.row_clues, numbers), _renamed(puzzle.column_clues, numbers))
        if picture is not None:
            table = {ord(digit): DIGITS[number] for digit, number in zip(DIGITS, numbers, strict=False)}
            yield ColouredNonogram(*puzzle.clues_of(Grid.from_text(picture.text.translate(table), puzzle.states)))
    for found in fewer_cells(puzzle, picture):
        yield ColouredNonogram(found.row_clues, found.column_clues, palette)


def _renamed(clues: Clues, numbers: Sequence[int]) -> list[Clue]:
    return [tuple(Block(length, numbers[colour]) for length, colour in clue) for clue in clues]


def smaller(puzzle: Nonogram, picture: Grid | None, square: bool) -> Iterator[Nonogram]:
    """Yield smaller nonograms, the largest steps first.

    Lines are dropped, many at once and then one at a time. Blocks are dropped or shortened, also in a row and a column
    together, which keeps the sums equal.
    """
    yield from fewer_lines(puzzle, picture, square)
    yield from fewer_cells(puzzle, picture)


def fewer_lines(puzzle: Nonogram, picture: Grid | None, square: bool) -> Iterator[Nonogram]:
    """Yield the puzzle without some lines: with the other clues, and with those of the rest of the picture."""
    puzzle = puzzle.named("")
    for rows, columns in kept_lines(puzzle.rows, puzzle.columns, square):
        yield puzzle.with_clues([puzzle.row_clues[row] for row in rows], [puzzle.column_clues[c] for c in columns])
        if picture is not None:
            yield puzzle.with_clues(*puzzle.clues_of(part(picture, rows, columns)))


def fewer_cells(puzzle: Nonogram, picture: Grid | None) -> Iterator[Nonogram]:
    """Yield the puzzle with fewer cells of the picture, then with smaller clues."""
    puzzle = puzzle.named("")
    if picture is not None:
        yield from (puzzle.with_clues(*puzzle.clues_of(fewer)) for fewer in cleared(picture))
    yield from _shorter(puzzle)


def exchanged(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Yield the puzzle with two row clues or two column clues exchanged."""
    puzzle = puzzle.named("")
    yield from (puzzle.with_clues(rows, puzzle.column_clues) for rows in _swapped(puzzle.row_clues))
    yield from (puzzle.with_clues(puzzle.row_clues, columns) for columns in _swapped(puzzle.column_clues))


def _shorter(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Smaller clues: lines without blocks, blocks dropped, blocks shortened; then one of a row and one of a column."""
    rows, columns = puzzle.row_clues, puzzle.column_clues
    fewer_rows, fewer_columns = list(_smaller_clues(puzzle, rows)), list(_smaller_clues(puzzle, columns))
    yield from (puzzle.with_clues(some, columns) for some, _ in fewer_rows)
    yield from (puzzle.with_clues(rows, some) for some, _ in fewer_columns)
    for some, taken in fewer_rows:
        for others, as_many in fewer_columns:
            if taken == as_many:
                yield puzzle.with_clues(some, others)
    yield from (puzzle.with_clues(merged, columns) for merged in _merged(puzzle, rows))
    yield from (puzzle.with_clues(rows, merged) for merged in _merged(puzzle, columns))
    yield from _exchanged(puzzle)


def _merged(puzzle: Nonogram, clues: Clues) -> Iterator[Clues]:
    """Yield the clues with two adjacent blocks of one colour merged, keeping the sum."""
    for index, clue in enumerate(clues):
        for place in range(len(clue) - 1):
            one, other = clue[place : place + 2]
            merged = puzzle.resized(one, puzzle.space((one,)) + puzzle.space((other,)))
            if puzzle.total((one, other)) == puzzle.total((merged,)):
                joined = (*clue[:place], merged, *clue[place + 2 :])
                yield (*clues[:index], joined, *clues[index + 1 :])


def _exchanged(puzzle: Nonogram) -> Iterator[Nonogram]:
    """Yield the puzzle with two clues exchanged and two adjacent blocks of the other direction merged."""
    for rows in _swapped(puzzle.row_clues):
        yield from (puzzle.with_clues(rows, columns) for columns in _merged(puzzle, puzzle.column_clues))
    for columns in _swapped(puzzle.column_clues):
        yield from (puzzle.with_clues(rows, columns) for rows in _merged(puzzle, puzzle.row_clues))


def _swapped(clues: Clues) -> Iterator[Clues]:
    for one, other in itertools.combinations(range(len(clues)), 2):
        if clues[one] != clues[other]:
            swapped = list(clues)
            swapped[one], swapped[other] = clues[other], clues[one]
            yield tuple(swapped)


def _smaller_clues(puzzle: Nonogram, clues: Clues) -> Iterator[tuple[Clues, object]]:
    """Yield the clues of one direction with one clue smaller, and the number of cells removed."""
    for index, clue in enumerate(clues):
        before, behind = clues[:index], clues[index + 1 :]
        if len(clue) > 1:
            yield (*before, (), *behind), puzzle.total(clue)
        for place, block in enumerate(clue):
            length = puzzle.space((block,))
            # halving, because a block of 10^9 would take that many steps of one
            for left in dict.fromkeys((0, length // 2, length - 1)):
                kept = [puzzle.resized(block, left)] if left else []
                removed = puzzle.total((puzzle.resized(block, length - left),))
                yield (*before, (*clue[:place], *kept, *clue[place + 1 :]), *behind), removed
