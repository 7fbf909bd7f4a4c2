"""Equivalent forms of a constraint, down to the kinds of constraints that an engine accepts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

from crosslit_verify.variants.model import Constraint, Number, Variable, accepted_run, fits

Pick = Callable[[Sequence["Form"]], "Form"]
Form = Callable[["Builder", Constraint], Iterator[Constraint]]

MAX_ENUMERATED = 6  # variables of a constraint of which all assignments are written down
_MAX_ROWS = 64


class Builder:
    """The variables of a model, each with a function that computes it from those before it.

    Args:
        cells: number of cells of the puzzle, which are the first variables.
    """

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


def _contradiction(cells: Sequence[int]) -> Iterator[Constraint]:
    """Yield clauses that no values satisfy, without an empty clause, which some engines refuse."""
    yield clause([(cells[0], True)])
    yield clause([(cells[0], False)])


def lower(builder: Builder, constraint: Constraint, accepts: Set[str], pick: Pick) -> Iterator[Constraint]:
    """Rewrite a constraint in forms that are picked, until the engine accepts all of its parts."""
    size = len(constraint.data[1]) if constraint.kind == "table" else len(constraint.variables)
    options = [form for form, needs, largest in FORMS.get(constraint.kind, ()) if needs & accepts and size <= largest]
    if constraint.kind in accepts:
        options.insert(0, _native)
    form = pick(options)
    for part in form(builder, constraint):
        if form is _native:
            yield part
        else:
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


def _selectors(builder: Builder, cells: Sequence[int], rows: Sequence[tuple[int, ...]]) -> list[int]:
    def is_row(point: list[Number], row: tuple[int, ...]) -> int:
        return int(tuple(point[cell] for cell in cells) == row)

    return [builder.variable(is_row, row) for row in rows]


def _table_clauses(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, rows = constraint.data
    selectors = _selectors(builder, cells, rows)
    yield clause((selector, True) for selector in selectors)
    for selector, row in zip(selectors, rows, strict=True):
        for cell, value in zip(cells, row, strict=True):
            yield clause([(selector, False), (cell, bool(value))])


def _table_sums(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, rows = constraint.data
    selectors = _selectors(builder, cells, rows)
    yield linear(selectors, "eq", 1)
    for index, cell in enumerate(cells):
        yield linear([sel for sel, row in zip(selectors, rows, strict=True) if row[index]], "eq", 0, [cell])


def automaton(clue: Sequence[int], is_deterministic: bool) -> tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]:
    """Return transitions and final states of an automaton of a clue, which starts in state 0.

    The one that is not deterministic can also guess, at a 0, that the next block follows at once.
    """
    moves, gap, last, size = [(0, 0, 0)], 0, 0, 1
    for length in clue:
        heads = [gap]
        if not is_deterministic:
            moves += [(state, 0, size) for state in {gap, last}]
            heads.append(size)
            size += 1
        moves += [(head, 1, size) for head in heads]
        moves += [(state, 1, state + 1) for state in range(size, size + length - 1)]
        last, gap = size + length - 1, size + length
        size = gap + 1
        moves += [(last, 0, gap), (gap, 0, gap)]
    return tuple(moves), (last, gap)


def _line_automaton(is_deterministic: bool) -> Form:
    def form(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
        cells, clue = constraint.data
        yield Constraint("regular" if is_deterministic else "nfa", (cells, *automaton(clue, is_deterministic)))

    return form


def _line_table(_: Builder, constraint: Constraint) -> Iterator[Constraint]:
    cells, clue = constraint.data
    rows = tuple(row for row in itertools.product((0, 1), repeat=len(cells)) if fits(row, clue))
    yield from [Constraint("table", (cells, rows))] if rows else _contradiction(cells)


def _line_sums(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    """Yield sums: each block has one start, a cell is the sum of starts that cover it, blocks keep their distance."""
    cells, clue = constraint.data
    latest = len(cells) - sum(clue) - len(clue) + 1  # last start of the first block
    if latest < 0:
        yield from _contradiction(cells)
        return

    def is_start(point: list[Number], number: int, place: int) -> int:
        values = [0, *(point[cell] for cell in cells)]
        starts = [index for index in range(len(cells)) if values[index + 1] and not values[index]]
        return int(starts[number] == place)

    covers: list[list[int]] = [[] for _ in cells]
    before: list[int] = []
    earliest = 0
    for number, length in enumerate(clue):
        starts = [builder.variable(is_start, number, earliest + shift) for shift in range(latest + 1)]
        yield linear(starts, "eq", 1)
        for shift, variable in enumerate(starts):
            for place in range(earliest + shift, earliest + shift + length):
                covers[place].append(variable)
            if before:  # the block before starts no later than this one allows
                yield linear(before[: shift + 1], "ge", 0, [variable])
        before = starts
        earliest += length + 1
    for cell, variables in zip(cells, covers, strict=True):
        yield linear(variables, "eq", 0, [cell])


def _layers(constraint: Constraint) -> list[list[tuple[int, int, int]]]:
    """Return for each position the transitions on a path from the first state to a final one."""
    cells, moves, finals = constraint.data
    reached, layers = {0}, []
    for _ in cells:
        layers.append([move for move in moves if move[0] in reached])
        reached = {to for _, _, to in layers[-1]}
    useful = set(finals)
    for index in reversed(range(len(layers))):
        layers[index] = [move for move in layers[index] if move[2] in useful]
        useful = {state for state, _, _ in layers[index]}
    return layers


def _regular_states(builder: Builder, constraint: Constraint) -> Iterator[Constraint]:
    """Yield clauses over a Boolean for each position and state: a true one implies one of the next position."""
    cells, moves, finals = constraint.data
    layers = _layers(constraint)
    if not layers[0]:
        yield from _contradiction(cells)
        return

    def is_state(point: list[Number], position: int, state: int) -> int:
        run = accepted_run(moves, finals, tuple(point[cell] for cell in cells))
        return int(bool(run) and run[position] == state)

    now: dict[int, int] = {}
    for position, layer in enumerate(layers):
        following = {
            state: builder.variable(is_state, position + 1, state) for state in sorted({to for _, _, to in layer})
        }
        for state in sorted({state for state, _, _ in layer}):
            for value in (0, 1):
                head = [(now[state], False)] if position else []
                targets = [(following[to], True) for source, label, to in layer if (source, label) == (state, value)]
                yield clause([*head, (cells[position], not value), *targets])
        now = following


_FORMS = {"clause", "linear"}
FORMS: dict[str, list[tuple[Form, Set[str], int]]] = {
    # the form, kinds of which the engine has to accept at least one, and the largest size
    "xor": [
        (_xor_sum("ordered"), {"linear"}, 100),
        (_xor_clauses, _FORMS, MAX_ENUMERATED),
        (_xor_chain, _FORMS | {"xor"}, 100),
        (_xor_sum("unordered"), {"linear"}, 100),
        (_xor_sum("integer"), {"int"}, 100),
        (_xor_sum("binary"), {"linear"}, 100),
        (_xor_table, _FORMS | {"table"}, MAX_ENUMERATED),
    ],
    "line": [
        (_line_automaton(True), _FORMS | {"regular"}, 100),
        (_line_automaton(False), _FORMS | {"nfa"}, 100),
        (_line_table, _FORMS | {"table"}, 8),
        (_line_sums, {"linear"}, 100),
    ],
    "regular": [(_regular_states, _FORMS, 100)],
    "nfa": [(_regular_states, _FORMS, 100)],
    "table": [(_table_clauses, _FORMS, _MAX_ROWS), (_table_sums, {"linear"}, _MAX_ROWS)],
    "clause": [(_clause_sum, {"linear"}, 100)],
}
"""The forms of each kind of constraint; the first that an engine accepts is the usual one."""
