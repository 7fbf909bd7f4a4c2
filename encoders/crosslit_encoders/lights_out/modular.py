"""Lights Out with k states as formulas: ways to say that some presses add up to a number modulo k."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from crosslit.base.grid import Layout
from crosslit.contract import Encoding
from crosslit.kinds.lights_out.board import LightsOut
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import CONTRADICTION, LINEAGE, Linear, Model
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out import cnf
from crosslit_encoders.lights_out.equations import Sum, System, chased_system, full_system, hard_reason

Clauses = Iterator[list[int]]
_TRUE = 1 << 40  # stands for a literal that always holds, and -_TRUE for one that never does


def direct(board: LightsOut, system: Callable[[LightsOut], System] = full_system) -> Formula:
    """Add up the presses around a light modulo k, with a variable for each value of each partial sum.

    Sizes: (m - 2) k auxiliary variables and (m - 1) k^2 clauses of at most 3 literals for a light of m presses, of the
    last partial sum only k clauses.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = direct(read("modular-lights-out:3/000"))
        >>> formula.sizes["variables"]
        12
    """
    k, (rows, columns, sums, extend) = board.states, system(board)
    cells = [_literals(cell, k) for cell in range(rows * columns)]
    new = count(1 + Layout(rows, columns, k).variables)
    clauses = [clause for literals in cells if k > 2 for clause in _exactly_one(literals)]
    owners = [-1] * len(clauses)
    for number, (terms, total) in enumerate(sums):
        if terms:
            clauses += _sum((terms, total), cells, new)
        elif total:
            clauses += [[1], [-1]]  # no press changes this light
        # That a missing cell is not pressed always holds.
        is_light = board.missing is None or not board.gone[number]
        owners += [number if is_light else -1] * (len(clauses) - len(owners))
    return replace(Formula.of(rows, columns, clauses, None if extend else owners, k), extend=extend)


def _literals(cell: int, states: int) -> list[int]:
    """Return the literals that say that a cell has the values 0, 1, ..."""
    return [-cell - 1, cell + 1] if states == 2 else [1 + cell * states + value for value in range(states)]


def _sum(equation: Sum, cells: list[list[int]], new: Iterator[int]) -> Clauses:
    """Yield the clauses that some presses add up to a total; ``cells`` has the literals of the values of each."""
    (*amounts, (last, last_cell)), total = equation
    k = len(cells[0])
    sums = [_TRUE if value == 0 else -_TRUE for value in range(k)]  # the literals of the values of the sum so far
    for amount, cell in amounts:
        if sums[0] == _TRUE and math.gcd(amount, k) == 1:
            sums = [cells[cell][value * pow(amount, -1, k) % k] for value in range(k)]
            continue
        following = [next(new) for _ in range(k)]
        yield from _exactly_one(following)
        for value, before in itertools.product(range(k), range(k)):
            yield from _clause(-sums[before], -cells[cell][value], following[(before + amount * value) % k])
        sums = following
    for value in range(k):
        yield from _clause(-cells[last_cell][value], sums[(total - last * value) % k])


def _clause(*literals: int) -> Clauses:
    """Yield a clause, without literals that never hold, if it does not always hold."""
    if _TRUE not in literals:
        yield [literal for literal in literals if literal != -_TRUE]


def _exactly_one(literals: list[int]) -> Clauses:
    yield literals
    yield from ([-one, -other] for one, other in itertools.combinations(literals, 2))


def parities(board: LightsOut, system: Callable[[LightsOut], System] = full_system) -> Formula:
    """Encode the presses around each light as an XOR if there are two states, otherwise as ``direct`` does.

    Sizes for two states: a variable for each press, and an XOR for each light that any press toggles.

    Examples:
        >>> from crosslit.formats import read
        >>> parities(read("matrix=110,011/111")).xors
        (((1,), 1), ((1, 2), 1), ((2,), 1))
    """
    if board.states > 2:
        return direct(board, system)
    rows, columns, sums, extend = system(board)
    return cnf.parities(rows, columns, [(tuple(cell for _, cell in terms), total) for terms, total in sums], extend)


def quotient(board: LightsOut) -> Model:
    """Model each light as an integer sum: its presses add up to its value plus k times a quotient.

    Sizes: k Boolean variables for each cell (1 for k = 2) and a sum that chooses one of them; an integer variable and a
    sum for each light. The presses determine the quotients.

    Examples:
        >>> from crosslit.formats import read
        >>> quotient(read("modular-lights-out:6/14")).sizes
        {'variables': 14, 'constraints': 4}
    """
    k, system = board.states, full_system(board)
    model = _values(k, system)
    for terms, total in system.sums:
        products = tuple((amount * value, variable) for amount, cell in terms for value, variable in _cell(k, cell))
        most = sum(amount * (k - 1) for amount, _ in terms)
        if terms:
            model.add(Linear((*products, (-k, model.variable(0, (most - total) // k))), total, total))
        elif total:
            model.add(CONTRADICTION)
    return model


def chased_paths(board: LightsOut) -> Model:
    """Model each equation of a chase as a path through the partial sums of its presses modulo k.

    A step leads from a sum, by a value of the next press, to the next sum; as many steps lead into a sum as out of it.
    M.-C. Cote, B. Gendron and L.-M. Rousseau, "Modeling the regular constraint with integer programming", CPAIOR 2007.

    Sizes: Boolean variables of cells as for ``quotient``, but only of some cells. For an equation of m presses, m > 1,
    another 2 k + (m - 2) k^2, one for each step, and at most 1 + (m - 1) k + m (k - 1) sums.

    Examples:
        >>> from crosslit.formats import read
        >>> chased_paths(read("modular-lights-out:6/100/400")).sizes
        {'variables': 24, 'constraints': 17}
    """
    k, system = board.states, chased_system(board)
    model = _values(k, system)
    for terms, total in system.sums:
        into: dict[int, list[int]] = {0: []}  # the steps into each sum
        for place, (amount, cell) in enumerate(terms, 1):
            steps = {
                (before, value, after): model.variable()
                for before, value in itertools.product(into, range(k))
                if (after := (before + amount * value) % k) == total or place < len(terms)
            }
            for number, entering in into.items():
                leaving = [step for (before, *_), step in steps.items() if before == number]
                model.add_sum(leaving, int(place == 1), int(place == 1), entering)
            for value, variable in _cell(k, cell):
                model.add_sum([step for (_, press, _), step in steps.items() if press == value], 0, 0, [variable])
            into = {}
            for (*_, after), step in steps.items():
                into.setdefault(after, []).append(step)
        if total and not terms:
            model.add(CONTRADICTION)
    return model


def _values(states: int, system: System) -> Model:
    """Return a model whose cells have one value each."""
    model = Model(system.rows, system.columns, system.extend, states=states)
    if states > 2:
        for first in range(0, model.cells, states):
            model.add_sum(range(first, first + states), 1, 1)
    return model


def _cell(states: int, cell: int) -> list[tuple[int, int]]:
    """Return the values of a cell above 0, each with its variable."""
    return [(1, cell)] if states == 2 else [(value, cell * states + value) for value in range(1, states)]


# CP-SAT decides clauses sooner than paths: 3 s instead of more than 15 on a 25 x 25 torus of 3 states.
_FASTEST = {
    ("chased-direct", "cnf"),
    ("chased-direct", "cp-sat"),
    ("chased-paths", "linear"),
    ("chased-xor", "cnf-xor"),
}
_CHASED = "few presses, which determine the others, by"

ENCODINGS = [
    Encoding(
        name=name,
        kind="modular-lights-out",
        target=target,
        encode=cp_sat_of(encode) if target == "cp-sat" else encode,
        trusted_base=frozenset({"modular-sums", *trusted}),
        summary=summary,
        default=name in ("direct", "quotient", "xor"),
        default_for=frozenset({"solutions", "count"} if (name, target) in _FASTEST else ()),
        hard_reason=hard_reason if "chase" in trusted else None,
    )
    for name, targets, encode, trusted, summary in (
        ("direct", ["cnf"], direct, {"modular-direct"}, "partial sums modulo k, a variable for each value"),
        (
            "chased-direct",
            ["cnf", "cp-sat"],
            partial(direct, system=chased_system),
            {"modular-direct", "chase"},
            f"{_CHASED} partial sums",
        ),
        (
            "xor",
            ["cnf-xor"],
            parities,
            {"modular-direct"},
            "native XORs for k = 2, else as direct",
        ),
        (
            "chased-xor",
            ["cnf-xor"],
            partial(parities, system=chased_system),
            {"modular-direct", "chase"},
            f"{_CHASED} XORs for k = 2",
        ),
        ("quotient", ["linear", "cp-sat"], quotient, {LINEAGE}, "sum of presses = value + k times a quotient"),
        ("chased-paths", ["linear", "cp-sat"], chased_paths, {LINEAGE, "chase"}, f"{_CHASED} partial sums"),
    )
    for target in targets
]
