"""First-row enumeration: every first row of presses, chased down the board."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from crosslit.contract import Backend, Option, Task
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Puzzle
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit_backends.native import Native

MAX_COLUMNS = 18  # about a second


class FirstRow(Native):
    """First-row enumeration over all 2^columns first rows ("light chasing").

    The first row forces each further row: only a press below can still put out a light. A first row solves the board if
    the last row ends dark. All 2^columns first rows are tried, so all solutions are found; the cost is 2^columns * rows
    operations on whole rows.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.text() for grid in FirstRow().solutions(read("11/11"), Task())]
        ['11/11']
    """

    name = "first-row"
    summary = "Lights Out: all 2^columns first rows, chased"
    kinds = frozenset({"lights-out"})
    trusted_base = frozenset({"chase"})
    options: ClassVar[Mapping[str, Option]] = {
        "force": Option(f"1: enumerate even beyond {MAX_COLUMNS} columns", 0, 1),
    }

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Return a reason for boards without a chase, and for more than `MAX_COLUMNS` unless ``force`` is set."""
        if isinstance(puzzle, LightsOut) and (refusal := why_no_chase(puzzle)):
            return refusal
        if puzzle.columns > MAX_COLUMNS and not options.get("force"):
            return f"2^{puzzle.columns} first rows: more than {MAX_COLUMNS} columns need the option force=1"
        return None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in the order of their first rows as integers."""
        columns = puzzle.columns
        inside = (1 << columns) - 1
        own = inside if (0, 0) in puzzle.pattern else 0  # the cells of the same row that presses toggle
        lit = puzzle.lit.row_bits()
        for first in range(1 << columns):
            # `lights` is the row after the presses made so far: the next row must put out its lights
            above, row = 0, first
            for lights in lit:
                above, row = row, lights ^ above ^ row & own ^ (row << 1 & inside) ^ (row >> 1)
            if task.trace:
                presses = Grid.from_rows(_chase(lit, first, inside, own), columns).text()
                guess = {"row": _cells(first, columns), "presses": presses, "left": _cells(row, columns)}
                task.trace("first-row", guess)
            if row == 0:
                yield Grid.from_rows(_chase(lit, first, inside, own), columns)
        task.stats["first_rows"] = 1 << columns


def _cells(row: int, columns: int) -> str:
    return Grid.from_rows([row], columns).text()


def _chase(lit: list[int], first: int, inside: int, own: int) -> list[int]:
    """Return all rows of presses that follow from the first."""
    presses = [first]
    above, row = 0, first
    for lights in lit[:-1]:
        above, row = row, lights ^ above ^ row & own ^ (row << 1 & inside) ^ (row >> 1)
        presses.append(row)
    return presses


BACKENDS: list[Backend] = [FirstRow()]
