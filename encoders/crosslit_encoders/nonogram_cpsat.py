"""Nonograms to CP-SAT."""

from __future__ import annotations

from typing import Any

from crosslit.contract import Encoding
from crosslit.puzzles import Nonogram
from crosslit.puzzles.nonogram import Clue
from crosslit_encoders.cp_model import CpFormula, cell_model


def automaton(puzzle: Nonogram) -> CpFormula:
    """One deterministic automaton for each line, by ``add_automaton``.

    The state counts the cells of the line's pattern that have been met: the blocks with one empty cell between them
    (regular constraint: Pesant, "A regular language membership constraint for finite sequences of variables", CP 2004).

    Sizes: rows * columns Boolean variables; rows + columns constraints of at most 2 * (sum of blocks + blocks)
    transitions. A clue that does not fit its line makes the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = automaton(read("1,0|1"))
        >>> len(formula.cells), len(formula.model.proto.constraints)
        (2, 3)
    """
    formula = cell_model(puzzle.rows, puzzle.columns)
    cells, columns = formula.cells, puzzle.columns
    for row, clue in enumerate(puzzle.row_clues):
        _add_line(formula, clue, cells[row * columns : (row + 1) * columns])
    for column, clue in enumerate(puzzle.column_clues):
        _add_line(formula, clue, cells[column::columns])
    return formula


def _add_line(formula: CpFormula, clue: Clue, line: list[Any]) -> None:
    if sum(clue) + len(clue) - 1 > len(line):
        formula.model.add_bool_or([])  # an automaton for it could be too large to build
        return
    start, finals, transitions = line_automaton(clue)
    formula.model.add_automaton(line, start, finals, transitions)


def line_automaton(clue: Clue) -> tuple[int, list[int], list[tuple[int, int, int]]]:
    """The automaton of a clue: its first state, final states, and transitions (state, 0 or 1, next state).

    Examples:
        >>> line_automaton((1, 2))
        (0, [4], [(0, 0, 0), (0, 1, 1), (1, 0, 2), (2, 0, 2), (2, 1, 3), (3, 1, 4), (4, 0, 4)])
    """
    transitions = []
    state = 0
    for index, block in enumerate(clue):
        if index:  # at least one empty cell after the block before
            transitions.append((state, 0, state + 1))
            state += 1
        transitions.append((state, 0, state))
        for _ in range(block):
            transitions.append((state, 1, state + 1))
            state += 1
    transitions.append((state, 0, state))
    return 0, [state], transitions


ENCODINGS = [
    Encoding(
        name="automaton",
        kind="nonogram",
        target="cp-sat",
        encode=automaton,
        trusts=frozenset({"nonogram-automaton"}),
        summary="one automaton a line, by add_automaton",
        default=True,
    )
]
