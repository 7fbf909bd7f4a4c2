"""The checkers of nonograms: of certificates by sums, of batches of pictures, and of formulas, line by line."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from crosslit.base.errors import CertificateRejected
from crosslit.base.layout import DIGITS
from crosslit.contract.certificate import Certificate, CheckResult, entry
from crosslit.contract.clauses import Clause, Statement, WrongFormula, parts, renumbered
from crosslit.kinds.batch import record_bytes
from crosslit.kinds.nonogram.placements import LacksArrangement, Line, check_line, value_literals
from crosslit.kinds.nonogram.puzzle import Nonogram

BY = "sums of the clues"


def check_sums(puzzle: Nonogram, certificate: Certificate) -> CheckResult:
    """Check the two sums ``rows`` and ``columns``, or ``axis``, ``line`` (from 1), ``needs`` and ``has`` of one clue.

    The numbers are text in decimal digits. They must be those of the puzzle, and contradict each other.
    """
    if certificate.claim != "unsolvable":
        raise CertificateRejected("sums of clues only prove that there is no solution")
    keys = certificate.body.keys()
    if keys == {"rows", "columns"}:
        _differ(puzzle, certificate)
    elif keys == {"axis", "line", "needs", "has"}:
        _does_not_fit(puzzle, certificate)
    else:
        raise CertificateRejected("its body has either rows and columns, or axis, line, needs and has")
    return CheckResult("unsolvable", 0, BY)


def _differ(puzzle: Nonogram, certificate: Certificate) -> None:
    rows, columns = _filled(puzzle.row_clues), _filled(puzzle.column_clues)
    _compare(certificate, {"rows": rows, "columns": columns})
    if rows == columns:
        raise CertificateRejected(f"the rows and the columns both need {rows} filled cells")


def _does_not_fit(puzzle: Nonogram, certificate: Certificate) -> None:
    axis = entry(certificate, "axis", str)
    if axis not in ("row", "column"):
        raise CertificateRejected("an axis is row or column")
    clues, has = (puzzle.row_clues, puzzle.columns) if axis == "row" else (puzzle.column_clues, puzzle.rows)
    line = _number(certificate, "line")
    if not 1 <= line <= len(clues):
        raise CertificateRejected(f"there is no {axis} {line}")
    # Blocks are separated by one cell, and there is none after the last.
    needs = sum(block + 1 for block in clues[line - 1]) - 1
    _compare(certificate, {"needs": needs, "has": has})
    if needs <= has:
        raise CertificateRejected(f"the clue of {axis} {line} needs {needs} cells, and the line has {has}")


def _filled(clues: Sequence[Sequence[int]]) -> int:
    return sum(block for clue in clues for block in clue)


def _compare(certificate: Certificate, true: dict[str, int]) -> None:
    for key, number in true.items():
        if _number(certificate, key) != number:
            raise CertificateRejected(f"{key} differs from the clues")


def _number(certificate: Certificate, key: str) -> int:
    text = entry(certificate, key, str)
    # `isdigit` accepts digits of other scripts; more than 4,300 digits would make `int` raise.
    if not (text.isascii() and text.isdigit() and len(text) <= 4000):
        raise CertificateRejected(f"{key!r} is not a whole number in decimal digits")
    return int(text)


def all_drawn(puzzle: Nonogram, packed: bytes) -> bool:
    """Return whether every grid has the blocks of all clues."""
    import numpy as np

    rows, columns, size = puzzle.rows, puzzle.columns, record_bytes(puzzle)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    if bits[:, rows * columns :].any():
        return False
    cells = bits[:, : rows * columns].reshape(-1, rows, columns)
    return _fit(cells, puzzle.row_clues) and _fit(cells.transpose(0, 2, 1), puzzle.column_clues)


_MAX_TABLE = 14  # cells of a line; longer ones have too many arrangements
_MIN_GRIDS = 1 << 6  # fewer are not worth the tables


def _fit(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues."""
    import numpy as np

    length = cells.shape[2]
    if length > _MAX_TABLE or len(cells) < _MIN_GRIDS:
        return _has_blocks(cells, clues)
    numbers = np.einsum("ijk,k->ij", cells, (1 << np.arange(length)).astype(np.uint16))
    return all(_table(clue, length)[numbers[:, line]].all() for line, clue in enumerate(clues))


@functools.lru_cache(256)
def _table(clue: tuple[int, ...], length: int) -> Any:
    import numpy as np

    table = np.zeros(1 << length, bool)
    table[list(_lines(clue, length))] = True
    return table


def _lines(clue: tuple[int, ...], length: int) -> Iterator[int]:
    """Yield each line with the blocks of a clue, as a number whose bit i is cell i.

    Examples:
        >>> sorted(f"{line:04b}" for line in _lines((2, 1), 4))
        ['1011']
    """
    if not clue:
        yield 0
        return
    block, *others = clue
    for start in range(length - sum(clue) - len(others) + 1):
        behind = start + block + 1
        for line in _lines(tuple(others), length - behind):
            yield (1 << block) - 1 << start | line << behind


def _has_blocks(cells: Any, clues: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether the lines of grids, shape (grids, lines, cells), have the blocks of the clues.

    A change of value starts a block, and the next one ends it: if every line has two changes per block, the changes of
    all lines in sequence are the blocks in the order of the clues.
    """
    import numpy as np

    grids, lines, length = cells.shape
    # An empty cell at both ends, so that blocks at the edges begin and end with a change too.
    padded = np.zeros((grids, lines, length + 2), np.int8)
    padded[:, :, 1:-1] = cells
    changes = padded[:, :, 1:] != padded[:, :, :-1]
    if (np.count_nonzero(changes, axis=2) != [2 * len(clue) for clue in clues]).any():
        return False
    # Every line has an even number of changes here, so they pair up across the ends of lines.
    at = np.flatnonzero(changes)
    blocks = np.array([block for clue in clues for block in clue], np.int64)
    return bool(((at[1::2] - at[::2]).reshape(grids, -1) == blocks).all())


def check_formula(puzzle: Nonogram, statement: Statement) -> str | None:
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


def _homes(puzzle: Nonogram, cells: set[int]) -> list[int]:
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


@functools.lru_cache(maxsize=1024)
def _values(line: Line) -> list[set[int]]:
    """Return, for each cell of a line, the values that it has in some arrangement."""
    # Enough for the two extremes of each cell: if some arrangement gives a cell a value, one of these does.
    texts = {line.text(shifts) for shifts in line.extremes()}
    return [{DIGITS.index(text[cell]) for text in texts} for cell in range(line.length)]
