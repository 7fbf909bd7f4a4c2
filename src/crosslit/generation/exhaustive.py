"""Families of puzzles that are gone through entirely, each member with all its solutions, by the rules alone."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crosslit.generation.case import Case, Only
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.puzzles.nonogram import Clue

MOST_PAIRS = 50_000  # clue pairs of a shape: beyond, only those of pictures
MOST_BOARD_CELLS = 12  # of every shape; and 4 x 4, whose nullity is 4
LONGEST_SIDE = 4  # of shapes whose pictures are all gone through


@dataclass(frozen=True)
class Family:
    """All puzzles of a kind and shape, or of its pictures.

    Args:
        kind: of the puzzles.
        rows: of each.
        columns: of each.
        pictures: only the nonograms that have a solution.
    """

    kind: str
    rows: int
    columns: int
    pictures: bool = False

    @property
    def name(self) -> str:
        """In words."""
        size = f"{self.rows} x {self.columns}"
        if self.kind == LightsOut.kind:
            return f"every {size} board"
        return f"every picture {size}" if self.pictures else f"every clue pair {size}"

    @property
    def size(self) -> int:
        """How many puzzles, at most."""
        if self.kind == LightsOut.kind or self.pictures:
            return 1 << self.rows * self.columns
        pairs: int = len(clues_of(self.columns)) ** self.rows * len(clues_of(self.rows)) ** self.columns
        return pairs

    def members(self) -> Iterator[tuple[Puzzle, frozenset[Grid]]]:
        """Each puzzle, and all its solutions."""
        if self.kind == LightsOut.kind:
            return _boards(self.rows, self.columns)
        return _of_pictures(self.rows, self.columns) if self.pictures else _pairs(self.rows, self.columns)

    def cases(self, only: Only | None = None) -> Iterator[Case]:
        """The members that suit; the last of them says so."""
        name = f"{self.name}, {only}" if only else self.name
        before: Case | None = None
        for puzzle, solutions in self.members():
            case = Case(puzzle, name, True, False, solutions)
            if not case.suits(only):
                continue
            if before is not None:
                yield before
            before = case
        if before is not None:
            yield Case(before.puzzle, name, True, True, before.solutions)


def families(kind: str, *, square: bool = False, only: Only | None = None, max_size: int | None = None) -> list[Family]:
    """What is gone through entirely, by area, the smallest first.

    Boards: of every shape up to 12 cells, and 4 x 4. Nonograms: every clue pair, contradictory ones too, of every
    shape that has at most 50,000 of them (up to 9 cells, and 2 x 5); and of the others up to 4 x 4 the clues of every
    picture. Where only solvable or unique ones are asked for: the clues of every picture up to 4 x 4.

    Args:
        kind: ``lights-out`` or ``nonogram``.
        square: as many rows as columns.
        only: puzzles that are ``solvable``, ``unique`` or ``unsolvable``.
        max_size: the most rows and columns.

    Examples:
        >>> for family in families("nonogram", square=True):
        ...     print(family.name, family.size)
        every clue pair 1 x 1 4
        every clue pair 2 x 2 81
        every clue pair 3 x 3 15625
        every picture 4 x 4 65536
    """
    sides = range(1, min(max_size or MOST_BOARD_CELLS, MOST_BOARD_CELLS) + 1)
    found = []
    for rows, columns in itertools.product(sides, sides):
        if square and rows != columns:
            continue
        family = _family(kind, rows, columns, only)
        if family is not None:
            found.append(family)
    return sorted(found, key=lambda family: (family.rows * family.columns, family.rows))


def _family(kind: str, rows: int, columns: int, only: Only | None) -> Family | None:
    small = max(rows, columns) <= LONGEST_SIDE
    if kind == LightsOut.kind:
        return Family(kind, rows, columns) if rows * columns <= MOST_BOARD_CELLS or small else None
    pictures = Family(kind, rows, columns, True) if small and only != "unsolvable" else None
    if only in ("solvable", "unique"):
        return pictures
    pairs = Family(kind, rows, columns)
    return pairs if pairs.size <= MOST_PAIRS else pictures


@functools.cache
def clues_of(length: int) -> tuple[Clue, ...]:
    """Every clue that fits a line of so many cells, the shortest first.

    Examples:
        >>> clues_of(3)
        ((), (1,), (1, 1), (2,), (3,))
    """
    return tuple(sorted(set(_line_clues(length)), key=lambda clue: (sum(clue), clue)))


@functools.cache
def _line_clues(length: int) -> tuple[Clue, ...]:
    """The clue of every line of so many cells, by the line's bits."""
    return tuple(
        tuple(len(block) for block in f"{bits:0{length}b}"[::-1].split("0") if block) for bits in range(1 << length)
    )


def _pairs(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    solutions = _by_clues(rows, columns)
    for across in itertools.product(clues_of(columns), repeat=rows):
        for down in itertools.product(clues_of(rows), repeat=columns):
            yield Nonogram(across, down), _grids(rows, columns, solutions.get((across, down), ()))


def _of_pictures(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    for clues, found in _by_clues(rows, columns).items():
        yield Nonogram(*clues), _grids(rows, columns, found)


def _by_clues(rows: int, columns: int) -> dict[tuple[tuple[Clue, ...], tuple[Clue, ...]], list[int]]:
    """All pictures of a shape, as bits, by their clues."""
    found = defaultdict(list)
    across, down = _line_clues(columns), _line_clues(rows)
    spread = [sum((row >> column & 1) << column * rows for column in range(columns)) for row in range(1 << columns)]
    every = (1 << rows) - 1
    for lines in itertools.product(range(1 << columns), repeat=rows):
        turned = 0
        for number, row in enumerate(lines):
            turned |= spread[row] << number
        key = (
            tuple([across[row] for row in lines]),
            tuple([down[turned >> first & every] for first in range(0, rows * columns, rows)]),
        )
        found[key].append(sum(row << number * columns for number, row in enumerate(lines)))
    return found


def _boards(rows: int, columns: int) -> Iterator[tuple[LightsOut, frozenset[Grid]]]:
    """All boards by their lights; a board is solved by the presses that make it of the dark one."""
    cells = rows * columns
    dark = LightsOut(Grid.from_bits(rows, columns, 0))
    toggled = [dark.pressed(Grid.from_bits(rows, columns, 1 << cell)).lit.bits for cell in range(cells)]
    solutions = defaultdict(list)
    presses = lit = 0
    for step in range(1, (1 << cells) + 1):
        solutions[lit].append(presses)
        cell = (step & -step).bit_length() - 1  # in Gray-code order: one press at a time
        if cell < cells:
            presses ^= 1 << cell
            lit ^= toggled[cell]
    for bits in range(1 << cells):
        yield LightsOut(Grid.from_bits(rows, columns, bits)), _grids(rows, columns, solutions.get(bits, ()))


def _grids(rows: int, columns: int, bits: Iterable[int]) -> frozenset[Grid]:
    return frozenset(Grid.from_bits(rows, columns, each) for each in bits)
