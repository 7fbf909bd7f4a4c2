"""Solving by hand, as far as it goes without search: lines of nonograms, and the chase of boards.

This is independent of the backends: it grades the puzzles of an exam, and is a contestant.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds import Puzzle

Grade = Literal["line", "probe", "search"]

GRADES: tuple[Grade, ...] = ("line", "probe", "search")
"""The work that a puzzle needs: only lines (for a board: the chase from no presses in the first row), guesses of one
cell that are refuted by lines (one press in the first row), or search."""

Blocks = tuple[tuple[int, int], ...]  # lengths and colours


class Contradiction(Exception):
    """The puzzle has no solution."""


def has_clues(puzzle: Puzzle) -> bool:
    """Return whether it is a nonogram of any kind, not a board."""
    return hasattr(puzzle, "row_clues")


def blocks_of(clue: Iterable[Any]) -> Blocks:
    """Return the blocks of a clue with or without colours; 0 for an empty line is no block."""
    blocks = tuple(tuple(block) if isinstance(block, tuple) else (block, 1) for block in clue)
    return tuple((length, colour) for length, colour in blocks if length)


@functools.lru_cache(maxsize=1 << 16)
def fillings(blocks: Blocks, length: int) -> tuple[str, ...]:
    """Return all ways to fill a line, as texts of digits.

    >>> fillings(((2, 1), (1, 1)), 5), fillings(((1, 1), (1, 2)), 3)
    (('11010', '11001', '01101'), ('120', '102', '012'))
    """
    if not blocks:
        return ("0" * length,)
    (size, colour), *rest = blocks
    tail = tuple(rest)
    gap = int(bool(tail) and tail[0][1] == colour)
    found = []
    for start in range(length - size + 1):
        if (left := length - start - size - gap) >= 0:
            head = "0" * start + DIGITS[colour] * size + "0" * gap
            found += [head + end for end in fillings(tail, left)]
    return tuple(found)


@functools.lru_cache(maxsize=1 << 12)
def _masks(blocks: Blocks, length: int, states: int) -> list[int]:
    """Return all ways to fill a line as numbers with a bit for each value of each cell, the first cell lowest."""
    bits = str.maketrans({DIGITS[value]: f"{1 << value:0{states}b}" for value in range(states)})
    return [int(filling[::-1].translate(bits), 2) for filling in fillings(blocks, length)]


def deduced(blocks: Blocks, line: str) -> str:
    """Return a line with all cells that its clue and its known cells decide; ``?`` is an unknown cell.

    >>> deduced(((3, 1),), "?????"), deduced(((3, 1),), "?1???")
    ('??1??', '?11?0')
    """
    known = re.compile(line.replace("?", "."))
    fits = [filling for filling in fillings(blocks, len(line)) if known.fullmatch(filling)]
    if not fits:
        raise Contradiction
    return "".join(digits[0] if len(set(digits)) == 1 else "?" for digits in zip(*fits, strict=True))


class LineSolver:
    """The possible values of the cells of a nonogram, as sets of bits, and their narrowing line by line."""

    def __init__(self, puzzle: Any) -> None:
        self.rows, self.columns, self.states = puzzle.rows, puzzle.columns, puzzle.layout.states
        self.values = [(1 << self.states) - 1] * (self.rows * self.columns)
        cells = range(self.rows * self.columns)
        self._lines = [list(cells[row * self.columns : (row + 1) * self.columns]) for row in range(self.rows)]
        self._lines += [list(cells[column :: self.columns]) for column in range(self.columns)]
        clues = zip((*puzzle.row_clues, *puzzle.column_clues), self._lines, strict=True)
        self._options = [_masks(blocks_of(clue), len(line), self.states) for clue, line in clues]

    def narrow(self, lines: Iterable[int] | None = None) -> None:
        """Narrow all cells by all lines until nothing changes; raise `Contradiction` if a cell has no value left."""
        waiting = dict.fromkeys(range(len(self._lines)) if lines is None else lines)
        full = (1 << self.states) - 1
        while waiting:
            line = next(iter(waiting))
            del waiting[line]
            cells = self._lines[line]
            allowed = sum(self.values[cell] << index * self.states for index, cell in enumerate(cells))
            union = 0
            for option in self._options[line]:
                if not option & ~allowed:
                    union |= option
            if not union:
                raise Contradiction
            for index, cell in enumerate(cells):
                if (left := union >> index * self.states & full) != self.values[cell]:
                    self.values[cell] = left
                    row, column = divmod(cell, self.columns)
                    waiting[row if line >= self.rows else self.rows + column] = None

    def probe(self) -> bool:
        """Try every value of every open cell, and remove those that lines refute; return whether any was."""
        removed = False
        for cell, value in itertools.product(self.open(), range(self.states)):
            before = list(self.values)
            if not before[cell] >> value & 1 or before[cell] == 1 << value:
                continue
            lines = cell // self.columns, self.rows + cell % self.columns
            self.values[cell] = 1 << value
            try:
                self.narrow(lines)
                self.values = before
            except Contradiction:
                self.values, removed = before, True
                self.values[cell] &= ~(1 << value)
                self.narrow(lines)
        return removed

    def open(self) -> list[int]:
        """Return the cells with several values."""
        return [cell for cell, value in enumerate(self.values) if value & (value - 1)]

    def text(self) -> str:
        """Return the solution, all of whose cells are known."""
        digits = "".join(DIGITS[value.bit_length() - 1] for value in self.values)
        return "/".join(digits[first : first + self.columns] for first in range(0, len(digits), self.columns))


def grade_of_clues(puzzle: Puzzle, varying: frozenset[int] = frozenset()) -> Grade:
    """Return what is needed to find all cells but those that differ between solutions, or a contradiction."""
    solver = LineSolver(puzzle)
    grade: Grade = "line"
    try:
        solver.narrow()
        while not varying.issuperset(solver.open()):
            grade = "probe"
            if not solver.probe():
                return "search"
    except Contradiction:
        pass
    return grade


def chase(board: Any, first_row: Sequence[int]) -> Grid | None:
    """Return the presses that put out each row by the next one, if the last row is out too; for the usual crosses."""
    layout, states = board.layout, board.layout.states
    presses = [list(first_row)] + [[0] * board.columns for _ in range(board.rows - 1)]
    for row in range(board.rows):
        grid: Grid = layout.pack(list(itertools.chain.from_iterable(presses)))
        lights = board.pressed(grid).shown.text().split("/")[row]
        if row + 1 < board.rows:
            presses[row + 1] = [-DIGITS.index(light) % states for light in lights]
        elif not lights.strip("0"):
            return grid
    return None


def grade_of_board(board: Puzzle) -> Grade:
    """Return how many presses of the first row a chase has to guess: none, one, or more."""
    for column, presses in [(0, 0), *itertools.product(range(board.columns), range(1, board.layout.states))]:
        if chase(board, [presses if other == column else 0 for other in range(board.columns)]) is not None:
            return "probe" if presses else "line"
    return "search"
