"""The check that the formula of a proof forbids no solution, part by part against the rules.

A refutation certifies a formula, not the puzzle. It also has to hold that every solution of the puzzle extends to a
model of the formula. (The converse, that a model is a solution, is not needed: the rule checker accepts the solutions
of a certificate.) Clauses that share an auxiliary variable form a part; different parts share only cells. So it is
enough that every solution extends to a model of each part. A part about cells of one line follows from the clue of that
line; one about some presses of a Lights Out board from the lights that only these presses toggle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from crosslit.certificates.placements import LacksArrangement, Line, check_line
from crosslit.certificates.rup import CHECKER, Clause, without_jumps
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle

MAX_PRESSES = 12
"""Maximum number of presses in a part of a board's formula: all 2^12 values are tried."""


class WrongFormula(ValueError):
    """A formula that forbids something that the rules allow; the message says where."""


@dataclass
class Part:
    """Clauses that share auxiliary variables with each other, and only cells with all others."""

    clauses: list[Clause] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)


def parts(clauses: Iterable[Clause], cells: int) -> list[Part]:
    """Split a formula, whose first variables are cells, into parts; a clause without auxiliary variables is a part.

    Examples:
        >>> [part.clauses for part in parts([[1, 3], [-3, 2], [1, 2], [4, -1]], 2)]
        [[[1, 3], [-3, 2]], [[1, 2]], [[4, -1]]]
    """
    # A union-find structure over auxiliary variables.
    leader: dict[int, int] = {}

    def find(variable: int) -> int:
        root = variable
        while (above := leader.setdefault(root, root)) != root:
            root = above
        # Path compression keeps the look-ups of long chains of auxiliary variables nearly constant.
        while leader[variable] != root:
            leader[variable], variable = root, leader[variable]
        return root

    kept = [(clause, [abs(literal) for literal in clause if abs(literal) > cells]) for clause in clauses]
    for _, auxiliary in kept:
        for other in auxiliary[1:]:
            leader[find(other)] = find(auxiliary[0])
    found: dict[int, Part] = defaultdict(Part)
    for number, (clause, auxiliary) in enumerate(kept):
        part = found[find(auxiliary[0]) if auxiliary else -number - 1]
        part.clauses.append(clause)
        part.cells.update(abs(literal) for literal in clause if abs(literal) <= cells)
    return list(found.values())


def check_formula(puzzle: Puzzle, clauses: Iterable[Clause]) -> str | None:
    """Check that a formula forbids no solution of a puzzle.

    Returns:
        None if this is shown, otherwise why not; the formula may still be right.

    Raises:
        WrongFormula: if it forbids something that the rules of a line or of some lights allow.

    Examples:
        >>> from crosslit.formats import read
        >>> check_formula(read("1|1,0"), [[1], [-2]])
        >>> check_formula(read("1 1,0|1,0,1"), [[1], [-2], [3], [-4, -5]])
        >>> check_formula(read("1,1|1,1"), [[1, 2], [1, -2]])
        Traceback (most recent call last):
            ...
        crosslit.certificates.narrowing.WrongFormula: row 1: it forbids 01 in a line of 2 cells with the clue 1
    """
    every = parts(clauses, puzzle.rows * puzzle.columns)
    if puzzle.kind not in PARTS:
        return f"there is no check of formulas of a {puzzle.kind} puzzle"
    _, why_not = PARTS[puzzle.kind]
    return why_not(puzzle, every)


def _check_lines(puzzle: Nonogram, every: Iterable[Part]) -> str | None:
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
            why_not = check_line(line, _renumbered(clauses, places))
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
        return check_line(line, _renumbered(part.clauses, places)) is None
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


def _renumbered(clauses: Sequence[Clause], places: Sequence[int]) -> tuple[Clause, ...]:
    """Renumber the variables of clauses: these cells first, then the auxiliary ones in order of appearance."""
    numbers = {variable: number for number, variable in enumerate(places, 1)}
    return tuple(
        tuple((1 if literal > 0 else -1) * numbers.setdefault(abs(literal), len(numbers) + 1) for literal in clause)
        for clause in clauses
    )


