"""Lights Out with k states to CNF: two ways to say that some presses add up to a number modulo k."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from crosslit.contract import Encoding
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_encoders.formula import Formula
from crosslit_encoders.modular_lights_out.system import Sum, light_sums

Clauses = Iterator[list[int]]
Says = Callable[[int, int], int]
"""The literal that says that a cell has a value."""


def direct(board: ModularLightsOut) -> Formula:
    """Add up the presses around a light modulo k, with a variable for each value of each partial sum.

    Sizes: (m - 2) k auxiliary variables and (m - 1) k^2 clauses of at most 3 literals for a light of m presses, of the
    last partial sum only k clauses.

    Examples:
        >>> formula = direct(ModularLightsOut.parse("modular-lights-out:3/000"))
        >>> formula.sizes["variables"]
        12
    """
    k = board.states

    def light(terms: Sum, says: Says, new: Iterator[int]) -> Clauses:
        (*amounts, (last, last_cell)), total = terms
        sums: list[int] | None = None  # the literals of the values of the sum so far; None for 0
        for amount, cell in amounts:
            if sums is None and math.gcd(amount, k) == 1:
                sums = [says(cell, value * pow(amount, -1, k) % k) for value in range(k)]
                continue
            following = [next(new) for _ in range(k)]
            yield from _exactly_one(following)
            for value, before in itertools.product(range(k), range(k if sums else 1)):
                known = [-sums[before]] if sums else []
                yield [*known, -says(cell, value), following[(before + amount * value) % k]]
            sums = following
        for value in range(k):
            rest = (total - last * value) % k
            if sums is not None:
                yield [-says(last_cell, value), sums[rest]]
            elif rest:
                yield [-says(last_cell, value)]

    return _formula(board, light)


def order(board: ModularLightsOut) -> Formula:
    """Add up the presses around a light as whole numbers in the order encoding, and allow the right multiples of k.

    A variable for each bound says that a number is at least that large. N. Tamura, A. Taga, S. Kitagawa and M. Banbara,
    "Compiling finite linear CSP into SAT", Constraints 14 (2009).

    Sizes: for a light of m presses with the amounts 1, k - 1 bounds for each cell and at most j (k - 1) for the sum of
    j presses; about j k^2 clauses of at most 3 literals for the sum with the next one.

    Examples:
        >>> order(ModularLightsOut.parse("modular-lights-out:3/000")).sizes["variables"]
        33
    """
    k = board.states
    bounds: dict[int, list[int]] = {}

    def light(terms: Sum, says: Says, new: Iterator[int]) -> Clauses:
        # Bounds of the sum so far: pairs of a number and the literal that says that the sum is at least that.
        sums: list[tuple[int, int]] = []
        for amount, cell in terms[0]:
            if cell not in bounds:
                bounds[cell] = [says(cell, 1)] if k == 2 else [next(new) for _ in range(1, k)]
                yield from _bounded(cell, bounds[cell], says) if k > 2 else ()
            own = [(amount * value, literal) for value, literal in enumerate(bounds[cell], 1)]
            if not sums:
                sums = own
                continue
            reached = sorted({a + b for a, b in itertools.product([0, *_numbers(sums)], [0, *_numbers(own)])} - {0})
            following = [(number, next(new)) for number in reached]
            literals = [literal for _, literal in following]
            yield from ([-one, other] for other, one in itertools.pairwise(literals))
            index = {number: place for place, number in enumerate(reached)}
            for (a, *at_a), (b, *at_b) in itertools.product([(0,), *sums], [(0,), *own]):
                if a + b:  # at least a and at least b give at least a + b
                    yield [*(-literal for literal in (*at_a, *at_b)), literals[index[a + b]]]
                # less than the next of each gives less than the number after a + b
                above = [
                    next((literal for number, literal in part if number > at), None)
                    for part, at in ((sums, a), (own, b))
                ]
                if (place := index.get(a + b, -1) + 1) < len(literals):
                    yield [*(literal for literal in above if literal is not None), -literals[place]]
            sums = following
        numbers = [0, *_numbers(sums)]
        for place, number in enumerate(numbers):
            if (number - terms[1]) % k:
                yield [-literal for _, literal in sums[:place][-1:]] + [literal for _, literal in sums[place:][:1]]

    return _formula(board, light)


def _numbers(bounds: list[tuple[int, int]]) -> list[int]:
    return [number for number, _ in bounds]


def _bounded(cell: int, bounds: list[int], says: Says) -> Clauses:
    """Say what the bounds of a cell are: its value is at least 1, 2, ..."""
    yield from ([-higher, lower] for lower, higher in itertools.pairwise(bounds))
    for value in range(len(bounds) + 1):
        limits = [*bounds[:value][-1:], *(-bound for bound in bounds[value:][:1])]
        yield from ([-says(cell, value), literal] for literal in limits)


def _exactly_one(literals: list[int]) -> Clauses:
    yield literals
    yield from ([-one, -other] for one, other in itertools.combinations(literals, 2))


def _formula(board: ModularLightsOut, light: Callable[[Sum, Says, Iterator[int]], Clauses]) -> Formula:
    """Return the formula of the cells' values and of the clauses of each light."""
    k, cells = board.states, board.rows * board.columns

    def says(cell: int, value: int) -> int:
        if k == 2:
            return cell + 1 if value else -cell - 1
        return 1 + cell * k + value

    new = count(1 + board.layout.variables)
    values = ([says(cell, value) for value in range(k)] for cell in range(cells if k > 2 else 0))
    clauses = [clause for literals in values for clause in _exactly_one(literals)]
    parts, gone = [-1] * len(clauses), "".join(board.lights)
    for number, terms in enumerate(light_sums(board)):
        if terms[0]:
            clauses += light(terms, says, new)
        elif terms[1]:
            clauses += [[1], [-1]]  # no press changes this light
        # That a missing cell is not pressed always holds.
        parts += [-1 if gone[number] == "_" else number] * (len(clauses) - len(parts))
    literals = np.array([literal for clause in clauses for literal in clause], np.int32)
    ends = np.cumsum([len(clause) for clause in clauses], dtype=np.int64)
    part = np.array(parts, np.int64)
    variables = next(new) - 1
    return Formula(board.rows, board.columns, variables, literals, ends, part=lambda: part, states=k)


ENCODINGS = [
    Encoding(
        name=name,
        kind="modular-lights-out",
        target="cnf",
        encode=encode,
        trusted_base=frozenset({"modular-sums", f"modular-{name}"}),
        summary=summary,
        default=name == "direct",
    )
    for name, encode, summary in (
        ("direct", direct, "partial sums modulo k, a variable for each value"),
        ("order", order, "sums as whole numbers, a variable for each bound"),
    )
]
