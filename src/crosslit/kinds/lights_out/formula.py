"""The check that the formula of a board forbids no solution, light by light."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from crosslit.contract.clauses import CHECKER, Clause, Part, WrongFormula, renumbered, without_jumps
from crosslit.grid import Grid
from crosslit.kinds.lights_out.puzzle import LightsOut

MAX_PRESSES = 12
"""Maximum number of presses in a part of a board's formula: all 2^12 values are tried."""


def check_formula(board: LightsOut, every: Iterable[Part]) -> str | None:
    """Return None if the parts of a formula forbid no solution, otherwise why that is not shown."""
    lights = _lights(board)
    of_press: dict[int, list[int]] = defaultdict(list)
    for light, (presses, _) in enumerate(lights):
        for press in presses:
            of_press[press].append(light)
    never = tuple((0, 1) for presses, value in lights if not presses and value)  # a light that no press puts out
    for part in every:
        cells = sorted(part.cells)
        if len(cells) > MAX_PRESSES:
            return f"a part of the formula is about {len(cells)} presses, more than {MAX_PRESSES}"
        # A light with presses outside the part is left out: then more values count as allowed, which makes the check
        # stricter and never laxer.
        near = sorted({light for cell in cells for light in of_press[cell] if part.cells.issuperset(lights[light][0])})
        numbers = {cell: number for number, cell in enumerate(cells)}
        xors = tuple((sum(1 << numbers[press] for press in lights[light][0]), lights[light][1]) for light in near)
        # Such a board has no solution, so that nothing can be forbidden wrongly.
        xors += never
        # Renumbered from 1, so that equal parts at different places of a board share one cached answer.
        values = _forbidden(renumbered(part.clauses, cells), len(cells), xors)
        if values is not None:
            pressed = [divmod(cell - 1, board.columns) for cell in cells if values >> numbers[cell] & 1]
            shown = ", ".join(f"{row + 1}/{column + 1}" for row, column in pressed) or "none"
            about = ", ".join(f"{(cell - 1) // board.columns + 1}/{(cell - 1) % board.columns + 1}" for cell in cells)
            raise WrongFormula(f"of the presses {about} it forbids {shown}, which no light that they toggle forbids")
    return None


def _lights(board: LightsOut) -> list[tuple[list[int], int]]:
    """Return, for each light, the presses (from 1) that toggle it, by the rule checker, and whether it is lit.

    A missing cell gives the condition that it is not pressed.
    """
    rows, columns = board.rows, board.columns
    missing = 0 if board.missing is None else board.missing.bits
    # Pressed by the rule checker on a dark board, to share no code with the encoders.
    dark = LightsOut(Grid.from_bits(rows, columns, 0), board.pattern, board.wrap, board.missing)
    togglers: list[list[int]] = [[] for _ in range(rows * columns)]
    for press in range(rows * columns):
        if missing >> press & 1:
            togglers[press].append(press + 1)
            continue
        toggled = dark.pressed(Grid.from_bits(rows, columns, 1 << press)).lit.bits
        while toggled:
            low = toggled & -toggled
            togglers[low.bit_length() - 1].append(press + 1)
            toggled ^= low
    lit = board.lit.bits
    return [(presses, lit >> light & 1) for light, presses in enumerate(togglers)]


@lru_cache(maxsize=1024)
@without_jumps()
def _forbidden(clauses: tuple[Clause, ...], cells: int, xors: tuple[tuple[int, int], ...]) -> int | None:
    """Return the first values of some presses, as bits, that satisfy all XORs and no model of the clauses, or None."""
    from pysat.solvers import Solver

    with Solver(name=CHECKER, bootstrap_with=clauses) as target:
        for values in _obeying(cells, xors):
            wanted = [cell + 1 if values >> cell & 1 else -cell - 1 for cell in range(cells)]
            # The model is propagated again, so that a wrong "satisfiable" of the solver is noticed.
            if not (target.solve(assumptions=wanted) and target.propagate(target.get_model())[0]):
                return values
    return None


def _obeying(cells: int, xors: tuple[tuple[int, int], ...]) -> Iterator[int]:
    for bits in range(1 << cells):
        if all((bits & mask).bit_count() & 1 == value for mask, value in xors):
            yield bits
