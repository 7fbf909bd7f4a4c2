"""Gaussian elimination over GF(2) on all presses of a board."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from crosslit.certificates import Certificate
from crosslit.contract import Backend, Option, Task, Trace
from crosslit.gf2 import BoardSystem, coset, elimination_work, packed_batches, reduced
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Puzzle
from crosslit_backends import certifying
from crosslit_backends.kernel import Kernel

MOST_WORK = 200_000_000


class Gauss(Kernel):
    """Elimination in sweep order over one unknown a cell, singular systems included.

    For boards of any press pattern, with joined edges and missing cells. One equation a light, added row by row (along
    the longer side) to an echelon form that stays as narrow as two rows for each row that a press reaches.
    The free unknowns give a basis of the kernel; the solutions are one particular solution plus every combination of
    it, in Gray-code order, so that each costs one XOR.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> task = Task()
        >>> len(list(Gauss().solutions(read("1111/1111/1111/1111"), task))), task.stats["nullity"]
        (16, 4)
    """

    name = "gauss"
    summary = "Lights Out: elimination over GF(2), one unknown a cell"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out"})
    certifies_more: ClassVar[bool] = True
    trusts: ClassVar[frozenset[str]] = frozenset({"elimination"})
    options: ClassVar[Mapping[str, Option]] = {"force": Option("1: eliminate even where it takes minutes", 0, 1)}

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:
        """Boards on which elimination takes minutes, unless forced."""
        work = elimination_work(puzzle.rows, puzzle.columns, puzzle) if isinstance(puzzle, LightsOut) else 0
        if work > MOST_WORK and not options.get("force"):
            return f"about {work:.1e} row operations: more than {MOST_WORK:.0e} need the option force=1"
        return None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """All solutions, in Gray-code order over the kernel."""
        presses, kernel = self.space(puzzle, task)
        if presses is not None:
            for element in coset(presses, kernel):
                yield Grid.from_bits(puzzle.rows, puzzle.columns, element)

    def space(self, puzzle: LightsOut, task: Task) -> tuple[int | None, Iterable[int]]:
        """By elimination."""
        trace = task.trace
        if trace:
            missing = 0 if puzzle.missing is None else puzzle.missing.count()
            trace("system", {"presses": puzzle.rows * puzzle.columns - missing})
        system = BoardSystem(puzzle, None if trace is None else partial(_tell, trace))
        task.stats["nullity"] = system.nullity
        return system.particular(), system.kernel()

    def count(self, puzzle: LightsOut, task: Task) -> int:
        """2^nullity, or 0 where the equations contradict each other."""
        system = BoardSystem(puzzle)
        task.stats["nullity"] = system.nullity
        return 0 if system.particular() is None else 1 << system.nullity

    def certify(self, puzzle: LightsOut, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """The parity that no press changes; or the free cells and the quiet patterns."""
        return certifying.by_elimination(puzzle, solutions)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """All solutions, ascending and packed."""
        system = BoardSystem(puzzle)
        task.stats["nullity"] = system.nullity
        presses = system.particular()
        if presses is not None:
            first, vectors = reduced(presses, list(system.kernel()))
            size = (puzzle.rows * puzzle.columns + 7) // 8
            yield from packed_batches(first, len(vectors), vectors.__getitem__, size, task.skip)


def _tell(trace: Trace, light: tuple[int, int], press: tuple[int, int] | None, contradicts: bool) -> None:
    if contradicts:
        trace("impossible", {"light": light})
    elif press is not None:
        trace("pivot", {"light": light, "press": press})
    else:
        trace("redundant", {"light": light})


BACKENDS: list[Backend] = [Gauss()]
