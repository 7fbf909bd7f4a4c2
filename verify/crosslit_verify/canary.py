"""A check of Crosslit's own grids, questions and runs, on puzzles whose solutions follow from how they are made.

`crosslit verify` makes it before it blames a solver for the first time: a mistake there makes right answers look wrong.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

from crosslit_backends.programs.protocol import require_same_question

from crosslit.errors import InternalError
from crosslit.formats import from_line
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Limits, Run
from crosslit.runs.runner import Runner

_LISTED, _COUNTED = 11, 70  # pairs of columns: 2,048 solutions, and more than a word of 64 bits can count
_MARGIN = 64  # empty columns behind the pairs, so that every row is longer than a word
# all small shapes, and some whose rows are longer than a byte, longer than a word, and kept as integers
_SHAPES = (*itertools.product(range(1, 10), repeat=2), (3, 16), (3, 65), (3, 513))


def require_sound(puzzle: Puzzle) -> None:
    """Check the question about a puzzle, and everything else unless that was done already.

    After an `InternalError` the solver of the puzzle must not be blamed for its answer.
    """
    require_same_question(puzzle)
    check()


@functools.cache
def check() -> None:
    """Check grids of many shapes, and list and count solutions in isolated processes."""
    for rows, columns in _SHAPES:
        _check_grid(
            [[(3 * row + 5 * column + row * column) % 7 < 3 for column in range(columns)] for row in range(rows)]
        )
    with Runner(Limits(None)) as runner:
        for make, pair, lister, counter in _EXAMPLES:
            _check_list(runner, lister, make(_LISTED), pair)
            _check_count(runner, counter, make(_COUNTED))


def _board(pairs: int) -> Puzzle:
    """Return a dark board of one row: pairs of cells between holes, of which both are pressed or none."""
    return from_line("00_" * pairs + "_" * _MARGIN)


def _nonogram(pairs: int) -> Puzzle:
    """Return a nonogram of two rows: pairs of columns with one filled cell in each row, between empty columns."""
    row = " ".join("1" * pairs)
    return from_line(f"{row},{row}|{','.join('110' * pairs + '0' * _MARGIN)}")


# with the rows of a pair of columns, and of the empty one behind it, in both solutions; and solvers that list and count
_EXAMPLES: tuple[tuple[Callable[[int], Puzzle], tuple[tuple[str, ...], ...], str, str], ...] = (
    (_board, (("000",), ("110",)), "gauss", "gauss"),
    (_nonogram, (("100", "010"), ("010", "100")), "line", "frontier"),
)


def _check_grid(cells: list[list[bool]]) -> None:
    lines = ["".join("01"[cell] for cell in row) for row in cells]
    turned = ["".join(column) for column in zip(*lines, strict=True)]
    grid = Grid.from_cells(cells)
    if (grid.lines(), grid.transposed().lines()) != (lines, turned):
        raise InternalError(f"the grid {'/'.join(lines)} becomes {grid.text()}, and {grid.transposed().text()} turned")
    if grid.row_bits() != [int(line[::-1], 2) for line in lines]:
        raise InternalError(f"the grid {grid.text()} has rows {grid.row_bits()}")


def _check_list(runner: Runner, solver: str, puzzle: Puzzle, pair: tuple[tuple[str, ...], ...]) -> None:
    require_same_question(puzzle)
    chosen = itertools.product(pair, repeat=_LISTED)
    right = sorted("/".join("".join(row) + "0" * _MARGIN for row in zip(*pairs, strict=True)) for pairs in chosen)
    for batched in (False, True):
        run = _run(runner, solver, puzzle, Solve(batched=batched))
        if sorted(grid.text() for grid in run.grids) != right:
            raise InternalError(f"{puzzle.text} has {len(right)} solutions; others arrived: {run.status} {run.error}")


def _check_count(runner: Runner, solver: str, puzzle: Puzzle) -> None:
    run = _run(runner, solver, puzzle, Solve(question="count"))
    if run.counted != 2**_COUNTED:
        raise InternalError(f"{puzzle.text} has 2^{_COUNTED} solutions, not {run.counted}: {run.status} {run.error}")


def _run(runner: Runner, solver: str, puzzle: Puzzle, request: Solve) -> Run:
    choice = select_one(solver, puzzle, request.question)
    run = runner.run(Job(choice=choice, puzzle=puzzle, request=request))
    # The runner records an interrupt instead of raising it.
    if run.status == "interrupted":
        raise KeyboardInterrupt
    return run
