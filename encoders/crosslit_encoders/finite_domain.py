"""A solver-neutral finite-domain model: Boolean and integer variables, and four kinds of constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from crosslit.base.errors import UnreadableModel
from crosslit.base.grid import Grid, Layout
from crosslit.base.records import Result
from crosslit.base.text import shorten
from crosslit_encoders.cells import Extension, cell_comments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crosslit_encoders.forms.reading import Reading

T = TypeVar("T")
_MAX_SHOWN = 200  # characters of a broken constraint
Values = Mapping[int, int] | Sequence[int]
"""The value of each variable."""


@dataclass(frozen=True)
class Parity:
    """Boolean variables of which an odd (1) or even (0) number is true."""

    variables: tuple[int, ...]
    value: int

    def holds(self, values: Values) -> bool:
        """Return whether the values satisfy the constraint."""
        return sum(values[variable] for variable in self.variables) % 2 == self.value


@dataclass(frozen=True)
class Linear:
    """A sum of variables with coefficients, bounded from below, above, or both."""

    terms: tuple[tuple[int, int], ...]
    low: int | None = None
    high: int | None = None

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables in the order of their terms."""
        return tuple(variable for _, variable in self.terms)

    @property
    def relations(self) -> list[tuple[str, int]]:
        """The sum's bounds: one ``=`` if they are equal, otherwise ``>=`` and ``<=``, as far as they are there."""
        if self.low is not None and self.low == self.high:
            return [("=", self.low)]
        return [(sign, bound) for sign, bound in ((">=", self.low), ("<=", self.high)) if bound is not None]

    def holds(self, values: Values) -> bool:
        """Return whether the values satisfy the constraint."""
        total = sum(coefficient * values[variable] for coefficient, variable in self.terms)
        return (self.low is None or self.low <= total) and (self.high is None or total <= self.high)


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Many linear constraints as arrays: an iterable of `Linear`, which takes ten times as long to make as the arrays.

    Args:
        coefficients: those of all constraints in sequence.
        variables: the variable of each coefficient.
        ends: for each constraint, the index after its last term, ascending.
        least: the lower bound of each sum.
        exact: whether that is also its upper bound.
    """

    coefficients: NDArray[np.integer]
    variables: NDArray[np.integer]
    ends: NDArray[np.integer]
    least: NDArray[np.integer]
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[Linear]:
        for terms, least, exact in self.rows(int):
            yield Linear(tuple(terms), least, least if exact else None)

    def rows(self, name: Callable[[int], T]) -> Iterator[tuple[list[tuple[int, T]], int, bool]]:
        """Yield the terms with a name for each variable, the lower bound, and whether it is also the upper bound."""
        named = map(name, self.variables.tolist())
        terms, start = [*zip(self.coefficients.tolist(), named, strict=True)], 0
        for end, least, exact in zip(self.ends.tolist(), self.least.tolist(), self.exact.tolist(), strict=True):
            yield terms[start:end], least, exact
            start = end


@dataclass(frozen=True)
class Regular:
    """Variables from 0 on whose values in this order are a word of a deterministic automaton."""

    variables: tuple[int, ...]
    start: int  # the first state
    finals: tuple[int, ...]  # the accepting states
    transitions: tuple[tuple[int, int, int], ...]  # (state, value, next state); any other transition rejects

    def holds(self, values: Values) -> bool:
        """Return whether the automaton accepts the values."""
        moves = {(state, value): target for state, value, target in self.transitions}
        state: int | None = self.start
        for variable in self.variables:
            state = moves.get((state, values[variable])) if state is not None else None
        return state in self.finals


@dataclass(frozen=True)
class InRange:
    """A Boolean variable that is true exactly if an integer variable lies in low..high."""

    boolean: int
    integer: int
    low: int
    high: int

    @property
    def variables(self) -> tuple[int, ...]:
        """Both variables."""
        return self.boolean, self.integer

    def holds(self, values: Values) -> bool:
        """Return whether the values satisfy the constraint."""
        return bool(values[self.boolean]) == (self.low <= values[self.integer] <= self.high)


LINEAGE = "finite-domain"
"""The trusted base of every encoding to a model: this module."""

Constraint = Parity | Linear | Regular | InRange


def describe(constraint: Constraint) -> str:
    """Return a constraint as one line; variables count from 1."""
    names = " ".join(f"x{variable + 1}" for variable in constraint.variables)
    match constraint:
        case Linear(terms):
            total = " ".join(f"{coefficient:+d} x{variable + 1}" for coefficient, variable in terms)
            return f"{total} {' and '.join(f'{sign} {bound}' for sign, bound in constraint.relations)}"
        case Parity(_, value):
            return f"{names}: an {'odd' if value else 'even'} number is 1"
        case InRange(boolean, integer, low, high):
            return f"x{boolean + 1} is 1 if x{integer + 1} is from {low} to {high}, otherwise 0"
        case Regular():
            return f"{names}: a word of an automaton"


CONTRADICTION = Linear(((1, 0),), 2)
"""A constraint that no values satisfy, in a form that every engine accepts: the first cell is at least 2."""

TAUTOLOGY = Linear(((1, 0),), 0)
"""A constraint that all values satisfy, for programs that refuse models without constraints."""


@dataclass(repr=False)
class Model(Result):
    """Variables and constraints over the cells of a grid: the solution itself, or a part that determines it.

    The first variables are the cells, in row-major order, with the bounds 0 and 1. A cell with more than two states has
    a variable for each, which is 1 if the cell has that value. The cells determine every other variable.
    """

    rows: int
    columns: int
    extend: Extension | None = None  # from that grid to the solution, unless it is the solution
    domains: list[tuple[int, int]] = field(default_factory=list)  # the least and greatest value of each variable
    constraints: list[Constraint] | LinearRows = field(default_factory=list)  # all of which must hold
    states: int = 2  # of a cell

    def __post_init__(self) -> None:
        self.domains = self.domains or [(0, 1)] * self.cells

    @property
    def layout(self) -> Layout:
        """The form of the grid of cells that have variables."""
        return Layout(self.rows, self.columns, self.states)

    @property
    def cells(self) -> int:
        """Number of cell variables."""
        return self.layout.variables

    @property
    def weights(self) -> list[int]:
        """The value that each cell variable stands for."""
        return self.layout.weights

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables and constraints."""
        return {"variables": len(self.domains), "constraints": len(self.constraints)}

    def variable(self, low: int = 0, high: int = 1) -> int:
        """Add a variable, Boolean unless bounds are given, and return its number."""
        self.domains.append((low, high))
        return len(self.domains) - 1

    def add(self, constraint: Constraint) -> None:
        """Add a constraint."""
        if isinstance(self.constraints, LinearRows):
            self.constraints = [*self.constraints]
        self.constraints.append(constraint)

    def add_parities(self, xors: Iterable[tuple[tuple[int, ...], int]]) -> None:
        """Add XORs of variables, each with its value; one of no variables is 0."""
        for variables, value in xors:
            if variables:
                self.add(Parity(variables, value))
            elif value:
                self.add(CONTRADICTION)

    def add_sum(self, variables: Iterable[int], low: int | None, high: int | None, minus: Iterable[int] = ()) -> None:
        """Add bounds on the sum of some variables minus the sum of others; a sum over no variables is 0."""
        terms = (*((1, variable) for variable in variables), *((-1, variable) for variable in minus))
        if terms:
            self.add(Linear(terms, low, high))
        elif not Linear((), low, high).holds({}):
            self.add(CONTRADICTION)

    def is_boolean(self, variable: int) -> bool:
        """Return whether a variable has the values 0 and 1 only."""
        return self.domains[variable] == (0, 1)

    def is_clause(self, linear: Linear) -> bool:
        """Return whether a linear constraint says that at least one literal is true."""
        return linear.high is None and self._is_some_literal(linear)

    def is_exactly_one(self, linear: Linear) -> bool:
        """Return whether a linear constraint says that exactly one literal is true."""
        return linear.high == linear.low and self._is_some_literal(linear)

    def _is_some_literal(self, linear: Linear) -> bool:
        """Return whether the lower bound of a linear constraint says that a literal is true."""
        # A negated literal 1 - x contributes -1 to the coefficients and 1 to the constant, which moves to the bound.
        factors = [factor for factor, _ in linear.terms]
        is_boolean = all(self.is_boolean(variable) for _, variable in linear.terms)
        return is_boolean and {*factors} <= {1, -1} and linear.low == 1 - factors.count(-1)

    def grid(self, values: Values) -> Grid:
        """Return the solution, given the values of the cells."""
        true = "".join("1" if values[cell] else "0" for cell in range(self.cells))
        grid = self.layout.decode(true)
        return grid if self.extend is None else self.extend(grid)

    def blocking(self, values: Values) -> Linear:
        """Return the constraint that excludes a solution: some cell has another value."""
        # At these values the sum is minus the number of true cells, and each changed cell raises it by 1.
        terms = tuple((-1 if values[cell] else 1, cell) for cell in range(self.cells))
        return Linear(terms, 1 - sum(bool(values[cell]) for cell in range(self.cells)))

    def broken(self, values: Values) -> Constraint | None:
        """Return the first constraint that the values of all variables break; None if they break none."""
        return next((constraint for constraint in self.constraints if not constraint.holds(values)), None)

    @property
    def unused(self) -> list[int]:
        """The variables that are in no constraint."""
        used = {variable for constraint in self.constraints for variable in constraint.variables}
        return [variable for variable in range(len(self.domains)) if variable not in used]

    def as_form(self, name: str = "") -> Written:
        """Return the model in the named form; the default is MiniZinc, or ASP if the model has parity constraints."""
        from crosslit.contract.registered import forms  # not needed to make a model

        has_parity = any(isinstance(constraint, Parity) for constraint in self.constraints)
        form: Form = forms()[name or ("asp" if has_parity else "mzn")].load()
        return Written(without_integers(self) if form.BOOLEAN else self, form)

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the model in its default form."""
        return self.as_form().written(comments, binary)

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return a solver's answer to the model in its default form."""
        return self.as_form().answer(lines)


