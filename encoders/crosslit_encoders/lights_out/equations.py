"""The equations of Lights Out with any number of states: of all lights, or of few presses that determine the others.

The chase shares no code with `crosslit.algebra`, but it uses the same method as native solvers. Two runs that use the
same method are not independent, so encodings of chased equations have ``chase`` in their trusted base.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslit.base.grid import Grid
from crosslit.contract import GaveUp
from crosslit.kinds import LightsOut
from crosslit_encoders.cells import Extension

MAX_NUMBERS = 50_000_000  # coefficients of all presses in a chase
MAX_SEARCHED = 10_000  # cells of a board that is searched by default: these take seconds to encode
MAX_BITS = 20  # of the open presses, for search: for 24, SAT took 3 s and CP-SAT longer
MAX_SHARED_BITS = 26  # the same for search over shared parities: 25 took up to a second, and 30 took ten
GROUP = 5
"""Number of successive variables whose parities are shared: at most 26 new variables for a group."""
TRUSTED_CHASE = frozenset({"chase", "modular-sums"})
"""The trusted base of the encodings of chased equations, without that of XORs."""

Sum = tuple[tuple[tuple[int, int], ...], int]
"""Amounts, each with the cell (from 0) whose presses it counts, and what the total must be modulo k."""

CellXor = tuple[tuple[int, ...], int]
"""Cells (from 0), and the parity of their presses; a `crosslit_encoders.formula.Xor` has variables, from 1."""

Step = tuple[int, int, int]
"""A light, the press that it determines, and the amount of this press in its sum."""
_JOINED: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "horizontal": ("row",),
    "vertical": ("column",),
    "torus": ("row", "column"),
    "moebius": ("row",),
    "klein": ("row", "column"),
}
"""The lines whose ends are joined, by the wrap of a board."""


class System(NamedTuple):
    """Sums over the cells of a grid: the solution itself, or a part of which ``extend`` makes it."""

    rows: int
    columns: int
    sums: list[Sum]
    extend: Extension | None = None


def full_system(board: LightsOut) -> System:
    """Return a sum for each cell: the presses that change its light, and the rest to 0; or itself if it is missing."""
    amounts: list[Counter[int]] = [Counter() for _ in board.values]
    for cell in (cell for cell, gone in enumerate(board.gone) if gone):
        amounts[cell][cell] = 1
    for press, effect in enumerate(board.effects):
        for light, amount in effect:
            amounts[light][press] += amount
    terms = ([(amount % board.states, press) for press, amount in sorted(each.items())] for each in amounts)
    kept = (tuple(term for term in light if term[0]) for light in terms)
    totals = [-value % board.states for value in board.values]
    return System(board.rows, board.columns, [*zip(kept, totals, strict=True)])


class ChaseSystem(NamedTuple):
    """Equations of few presses, which determine the others; each press in terms of these, and their cells."""

    equations: NDArray[np.int64]
    presses: NDArray[np.int64]
    free: list[int]
    mirrors: Mapping[str, list[int]]  # the image of each cell in its row or column; see `_reduced`


def chase(board: LightsOut, halved: bool = True) -> ChaseSystem:
    """Return the equations that are left when lights determine as many presses as they can; see `_reduced`."""
    k, (sums, mirrors, free, steps) = board.states, _reduced(board, halved)
    if len(sums) * len(free) > MAX_NUMBERS:
        raise GaveUp(f"more than {MAX_NUMBERS:.0e} numbers in the chase")
    presses = np.zeros((board.rows * board.columns, len(free) + 1), np.int64)
    presses[free] = np.eye(len(free), len(free) + 1, dtype=np.int64)

    def equation(light: int) -> NDArray[np.int64]:
        terms, total = sums[light]
        row = np.array([amount for amount, _ in terms], np.int64) @ presses[[press for _, press in terms]]
        row[-1] = total - row[-1]
        return row % k

    for light, press, amount in steps:
        row = equation(light)
        row[:-1] *= -1
        presses[press] = row * pow(amount, -1, k) % k
    determining = {light for light, *_ in steps}
    equations = [equation(light) for light in range(len(sums)) if light not in determining]
    for images in map(np.array, reversed([*mirrors.values()])):
        before = np.arange(len(sums)) < images
        presses[before] = (presses[before] + presses[images[before]]) % k
    return ChaseSystem(np.array(equations).reshape(len(equations), len(free) + 1), presses, free, mirrors)


def _reduced(board: LightsOut, halved: bool) -> tuple[list[Sum], Mapping[str, list[int]], list[int], list[Step]]:
    """Return a system of a board, the mirrors of its cells, the presses that no light determines, and the others.

    If only one press around a light is unknown, and its amount is prime to k, the others determine it. If there is no
    such light, the next press becomes a variable: on most grids, those of the first row, or the first column if that is
    shorter.

    Search takes time exponential in the number of variables. So if the rules are symmetric, the cells and equations
    before their mirror image become differences from it: these equations then have no other cells, and search solves
    first one system of half the size, then another. That is done along joined edges, where twice as many presses
    become variables, and with ``halved`` for the row or column of variables too.
    """
    by_columns = board.rows < board.columns
    lines = {*_JOINED[board.wrap], *(["column" if by_columns else "row"] if halved else [])}
    sums = full_system(board).sums
    mirrors = {line: images for line, images in _mirrors(board, sums).items() if line in lines}
    for images in mirrors.values():
        sums = _differences(sums, images, board.states)
    cells = range(board.rows * board.columns)
    lights: list[list[int]] = [[] for _ in cells]
    for light, (terms, _) in enumerate(sums):
        for _, press in terms:
            lights[press].append(light)
    known: set[int] = set()
    free: list[int] = []
    steps: list[Step] = []
    for cell in sorted(cells, key=lambda cell: cell % board.columns) if by_columns else cells:
        if cell in known:
            continue
        queue = [*(lights[cell] if free else range(len(sums)))]  # at first also lights with a single press
        free.append(cell)
        known.add(cell)
        for light in queue:
            unknown = [term for term in sums[light][0] if term[1] not in known]
            if len(unknown) == 1 and math.gcd(unknown[0][0], board.states) == 1:
                amount, press = unknown[0]
                steps.append((light, press, amount))
                known.add(press)
                queue += lights[press]
    return sums, mirrors, free, steps


def _mirrors(board: LightsOut, sums: Sequence[Sum]) -> dict[str, list[int]]:
    """Return the reflections of rows and of columns that leave the rules as they are, as the image of each cell."""
    if len(sums) != board.rows * board.columns:
        return {}  # a matrix with more or fewer lights than presses
    cells = np.arange(len(sums)).reshape(board.rows, board.columns)
    found = {"row": cells[:, ::-1].ravel().tolist(), "column": cells[::-1].ravel().tolist()}

    def keeps_rules(images: list[int]) -> bool:
        return all(
            {(amount, images[cell]) for amount, cell in terms} == {*sums[images[light]][0]}
            for light, (terms, _) in enumerate(sums)
        )

    return {line: images for line, images in found.items() if keeps_rules(images)}


def _differences(sums: Sequence[Sum], images: Sequence[int], k: int) -> list[Sum]:
    """Return the system with differences in place of the cells, and of the equations, that come before their image."""
    found = []
    for light, image in enumerate(images):
        amounts, total = Counter({cell: amount for amount, cell in sums[light][0]}), sums[light][1]
        if light < image:
            amounts.subtract({cell: amount for amount, cell in sums[image][0]})
            total -= sums[image][1]
        for cell, amount in [*amounts.items()]:
            if cell < images[cell]:  # the press is the difference plus its image
                amounts[images[cell]] += amount
        terms = tuple((amount % k, cell) for cell, amount in sorted(amounts.items()) if amount % k)
        found.append((terms, total % k))
    return found


@lru_cache(maxsize=8)  # each engine of a comparison asks
def hard_reason(board: LightsOut, halved: bool = True, max_bits: int = MAX_BITS) -> str | None:
    """Return why search may take minutes on the equations of a chase, or None.

    The free presses on one side of a mirror count: search settles one side after the other.
    """
    if board.rows * board.columns > MAX_SEARCHED:
        return f"more than {MAX_SEARCHED:,} cells are too many for search; name an encoding to try it"
    free = _reduced(board, halved)[2]
    mirrors = _mirrors(board, full_system(board).sums).values()
    sides = Counter(tuple(cell < images[cell] for images in mirrors) for cell in free)
    if all(count * math.log2(board.states) <= max_bits for count in sides.values()):
        return None
    return f"the chase leaves {len(free)} presses open, too many for search; name an encoding to try it"


def chased_system(board: LightsOut, halved: bool = True) -> System:
    """Return the equations of a chase as sums over one row of cells; see `_reduced`."""
    equations, presses, free, mirrors = chase(board, halved)
    cells = tuple(divmod(cell, board.columns) for cell in free)

    def difference(cell: int) -> Iterator[tuple[int, int]]:
        each = [(1, cell)]
        for images in reversed([*mirrors.values()]):
            each += [(-amount % board.states, images[own]) for amount, own in each if own < images[own]]
        yield from each

    def extend(chosen: Grid) -> Grid:
        return board.layout.pack((presses @ [*chosen.values(), 1] % board.states).tolist())

    notes = tuple(f"a cell before its mirror image in the same {line} stands for the difference" for line in mirrors)
    terms = [tuple((amount, cell) for cell, amount in enumerate(row) if amount) for *row, _ in equations.tolist()]
    return System(
        1,
        len(free),
        [*zip(terms, equations[:, -1].tolist(), strict=True)],
        Extension(cells, extend, tuple(tuple(difference(cell)) for cell in free) if mirrors else (), notes),
    )


def chased_xors(board: LightsOut) -> tuple[list[CellXor], Extension]:
    """Return XORs of the presses that no other determines (from 0), and the extension of these to a solution.

    On a usual board these are the presses of the first row, or the first column if that is shorter, and there are as
    many XORs.
    """
    # with shared parities, differences do not help on usual boards
    found = chased_system(board, halved=False)
    assert found.extend is not None
    return [(tuple(press for _, press in terms), total) for terms, total in found.sums], found.extend


def shared(xors: Sequence[CellXor], first: int) -> list[CellXor]:
    """Return XORs over the parities of the variables in groups of `GROUP`, and the XORs that define these parities.

    A parity is a new variable, from ``first`` on. Equations of a chase, with about half of the variables each, share
    them: search for 50 variables took a quarter to a half of the time of separate cuts.
    """
    parities: dict[tuple[int, ...], int] = {}

    def parity(variables: tuple[int, ...]) -> int:
        if len(variables) > 1 and variables not in parities:
            parity(variables[1:])
            parities[variables] = first + len(parities)
        return parities.get(variables, variables[0])

    found = []
    for variables, value in xors:
        groups = itertools.groupby(sorted(variables), lambda variable: variable // GROUP)
        found.append((tuple(parity(tuple(group)) for _, group in groups), value))
    definitions = (((cells[0], parity(cells[1:]), new), 0) for cells, new in parities.items())
    return [*definitions, *found]
