"""Certificates of Lights Out boards of any rules: by elimination, and by few presses that determine all others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from crosslit.certificates import Certificate
from crosslit.contract import GaveUp
from crosslit.grid import Grid
from crosslit.kinds import LightsOut
from crosslit.kinds.lights_out.board_system import BoardSystem, toggled
from crosslit_backends.lights_out.certificate import complete, parity, within_reach

MAX_FREE = 200_000_000  # free cells times cells: minutes of Python
TOO_LARGE = f"more than {MAX_FREE:.0e} free cells times cells would take minutes to check"


def by_elimination(board: LightsOut, solutions: Sequence[Grid]) -> Certificate:
    """Return a certificate for a board of any rules, unless it would be too long or too much work to check."""
    within_reach(board)
    if not solutions:
        # y A = 0: presses and lights are exchanged
        back = tuple((-down, -right) for down, right in board.pattern)
        turned = LightsOut(board.lit, back, board.wrap, board.missing)
        lit = board.lit.bits
        for quiet in BoardSystem(turned).kernel():
            if (quiet & lit).bit_count() & 1:
                return parity(board, Grid.from_bits(board.rows, board.columns, quiet))
        raise GaveUp("elimination does not agree that there is no solution")
    cells = board.rows * board.columns
    if min(board.rows, board.columns) * cells > MAX_FREE:  # at least about this many cells are free
        raise GaveUp(TOO_LARGE)
    free = free_cells(board)
    if free.count() * cells > MAX_FREE:
        raise GaveUp(TOO_LARGE)
    kernel = [Grid.from_bits(board.rows, board.columns, quiet).text() for quiet in BoardSystem(board).kernel()]
    body = {"free": free.text(), "kernel": kernel, "solution": solutions[0].text()}
    return complete(board, "lights-out-free", len(kernel), body)


def free_cells(board: LightsOut) -> Grid:
    """Return few presses from which all others of a quiet pattern follow, one light after another.

    A greedy sweep makes a press free if earlier presses do not determine it; of the two sweeps, over rows and over
    columns, the one with fewer free presses is used.
    """
    rows, columns = board.rows, board.columns
    gone = set() if board.missing is None else set(board.missing.cells())
    cells = [(row, column) for row in range(rows) for column in range(columns) if (row, column) not in gone]
    reached = {press: toggled(board, *press) - gone for press in cells}
    by_column = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    free = min((_sweep(cells, reached), _sweep(by_column, reached)), key=len)
    return Grid.from_bits(rows, columns, sum(1 << row * columns + column for row, column in free))


Cell = tuple[int, int]


def _sweep(order: Iterable[Cell], reached: Mapping[Cell, Collection[Cell]]) -> list[Cell]:
    """Return the presses that earlier presses do not determine."""
    # Every light of a quiet pattern has an even number of presses around it, so the last unknown one follows.
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
