"""Certificates that several solvers make in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from crosslit.certificates import Certificate
from crosslit.contract import GaveUp, Task
from crosslit.gf2 import BoardSystem
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram

MOST_CELLS = 100_000_000  # a certificate has a character for each
MOST_FREE = 200_000_000  # free cells times cells: minutes of Python
TOO_LARGE = f"more than {MOST_FREE:.0e} free cells times cells would take minutes to check"
NO_SEARCH = "that its search has ended is no evidence in itself"


class RefutesByClues:
    """What every nonogram solver can certify: that the clues cannot be, by their sums or by one line's length."""

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """The two sums, or the clue that does not fit.

        Raises:
            GaveUp: where the clues do not contradict each other so plainly.
        """
        body = None if solutions else clues_that_cannot_be(puzzle)
        if body is None:
            raise GaveUp(NO_SEARCH)
        return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body)


def clues_that_cannot_be(puzzle: Nonogram) -> dict[str, str] | None:
    """The body of a certificate of sums; None if there is none.

    Examples:
        >>> clues_that_cannot_be(Nonogram([[1, 1]], [[1], [1]]))
        {'axis': 'row', 'line': '1', 'needs': '3', 'has': '2'}
        >>> clues_that_cannot_be(Nonogram([[1], [1]], [[1], []]))
        {'rows': '2', 'columns': '1'}
    """
    for axis, clues, has in (("row", puzzle.row_clues, puzzle.columns), ("column", puzzle.column_clues, puzzle.rows)):
        for line, clue in enumerate(clues, 1):
            needs = sum(clue) + len(clue) - 1
            if needs > has:
                return {"axis": axis, "line": str(line), "needs": f"{needs:d}", "has": str(has)}
    rows, columns = (sum(map(sum, clues)) for clues in (puzzle.row_clues, puzzle.column_clues))
    return {"rows": str(rows), "columns": str(columns)} if rows != columns else None


def parity(board: LightsOut, lights: Grid) -> Certificate:
    """That a board has no solution, by lights whose parity no press changes."""
    return Certificate("lights-out-parity", board.id, "unsolvable", 0, {"lights": lights.text()})


def complete(board: LightsOut, form: str, dimension: int, body: Mapping[str, object]) -> Certificate:
    """That a board has 2^dimension solutions."""
    return Certificate(form, board.id, "complete" if dimension else "unique", 1 << dimension, body)


def within_reach(board: LightsOut) -> None:
    """Give up on boards whose certificate would be too long."""
    if board.rows * board.columns > MOST_CELLS:
        raise GaveUp(f"a certificate of more than {MOST_CELLS:.0e} cells is not written")


def by_elimination(board: LightsOut, solutions: Sequence[Grid]) -> Certificate:
    """A certificate of a board of any rules; see `crosslit.certificates.lights_out.check_free` and ``check_parity``.

    Raises:
        GaveUp: where it would be too long, or its check too much work.
    """
    within_reach(board)
    if not solutions:
        # y A = 0: the presses and lights change places
        back = tuple((-down, -right) for down, right in board.pattern)
        turned = LightsOut(board.lit, back, board.wrap, board.missing)
        lit = board.lit.bits
        for quiet in BoardSystem(turned).kernel():
            if (quiet & lit).bit_count() & 1:
                return parity(board, Grid.from_bits(board.rows, board.columns, quiet))
        raise GaveUp("elimination does not agree that there is no solution")
    cells = board.rows * board.columns
    if min(board.rows, board.columns) * cells > MOST_FREE:  # about as many are free, or more
        raise GaveUp(TOO_LARGE)
    free = free_cells(board)
    if free.count() * cells > MOST_FREE:
        raise GaveUp(TOO_LARGE)
    kernel = [Grid.from_bits(board.rows, board.columns, quiet).text() for quiet in BoardSystem(board).kernel()]
    body = {"free": free.text(), "kernel": kernel, "solution": solutions[0].text()}
    return complete(board, "lights-out-free", len(kernel), body)


def free_cells(board: LightsOut) -> Grid:
    """Few presses from which all others of a quiet pattern follow, one light after another.

    Greedily: a press that does not follow when its turn comes is free; of the two sweeps, over rows and over columns,
    that with fewer.

    Examples:
        >>> free_cells(LightsOut(Grid.from_text("000/000/000/000"))).text()
        '111/000/000/000'
    """
    rows, columns = board.rows, board.columns
    gone = set() if board.missing is None else set(board.missing.cells())
    cells = [(row, column) for row in range(rows) for column in range(columns) if (row, column) not in gone]
    reached = {press: _toggled(board, press) - gone for press in cells}
    by_column = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    free = min((_sweep(cells, reached), _sweep(by_column, reached)), key=len)
    return Grid.from_bits(rows, columns, sum(1 << row * columns + column for row, column in free))


Cell = tuple[int, int]


def _sweep(order: Iterable[Cell], reached: dict[Cell, set[Cell]]) -> list[Cell]:
    """The presses that do not follow from those before them."""
    unknown: dict[Cell, set[Cell]] = {}
    for press, lights in reached.items():
        for light in lights:
            unknown.setdefault(light, set()).add(press)
    free, known = [], set()
    for next_press in order:
        if next_press in known:
            continue
        free.append(next_press)
        known.add(next_press)
        follow = [next_press]
        while follow:
            press = follow.pop()
            for light in reached[press]:
                unknown[light].discard(press)
                if len(unknown[light]) == 1 and (last := next(iter(unknown[light]))) not in known:
                    known.add(last)
                    follow.append(last)
    return free


def _toggled(board: LightsOut, press: Cell) -> set[Cell]:
    """The lights that a press toggles, one met twice around an edge left out."""
    lights: set[Cell] = set()
    for down, right in board.pattern:
        row, column = press[0] + down, press[1] + right
        row = row % board.rows if board.wraps_rows else row
        column = column % board.columns if board.wraps_columns else column
        if 0 <= row < board.rows and 0 <= column < board.columns:
            lights ^= {(row, column)}
    return lights
