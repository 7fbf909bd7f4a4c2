"""Nonograms to CP-SAT, line by line: an automaton for each line, or a variable for the start of each block.

These two encodings share no code with any encoding to CNF.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
    for clue, line in lines_that_fit(puzzle, formula):  # an automaton of any other could be too large to build
        start, finals, transitions = line_automaton(clue)
        formula.model.add_automaton(line, start, finals, transitions)
    return formula


def lines_that_fit(puzzle: Nonogram, formula: CpFormula) -> Iterator[tuple[Clue, list[Any]]]:
    """Each clue that fits its line, with the variables of the line's cells; any other makes the model false."""
    cells, columns = formula.cells, puzzle.columns
    lines = [cells[row * columns : (row + 1) * columns] for row in range(puzzle.rows)]
    lines += [cells[column::columns] for column in range(columns)]
    for clue, line in zip((*puzzle.row_clues, *puzzle.column_clues), lines, strict=True):
        if sum(clue) + len(clue) - 1 > len(line):
            formula.model.add_bool_or([])
        else:
            yield clue, line


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


def starts(puzzle: Nonogram) -> CpFormula:
    """An integer variable for the start of each block.

    The blocks are the jobs of one machine in a fixed order (Baptiste, Le Pape and Nuijten, "Constraint-Based
    Scheduling", 2001): each starts after the one before and an empty cell. A Boolean variable for each cell that a
    block can cover says whether it does, by the interval of starts that this means, and its negation by all others;
    exactly one of those over a cell is true, or the cell is empty.

    Sizes: rows * columns Boolean variables, and for a line with k blocks, of b cells in all, and slack d (cells beyond
    the tightest packing) k integer variables and b + k * d Boolean ones; between blocks k - 1 linear constraints, and
    2 * (b + k * d) for the Boolean variables; one constraint for each cell. A clue that does not fit its line makes the
    model false.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = starts(read("1,0|1"))
        >>> len(formula.model.proto.variables), len(formula.model.proto.constraints)
        (7, 10)
    """
    from ortools.sat.python import cp_model

    formula = cell_model(puzzle.rows, puzzle.columns)
    model = formula.model
    for clue, line in lines_that_fit(puzzle, formula):
        slack = len(line) - sum(clue) - len(clue) + 1
        covers: list[list[Any]] = [[] for _ in line]
        earliest, before = 0, None
        for block in clue:
            latest = earliest + slack
            start = model.new_int_var(earliest, latest, "")
            if before is not None:
                model.add(start >= before)
            for cell in range(earliest, latest + block):
                covering = model.new_bool_var("")
                domain = cp_model.Domain(max(earliest, cell - block + 1), min(latest, cell))
                rest = domain.complement().intersection_with(cp_model.Domain(earliest, latest))
                model.add_linear_expression_in_domain(start, domain).only_enforce_if(covering)
                model.add_linear_expression_in_domain(start, rest).only_enforce_if(~covering)
                covers[cell].append(covering)
            before = start + block + 1
            earliest += block + 1
        for variable, over in zip(line, covers, strict=True):
            model.add_exactly_one([*over, ~variable])
    return formula