def _check_lights(board: LightsOut, every: Iterable[Part]) -> str | None:
    lights = _lights(board)
    of_press: dict[int, list[int]] = defaultdict(list)
    for light, (presses, _) in enumerate(lights):
        for press in presses:
            of_press[press].append(light)
    never = tuple((0, 1) for presses, value in lights if not presses and value)  # a light that no press puts out
    for part in every:
        cells = sorted(part.cells)
        if len(cells) > MAX_PRESSES:
            return f"a part of the formula is about {len(cells)} presses, more than {MAX_PRESSES}"
        # A light with presses outside the part is left out: then more values count as allowed, which makes the check
        # stricter and never laxer.
        near = sorted({light for cell in cells for light in of_press[cell] if part.cells.issuperset(lights[light][0])})
        numbers = {cell: number for number, cell in enumerate(cells)}
        xors = tuple((sum(1 << numbers[press] for press in lights[light][0]), lights[light][1]) for light in near)
        # Such a board has no solution, so that nothing can be forbidden wrongly.
        xors += never
        # Renumbered from 1, so that equal parts at different places of a board share one cached answer.
        values = _forbidden(_renumbered(part.clauses, cells), len(cells), xors)
        if values is not None:
            pressed = [divmod(cell - 1, board.columns) for cell in cells if values >> numbers[cell] & 1]
            shown = ", ".join(f"{row + 1}/{column + 1}" for row, column in pressed) or "none"
            about = ", ".join(f"{(cell - 1) // board.columns + 1}/{(cell - 1) % board.columns + 1}" for cell in cells)
            raise WrongFormula(f"of the presses {about} it forbids {shown}, which no light that they toggle forbids")
    return None


def _lights(board: LightsOut) -> list[tuple[list[int], int]]:
    """Return, for each light, the presses (from 1) that toggle it, by the rule checker, and whether it is lit.

    A missing cell gives the condition that it is not pressed.
    """
    rows, columns = board.rows, board.columns
    missing = 0 if board.missing is None else board.missing.bits
    # Pressed by the rule checker on a dark board, to share no code with the encoders.
    dark = LightsOut(Grid.from_bits(rows, columns, 0), board.pattern, board.wrap, board.missing)
    togglers: list[list[int]] = [[] for _ in range(rows * columns)]
    for press in range(rows * columns):
        if missing >> press & 1:
            togglers[press].append(press + 1)
            continue
        toggled = dark.pressed(Grid.from_bits(rows, columns, 1 << press)).lit.bits
        while toggled:
            low = toggled & -toggled
            togglers[low.bit_length() - 1].append(press + 1)
            toggled ^= low
    lit = board.lit.bits
    return [(presses, lit >> light & 1) for light, presses in enumerate(togglers)]


@lru_cache(maxsize=1024)
@without_jumps()
def _forbidden(clauses: tuple[Clause, ...], cells: int, xors: tuple[tuple[int, int], ...]) -> int | None:
    """Return the first values of some presses, as bits, that satisfy all XORs and no model of the clauses, or None."""
    from pysat.solvers import Solver

    with Solver(name=CHECKER, bootstrap_with=clauses) as target:
        for values in _obeying(cells, xors):
            wanted = [cell + 1 if values >> cell & 1 else -cell - 1 for cell in range(cells)]
            # The model is propagated again, so that a wrong "satisfiable" of the solver is noticed.
            if not (target.solve(assumptions=wanted) and target.propagate(target.get_model())[0]):
                return values
    return None


def _obeying(cells: int, xors: tuple[tuple[int, int], ...]) -> Iterator[int]:
    for bits in range(1 << cells):
        if all((bits & mask).bit_count() & 1 == value for mask, value in xors):
            yield bits


PARTS: dict[str, tuple[str, Callable[[Any, Iterable[Part]], str | None]]] = {
    LightsOut.kind: ("light by light", _check_lights),
    Nonogram.kind: ("line by line", _check_lines),
}
"""By kind, a phrase for the parts in which a formula is checked, and the function that checks them."""
