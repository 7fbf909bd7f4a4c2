"""Elimination over Z/k to Howell form: counts, and enumeration in order."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Task, Trace
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native

if TYPE_CHECKING:
    from crosslit.algebra.howell import HowellForm, Vector

MAX_CELLS = 2500
MAX_TRIED = 1 << 22
"""Maximum number of solutions of which the one with the fewest presses is chosen."""


class Howell(Native):
    """Elimination over Z/k with one unknown for each cell, for any rules and any k.

    The Howell form (`crosslit.algebra.howell`) leaves each press, in the order of the cells, a number
    of values that the earlier presses determine up to multiples of a divisor of k. So solutions are listed in the order
    of their texts, and any part of the list without the part before it.
    """

    name = "howell"
    summary = "modular Lights Out: elimination over Z/k to Howell form, one unknown per cell"
    kinds = frozenset({"modular-lights-out"})
    trusted_base = frozenset({"howell"})
    seldom = ("crosslit.algebra.howell",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        return f"more than {MAX_CELLS} cells" if puzzle.rows * puzzle.columns > MAX_CELLS else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in ascending order of their texts."""
        if task.trace is not None:
            missing = 0 if puzzle.missing is None else puzzle.missing.count()
            task.trace(f"a linear system of {puzzle.rows * puzzle.columns - missing} presses, and as many lights")
        tell = None if task.trace is None else partial(_tell, task.trace, puzzle.columns)
        solutions = (solution for block in _form(puzzle, tell=tell).blocks() for solution in block)
        yield from (puzzle.layout.pack(solution.tolist()) for solution in solutions)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:  # noqa: ARG002
        """Yield all solutions, ascending and packed."""
        from crosslit.algebra.howell import packed

        for block in _form(puzzle).blocks():
            yield packed(block, puzzle.layout)

    def count(self, puzzle: LightsOut, task: Task) -> int:  # noqa: ARG002
        """Return the product of the numbers of values that the form leaves."""
        return _form(puzzle).count

    def fewest(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield the best of all solutions, if they are not too many."""
        form = _form(puzzle)
        if form.count > MAX_TRIED:
            raise GaveUp(f"{form.count} solutions are too many to try them all: at most {MAX_TRIED}")
        least = (block[block.sum(axis=1).argmin()] for block in form.blocks())
        best: Vector | None = min(least, key=lambda presses: presses.sum(), default=None)
        if best is not None:
            task.improve_bound(int(best.sum()))
            yield puzzle.layout.pack(best.tolist())


def _form(puzzle: LightsOut, **how: Any) -> HowellForm:
    from crosslit.algebra.howell import howell_form  # imports numpy, which loading a backend must not

    return howell_form(puzzle, **how)


def _tell(trace: Trace, columns: int, light: int, press: int | None, contradicts: bool) -> None:
    words = f"the light of {_place(light, columns)}"
    if contradicts:
        trace(f"{words} contradicts the lights before it: no solution", light=light, bad=True)
    elif press is None:
        trace(f"{words} follows from the lights before it", light=light)
    else:
        trace(f"{words} settles the press of {_place(press, columns)}", light=light, press=press)


def _place(cell: int, columns: int) -> str:
    return f"row {cell // columns + 1}, column {cell % columns + 1}"


BACKENDS: list[Backend] = [Howell()]
