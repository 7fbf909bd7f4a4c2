"""A model for an engine: variables, constraints, an objective, options, and steps that are solved one after another."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from crosslit_verify.variants import relations

Number = Any  # an int or a Fraction
Point = Sequence[Number] | Mapping[int, Number]
_SIGNS = {"eq": "=", "le": "<=", "ge": ">="}
Terms = tuple[tuple[int, Number], ...]  # (variable, coefficient)


class Variable(NamedTuple):
    """A variable with its least and greatest value."""

    kind: Literal["bool", "int", "real"] = "bool"
    low: Number = 0
    high: Number = 1


class Constraint(NamedTuple):
    """A constraint with the data of its kind.

    ``xor``: variables, and 1 if an odd number of them is 1; ``clause``: literals as in DIMACS, where 1 is variable 0;
    ``linear``: terms, ``eq``, ``le`` or ``ge``, and a bound; ``table``: variables and rows; ``regular``: variables,
    transitions (state, value, next state) from state 0, and final states; ``nfa``: the same, not deterministic;
    ``line``: variables and the clue of a nonogram, which is rewritten for every engine; one of `relations.RELATIONS`:
    variables, numbers, ``""``, ``if``, ``if not``, ``iff`` or ``iff not`` the last variable, and a (factor, offset) for
    each of the other variables.
    """

    kind: str
    data: tuple[Any, ...]

    @property
    def variables(self) -> list[int]:
        """The variables of the constraint."""
        if self.kind == "clause":
            return [abs(literal) - 1 for literal in self.data]
        return [variable for variable, _ in self.data[0]] if self.kind == "linear" else list(self.data[0])

    def text(self) -> str:
        """Return the constraint for a person.

        Examples:
            >>> Constraint("linear", (((0, 1), (3, Fraction(-5, 2))), "le", 2)).text()
            'x0 - 2.5 x3 <= 2'
        """
        if self.kind != "linear":
            return f"{self.kind} {self.data}"
        terms, sense, bound = self.data
        parts = (f"{'-' if f < 0 else '+'} {'' if abs(f) == 1 else f'{float(abs(f)):.12g} '}x{i}" for i, f in terms)
        return f"{' '.join(parts).removeprefix('+ ')} {_SIGNS[sense]} {float(bound):.12g}"

    def scaled(self) -> Constraint:
        """Return the constraint with integers for its coefficients and bound, if it is linear."""
        if self.kind != "linear":
            return self
        terms, sense, bound = self.data
        scale = math.lcm(*(Fraction(number).denominator for number in (bound, *(factor for _, factor in terms))))
        return Constraint(
            "linear", (tuple((index, int(factor * scale)) for index, factor in terms), sense, int(bound * scale))
        )

    def holds(self, point: Point, tolerance: Fraction = Fraction(0)) -> bool:
        """Return whether a point satisfies the constraint; the tolerance is relative to the size of its numbers."""
        if self.kind == "clause":
            return any(point[abs(literal) - 1] == (literal > 0) for literal in self.data)
        if self.kind == "linear":
            terms, sense, bound = self.data
            excess = total(terms, point) - bound
            slack = tolerance * (1 + abs(bound) + magnitude(terms, point)) if tolerance else 0
            return bool((sense == "le" or excess >= -slack) and (sense == "ge" or excess <= slack))
        values = [point[variable] for variable in self.variables]
        if self.kind == "xor":
            return bool(sum(values) % 2 == self.data[1])
        if self.kind == "table":
            return tuple(values) in self.data[1]
        if self.kind in relations.RELATIONS:
            return relations.holds(self.kind, self.data)(point)
        if self.kind == "line":
            return fits(values, self.data[1])
        return bool(accepted_run(*self.data[1:], tuple(values)))


def total(terms: Terms, point: Point) -> Number:
    """Return the value of a sum of terms."""
    return sum((factor * point[variable] for variable, factor in terms), 0)


def magnitude(terms: Terms, point: Point) -> Number:
    """Return the sum of the absolute values of terms, of which some programs print six digits."""
    return sum(abs(factor) * max(1, abs(point[variable])) for variable, factor in terms)


def fits(values: Sequence[Number], clue: Sequence[int]) -> bool:
    """Return whether the blocks of ones in a line are those of a clue."""
    return [len(block) for block in "".join("1" if value else "0" for value in values).split("0") if block] == [*clue]


@functools.lru_cache(maxsize=4096)
def accepted_run(
    transitions: tuple[tuple[int, int, int], ...], finals: tuple[int, ...], values: tuple[Number, ...]
) -> list[int]:
    """Return the states of a run of an automaton that accepts the values; empty if there is none."""
    runs = {0: [0]}
    for value in values:
        runs = {to: [*runs[state], to] for state, label, to in transitions if state in runs and label == value}
    return next((run for state, run in runs.items() if state in finals), [])


@dataclass(frozen=True)
class Step:
    """A solve: values assumed for this step only, values hinted at, and constraints added for good."""

    fixed: tuple[tuple[int, int], ...] = ()
    hint: tuple[tuple[int, Number], ...] = ()
    added: tuple[Constraint, ...] = ()
    objective: Terms | None = None  # to minimise in this step in place of that of the model, if there is one
    is_maximised: bool = False  # the engine is told to maximise the negated objective


@dataclass(frozen=True)
class VariantModel:
    """Variables and constraints, an objective to minimise, options of the engine, and at least one step."""

    variables: tuple[Variable, ...]
    constraints: tuple[Constraint, ...]
    objective: Terms = ()
    options: tuple[tuple[str, Any], ...] = ()
    steps: tuple[Step, ...] = (Step(),)
    asks_all: bool = False  # for all points, without an objective
    asks_core: bool = False  # for the assumptions that contradict the constraints
    asks_proof: bool = False  # for one that clauses contradict each other, if they do

    @property
    def has_objectives(self) -> bool:
        """True if steps have their own objectives."""
        return any(step.objective is not None for step in self.steps)

    def objective_at(self, number: int) -> Terms:
        """Return the objective of a step."""
        own = self.steps[number].objective
        return self.objective if own is None else own

    def all_constraints(self, step: int | None = None) -> list[Constraint]:
        """Return the constraints of the model and of its steps, or of those up to one step."""
        steps = self.steps if step is None else self.steps[: step + 1]
        return [*self.constraints, *(item for one in steps for item in one.added)]

    def broken(self, point: Point, number: int, tolerance: Fraction = Fraction(0)) -> str:
        """Return what a point breaks at a step; empty if nothing."""
        for index, (variable, value) in enumerate(zip(self.variables, point, strict=True)):
            slack = tolerance * (1 + abs(value)) if variable.kind == "real" else 0
            if not variable.low - slack <= value <= variable.high + slack:
                return f"x{index} is not in {variable.low}..{variable.high}"
            if variable.kind != "real" and value != int(value):
                return f"x{index} is not an integer"
        for index, value in self.steps[number].fixed:
            if point[index] != value:
                return f"x{index} is assumed to be {value}"
        for constraint in self.all_constraints(number):
            if not constraint.holds(point, tolerance):
                return constraint.text()
        return ""


def units(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return values as literals of DIMACS."""
    return [index + 1 if value else -index - 1 for index, value in pairs]


