"""Lights Out boards of any rules as linear systems over GF(2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crosslit.gf2 import first_row
from crosslit.gf2.elimination import LinearSystem
from crosslit.gf2.first_row import why_no_chase
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut
from crosslit.puzzles.lights_out import PLUS, Offset, Wrap

Tell = Callable[[tuple[int, int], tuple[int, int] | None, bool], None]

_QUICK_WORK = 2_000_000


class BoardSystem:
    """The linear system of a board, eliminated: one unknown a press, one equation a light.

    The elimination sweeps over the board row by row, along the side that keeps the band of unknowns narrow. Where the
    edges across the sweep are joined, the rows are taken from both ends in turn, first, last, second, last but one, as
    if the board were folded: so neighbours stay near each other, and the band is only twice as wide.

    Args:
        board: of any rules. A missing cell has the equation that it is not pressed.
        tell: is told of each light, in the order of the sweep: its cell (row, column), the cell whose press its
            equation settles, None if it settles none, and whether it contradicts the equations before it.

    Examples:
        >>> system = BoardSystem(LightsOut(Grid.from_text("101/000"), wrap="vertical"))
        >>> system.nullity, Grid.from_bits(2, 3, system.particular()).text()
        (0, '101/000')
    """

    def __init__(self, board: LightsOut, tell: Tell | None = None) -> None:
        self._turned = _band(board.transposed()) < _band(board)
        self._board = board = board.transposed() if self._turned else board
        rows, columns = board.rows, board.columns
        self._order = _folded(rows) if board.wraps_rows else list(range(rows))
        at = sorted(range(rows), key=self._order.__getitem__)  # where each row comes in the sweep
        self._system = LinearSystem(rows * columns)
        missing = set() if board.missing is None else set(board.missing.cells())
        for row in self._order:
            lit = board.lit.row(row)
            for column in range(columns):
                if (row, column) in missing:
                    self._system.add(1, 0, at[row] * columns + column)
                    continue
                presses = [at[above] * columns + left for above, left in _togglers(board, row, column) - missing]
                first = min(presses, default=0)
                consistent, self._system.consistent = self._system.consistent, True
                pivot = self._system.add(sum(1 << press - first for press in presses), lit >> column & 1, first)
                if tell is not None:
                    settled = None if pivot is None else self._cell(pivot)
                    tell(self._cell(at[row] * columns + column), settled, not self._system.consistent)
                self._system.consistent &= consistent

    @property
    def nullity(self) -> int:
        """Dimension of the kernel."""
        return self._system.nullity

    def particular(self) -> int | None:
        """One solution as bits, cell (r, c) at ``r * columns + c``; None if there is none."""
        found = self._system.particular()
        return None if found is None else self._cells(found)

    def kernel(self) -> Iterator[int]:
        """A basis of the kernel, as bits like those of `particular`."""
        return map(self._cells, self._system.kernel())

    def _cell(self, unknown: int) -> tuple[int, int]:
        """The cell of an unknown."""
        swept, column = divmod(unknown, self._board.columns)
        row = self._order[swept]
        return (column, row) if self._turned else (row, column)

    def _cells(self, unknowns: int) -> int:
        """From the order of the sweep to that of the board."""
        board = self._board
        if board.wraps_rows:
            swept = Grid.from_bits(board.rows, board.columns, unknowns).row_bits()
            by_row = dict(zip(self._order, swept, strict=True))
            unknowns = Grid.from_rows([by_row[row] for row in range(board.rows)], board.columns).bits
        return Grid.from_bits(board.rows, board.columns, unknowns).transposed().bits if self._turned else unknowns


def _folded(rows: int) -> list[int]:
    """First, last, second, last but one, and so on."""
    return [row for pair in zip(range(rows), reversed(range(rows)), strict=True) for row in pair][:rows]


def _band(board: LightsOut) -> int:
    """How many unknowns a sweep over the rows holds at a time, for each row that a press reaches."""
    return board.columns * (2 if board.wraps_rows else 1)


def _togglers(board: LightsOut, row: int, column: int) -> set[tuple[int, int]]:
    """The presses that toggle a light; those that meet it an even number of times do not."""
    togglers: set[tuple[int, int]] = set()
    for down, right in board.pattern:
        above, left = row - down, column - right  # a light is toggled from the opposite side
        if board.wraps_rows:
            above %= board.rows
        if board.wraps_columns:
            left %= board.columns
        if 0 <= above < board.rows and 0 <= left < board.columns:
            togglers ^= {(above, left)}
    return togglers


def nullity(rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none") -> int:
    """Dimension of the kernel (the "quiet patterns") of boards of a size: a solvable one has 2^nullity solutions.

    Where the chase from the first row reaches, nothing as large as the board is built: see
    `crosslit.gf2.first_row.nullity`. All other boards are eliminated. For squares, OEIS A159257; on a torus, A165738.

    Args:
        rows: of the board.
        columns: of the board.
        pattern: the cells that a press toggles, as in `LightsOut`.
        wrap: which edges are joined, as in `LightsOut`.

    Raises:
        ValueError: if a size is below 1, or there are no such rules.

    Examples:
        >>> [nullity(size, size) for size in range(1, 20)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16]
        >>> [nullity(size, size, wrap="torus") for size in range(1, 11)]
        [0, 0, 4, 0, 8, 8, 0, 0, 4, 16]
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one row and one column, not {rows} x {columns}")
    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    if why_no_chase(rules) is None:
        return first_row.nullity(rows, columns, rules.pattern)
    return BoardSystem(LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)).nullity


def board_nullity(board: LightsOut) -> int | None:
    """The nullity of a board, missing cells and all; None where that takes more than about a second.

    Examples:
        >>> board_nullity(LightsOut(Grid.from_text("0000"), missing=Grid.from_text("0100")))
        1
    """
    if why_no_chase(board) is None:
        return first_row.nullity(board.rows, board.columns, board.pattern)
    if elimination_work(board.rows, board.columns, board) > _QUICK_WORK:
        return None
    return BoardSystem(board).nullity


def solution_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """One solution of a board, None if there is none, and a basis of the kernel; cell (r, c) is bit r * columns + c.

    By polynomials where the chase from the first row reaches, else by elimination.

    Examples:
        >>> solution, kernel = solution_space(LightsOut(Grid.from_text("00000/00000")))
        >>> solution, [Grid.from_bits(2, 5, quiet).text() for quiet in kernel]
        (0, ['10101/10101'])
    """
    if why_no_chase(board) is not None:
        system = BoardSystem(board)
        return system.particular(), list(system.kernel())
    columns, stay = board.columns, board.pattern == PLUS
    lit, dark = board.lit.row_bits(), [0] * board.rows
    residue = first_row.chase(lit, 0, columns, stay)[1]
    first, rows = first_row.solve_polynomially(board.rows, columns, residue, stay)

    def chased(lights: list[int], row: int) -> int:
        return Grid.from_rows(first_row.chase(lights, row, columns, stay)[0], columns).bits

    return None if first is None else chased(lit, first), [chased(dark, row) for row in rows]


def elimination_work(rows: int, columns: int, rules: LightsOut) -> int:
    """How many row operations the elimination of a board takes, roughly: unknowns times the width of the band.

    Args:
        rows: of the board.
        columns: of the board.
        rules: any board with its rules.
    """
    reach = min(max(max(abs(down), abs(right)) for down, right in rules.pattern), rows, columns)
    band = min(columns * (2 if rules.wraps_rows else 1), rows * (2 if rules.wraps_columns else 1))
    return rows * columns * max(band * reach, 10 * len(rules.pattern))
