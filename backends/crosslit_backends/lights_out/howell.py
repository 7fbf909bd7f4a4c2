"""Elimination over Z/k to Howell form: counts, ordered enumeration, backbone and cells to reveal."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from crosslit.base.grid import Grid
from crosslit.contract import Backend, GaveUp, Task
from crosslit.kinds import LightsOut, Puzzle
from crosslit_backends.native import Native

if TYPE_CHECKING:
    from crosslit.algebra.howell import HowellForm, Vector

MAX_CELLS = 2500
MAX_TRIED = 1 << 22
"""Maximum number of solutions of which the one with the fewest presses is chosen."""

Space = tuple[int, Sequence[Any]]
"""A prime p and a basis over Z/p, vectors of numbers."""


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
    preload = ("crosslit.algebra.howell",)

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return a reason for large boards."""
        return f"more than {MAX_CELLS} cells" if puzzle.rows * puzzle.columns > MAX_CELLS else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in ascending order of their texts."""
        if task.trace is not None:
            missing = 0 if puzzle.missing is None else puzzle.missing.count()
            task.trace("system", {"presses": puzzle.rows * puzzle.columns - missing})
        tell = None if task.trace is None else partial(_tell, task, puzzle.columns)
        solutions = (solution for block in _form(puzzle, tell=tell).blocks() for solution in block)
        yield from (puzzle.layout.pack(solution.tolist()) for solution in solutions)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, ascending and packed."""
        from crosslit.algebra.howell import packed

        for block in _form(puzzle).blocks(task.skip):
            yield packed(block, puzzle.layout)

    def count(self, puzzle: LightsOut, task: Task) -> int:  # noqa: ARG002
        """Return the product of the numbers of values that the form leaves."""
        return _form(puzzle).count

    def fewest(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield the best of all solutions, if they are not too many."""
        form = _form(puzzle)
        if form.count > MAX_TRIED:
            raise GaveUp(f"{form.count} solutions are too many to try them all: at most {MAX_TRIED}")
        best: Vector | None = None
        for block in form.blocks():
            least = block[block.sum(axis=1).argmin()]
            best = least if best is None or least.sum() < best.sum() else best
        if best is not None:
            task.improve_bound(int(best.sum()))
            yield puzzle.layout.pack(best.tolist())

    def backbone(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:  # noqa: ARG002
        """Yield one solution, and its sum with each kernel vector: they differ in every cell outside the backbone."""
        form = _form(puzzle)
        first = form.particular()
        if first is not None:
            for vector in (0 * first, *(vector for _, vector in form.kernel())):
                yield puzzle.layout.pack(((first + vector) % puzzle.states).tolist())

    def reveal(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield the fewest cells whose values determine all others: a basis modulo every prime divisor of k."""
        from crosslit.algebra.howell import HowellForm, equations

        if _form(puzzle).contradiction is not None:
            return
        # The differences of solutions of prime order p are those of the equations modulo p, times k / p.
        primes = [p for p in (2, 3, 5, 7, 11, 13) if puzzle.states % p == 0]
        rows = equations(puzzle)
        spaces = [(p, [vector for _, vector in HowellForm(rows % p, p).kernel()]) for p in primes]
        size = puzzle.rows * puzzle.columns
        allowed = range(size) if task.candidates is None else [c for c in range(size) if task.candidates.bits >> c & 1]
        cells = fewest_cells(spaces, allowed)
        if cells is not None:
            task.improve_bound(len(cells))
            yield Grid.from_bits(puzzle.rows, puzzle.columns, sum(1 << cell for cell in cells))


def _form(puzzle: LightsOut, **how: Any) -> HowellForm:
    from crosslit.algebra.howell import howell_form  # imports numpy, which loading a backend must not

    return howell_form(puzzle, **how)


def _tell(task: Task, columns: int, light: int, press: int | None, contradicts: bool) -> None:
    assert task.trace is not None
    settled = {} if contradicts or press is None else {"press": divmod(press, columns)}
    name = "impossible" if contradicts else "pivot" if settled else "redundant"
    task.trace(name, {"light": divmod(light, columns), **settled})


def fewest_cells(spaces: Sequence[Space], allowed: Iterable[int]) -> set[int] | None:
    """Return the fewest allowed cells on which no vector but 0 of any space vanishes; None if all do not suffice.

    Such cells contain a basis of the columns for each space. Of two bases, the one of p and the one of q, as many cells
    as possible should be common: a largest set that is independent in both, which augmenting paths find (J. Edmonds,
    "Submodular functions, matroids, and certain polyhedra", 1970). A number up to 16 has at most two prime divisors.
    """
    cells = list(allowed)
    if any(_rank(space, cells) < len(space[1]) for space in spaces):
        return None
    chosen = _common(spaces[0], spaces[-1], cells)
    found = set(chosen)
    for space in spaces:
        # A common independent set is part of a basis for each space.
        basis = set(chosen)
        for cell in cells:
            if cell not in basis and _is_independent(space, basis | {cell}):
                basis.add(cell)
        found |= basis
    return found


def _common(one: Space, other: Space, cells: list[int]) -> set[int]:
    """Return a largest set of cells that is independent in both spaces."""
    chosen: set[int] = set()
    while True:
        outside = [cell for cell in cells if cell not in chosen]
        sources = [cell for cell in outside if _is_independent(one, chosen | {cell})]
        ends = {cell for cell in outside if _is_independent(other, chosen | {cell})}
        before: dict[int, int | None] = dict.fromkeys(sources)
        # Breadth first, since only a shortest path keeps the set independent.
        queue = list(sources)
        for cell in queue:
            if cell in ends:
                step: int | None = cell
                while step is not None:
                    chosen ^= {step}
                    step = before[step]
                break
            if cell in chosen:  # may be exchanged for a cell outside, in the first space
                near = [new for new in outside if _is_independent(one, (chosen - {cell}) | {new})]
            else:
                near = [old for old in chosen if _is_independent(other, (chosen - {old}) | {cell})]
            for next_cell in near:
                if next_cell not in before:
                    before[next_cell] = cell
                    queue.append(next_cell)
        else:
            return chosen


def _is_independent(space: Space, cells: set[int]) -> bool:
    return len(cells) <= len(space[1]) and _rank(space, cells) == len(cells)


def _rank(space: Space, cells: Iterable[int]) -> int:
    """Return the rank of some columns of a basis, by elimination over Z/p."""
    import numpy as np

    from crosslit.algebra.howell import HowellForm

    p, basis = space
    rows = np.array([[*(vector[cell] for vector in basis), 0] for cell in cells], np.int16).reshape(-1, len(basis) + 1)
    return len(HowellForm(rows % p, p).pivots)


BACKENDS: list[Backend] = [Howell()]
