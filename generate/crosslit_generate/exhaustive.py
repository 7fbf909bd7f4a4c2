"""Families of puzzles that are enumerated completely, each member with all its solutions by the rules."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.nonogram.puzzle import Clue

MAX_PAIRS = 50_000  # clue pairs of a shape: beyond, only those of pictures
MAX_BOARD_CELLS = 12  # for every shape; and 4 x 4, whose nullity is 4
MAX_SIDE = 4  # of shapes whose pictures are all enumerated
Member = tuple[Puzzle, frozenset[Grid]]
Only = Literal["solvable", "unique", "valid", "unsolvable"]
ONLY: tuple[Only, ...] = get_args(Only)


@dataclass(frozen=True)
class Case:
    """A puzzle of a family.

    Args:
        puzzle: the puzzle.
        family: a description of its family, by which coverage is summed up.
        exhaustive: whether the family is enumerated completely.
        last: whether it is the last member of an exhaustive family.
        solutions: all solutions by the rules, for an exhaustive family.
    """

    puzzle: Puzzle
    family: str
    exhaustive: bool
    last: bool = False
    solutions: frozenset[Grid] | None = None

    def suits(self, only: Only | None) -> bool:
        """Return whether the puzzle is of the requested class, according to its solutions if these are known."""
        if only == "valid":
            return is_valid(self.puzzle)
        if only is None or self.solutions is None:
            return only is None
        found = len(self.solutions)
        return {"solvable": found > 0, "unique": found == 1, "unsolvable": found == 0}[only]


def is_valid(puzzle: Puzzle) -> bool:
    """Return whether every clue fits its line, and the clues of rows and columns need the same number of cells.

    Examples:
        >>> is_valid(Nonogram([[1, 1]], [[1], [1]])), is_valid(Nonogram([[1], []], [[], [1]]))
        (False, True)
    """
    if not isinstance(puzzle, Nonogram):
        return not puzzle.is_refuted
    sides = ((puzzle.row_clues, puzzle.columns), (puzzle.column_clues, puzzle.rows))
    fits = all(sum(clue) + len(clue) - 1 <= length for clues, length in sides for clue in clues)
    return fits and not puzzle.is_refuted


@dataclass(frozen=True)
class Sort:
    """The families of a kind, of any shape.

    Args:
        words: a description of their members, with ``{}`` for the shape.
        size: maximum number of members for rows and columns.
        members: yields each puzzle with all its solutions, for rows and columns.
        longest: maximum number of rows and columns.
        most_cells: maximum number of cells of a longer shape.
        most: maximum number of members.
    """

    words: str
    size: Callable[[int, int], int]
    members: Callable[[int, int], Iterator[Member]]
    longest: int = 0
    most_cells: int = 0
    most: int | None = None

    def has(self, rows: int, columns: int) -> bool:
        """Return whether there is a family of a shape."""
        small = max(rows, columns) <= self.longest or rows * columns <= self.most_cells
        return small and (self.most is None or self.size(rows, columns) <= self.most)


@dataclass(frozen=True)
class Family:
    """All puzzles of a kind and shape, or those of its pictures."""

    kind: str
    rows: int
    columns: int
    pictures: bool = False

    @property
    def name(self) -> str:
        """A description of the family."""
        return f"every {self._sort.words.format(f'{self.rows} x {self.columns}')}"

    @property
    def size(self) -> int:
        """Upper bound on the number of its puzzles."""
        return self._sort.size(self.rows, self.columns)

    @property
    def _sort(self) -> Sort:
        return (PICTURES if self.pictures else FAMILIES)[self.kind]

    def members(self) -> Iterator[Member]:
        """Yield each puzzle with all its solutions."""
        return self._sort.members(self.rows, self.columns)

    def cases(self, only: Only | None = None, tick: Callable[[], None] = lambda: None) -> Iterator[Case]:
        """Yield the suitable members, and mark the last; ``tick`` is called for every member."""
        name = f"{self.name}, {only}" if only else self.name
        # One member is held back, because only the end of the family shows which suitable one is the last.
        before: Case | None = None
        for puzzle, solutions in self.members():
            tick()
            case = Case(puzzle, name, True, False, solutions)
            if not case.suits(only):
                continue
            if before is not None:
                yield before
            before = case
        if before is not None:
            yield Case(before.puzzle, name, True, True, before.solutions)


def families(kind: str, *, square: bool = False, only: Only | None = None, max_size: int | None = None) -> list[Family]:
    """Return the families that are enumerated completely, by area, the smallest first.

    Boards: every shape up to 12 cells, and 4 x 4. Nonograms: every clue pair, including contradictory ones, of every
    shape that has at most 50,000 of them (up to 9 cells, and 2 x 5); and for the other shapes up to 4 x 4 the clues of
    every picture. If only solvable or unique puzzles are requested: the clues of every picture up to 4 x 4.

    Args:
        kind: the kind of puzzles, such as ``lights-out``; one that is not in `FAMILIES` has no families.
        square: as many rows as columns.
        only: puzzles that are ``solvable``, ``unique`` or ``unsolvable``.
        max_size: maximum number of rows and columns.

    Examples:
        >>> for family in families("nonogram", square=True):
        ...     print(family.name, family.size)
        every clue pair 1 x 1 4
        every clue pair 2 x 2 81
        every clue pair 3 x 3 15625
        every picture 4 x 4 65536
    """
    sides = range(1, min(max_size or MAX_BOARD_CELLS, MAX_BOARD_CELLS) + 1)
    found = []
    for rows, columns in itertools.product(sides, sides):
        if square and rows != columns:
            continue
        family = _family(kind, rows, columns, only)
        if family is not None:
            found.append(family)
    return sorted(found, key=lambda family: (family.rows * family.columns, family.rows))


def _family(kind: str, rows: int, columns: int, only: Only | None) -> Family | None:
    pictures = only != "unsolvable" and kind in PICTURES and PICTURES[kind].has(rows, columns)
    # Every solvable nonogram is that of a picture; the other clue pairs would be made and thrown away.
    narrowed = kind in PICTURES and only in ("solvable", "unique")
    if not narrowed and kind in FAMILIES and FAMILIES[kind].has(rows, columns):
        return Family(kind, rows, columns)
    return Family(kind, rows, columns, True) if pictures else None


@functools.cache
def clues_of(length: int) -> tuple[Clue, ...]:
    """Return every clue that fits a line of a length, the shortest first.

    Examples:
        >>> clues_of(3)
        ((), (1,), (1, 1), (2,), (3,))
    """
    # From all lines of this length, so a clue that does not fit cannot be among them.
    return tuple(sorted(set(_line_clues(length)), key=lambda clue: (sum(clue), clue)))


@functools.cache
def _line_clues(length: int) -> tuple[Clue, ...]:
    """Return the clue of every line of a length, by the line's bits."""
    return tuple(
        tuple(len(block) for block in f"{bits:0{length}b}"[::-1].split("0") if block) for bits in range(1 << length)
    )