def without_integers(model: Model) -> Model:
    """Return an equivalent model of Boolean variables, for engines and forms without integers.

    An integer from a to b becomes b - a Boolean variables in descending order, whose sum is the integer minus a. The
    result has only `Linear` and `Parity` constraints.
    """
    if all(map(model.is_boolean, range(len(model.domains)))):
        return model
    simple = Model(model.rows, model.columns, model.extend, states=model.states)
    places: list[tuple[int, ...]] = [(cell,) for cell in range(model.cells)]
    for lower, upper in model.domains[model.cells :]:
        steps = tuple(simple.variable() for _ in range(upper - lower))
        places.append(steps)
        # Descending, so that each value has one representation. Otherwise one solution would become several models.
        for before, after in pairwise(steps):
            simple.add(Linear(((1, before), (-1, after)), 0))
    for constraint in model.constraints:
        if isinstance(constraint, Linear):
            # The steps count from the least value, so the bounds move by what the least values contribute.
            base = sum(coefficient * model.domains[variable][0] for coefficient, variable in constraint.terms)
            terms = tuple(
                (coefficient, step) for coefficient, variable in constraint.terms for step in places[variable]
            )
            low = None if constraint.low is None else constraint.low - base
            simple.add(Linear(terms, low, None if constraint.high is None else constraint.high - base))
        elif isinstance(constraint, Parity):
            simple.add(
                Parity(
                    tuple(place for variable in constraint.variables for place in places[variable]), constraint.value
                )
            )
        else:
            raise TypeError(f"{constraint!r:.60} is not a linear constraint")
    return simple


