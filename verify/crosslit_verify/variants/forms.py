"""Equivalent forms of a constraint, down to the kinds that an engine accepts, also with numeric variables."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np
from crosslit_encoders.nonogram.models import guessing_automaton, line_automaton

from crosslit.contract.family import between, pick, shuffled
from crosslit_verify.variants.model import Constraint, Number, Variable, accepted_run, fits

Pick = Callable[[Sequence["Form"]], "Form"]
Form = Callable[["Builder", Constraint], Iterator[Constraint]]

MAX_ENUMERATED = 6  # variables of a constraint of which all assignments are written down


class Builder:
    """The variables of a model, cells of the puzzle first, each with a function that computes it from those before."""

    def __init__(self, cells: int) -> None:
        self.variables = [Variable()] * cells
        self._values: list[tuple[Callable[..., Number], tuple[Any, ...]]] = []

    def variable(self, value: Callable[..., Number], *args: Any, domain: Variable = Variable()) -> int:  # noqa: B008
        """Add a variable whose value is a function of the point before it and the arguments; return its number."""
        self.variables.append(domain)
        self._values.append((value, args))
        return len(self.variables) - 1

    def point(self, cells: Sequence[int]) -> list[Number]:
        """Return the point of a solution of the puzzle."""
        point: list[Number] = [*cells]
        for value, args in self._values:
            point.append(value(point, *args))
        return point


def linear(variables: Iterable[int], sense: str, bound: Number, minus: Iterable[int] = ()) -> Constraint:
    """Return a bound on the sum of some variables minus the sum of others."""
    terms = (*((variable, 1) for variable in variables), *((variable, -1) for variable in minus))
    return Constraint("linear", (terms, sense, bound))


def clause(pairs: Iterable[tuple[int, bool]]) -> Constraint:
    """Return a clause of (variable, whether it is positive)."""
    return Constraint("clause", tuple(variable + 1 if sign else -variable - 1 for variable, sign in pairs))


def lower(builder: Builder, constraint: Constraint, accepts: Set[str], pick: Pick) -> Iterator[Constraint]:
    """Rewrite a constraint in forms that are picked, until the engine accepts all of its parts."""
    kind, data = constraint
    forms = FORMS.get(kind, ())
    size = len(data if kind == "clause" else data[kind == "table"])  # of variables, or of rows
    options = [form for form, need, largest in forms if (not need or need in accepts) and size <= largest]
    if kind in accepts:
        options.insert(0, _native)
    form = pick(options)
    if form is _native:
        yield constraint
        return
    for part in form(builder, constraint):
        yield from lower(builder, part, accepts, pick)


def _native(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    yield constraint


def quotient(
    builder: Builder, value: Callable[[list[Number]], Number], largest: int, shape: str
) -> tuple[list[tuple[int, int]], int]:
    """Add variables of a number from 0, and return terms of -2 times it, and its greatest value.

    ``integer`` is one variable, and ``binary`` its digits. The others are Boolean variables whose sum is the number;
    without order, several of their values mean the same number.
    """
    if shape == "integer":
        return [(builder.variable(value, domain=Variable("int", 0, largest)), -2)], largest
    if shape == "binary":
        digits = range(largest.bit_length())
        terms = [(builder.variable(lambda point, bit: value(point) >> bit & 1, bit), -(2 << bit)) for bit in digits]
        return terms, (1 << len(digits)) - 1
    return [
        (builder.variable(lambda point, index: int(value(point) > index), index), -2) for index in range(largest)
    ], largest


def _xor_sum(shape: str) -> Form:
    """Return the form "sum minus an even number"."""

    def form(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
        cells, value = constraint.data
        largest = max(0, (len(cells) - value) // 2)
        # at least 0 also where a constraint added later does not hold yet
        terms, _ = quotient(builder, lambda point: max(0, sum(point[i] for i in cells) - value) // 2, largest, shape)
        yield Constraint("linear", ((*((cell, 1) for cell in cells), *terms), "eq", value))
        if shape == "ordered":
            for (before, _), (after, _) in itertools.pairwise(terms):
                yield linear([before], "ge", 0, [after])

    return form


def _xor_clauses(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, value = constraint.data
    for signs in itertools.product((False, True), repeat=len(cells)):
        if signs.count(False) % 2 != value:  # the assignment that makes all literals false has the wrong parity
            yield clause(zip(cells, signs, strict=True))


def _xor_chain(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, value = constraint.data
    if len(cells) < 4:  # too short to be cut
        yield from _xor_clauses(builder, constraint)
        return
    first, rest = cells[: len(cells) // 2], cells[len(cells) // 2 :]
    link = builder.variable(lambda point: sum(point[cell] for cell in first) % 2)
    yield Constraint("xor", ((*first, link), 0))
    yield Constraint("xor", ((link, *rest), value))


def _xor_table(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, value = constraint.data
    rows = tuple(row for row in itertools.product((0, 1), repeat=len(cells)) if sum(row) % 2 == value)
    yield Constraint("table", (cells, rows))


def _clause_sum(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    negated = [-literal - 1 for literal in constraint.data if literal < 0]
    yield linear([literal - 1 for literal in constraint.data if literal > 0], "ge", 1 - len(negated), negated)


def _table_clauses(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, rows = constraint.data

    def is_row(point: list[Number], row: tuple[int, ...]) -> int:
        return int(tuple(point[cell] for cell in cells) == row)

    selectors = [builder.variable(is_row, row) for row in rows]
    yield clause((selector, True) for selector in selectors)
    for selector, row in zip(selectors, rows, strict=True):
        for cell, value in zip(cells, row, strict=True):
            yield clause([(selector, False), (cell, bool(value))])


def _line_automaton(is_deterministic: bool) -> Form:
    def form(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
        cells, clue = constraint.data
        make = line_automaton if is_deterministic else guessing_automaton
        _start, finals, moves = make(tuple((length, 1) for length in clue))
        yield Constraint("regular" if is_deterministic else "nfa", (cells, moves, finals))

    return form


def _line_table(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, clue = constraint.data
    rows = tuple(row for row in itertools.product((0, 1), repeat=len(cells)) if fits(row, clue))
    if rows:
        yield Constraint("table", (cells, rows))
    else:  # two clauses, because some engines refuse an empty one
        yield from (clause([(cells[0], sign)]) for sign in (True, False))


def _regular_states(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    """Yield clauses over a Boolean for each position and state: a true one implies one of the next position."""
    cells, moves, finals = constraint.data

    def is_state(point: list[Number], position: int, state: int) -> int:
        run = accepted_run(moves, finals, tuple(point[cell] for cell in cells))
        return int(bool(run) and run[position] == state)

    now: dict[int, list[tuple[int, bool]]] = {0: []}  # literals that are false in a state: none in the first
    for position, cell in enumerate(cells):
        reached = sorted({to for source, _, to in moves if source in now})
        following = {state: builder.variable(is_state, position + 1, state) for state in reached}
        for state, value in itertools.product(now, (0, 1)):
            targets = [(following[to], True) for source, label, to in moves if (source, label) == (state, value)]
            yield clause([*now[state], (cell, not value), *targets])
        now = {state: [(variable, False)] for state, variable in following.items()}
    yield from (clause(literals) for state, literals in now.items() if state not in finals)


FORMS: dict[str, list[tuple[Form, str, int]]] = {
    # the form, what the engine has to accept, besides clauses or linear constraints, and the largest size
    "xor": [
        (_xor_sum("ordered"), "linear", 100),
        (_xor_clauses, "", MAX_ENUMERATED),
        (_xor_chain, "", 100),
        (_xor_sum("unordered"), "linear", 100),
        (_xor_sum("integer"), "int", 100),
        (_xor_sum("binary"), "linear", 100),
        (_xor_table, "", MAX_ENUMERATED),
    ],
    "line": [(_line_automaton(True), "", 100), (_line_automaton(False), "", 100), (_line_table, "", 8)],
    "regular": [(_regular_states, "", 100)],
    "nfa": [(_regular_states, "", 100)],
    "table": [(_table_clauses, "", 64)],
    "clause": [(_clause_sum, "linear", 100)],
}
"""The forms of each kind of constraint; the first that an engine accepts is the usual one."""


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

    def best(
        self, fixed: Sequence[tuple[int, int]] = (), objective: Sequence[tuple[int, Number]] | None = None
    ) -> list[int] | None:
        """Return an allowed grid of the least cost, or of the least value of an objective; None if none is known."""
        allowed, cost = self.allowed, self.cost
        if objective is not None:
            cost = sum((self.grids[:, cell] * weight for cell, weight in objective), np.zeros(len(self.grids)))
        for cell, value in fixed:
            allowed = allowed & (self.grids[:, cell] == value)
        indices = np.flatnonzero(allowed)
        if not len(indices):
            return None
        return [int(value) for value in self.grids[indices[np.argmin(cost[indices])]]]


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
