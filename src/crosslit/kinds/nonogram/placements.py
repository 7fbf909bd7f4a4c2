"""The check that a formula about one line of a nonogram allows every arrangement of the line's clue."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

from crosslit.base.errors import GaveUp
from crosslit.base.layout import DIGITS, Layout
from crosslit.contract.clauses import CHECKER, Clause, NoRefutation, check_refutation, lemmas, prove, without_jumps

PROVER = "glucose4"
MIN_ARRANGEMENTS = 64
"""Number of arrangements below which they are tried one by one: trying these costs as much as a proof.

If the formula has more auxiliary variables than this, their number is used instead.
"""
MAX_ARRANGEMENTS = 20_000
"""Maximum number of arrangements tried one by one if no proof is found; beyond that nothing is shown."""
MAX_WORK = 2_000_000
"""Maximum number of arrangements times variables of the formula when tried one by one."""
_GUESSED = 4000  # maximum number of auxiliary variables whose meaning is guessed
CONFLICTS = 20_000  # limit of the prover for one line
_ROUNDS = 12  # rounds of guessing the meaning of auxiliary variables

_TRUE, _FALSE = "true", "false"
_Literal = int | str
_Shifts = tuple[int, ...]


class LacksArrangement(ValueError):
    """A formula that forbids an arrangement of the clue; the message says which."""


@dataclass(frozen=True)
class Line:
    """A clue, pairs of a length and a colour, the length of its line, and the number of states of a cell.

    An arrangement is given by its shifts: the distance of each block from its earliest place. Shifts never decrease
    from one block to the next, and none exceeds the slack; every such sequence is an arrangement.
    """

    clue: tuple[tuple[int, int], ...]
    length: int
    states: int = 2

    @functools.cached_property
    def slack(self) -> int:
        """Cells beyond the tightest packing; negative if the clue does not fit."""
        return self.length - self.earliest[-1] - self.clue[-1][0] if self.clue else 0

    @property
    def layout(self) -> Layout:
        """The form of the line as a grid, whose cell variables are the first of a formula."""
        return Layout(1, self.length, self.states)

    @property
    def count(self) -> int:
        """Number of arrangements."""
        return comb(self.slack + len(self.clue), len(self.clue)) if self.slack >= 0 else 0

    @functools.cached_property
    def earliest(self) -> list[int]:
        """The earliest start of each block: blocks of one colour have an empty cell between them."""
        starts, place, before = [], 0, 0
        for length, colour in self.clue:
            starts.append(place + (colour == before))
            place, before = starts[-1] + length, colour
        return starts

    def text(self, shifts: Sequence[int]) -> str:
        """Return an arrangement as cells."""
        cells = ["0"] * self.length
        for start, shift, (length, colour) in zip(self.earliest, shifts, self.clue, strict=True):
            cells[start + shift : start + shift + length] = DIGITS[colour] * length
        return "".join(cells)

    def words(self) -> str:
        """Return the clue as text, with colours if there are several."""
        several = self.states > 2
        return " ".join(f"{length}" + f" of colour {colour}" * several for length, colour in self.clue) or "0"

    def every(self) -> Iterator[_Shifts]:
        """Yield the shifts of all arrangements."""
        return combinations_with_replacement(range(self.slack + 1), len(self.clue)) if self.slack >= 0 else iter(())

    def extremes(self) -> list[_Shifts]:
        """Return the arrangements with one block at some place and all others as far left, or right, as possible."""
        if self.slack < 0:
            return []
        size = len(self.clue)
        found = {
            shifts: None
            for block in range(size)
            for shift in range(self.slack + 1)
            for shifts in (
                (0,) * block + (shift,) * (size - block),
                (shift,) * (block + 1) + (self.slack,) * (size - block - 1),
            )
        }
        return list(found) or [()]


def value_literals(cell: int, states: int) -> list[int]:
    """Return, for each value, the literal that says that a cell, from 0, has it; see `Layout.decode`.

    Examples:
        >>> value_literals(1, 2), value_literals(1, 3)
        ([-2, 2], [4, 5, 6])
    """
    return [-cell - 1, cell + 1] if states == 2 else [1 + cell * states + value for value in range(states)]


class _Reference:
    """The rules of a line as clauses over the variables of its cells, written independently of the encoders.

    Variable s(j, v) says that block j is shifted by at most v; shifts do not decrease; a cell has a colour if a block
    of that colour covers it, that is, is shifted far enough to reach it and not beyond. Every arrangement of the clue
    is a model.
    """

    def __init__(self, line: Line, first: int) -> None:
        self.line = line
        self.first = first  # its first variable after the cells
        self.blocks = len(line.clue)
        self.variables = first - 1 + self.blocks * line.slack
        self.clauses: list[list[int]] = []
        for block in range(self.blocks):
            for shift in range(line.slack):
                self.add(self.negated(self.shifted(block, shift)), self.shifted(block, shift + 1))
                if block:
                    self.add(self.negated(self.shifted(block, shift)), self.shifted(block - 1, shift))
        for cell in range(line.length):
            values = value_literals(cell, line.states)
            if line.states > 2:
                self.add(*values)
                for one, other in combinations(values, 2):
                    self.add(-one, -other)
            for colour, literal in enumerate(values[1:], 1):
                covers = [self.covers(block, cell) for block in range(self.blocks) if line.clue[block][1] == colour]
                for covering in covers:
                    self.add(self.negated(covering), literal)
                self.add(-literal, *covers)

    def shifted(self, block: int, most: int) -> _Literal:
        """Return the literal that a block is shifted by at most ``most``."""
        if most < 0:
            return _FALSE
        return _TRUE if most >= self.line.slack else self.first + block * self.line.slack + most

    def covers(self, block: int, cell: int) -> _Literal:
        place = cell - self.line.earliest[block]
        reaches, beyond = self.shifted(block, place), self.shifted(block, place - self.line.clue[block][0])
        if _FALSE in (reaches, self.negated(beyond)):
            return _FALSE
        return self.both([reaches, self.negated(beyond)])

    def both(self, literals: Iterable[_Literal]) -> _Literal:
        """Return a literal for the conjunction of these literals; it is a new variable if necessary."""
        kept = [literal for literal in literals if literal != _TRUE]
        if len(kept) < 2:
            return kept[0] if kept else _TRUE
        self.variables += 1
        self.define(self.variables, kept)
        return self.variables

    def define(self, variable: int, literals: Sequence[_Literal]) -> None:
        """Make a variable equivalent to the conjunction of the literals."""
        for literal in literals:
            self.add(-variable, literal)
        self.add(variable, *map(self.negated, literals))

    @staticmethod
    def negated(literal: _Literal) -> _Literal:
        if isinstance(literal, int):
            return -literal
        return _FALSE if literal == _TRUE else _TRUE

    def add(self, *literals: _Literal) -> None:
        # A clause with a true literal says nothing, and a false literal adds nothing.
        if _TRUE not in literals:
            self.clauses.append([literal for literal in literals if isinstance(literal, int)])

    def shifts(self, model: Sequence[int]) -> _Shifts:
        """Return the arrangement of a model."""
        true = {literal for literal in model if literal > 0}
        slack = range(self.line.slack)
        return tuple(sum(self.shifted(block, shift) not in true for shift in slack) for block in range(self.blocks))


@functools.lru_cache(maxsize=1024)
@without_jumps()
def check_line(line: Line, clauses: tuple[Clause, ...]) -> str | None:
    """Check that every arrangement of a clue extends to a model of a formula about its line.

    A certificate rests on this: the rule checker accepts its solutions, so a formula may allow too much, but must not
    forbid a solution.

    A few arrangements are tried one by one. For many there is a proof: from some arrangements, each auxiliary variable
    of the formula is guessed to say that the blocks' shifts lie between bounds; with these as definitions, every clause
    has to follow from the rules of the line. That is one refutation: of the rules, the definitions, and the negation of
    some clause. Any guess is sound, because a definition excludes nothing. A model instead of a refutation is an
    arrangement for which the guess was wrong, and the next guess takes it into account.

    Returns:
        None if this is shown, otherwise why not.

    Raises:
        LacksArrangement: if the formula forbids an arrangement; the message says which.
    """
    from pysat.solvers import Solver

    if not line.count:
        return None  # an impossible line has no arrangement to forbid
    auxiliary = _last(line, clauses) - line.layout.variables
    few = max(MIN_ARRANGEMENTS, auxiliary) if MIN_ARRANGEMENTS else 0
    with Solver(name=CHECKER, bootstrap_with=clauses) as target:
        if line.count > few and auxiliary <= _GUESSED and _refute(line, clauses, target):
            return None
        if line.count > max(few, MAX_ARRANGEMENTS) or line.count * (line.layout.variables + auxiliary) > MAX_WORK:
            return f"of {line.count} arrangements of the clue {line.words()}, no proof was found"
        samples = line.every()
        for shifts in samples:
            # The solver that found the model is not trusted: propagation from all its values must not contradict it.
            if not target.propagate(_model(line, shifts, target))[0]:
                return f"{CHECKER} gave a model that contradicts its own propagation"
    return None


def _model(line: Line, shifts: _Shifts, target: Any) -> list[int]:
    """Return the model that an arrangement extends to."""
    cells = line.text(shifts)
    # All variables of a cell are given: another value in addition would satisfy clauses that this one does not.
    values = ((DIGITS.index(digit), value_literals(cell, line.states)) for cell, digit in enumerate(cells))
    given = [literal if value == own else -literal for own, each in values for value, literal in enumerate(each)]
    if not target.solve(assumptions=given):
        raise LacksArrangement(f"it forbids {cells} in a line of {line.length} cells with the clue {line.words()}")
    model: list[int] = target.get_model()
    return model


def _refute(line: Line, clauses: tuple[Clause, ...], target: Any) -> bool:
    """Return whether a proof is found that no clause forbids any arrangement."""
    last = _last(line, clauses)
    auxiliary = range(line.layout.variables + 1, last + 1)
    samples = line.extremes()
    values = [_values(_model(line, shifts, target), auxiliary) for shifts in samples]
    # Each failed round adds an arrangement that the guess got wrong, so no guess is made twice.
    for _ in range(_ROUNDS):
        reference = _Reference(line, last + 1)
        bounds = _bounds(samples, values, len(auxiliary))
        for variable, between in zip(auxiliary, bounds, strict=True):
            # The variable does not say that shifts lie between bounds, so this kind of proof cannot work for the
            # encoding.
            if between is None:
                return False
            _define(reference, variable, *between)
        try:
            model = _counterexample(reference, clauses)
        except (GaveUp, NoRefutation):  # a proof that the check rejects shows nothing about the formula
            return False
        if model is None:
            return True
        samples.append(reference.shifts(model))
        values.append(_values(_model(line, samples[-1], target), auxiliary))
    return False


def _counterexample(reference: _Reference, clauses: Sequence[Clause]) -> list[int] | None:
    """Return a model of the reference that breaks a clause; None if it is proved that there is none.

    Most clauses follow by propagation: the first is a lemma for the proof that all of them follow, and so on. For the
    rest, a solver has to refute that one of them is false.
    """
    from pysat.solvers import Solver

    # Lemmas first, because one refutation with a selector for every clause took 19 s for all lines of a 50 x 50 puzzle,
    # and this takes 3.4 s.
    known, open_clauses, before = list(reference.clauses), list(clauses), -1
    with Solver(name=CHECKER, bootstrap_with=known) as checker:
        # Repeated, because a lemma found late may be what an earlier clause needs; ends when a pass finds none.
        while open_clauses and len(open_clauses) != before:
            before, remaining = len(open_clauses), []
            for clause in open_clauses:
                if checker.propagate([-literal for literal in clause])[0]:
                    remaining.append(clause)
                else:
                    checker.add_clause(clause)
                    known.append(list(clause))
            open_clauses = remaining
    if not open_clauses:
        return None
    selectors = range(reference.variables + 1, reference.variables + len(open_clauses) + 1)
    for selector, clause in zip(selectors, open_clauses, strict=True):
        # A selector makes its clause false, and the clause of all selectors makes at least one of them true.
        known += [[-selector, -literal] for literal in clause]
    known.append(list(selectors))
    model, proof = prove(known, PROVER, CONFLICTS)
    if model is None:
        # The prover is not trusted either: another engine checks its proof.
        check_refutation(known, lemmas(proof), selectors.stop - 1)
    return model


def _last(line: Line, clauses: Sequence[Clause]) -> int:
    """Return the highest variable of a formula."""
    return max(line.layout.variables, max((abs(literal) for clause in clauses for literal in clause), default=0))


def _values(model: Sequence[int], variables: range) -> list[bool]:
    known = model[variables.start - 1 : variables.stop - 1]
    # A solver leaves out variables above the last one that it knows; any value is right for them.
    return [literal > 0 for literal in known] + [False] * (len(variables) - len(known))


_Between = tuple[bool, Sequence[int], Sequence[int]]


def _bounds(shifts: Sequence[Sequence[int]], values: Sequence[Sequence[bool]], count: int) -> list[_Between | None]:
    """Return, for each of ``count`` variables, the value that it has where the shifts lie between bounds, and these."""
    import numpy as np

    samples, found = np.array(shifts), list[_Between | None]()
    for column in np.array(values, bool).reshape(len(shifts), count).T:
        between = None
        for sign in (True, False):
            inside = samples[column == sign]
            if not len(inside):
                between = (sign, [1], [0])  # empty bounds
                break
            lowest, highest = inside.min(axis=0), inside.max(axis=0)
            # The smallest box around the samples with this value must contain no sample with the other value.
            if int(((samples >= lowest) & (samples <= highest)).all(axis=1).sum()) == len(inside):
                between = (sign, lowest.tolist(), highest.tolist())
                break
        found.append(between)
    return found


def _define(reference: _Reference, variable: int, sign: bool, lowest: Sequence[int], highest: Sequence[int]) -> None:
    literals: list[_Literal] = [_FALSE]
    if lowest[0] <= highest[0]:
        # shifts do not decrease: a bound implied by a neighbour's bound is redundant
        above = [block for block in range(len(lowest)) if not block or lowest[block - 1] < lowest[block]]
        below = [
            block for block in range(len(lowest)) if block + 1 == len(lowest) or highest[block] < highest[block + 1]
        ]
        literals = [reference.negated(reference.shifted(block, lowest[block] - 1)) for block in above]
        literals += [reference.shifted(block, highest[block]) for block in below]
    literal = reference.both(literals)
    if not sign:
        literal = reference.negated(literal)
    reference.define(variable, [literal])