class Wrong(NamedTuple):
    """A wrong answer: the step, what is wrong, and a point that refutes it, or the broken point that it gave."""

    problem: str
    step: int
    detail: str
    point: Point = ()
    version: str = ""  # of the engine, if another version is right


class Renaming:
    """New numbers of the variables kept, of which some Boolean ones x are replaced by 1 - x; the others have values."""

    def __init__(
        self,
        kept: Sequence[int],
        flips: Set[int] = frozenset(),
        values: Mapping[int, Number] = {},
    ) -> None:
        self.kept, self.flips = kept, flips
        self._shifts = {**dict.fromkeys(flips, 1), **values}
        self._place = {old: new for new, old in enumerate(kept)}

    def point(self, point: Point) -> list[Number]:
        """Return a point of the new variables."""
        return [1 - point[index] if index in self.flips else point[index] for index in self.kept]

    def constraint(self, item: Constraint) -> Constraint:
        """Return a constraint over the new variables; those of automata must not be flipped."""
        data = item.data
        if item.kind == "linear":
            shift = sum(factor * self._shifts.get(index, 0) for index, factor in data[0])
            return Constraint("linear", (self.terms(data[0]), data[1], data[2] - shift))
        own = [self._place[index] for index in item.variables]
        flipped = [index in self.flips for index in item.variables]
        if item.kind == "clause":
            signs = [(literal > 0) != flip for literal, flip in zip(data, flipped, strict=True)]
            return Constraint("clause", tuple(i + 1 if sign else -i - 1 for i, sign in zip(own, signs, strict=True)))
        if item.kind == "xor":
            return Constraint("xor", (tuple(own), (data[1] + sum(flipped)) % 2))
        if item.kind == "table":
            rows = (zip(row, flipped, strict=True) for row in data[1])
            return Constraint("table", (tuple(own), tuple(tuple(value ^ flip for value, flip in row) for row in rows)))
        return Constraint(item.kind, (tuple(own), *data[1:]))

    def terms(self, terms: Terms) -> Terms:
        """Return a sum over the new variables, without the constant that flips and values add."""
        return tuple(
            (self._place[index], -factor if index in self.flips else factor)
            for index, factor in terms
            if index in self._place
        )

    def values(self, pairs: Terms) -> Terms:
        """Return values of the new variables."""
        return tuple(
            (self._place[index], 1 - value if index in self.flips else value)
            for index, value in pairs
            if index in self._place
        )

    def model(self, model: VariantModel) -> VariantModel:
        """Return a model over the new variables."""
        constraints = map(self.constraint, model.constraints)
        return replace(
            model,
            variables=tuple(model.variables[index] for index in self.kept),
            constraints=tuple(item for item in constraints if item.kind != "linear" or item.data[0]),
            objective=self.terms(model.objective),
            steps=tuple(
                replace(
                    step,
                    fixed=self.values(step.fixed),
                    hint=self.values(step.hint),
                    added=tuple(map(self.constraint, step.added)),
                    objective=None if step.objective is None else self.terms(step.objective),
                )
                for step in model.steps
            ),
        )


@dataclass(frozen=True)
class Variant:
    """A model with a solution for each of its steps, the best one if there is an objective; None if there is none."""

    puzzle: str  # empty if the model is one of small integers
    techniques: frozenset[str]
    model: VariantModel
    witnesses: tuple[Point | None, ...]
    points: Sequence[Point] = ()  # known ones, all if the model asks for all; assumptions may exclude them
    is_planted: bool = False  # True if only one solution is known, perhaps not the best, or none

    def renamed(self, renaming: Renaming) -> Variant:
        """Return the case with other numbers and signs of variables."""
        points = (None if point is None else renaming.point(point) for point in self.witnesses)
        known = [renaming.point(point) for point in self.points]
        return replace(self, model=renaming.model(self.model), witnesses=tuple(points), points=known)