def _pairs(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    # Made once for the whole family: looking up the clues of each pair then replaces a search.
    solutions = _by_clues(rows, columns)
    for across in itertools.product(clues_of(columns), repeat=rows):
        for down in itertools.product(clues_of(rows), repeat=columns):
            yield Nonogram(across, down), _grids(rows, columns, solutions.get((across, down), ()))


def _of_pictures(rows: int, columns: int) -> Iterator[tuple[Nonogram, frozenset[Grid]]]:
    return ((Nonogram(*clues), _grids(rows, columns, found)) for clues, found in _by_clues(rows, columns).items())


def _by_clues(rows: int, columns: int) -> dict[tuple[tuple[Clue, ...], tuple[Clue, ...]], list[int]]:
    """Return all pictures of a shape, as bits, by their clues."""
    found = defaultdict(list)
    across, down = _line_clues(columns), _line_clues(rows)
    # For each value of a row, its bits at their places in the transposed picture, so that columns come from one OR per
    # row.
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
    """Yield all boards by their lights; the presses that make a board from the dark one solve it."""
    solutions = defaultdict(list)
    for presses, lit in each_press(LightsOut(Grid.from_bits(rows, columns, 0))):
        solutions[lit].append(presses)
    for bits in range(1 << rows * columns):
        yield LightsOut(Grid.from_bits(rows, columns, bits)), _grids(rows, columns, solutions.get(bits, ()))


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


def _grids(rows: int, columns: int, bits: Iterable[int]) -> frozenset[Grid]:
    return frozenset(Grid.from_bits(rows, columns, each) for each in bits)


def _grids_of(rows: int, columns: int) -> int:
    return 1 << rows * columns


def _clue_pairs(rows: int, columns: int) -> int:
    pairs: int = len(clues_of(columns)) ** rows * len(clues_of(rows)) ** columns
    return pairs


FAMILIES: dict[str, Sort] = {
    LightsOut.kind: Sort("{} board", _grids_of, _boards, MAX_SIDE, MAX_BOARD_CELLS),
    Nonogram.kind: Sort("clue pair {}", _clue_pairs, _pairs, MAX_BOARD_CELLS, most=MAX_PAIRS),
}
"""By kind, the families that are enumerated completely; other kinds have none."""

PICTURES: dict[str, Sort] = {Nonogram.kind: Sort("picture {}", _grids_of, _of_pictures, MAX_SIDE)}
"""By kind, the families of solvable puzzles that are enumerated if there are too many puzzles in all."""
