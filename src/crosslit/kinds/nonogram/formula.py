"""The check that the formula of a nonogram forbids no solution, line by line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from crosslit.contract.clauses import Clause, Part, WrongFormula, renumbered
from crosslit.kinds.nonogram.placements import LacksArrangement, Line, check_line
from crosslit.kinds.nonogram.puzzle import Nonogram


def check_formula(puzzle: Nonogram, every: Iterable[Part]) -> str | None:
    """Return None if the parts of a formula forbid no solution, otherwise why that is not shown."""
    of_line: dict[tuple[str, int], list[Clause]] = defaultdict(list)
    for part in every:
        homes = _homes(puzzle, part)
        if not homes:
            return "a part of the formula is about cells of several lines"
        # a statement about one cell belongs to the line that implies it
        home = homes[0] if len(homes) == 1 else next((home for home in homes if _settled(puzzle, home, part)), None)
        if home is None:
            raise WrongFormula(
                f"what it says of {_place(puzzle, part)} follows neither from its row nor from its column"
            )
        of_line[home] += part.clauses
    for (axis, number), clauses in sorted(of_line.items()):
        line, places = _line(puzzle, axis, number)
        try:
            why_not = check_line(line, renumbered(clauses, places))
        except LacksArrangement as error:
            raise WrongFormula(f"{axis} {number + 1}: {error}") from None
        if why_not:
            return f"{axis} {number + 1}: {why_not}"
    return None


def _place(puzzle: Nonogram, part: Part) -> str:
    """Return the place of a part's only cell, in words."""
    row, column = divmod(min(part.cells, default=1) - 1, puzzle.columns)
    return f"row {row + 1}, column {column + 1}"


def _homes(puzzle: Nonogram, part: Part) -> list[tuple[str, int]]:
    """Return the lines that contain all cells of a part: one, two for a single cell, or none."""
    # A part without cells (an auxiliary variable by itself) is about nothing: row 1 serves as well as any line.
    cells = [divmod(cell - 1, puzzle.columns) for cell in part.cells] or [(0, 0)]
    rows, columns = {row for row, _ in cells}, {column for _, column in cells}
    homes = [("row", row) for row in rows] if len(rows) == 1 else []
    return homes + ([("column", column) for column in columns] if len(columns) == 1 else [])


def _line(puzzle: Nonogram, axis: str, number: int) -> tuple[Line, range]:
    """Return a line, and the variables of its cells."""
    if axis == "row":
        first = number * puzzle.columns + 1
        return Line(puzzle.row_clues[number], puzzle.columns), range(first, first + puzzle.columns)
    places = range(number + 1, puzzle.rows * puzzle.columns + 1, puzzle.columns)
    return Line(puzzle.column_clues[number], puzzle.rows), places


def _settled(puzzle: Nonogram, home: tuple[str, int], part: Part) -> bool:
    """Return whether the clue of a line implies a part's statement about its only cell."""
    line, places = _line(puzzle, *home)
    if part.cells and len(part.clauses) == len(part.clauses[0]) == 1:  # by far the most frequent case
        always, ever = _forced(line)
        literal = part.clauses[0][0]
        bit = 1 << places.index(abs(literal))
        return bool(always & bit if literal > 0 else not ever & bit)
    try:
        return check_line(line, renumbered(part.clauses, places)) is None
    except LacksArrangement:
        return False


@lru_cache(maxsize=1024)
def _forced(line: Line) -> tuple[int, int]:
    """Return the cells that all arrangements fill, and those that any fills, as bits, cell 0 the lowest."""
    always, ever = (1 << line.length) - 1, 0
    # Enough for the two extremes of each cell: if some arrangement fills a cell, or leaves it empty, one of these does.
    for shifts in line.extremes():
        filled = int(line.text(shifts)[::-1], 2)
        always, ever = always & filled, ever | filled
    return always, ever
