"""Equivalent forms of a constraint, down to the kinds of constraints that an engine accepts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

from crosslit_encoders.nonogram.models import guessing_automaton, line_automaton

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
    size = len(constraint.data[1]) if constraint.kind == "table" else len(constraint.variables)
    forms = FORMS.get(constraint.kind, ())
    options = [form for form, need, largest in forms if need in {"", *accepts} and size <= largest]
    if constraint.kind in accepts:
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
