"""Lines of coloured nonograms, and clauses about the colours of their cells: the parts shared by several encodings."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np

from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.models import block_starts, gap

Literal = int
Cells = Sequence[int]
"""The cells of a line, in row-major order from 0."""


class Clauses:
    """A formula of coloured cells under construction.

    A cell with two states has one variable: true for colour 1. With more, it has one for each state.

    Args:
        puzzle: the puzzle; clauses that leave each cell exactly one state are added at once. Only the states that both
            its row and its column have exclude each other: each line excludes the others (`encode_lines`).
    """

    def __init__(self, puzzle: ColouredNonogram) -> None:
        self.puzzle, self.states = puzzle, puzzle.colours + 1
        self.part = -1
        self._literals, self._ends, self._parts = array("i"), array("q"), array("q")  # lists take ten times the memory
        cells = puzzle.rows * puzzle.columns
        self.last = cells if self.states == 2 else cells * self.states
        own = [[_own(clue) for clue in clues] for clues in (puzzle.row_clues, puzzle.column_clues)]
        for cell in range(cells) if self.states > 2 else ():
            self.add(*(self.value(cell, state) for state in range(self.states)))
            row, column = divmod(cell, puzzle.columns)
            for one, other in combinations(sorted(own[0][row] & own[1][column]), 2):
                self.add(-self.value(cell, one), -self.value(cell, other))

    def value(self, cell: int, colour: int) -> Literal:
        """Return the literal that says a cell has a colour, or 0 for an empty cell."""
        if self.states == 2:
            return cell + 1 if colour else -cell - 1
        return 1 + cell * self.states + colour

    def variable(self) -> Literal:
        """Return a new variable."""
        self.last += 1
        return self.last

    def add(self, *literals: Literal | bool) -> None:
        """Add a clause of the current part; True satisfies it, and False is left out of it."""
        # `is`, because 1 == True
        if not any(literal is True for literal in literals):
            self._literals.extend(literal for literal in literals if literal is not False)
            self._ends.append(len(self._literals))
            self._parts.append(self.part)

    def formula(self) -> Formula:
        """Return the formula of all clauses."""
        puzzle, parts = self.puzzle, np.array(self._parts, np.int64)
        literals, ends = np.array(self._literals, np.int32), np.array(self._ends, np.int64)
        return Formula(puzzle.rows, puzzle.columns, self.last, literals, ends, part=lambda: parts, states=puzzle.states)


def _own(clue: Clue) -> set[int]:
    """Return the states of the cells of a line."""
    return {0, *(block.colour for block in clue)}


def encode_lines(puzzle: ColouredNonogram, encode: Callable[[Clauses, Clue, Cells, list[range]], None]) -> Formula:
    """Return the formula of all lines, each encoded with its clue, its cells and the starts that each block can have.

    A clue that does not fit its line gives the clauses ``x`` and ``not x``.
    """
    clauses = Clauses(puzzle)
    for clauses.part, (clue, cells) in enumerate(puzzle.lines()):
        if ColouredNonogram.space(clue) > len(cells):
            clauses.add(clauses.value(cells[0], 0))
            clauses.add(-clauses.value(cells[0], 0))
        else:
            encode(clauses, clue, cells, block_starts(puzzle, clue, len(cells)))
            for cell, state in product(cells, {*range(clauses.states)} - _own(clue)):
                clauses.add(-clauses.value(cell, state))
    return clauses.formula()


def line_automaton(clue: Clue) -> tuple[int, tuple[int, ...], list[tuple[int, int, int]]]:
    """Return the automaton of a clue: its first state, final states, and transitions (state, colour, next state).

    State s has read s cells of the blocks, or, before the next block, an empty cell after them: there is a state for
    each cell of a block, and one for each gap.

    Examples:
        >>> from crosslit.kinds.nonogram.colours import read_clue
        >>> line_automaton(read_clue("1a 1b"))
        (0, (3, 4), [(0, 0, 0), (0, 1, 1), (1, 0, 2), (2, 0, 2), (2, 2, 3), (1, 2, 3), (3, 0, 4), (4, 0, 4)])
    """
    transitions, state = [(0, 0, 0)], 0
    end = None  # the last cell of the block before
    for place, (length, colour) in enumerate(clue):
        begins = [state] if end is None or gap(clue, place) else [state, end]
        transitions += [(begin, colour, state + 1) for begin in begins]
        transitions += [(state + cell, colour, state + cell + 1) for cell in range(1, length)]
        end, state = state + length, state + length + 1
        transitions += [(end, 0, state), (state, 0, state)]
    return 0, (state,) if end is None else (end, state), transitions
