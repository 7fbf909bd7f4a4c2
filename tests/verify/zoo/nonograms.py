"""Nonogram solvers with a planted bug each, and the small right one that they were made of."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from crosslit import Grid, Nonogram
from crosslit.kinds.nonogram.puzzle import Clue

Lines = list[list[int]]
Placements = Callable[[Clue, int], list[int]]


@functools.cache
def placements(clue: Clue, length: int, gap: int = 1) -> list[int]:
    """Every line with these blocks, as bits."""
    if not clue:
        return [0]
    block, rest = clue[0], clue[1:]
    most = length - sum(clue) - gap * len(rest)
    found = []
    for start in range(most + 1):
        used = start + block + (gap if rest else 0)
        found += [(1 << block) - 1 << start | tail << used for tail in placements(rest, length - used, gap)]
    return found


def solved(puzzle: Nonogram, lines_of: Placements = placements, guesses: int | None = None) -> Iterator[Grid]:
    """All solutions: lines are filtered against each other, then a line of few choices is tried each way."""
    rows, columns = puzzle.rows, puzzle.columns
    start = [
        *([*lines_of(clue, columns)] for clue in puzzle.row_clues),
        *([*lines_of(clue, rows)] for clue in puzzle.column_clues),
    ]
    stack: list[Lines] = [start]
    made = 0
    while stack:
        lines = _filtered(stack.pop(), rows, columns)
        if not all(lines):
            continue
        if all(len(line) == 1 for line in lines[:rows]):
            yield Grid.from_rows([line[0] for line in lines[:rows]], columns)
            continue
        made += 1
        if guesses is not None and made > guesses:
            return
        _, chosen = min((len(line), index) for index, line in enumerate(lines[:rows]) if len(line) > 1)
        stack += [[[choice] if at == chosen else line for at, line in enumerate(lines)] for choice in lines[chosen]]


def _filtered(lines: Lines, rows: int, columns: int) -> Lines:
    """Keep the placements that agree with the common cells of all placements of the crossing lines."""
    while True:
        before = sum(map(len, lines))
        for own, other in ((range(rows), range(rows, rows + columns)), (range(rows, rows + columns), range(rows))):
            always = [functools.reduce(int.__and__, lines[index], -1) for index in other]
            ever = [functools.reduce(int.__or__, lines[index], 0) for index in other]
            for place, index in enumerate(own):
                must = sum((line >> place & 1) << at for at, line in enumerate(always))
                may = sum((line >> place & 1) << at for at, line in enumerate(ever))
                lines[index] = [line for line in lines[index] if line & must == must and not line & ~may]
            if not all(lines):
                return lines
        if sum(map(len, lines)) == before:
            return lines


def search(puzzle: Nonogram) -> list[Grid]:
    """Right: line solving and search."""
    return list(solved(puzzle))


def whether_unique(puzzle: Nonogram) -> dict[str, Any]:
    """Right: takes two solutions, to find whether there is only one."""
    return _answer(list(islice(solved(puzzle), 2)))


def _answer(found: list[Grid]) -> dict[str, Any]:
    return {"solution": found[0].lines(), "unique": len(found) == 1} if found else {"unsolvable": True}


def blocks_may_touch(puzzle: Nonogram) -> Grid | None:
    """Leaves no gap between blocks."""
    return next(solved(puzzle, functools.partial(placements, gap=0)), None)


def large_transposed(puzzle: Nonogram) -> Grid | None:
    """Gives columns as rows from 10 rows and columns on."""
    found = next(solved(puzzle), None)
    return found.transposed() if found is not None and min(puzzle.rows, puzzle.columns) >= 10 else found


def cap_on_rounds(puzzle: Nonogram) -> Grid | None:
    """Gives up after three guesses, and says unsolvable."""
    return next(solved(puzzle, guesses=3), None)


def unique_if_one_guess(puzzle: Nonogram) -> dict[str, Any]:
    """Says that a puzzle is unique if its first guess leads to a solution."""
    return _answer(list(islice(solved(puzzle, guesses=1), 1)) or list(islice(solved(puzzle), 2)))


def columns_unchecked(puzzle: Nonogram) -> Grid | None:
    """Solves the rows, and does not look at the last column."""
    found = next(solved(puzzle), None)
    return found or next(solved(Nonogram(puzzle.row_clues, [*puzzle.column_clues[:-1], ()])), None)
