"""Numeric variables in the constraints of a puzzle, and the best of its solutions."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Iterator, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np

from crosslit.contract.chance import between, pick, shuffled
from crosslit_verify.variants.forms import Builder, quotient
from crosslit_verify.variants.model import Constraint, Number, Variable

MAX_CELLS = 12  # with this number of cells, all grids are enumerated
_EDGE = Fraction(1, 64)  # a bound that decides by less than this is not judged


class Unclear(Exception):
    """A model whose truth hangs on rounding."""


@functools.cache
def _grids(cells: int) -> np.ndarray[Any, Any]:
    return np.array(list(itertools.product((0, 1), repeat=cells)), dtype=np.int64)


class Truth:
    """The grids that may be solutions, those that are allowed, and the least cost of each.

    All grids are enumerated, unless there are too many: then only the planted solution is known.
    """

    def __init__(self, cells: int, solution: list[int]) -> None:
        self.cells = cells
        self.grids = _grids(cells) if cells <= MAX_CELLS else np.array([solution])
        self.allowed = np.ones(len(self.grids), dtype=bool)
        self.cost = np.zeros(len(self.grids))

    def plant(self, solution: list[int]) -> None:
        """Forget all grids but one."""
        index = np.flatnonzero((self.grids == solution).all(axis=1))
        self.grids, self.allowed, self.cost = self.grids[index], self.allowed[index], self.cost[index]

    def require(self, constraint: Constraint) -> None:
        """Allow only grids that satisfy a constraint; one with other variables than cells is left to its technique."""
        if any(variable >= self.cells for variable in constraint.variables):
            return
        own = self.grids[:, constraint.variables]
        if constraint.kind == "xor":
            self.allowed &= own.sum(axis=1) % 2 == constraint.data[1]
        elif len(own) == 1:
            self.allowed &= constraint.holds(self.grids[0])
        else:  # one evaluation for each assignment of its few variables
            width = own.shape[1]
            points = (dict(zip(constraint.variables, row, strict=True)) for row in _grids(width).tolist())
            table = np.array([constraint.holds(point) for point in points])
            self.allowed &= table[own @ (1 << np.arange(width)[::-1])]

    def price(self, cells: Sequence[int], costs: Sequence[Number | None]) -> None:
        """Add a cost for each sum of some cells; None means that the sum is impossible."""
        sums = self.grids[:, cells].sum(axis=1)
        self.allowed &= np.array([cost is not None for cost in costs])[sums]
        self.cost += np.array([float(cost or 0) for cost in costs])[sums]

    def best(self, fixed: Sequence[tuple[int, int]] = ()) -> list[int] | None:
        """Return an allowed grid of the least cost; None if none is known."""
        allowed = self.allowed
        for cell, value in fixed:
            allowed = allowed & (self.grids[:, cell] == value)
        indices = np.flatnonzero(allowed)
        if not len(indices):
            return None
        return [int(value) for value in self.grids[indices[np.argmin(self.cost[indices])]]]


def numeric_rows(
    rng: random.Random,
    builder: Builder,
    truth: Truth,
    base: Sequence[Constraint],
    solution: list[int],
    accepts: Set[str],
    objective: list[tuple[int, Number]],
) -> Iterator[Constraint]:
    """Yield the constraints of a puzzle, with numeric variables in some or all of them.

    A variable in one row leaves the best solution computable: each sum of the row's cells has an interval of values.
    Variables in several rows are planted: of these models only one solution is known.
    """
    shape = pick(rng, ("unordered", "ordered", "binary", *(("integer",) if "int" in accepts else ())))
    rows = range(len(base)) if rng.random() < 0.4 else shuffled(rng, range(len(base)))[: between(rng, 1, 4)]
    planted: dict[int, Number] = {}  # the values of the variables in several rows
    if rng.random() < 0.3 and all(constraint.holds(solution) for constraint in base):
        truth.plant(solution)
        for _ in range(between(rng, 1, 4)):
            kind, size = pick(rng, _kinds(accepts)), pick(rng, (1, 5, 100))
            value = between(rng, -size, size)
            variable = builder.variable(
                lambda _, value: value, value, domain=Variable(kind, value - size, value + size)
            )
            planted[variable] = value
            if objective:
                objective.append((variable, between(rng, -9, 9)))
    for index, constraint in enumerate(base):
        cells, value = constraint.data
        is_replaced = constraint.kind == "xor" and rng.random() < 0.8
        if index not in rows or not is_replaced:
            yield constraint
        if index in rows:
            goal = value if is_replaced else sum(solution[cell] for cell in cells)
            row = _Row(rng, builder, cells, goal, shape if is_replaced else "", accepts)
            if planted:
                yield row.with_planted(planted)
            else:
                weight = between(rng, -9, 9) * pick(rng, (1, 1, 10)) if objective else 0
                yield row.with_number(weight)
                truth.price(cells, [row.best[size][0] if size in row.best else None for size in range(len(cells) + 1)])
                objective += [(row.variable, weight)] if weight else []


def _kinds(accepts: Set[str]) -> list[Any]:
    return [kind for kind in ("int", "real") if kind in accepts]


class _Row:
    """A linear constraint over cells of the puzzle and numeric variables, perhaps minus an even number."""

    def __init__(
        self, rng: random.Random, builder: Builder, cells: Sequence[int], goal: int, shape: str, accepts: Set[str]
    ) -> None:
        self.rng, self.builder, self.cells, self.goal = rng, builder, cells, goal
        self.kind: Any = pick(rng, _kinds(accepts))
        self.best: dict[int, tuple[Number, int, Number]] = {}  # cost, quotient and number, by the sum of the cells
        self.terms: list[tuple[int, Number]] = [(cell, 1) for cell in cells]
        self.largest, self.variable = 0, -1
        if shape:
            own, self.largest = quotient(builder, lambda point: self._at(point)[1], (len(cells) + 1) // 2, shape)
            self.terms += own
        self.sense = pick(rng, ("eq", "eq", "le", "ge"))
        is_real = "real" in accepts
        self.slack = Fraction(pick(rng, (1, 4, 40)), 4 if is_real else 1)
        self.factors = (Fraction(1, 4), Fraction(1, 2)) * is_real + (1, 1, 2, 3, 7, 10, 100, 1000)

    def _factor(self) -> Number:
        return pick(self.rng, self.factors) * pick(self.rng, (1, -1))

    def _at(self, point: list[Number]) -> tuple[Number, int, Number]:
        size = int(sum(point[cell] for cell in self.cells))
        return self.best[size] if self.variable >= 0 else (0, (size - self.goal) // 2, 0)

    def _constraint(self, planted: Number) -> Constraint:
        bound = self.goal + planted + {"eq": 0, "le": self.slack, "ge": -self.slack}[self.sense]
        return Constraint("linear", (tuple(self.terms), self.sense, bound))

    def with_planted(self, planted: dict[int, Number]) -> Constraint:
        """Return the row with variables that have known values."""
        chosen = [(variable, self._factor()) for variable in planted if self.rng.random() < 0.6]
        self.terms += chosen
        return self._constraint(sum(factor * planted[variable] for variable, factor in chosen))

    def with_number(self, weight: int) -> Constraint:
        """Return the row with its own variable, and compute its best value for each sum of the cells."""
        rng, factor = self.rng, self._factor()
        scale = Fraction(pick(rng, (3, 4, 8, 20, 400)), 4) / abs(factor)
        if self.kind == "int":
            size: Number = math.ceil(scale)
            planted: Number = between(rng, -10, 10) * pick(rng, (1, 1, max(1, int(1000 / abs(factor)))))
        else:
            size = Fraction(max(1, int(scale * 64)), 64)  # exact as a float
            planted = Fraction(between(rng, -640, 640), 64)
        low, high = planted - size * between(rng, 0, 2), planted + size * between(rng, 0, 2)
        self.variable = self.builder.variable(lambda point: self._at(point)[2], domain=Variable(self.kind, low, high))
        self.terms.append((self.variable, factor))
        constraint = self._constraint(factor * planted)
        for size_, even in itertools.product(range(len(self.cells) + 1), range(self.largest + 1)):
            limit = Fraction(constraint.data[2] - size_ + 2 * even) / factor
            bounds = [low, high]
            if self.sense == "eq" or (self.sense == "ge") == (factor > 0):
                bounds[0] = max(low, limit)
            if self.sense == "eq" or (self.sense == "le") == (factor > 0):
                bounds[1] = min(high, limit)
            if self.kind == "int":
                bounds = [math.ceil(bounds[0]), math.floor(bounds[1])]
            elif 0 < (bounds[0] - bounds[1]) * abs(factor) < _EDGE:
                raise Unclear
            if bounds[0] <= bounds[1]:
                found = min((weight * bound, even, bound) for bound in bounds)
                self.best[size_] = min(self.best.get(size_, found), found)
        return constraint
