"""The check that the formula of a nonogram, of one colour or several, forbids no solution, line by line."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from crosslit.base.layout import DIGITS
from crosslit.contract.clauses import Clause, Statement, WrongFormula, parts, renumbered
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.kinds.nonogram.placements import LacksArrangement, Line, check_line, value_literals


def check_formula(puzzle: CluePuzzle, statement: Statement) -> str | None:
    """Return None if a formula forbids no solution, otherwise why that is not shown.

    Different parts share only cells, so it is enough that every solution extends to a model of each part.
    """
    if statement.sums is not None:
        return "the formula is about chosen cells"
    states, width = puzzle.states, puzzle.layout.variables // (puzzle.rows * puzzle.columns)
    blocks = [(tuple((block[0], block[1]) for block in puzzle.pairs(clue)), cells) for clue, cells in puzzle.lines()]
    lines = [(Line(clue, len(cells), states), cells) for clue, cells in blocks]
    of_line: dict[int, list[Clause]] = defaultdict(list)
    for part in parts(statement.clauses, range(1, puzzle.layout.variables + 1)):
        cells = {(variable - 1) // width for variable in part.cells}
        homes = _homes(puzzle, cells)
        if not homes:
            return "a part of the formula is about cells of several lines"
        if len(homes) > 1:  # a statement about one cell belongs to the line that implies it
            (cell,) = cells
            homes = [number for number in homes if _is_implied(*lines[number], part.clauses, cell)]
            if not homes:
                row, column = divmod(cell, puzzle.columns)
                place = f"row {row + 1}, column {column + 1}"
                raise WrongFormula(f"what it says of {place} follows neither from its row nor from its column")
        of_line[homes[0]] += part.clauses
    for number, clauses in sorted(of_line.items()):
        line, cells_of_line = lines[number]
        name = f"row {number + 1}" if number < puzzle.rows else f"column {number - puzzle.rows + 1}"
        try:
            why_not = check_line(line, _renumbered(clauses, cells_of_line, states))
        except LacksArrangement as error:
            raise WrongFormula(f"{name}: {error}") from None
        if why_not:
            return f"{name}: {why_not}"
    return None


def _homes(puzzle: CluePuzzle, cells: set[int]) -> list[int]:
    """Return the lines that contain all of these cells, rows before columns: one, two for a single cell, or none."""
    # A part without cells (an auxiliary variable by itself) is about nothing: row 1 serves as well as any line.
    places = [divmod(cell, puzzle.columns) for cell in cells] or [(0, 0), (0, 1)]
    rows, columns = {row for row, _ in places}, {puzzle.rows + column for _, column in places}
    return [*(rows if len(rows) == 1 else ()), *(columns if len(columns) == 1 else ())]


def _renumbered(clauses: list[Clause], cells: range, states: int) -> tuple[Clause, ...]:
    """Return clauses with the variables of these cells first."""
    return renumbered(clauses, [variable for cell in cells for variable in _variables(cell, states)])


def _variables(cell: int, states: int) -> list[int]:
    return [literal for literal in value_literals(cell, states) if literal > 0]


def _is_implied(line: Line, cells: range, clauses: list[Clause], cell: int) -> bool:
    """Return whether clauses about one cell follow from its line."""
    if {*map(abs, clauses[0])} <= {*_variables(cell, line.states)}:  # no auxiliary variable, as in nearly all of them
        allowed = _allowed(clauses[0], cell, line.states)
        return len(allowed) == line.states or _values(line)[cells.index(cell)] <= allowed
    try:
        return check_line(line, _renumbered(clauses, cells, line.states)) is None
    except LacksArrangement:
        return False


def _allowed(clause: Clause, cell: int, states: int) -> set[int]:
    """Return the values of a cell for which a clause about it holds."""
    literals = value_literals(cell, states)
    # A literal says that the cell has a value, and its negation that it has another.
    said = [({value for value, own in enumerate(literals) if own == literal}, literal) for literal in clause]
    return set().union(*(own or {v for v, other in enumerate(literals) if other != -literal} for own, literal in said))


@lru_cache(maxsize=1024)
def _values(line: Line) -> list[set[int]]:
    """Return, for each cell of a line, the values that it has in some arrangement."""
    # Enough for the two extremes of each cell: if some arrangement gives a cell a value, one of these does.
    texts = {line.text(shifts) for shifts in line.extremes()}
    return [{DIGITS.index(text[cell]) for text in texts} for cell in range(line.length)]
