"""Lights Out in near-linear time: one congruence of polynomials over GF(2)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from crosslit.contract import Backend, Task
from crosslit.gf2 import chase, solve_polynomially, why_no_chase
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit_backends.chase import batches_from_first_rows, from_first_rows
from crosslit_backends.native import Native


class Polynomial(Native):
    """The first row by a congruence modulo the characteristic polynomial of a path; see `crosslit.gf2.first_row`.

    Two chases take most of the time. Solutions come in Gray-code order over the kernel, the first at once, however many
    there are.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> len(list(Polynomial().solutions(read("1111/1111/1111/1111"), Task())))
        16
    """

    name = "polynomial"
    summary = "Lights Out: one congruence of polynomials over GF(2), near-linear"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})
    trusts: ClassVar[frozenset[str]] = frozenset({"chase", "polynomial"})

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Boards of other rules than the chase is for."""
        return why_no_chase(puzzle) if isinstance(puzzle, LightsOut) else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """All solutions, in Gray-code order over the kernel."""
        columns, stay = puzzle.columns, (0, 0) in puzzle.pattern
        presses, residue = chase(puzzle.lit.each_row(), 0, columns, stay)
        first, kernel = solve_polynomially(puzzle.rows, columns, residue, stay)
        task.stats["nullity"] = len(kernel)
        if first is not None:
            yield from from_first_rows(presses, columns, first, kernel, stay)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """All solutions, ascending and packed."""
        columns, stay = puzzle.columns, (0, 0) in puzzle.pattern
        _, residue = chase(puzzle.lit.each_row(), 0, columns, stay)
        first, kernel = solve_polynomially(puzzle.rows, columns, residue, stay)
        task.stats["nullity"] = len(kernel)
        if first is not None:
            yield from batches_from_first_rows(puzzle, first, kernel, task.skip)


BACKENDS: list[Backend] = [Polynomial()]