class Form(Protocol):
    """The interface of a module of `crosslit_encoders.forms`."""

    COMMENT: str  # the sign that begins a comment
    BOOLEAN: bool  # True if it has no integer variables; the model then goes through `without_integers` first
    OMITS_ZEROS: bool  # True if solvers leave out zeros or false atoms
    TARGETS: tuple[str, ...]  # those of encodings whose models it can state

    def write(self, model: Model) -> Iterator[str]:
        """Yield the lines of the file, without comments."""

    def read(self, lines: Iterable[str]) -> Reading:
        """Return the status and the values in a solver's output.

        Raises:
            ValueError: if the output is not an answer; the message says why.
        """


@dataclass(frozen=True, repr=False)
class Written(Result):
    """A model in a file form."""

    model: Model
    form: Form

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables and constraints."""
        return self.model.sizes

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the file, in pieces.

        Raises:
            ValueError: if a binary variant is requested.
        """
        if binary:
            raise ValueError("only CP-SAT models have a binary form")
        model, sign = self.model, self.form.COMMENT
        lines = self.form.write(model)
        first = next(lines)  # the header of OPB must be the first line
        yield f"{first}\n".encode()
        for comment in (*comments, *cell_comments(model.layout, model.extend, 1)):
            # A comment in XML must not contain two hyphens in a row.
            yield (f"<!-- {comment.replace('--', '- -')} -->\n" if sign == "<!--" else f"{sign} {comment}\n").encode()
        for line in lines:
            yield f"{line}\n".encode()

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return the status, the solution and the first broken constraint; see `crosslit.contract.Encoded`."""
        status, values = self.read(lines)
        if values is None:
            return status, None, None
        broken = self.model.broken(values)
        return status, self.model.grid(values), shorten(describe(broken), _MAX_SHOWN) if broken else None

    def read(self, lines: Iterable[str]) -> tuple[str | None, list[int] | None]:
        """Return the status in a solver's output, and the values of all variables if there are some.

        Raises:
            UnreadableModel: if it is not an answer about this model.
        """
        try:
            status, found = self.form.read(lines.splitlines() if isinstance(lines, str) else lines)
            if found is None:
                return status, None
            if status == "unsatisfiable":
                raise ValueError("it says unsatisfiable and gives a model")
            return status, self._completed(found)
        except ValueError as error:
            raise UnreadableModel(str(error)) from None

    def _completed(self, found: Mapping[int, int]) -> list[int]:
        """Return the values of all variables, in their order.

        Raises:
            ValueError: if there is a value that the model does not allow, or none of a variable that has to have one.
        """
        domains = self.model.domains
        if self.form.OMITS_ZEROS:
            defaults = dict.fromkeys(range(len(domains)), 0)
        else:  # ACE and others do not know variables without constraints
            defaults = {variable: domains[variable][0] for variable in self.model.unused}
        values = {**defaults, **found}
        for variable, value in values.items():
            if variable >= len(domains) or not domains[variable][0] <= value <= domains[variable][1]:
                raise ValueError(f"x{variable + 1} = {value} is not a value of a variable of this model")
        if lacking := [variable for variable in range(len(domains)) if variable not in values]:
            raise ValueError(f"no values of {len(lacking)} variables, the first is x{lacking[0] + 1}: a partial model")
        return [values[variable] for variable in range(len(domains))]
