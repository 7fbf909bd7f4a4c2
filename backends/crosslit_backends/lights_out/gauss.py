"""Gaussian elimination over GF(2) on all presses of a board, and certificates by it.

`polynomial` and this backend check each other, so the two share no code beyond the puzzles and the contract. The code
that lists and sorts solutions is therefore written a second time here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from crosslit.algebra.boards import BoardSystem, Cell, LinearSystem, Tell, elimination_work
from crosslit.base.grid import Grid
from crosslit.contract import Backend, Certificate, GaveUp, Task, Trace
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.base import Native
from crosslit_backends.lights_out.certificate import complete, parity, within_reach


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
    within_reach(board, min(board.rows, board.columns))  # at least about this many cells are free
    free = free_cells(board)
    within_reach(board, free.count())
    return complete(board, free, BoardSystem(board).kernel(), solutions[0])


def free_cells(board: LightsOut) -> Grid:
    """Return few presses from which all others of a quiet pattern follow, one light after another.

    A greedy sweep makes a press free if earlier presses do not determine it; of the two sweeps, over rows and over
    columns, the one with fewer free presses is used.
    """
    gone = board.gone
    # A light that a press toggles twice, around joined edges, is unchanged.
    reached = {
        press: {light for light, times in Counter(light for light, _ in effect).items() if times % 2}
        for press, effect in enumerate(board.effects)
        if not gone[press]
    }
    by_column = sorted(reached, key=lambda press: press % board.columns)
    free = min((_sweep(reached, reached), _sweep(by_column, reached)), key=len)
    return Grid.from_bits(board.rows, board.columns, sum(1 << press for press in free))


def _sweep(order: Iterable[int], reached: Mapping[int, Collection[int]]) -> list[int]:
    """Return the presses that earlier presses do not determine."""
    # Every light of a quiet pattern has an even number of presses around it, so the last unknown one follows.
    unknown: dict[int, set[int]] = {}
    for press, lights in reached.items():
        for light in lights:
            unknown.setdefault(light, set()).add(press)
    free, known = [], set()
    for next_press in order:
        if next_press in known:
            continue
        free.append(next_press)
        follow = [next_press]
        while follow:
            press = follow.pop()
            for light in reached[press]:
                unknown[light].discard(press)
                if len(unknown[light]) == 1 and (last := next(iter(unknown[light]))) not in known:
                    known.add(last)
                    follow.append(last)
    return free


MAX_WORK = 200_000_000
_INNER = 12  # dimensions of the largest batch, which Python makes in milliseconds
_BATCH_BYTES = 1 << 19


class Gauss(Native):
    """Elimination in sweep order over one unknown for each cell, singular systems included.

    It supports any press pattern, joined edges and missing cells, and boards of edges or a matrix. Each light gives an
    equation, on a grid row by row along the longer side, so that the presses of a row or two determine all others. The
    free unknowns give a basis of the kernel. The solutions are a particular solution plus every combination of the
    basis, counted in binary, so that each costs one XOR.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> task = Task()
        >>> len(list(Gauss().solutions(read("1111/1111/1111/1111"), task))), task.stats["nullity"]
        (16, 4)
    """

    name = "gauss"
    summary = "Lights Out: elimination over GF(2), one unknown per cell"
    kinds = frozenset({"lights-out", "modular-lights-out"})
    certifies_at_limit = True
    trusted_base = frozenset({"elimination"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for boards of more than two states, and those on which elimination takes minutes."""
        assert isinstance(puzzle, LightsOut)
        if puzzle.states > 2:
            return "it is for two states"
        work = len(puzzle.effects) * len(puzzle.values)
        if puzzle.by_shifts:
            work = elimination_work(puzzle.rows, puzzle.columns, puzzle)
        return f"about {work:.1e} row operations: more than {MAX_WORK:.0e}" if work > MAX_WORK else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in binary order of the free unknowns."""
        trace = task.trace
        if trace:
            missing = 0 if puzzle.missing is None else puzzle.missing.count()
            trace(f"a linear system of {puzzle.rows * puzzle.columns - missing} presses, and as many lights")
        presses, kernel = _space(puzzle, task, trace)
        if presses is not None:
            for solution in _counted(presses, kernel):
                yield Grid.from_bits(puzzle.rows, puzzle.columns, solution)

    def count(self, puzzle: LightsOut, task: Task) -> int:
        """Return 2^nullity, or 0 if the equations contradict each other."""
        system = _system(puzzle)
        task.stats["nullity"] = system.nullity
        return 0 if system.contradictions else 1 << system.nullity

    def certify(self, puzzle: LightsOut, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Certify with a parity that no press changes, or with the free cells and the quiet patterns."""
        if not puzzle.by_shifts:
            raise GaveUp("its certificates are for boards of a press pattern without a half-turn")
        return by_elimination(puzzle, solutions)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, ascending and packed.

        The first vectors span a block; each batch adds one more solution to every element of that block.
        """
        presses, kernel = _space(puzzle, task)
        if presses is None:
            return
        first, vectors = _ascending(presses, kernel)
        size = puzzle.layout.size
        # The size of a batch is a power of 2, so that each batch is the block XOR one element.
        inner = min(_INNER, max(0, (_BATCH_BYTES // size).bit_length() - 1))
        if len(vectors) <= inner:  # not worth importing numpy
            if packed := _packed(_counted(first, vectors), size):
                yield packed
            return
        import numpy as np

        block = np.frombuffer(_packed(_counted(0, vectors[:inner]), size), np.uint8).reshape(1 << inner, size)
        for outer in _counted(first, vectors[inner:]):
            yield (block ^ np.frombuffer(_packed([outer], size), np.uint8)).tobytes()


def _system(puzzle: LightsOut, tell: Tell | None = None) -> LinearSystem:
    """Return the system of a board, in the order of its rows if the rules are those of a grid."""
    if puzzle.by_shifts:
        return BoardSystem(puzzle, tell)
    presses: list[set[int]] = [set() for _ in puzzle.values]
    for press, effect in enumerate(puzzle.effects):
        for light, _ in effect:
            presses[light] ^= {press}  # around a joined edge, a press may toggle a light twice
    system = LinearSystem(len(puzzle.effects))
    for light, (toggling, value) in enumerate(zip(presses, puzzle.values, strict=True)):
        is_missing = puzzle.missing is not None and puzzle.gone[light]
        system.add({light} if is_missing else toggling, value)
    return system


def _space(puzzle: LightsOut, task: Task, trace: Trace | None = None) -> tuple[int | None, list[int]]:
    """Return one solution or None, and a basis of the kernel; cell (r, c) is bit r * columns + c."""
    system = _system(puzzle, None if trace is None else partial(_tell, trace, puzzle.columns))
    task.stats["nullity"] = system.nullity
    presses = system.particular()
    return presses, [] if presses is None else system.kernel()


def _counted(start: int, vectors: Sequence[int]) -> Iterator[int]:
    """Yield ``start`` plus every combination of the vectors: item n adds the vectors at the set bits of n.

    From n - 1 to n, the bits up to the lowest set bit of n change; the sum of their vectors is stored for each position
    of that bit.
    """
    changes, total = [], 0
    for vector in vectors:
        total ^= vector
        changes.append(total)
    element = start
    yield element
    for number in range(1, 1 << len(vectors)):
        element ^= changes[(number & -number).bit_length() - 1]
        yield element


def _packed(elements: Iterable[int], size: int) -> bytes:
    return b"".join(element.to_bytes(size, "little") for element in elements)


def _ascending(start: int, kernel: Sequence[int]) -> tuple[int, list[int]]:
    """Return the first solution in one-line order, and the basis with which `_counted` ascends from it.

    The first cell in which two solutions differ decides, so the lowest bit weighs most. Each vector gets a lowest bit
    that no other vector has, and the first solution has none of these bits.
    """
    vectors: list[int] = []
    left = list(kernel)
    # Ascending by lowest bits; clearing each in all other vectors makes the order of combinations that of binary
    # numbers.
    while left:
        chosen = min(left, key=lambda vector: vector & -vector)
        lowest = chosen & -chosen
        left = [vector ^ chosen if vector & lowest else vector for vector in left if vector != chosen]
        vectors = [vector ^ chosen if vector & lowest else vector for vector in vectors]
        vectors.append(chosen)
    # No vector has the lowest bit of another, so clearing one does not set one that was cleared.
    for vector in vectors:
        if start & vector & -vector:
            start ^= vector
    # The first cell weighs most, and the last vector has the highest place in the number of a solution.
    return start, vectors[::-1]


def _tell(trace: Trace, columns: int, light: Cell, press: Cell | None, contradicts: bool) -> None:
    words, number = f"the light of row {light[0] + 1}, column {light[1] + 1}", light[0] * columns + light[1]
    if contradicts:
        trace(f"{words} contradicts the lights before it: no solution", light=number, bad=True)
    elif press is None:
        trace(f"{words} follows from the lights before it", light=number)
    else:
        words += f" settles the press of row {press[0] + 1}, column {press[1] + 1}"
        trace(words, light=number, press=press[0] * columns + press[1])


BACKENDS: list[Backend] = [Gauss()]
