"""Solvers under test in this process: one whose faults are a function of the question, and functions with one fault."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_verify.cases import Settings
from crosslit_verify.process import Solver
from crosslit_verify.session import Verifier

import crosslit
from crosslit import Grid


class Scripted(Solver):
    """A solver in this process that answers correctly, except where a function of (number, puzzle) returns a reply."""

    name, claims = "scripted", "one"

    def __init__(self, change: Any = lambda number, puzzle: None) -> None:
        self.asked, self.once = list[Any](), list[bool]()
        self.closed = 0
        self._change = change

    def ask(self, puzzle: Any, once: bool = False) -> Any:
        self.asked.append(puzzle)
        self.once.append(once)
        changed = self._change(len(self.asked), puzzle)
        if changed is not None:
            return changed
        found = crosslit.solve(puzzle)
        return SolverAnswer(() if found is None else (found,), found is None)

    def close(self) -> SolverFailure | None:
        self.closed += 1
        return None


def verified(change: Any = lambda number, puzzle: None, own: Any = (), **settings: Any) -> tuple[Any, Scripted]:
    subject = Scripted(change)
    given = {"kind": "lights-out", "cases": 100, **settings}
    return Verifier(Settings(**given), subject, own=own).run(), subject


def scripted(solver: Any) -> Scripted:
    """A subject that answers as a function of a puzzle does: with a reply, a grid, a list of grids, or None."""

    def reply(_: int, puzzle: Any) -> Any:
        found = solver(puzzle)
        if found is None or isinstance(found, (Grid, list)):
            grids = tuple(found) if isinstance(found, list) else () if found is None else (found,)
            return SolverAnswer(grids, not grids)
        return found

    return Scripted(reply)


def every(puzzle: Any) -> list[Grid]:
    """Right: all solutions."""
    # The compiled kernel has another order than Python.
    return sorted(crosslit.solutions(puzzle), key=lambda grid: grid.text)


def first(puzzle: Any) -> SolverAnswer:
    """Right: one solution, and whether it is the only one."""
    found = every(puzzle)
    return SolverAnswer(tuple(found[:1]), not found, len(found) == 1 if found else None)


def always_unique(puzzle: Any) -> SolverAnswer:
    """Says that its solution is the only one, always."""
    return replace(first(puzzle), unique=None if first(puzzle).unsolvable else True)


def all_zero(puzzle: Any) -> Grid:
    """Gives the grid of zeros."""
    return puzzle.layout.pack([0] * (puzzle.rows * puzzle.columns))  # type: ignore[no-any-return]


def crashes(puzzle: Any) -> Any:
    """Ends in two ways, by shape."""
    if puzzle.columns == 3 and puzzle.rows > 1:
        return SolverFailure("crash", f"exit status {puzzle.rows} after writing '{puzzle.text}': KeyError: 'a'")
    return SolverFailure("crash", "IndexError: 12 of [1, 2]") if puzzle.rows == 4 else first(puzzle)


def hangs(puzzle: Any) -> Any:
    """Never answers puzzles of two columns."""
    return SolverFailure("hang", "no answer within 0.1 s") if puzzle.columns == 2 else first(puzzle)


def abstains(puzzle: Any) -> Any:
    """Gives up in two ways, by shape."""
    if puzzle.rows == puzzle.columns:
        return Abstention("unsupported")
    return Abstention("unknown") if puzzle.rows > puzzle.columns else first(puzzle)


def unreadable(puzzle: Any) -> Any:
    """Writes what is no answer where there is none."""
    found = first(puzzle)
    return SolverFailure("malformed-output", "not a line of JSON: 'none'") if found.unsolvable else found


def top_heavy(puzzle: Any) -> Any:
    """Says unsolvable where the first row has more lights than the last."""
    rows = puzzle.lit.text.split("/")
    return SolverAnswer((), True) if rows[0].count("1") > rows[-1].count("1") else first(puzzle)


def above_two_rows(puzzle: Any) -> Any:
    """Says unsolvable from three rows on."""
    return SolverAnswer((), True) if puzzle.rows > 2 else first(puzzle)


def without_last(puzzle: Any) -> list[Grid]:
    """Loses the last of several solutions."""
    found = every(puzzle)
    return found[:-1] if len(found) > 1 else found


def with_wrong_one(puzzle: Any) -> list[Grid]:
    """Gives a wrong grid after a right one, or instead of none."""
    wrong = next(grid for grid in puzzle.layout.every() if any(puzzle.violations(grid)))
    return [*every(puzzle)[:1], wrong]
