"""Solving by hand, as far as it goes without search: line solving, the chase, and the grades of puzzles."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, Literal

from crosslit_backends.coloured_nonogram.line_search import Search
from crosslit_backends.coloured_nonogram.line_solver import solve_line
from crosslit_backends.nonogram.line_state import Counts

from crosslit.answer import DIGITS
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.kinds.coloured_nonogram.puzzle import Block, ColouredNonogram, usual_palette

Grade = Literal["line", "probe", "search"]

GRADES: tuple[Grade, ...] = ("line", "probe", "search")
"""The work that a puzzle needs: only lines (for a board: the chase from no presses in the first row), guesses of one
cell that are refuted by lines (one press in the first row), or search."""


def deduced(clue: str, line: str) -> str:
    """Return a line with all cells that its clue and its known cells decide; ``?`` is an unknown cell.

    >>> deduced("3", "?????"), deduced("3", "?1???"), deduced("1a 1b", "1?0")
    ('??1??', '?11?0', '120')
    """
    found = re.findall(r"([0-9]+)([a-z]?)", clue)
    blocks = tuple(Block(int(size), ord(letter or "a") - 96) for size, letter in found if int(size))
    can = (sum((cell in ("?", digit)) << index for index, cell in enumerate(line)) for digit in DIGITS)
    possible = solve_line(blocks, len(line), tuple(can)) or ()
    values = (
        [digit for digit, cells in zip(DIGITS, possible, strict=False) if cells >> index & 1]
        for index in range(len(line))
    )
    return "".join(digits[0] if len(digits) == 1 else "?" for digits in values)


def solved_by_lines(puzzle: CluePuzzle) -> Search | None:
    """Return what complete line solving finds in a nonogram of any kind; None if it refutes the puzzle."""
    if not isinstance(puzzle, ColouredNonogram):
        axes = (puzzle.row_clues, puzzle.column_clues)
        rows, columns = ([tuple(Block(*pair) for pair in puzzle.pairs(clue)) for clue in clues] for clues in axes)
        puzzle = ColouredNonogram(rows, columns, usual_palette(1))
    solver = Search(puzzle, Counts())
    return solver if solver.propagate(range(len(solver.clues))) else None


def grade_of_clues(puzzle: CluePuzzle, varying: frozenset[int] = frozenset()) -> Grade:
    """Return what is needed to find all cells but those that differ between solutions, or a contradiction."""
    solver = solved_by_lines(puzzle)
    if solver is None or varying.issuperset(solver.open_cells()):
        return "line"
    while not varying.issuperset(cells := solver.open_cells()):
        gains = solver.probe_all(cells)
        if gains is None:  # a contradiction
            break
        if gains:  # no value was refuted
            return "search"
    return "probe"


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
