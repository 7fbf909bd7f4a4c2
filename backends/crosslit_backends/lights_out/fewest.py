"""The fewest presses of a Lights Out board, found by decoding the code of its quiet patterns."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from functools import reduce
from operator import xor
from typing import Any

from crosslit.algebra.boards import BoardSystem, LinearSystem, elimination_work, union
from crosslit.algebra.chase import why_no_chase
from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native
from crosslit_backends.lights_out.decoding import descend, lightest
from crosslit_backends.lights_out.gauss import MAX_WORK
from crosslit_backends.lights_out.polynomial import first_row_space


class Fewest(Native):
    """The lightest solution: an exact search over one solution plus all combinations of the k kernel vectors.

    The kernel comes from polynomials if the first-row chase works, and otherwise from elimination. Small kernels are
    searched in Gray-code order, larger ones by a Walsh-Hadamard transform in 2^k steps; see
    `crosslit_backends.lights_out.decoding`. If a connected part of the kernel has more than 40 dimensions, it yields
    the best solution of a local search, and then gives up without a claim that this is the lightest.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> [grid.count() for grid in Fewest().fewest(read("10000/11110/11111/11110/10000"), Task())][-1]
        6
    """

    name = "fewest"
    summary = "Lights Out: the fewest presses, by Gray code or Walsh-Hadamard transform over the kernel"
    kinds = frozenset({"lights-out"})
    trusted_base = frozenset({"chase", "polynomial", "elimination", "lightest"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for boards on which elimination takes minutes."""
        assert isinstance(puzzle, LightsOut)
        if why_no_chase(puzzle) is None:
            return None
        work = elimination_work(puzzle.rows, puzzle.columns, puzzle)
        return f"about {work:.1e} row operations: more than {MAX_WORK:.0e}" if work > MAX_WORK else None

    def fewest(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses."""
        start, kernel = solution_space(puzzle)
        task.stats["nullity"] = len(kernel)
        if start is None:
            return
        try:
            found, reason = lightest(start, kernel), ""
        except ValueError as error:
            # Out of reach: solutions of few presses are worth having without the claim that none has fewer.
            found, reason = descend(start, kernel), str(error)
        best = start
        for best in found:
            yield Grid.from_bits(puzzle.rows, puzzle.columns, best)
        if reason:
            raise GaveUp(reason)
        task.improve_bound(best.bit_count())

    def mus(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield the fewest contradicting lights: every press toggles an even number of them, and an odd number is lit.

        Such a set is a combination of lights that is 0 on the presses and 1 on the lit lights. These sets are a coset
        of the kernel of the transposed system, and the result is its lightest element. It gives up if that kernel is
        too large to search; the last set is then minimal, but may not be the smallest.
        """
        among = -1 if task.candidates is None else task.candidates.bits  # as a set of bits, -1 has all
        space = _contradictions(puzzle, _toggled_evenly(puzzle), among)
        if space is None:
            return
        start, others = space
        reason = ""
        try:
            *_, found = lightest(start, others)
        except ValueError as error:
            reason = str(error)
            while others:  # each time, the combination without free vectors drops some of the lights
                *_, start = descend(start, others)
                space = _contradictions(puzzle, [start, *others], start)
                assert space is not None  # `start` is one
                start, others = space
            found = start
        yield Grid.from_bits(puzzle.rows, puzzle.columns, found)
        if reason:
            raise GaveUp(reason)
        task.improve_bound(found.bit_count())


def _toggled_evenly(board: LightsOut) -> list[int]:
    """Return a basis of the sets of lights of which every press toggles an even number."""
    reverse = tuple((-down, -right) for down, right in board.pattern)  # a light, and the presses that toggle it
    dark = Grid.from_bits(board.rows, board.columns, 0)
    return solution_space(LightsOut(dark, reverse, board.wrap, board.missing))[1]


def _contradictions(board: LightsOut, basis: list[int], among: int) -> tuple[int, list[int]] | None:
    """Return a contradicting combination of a basis within some lights, and a basis of those that are 0 on them."""
    system = LinearSystem(len(basis))
    # One equation demands an odd number of lit lights, the others that no light outside `among` is chosen.
    lit = board.lit.bits
    system.add([number for number, vector in enumerate(basis) if (vector & lit).bit_count() & 1], 1)
    for cell in _bits(union(basis) & ~among):
        system.add([number for number, vector in enumerate(basis) if vector >> cell & 1], 0)
    # The kernel has the combinations that contradict nothing: added to a contradiction they give all others.
    chosen = system.particular()
    if chosen is None:
        return None

    def combined(vectors: int) -> int:
        return reduce(xor, (basis[number] for number in _bits(vectors)), 0)

    return combined(chosen), [combined(vectors) for vectors in system.kernel()]


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def solution_space(board: LightsOut) -> tuple[int | None, list[int]]:
    """Return one solution of a board (None if there is none) and a basis of the kernel.

    Cell (r, c) is bit r * columns + c. Polynomials are used if the chase from the first row works, otherwise
    elimination.
    """
    if why_no_chase(board) is not None:
        system = BoardSystem(board)
        return system.particular(), system.kernel()
    return first_row_space(board)


BACKENDS: list[Backend] = [Fewest()]
