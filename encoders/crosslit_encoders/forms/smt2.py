"""SMT-LIB 2, for ``z3 FILE`` and other solvers of linear integer arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import Constraint, Linear, Model, Parity
from crosslit_encoders.forms.reading import Reading, assignments, only_status

COMMENT = ";"
BOOLEAN = False
OMITS_ZEROS = False
TARGETS = ("linear-xor", "linear")
_STATUS = {"sat": "satisfiable", "unsat": "unsatisfiable", "unknown": "unknown"}


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the file: Boolean and integer variables, the assertions, and ``get-value`` at the end.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Parity((0, 1), 1))
        >>> list(write(model))[2:]  # doctest: +NORMALIZE_WHITESPACE
        ['(declare-const x1 Bool)', '(declare-const x2 Bool)', '(assert (xor x1 x2))', '(check-sat)',
         '(get-value (x1 x2))', '(exit)']
    """
    yield "(set-option :produce-models true)"
    # Solvers of one logic refuse a file without any, and those of Booleans one with arithmetic.
    sums = any(isinstance(found, Linear) and not model.is_clause(found) for found in model.constraints)
    has_integers = not all(map(model.is_boolean, range(len(model.domains))))
    yield f"(set-logic {'QF_LIA' if sums or has_integers else 'QF_UF'})"
    yield from declarations(model)
    for constraint in model.constraints:
        yield from assertions(model, constraint)
    yield "(check-sat)"
    yield f"(get-value ({' '.join(f'x{place}' for place in range(1, len(model.domains) + 1))}))"
    yield "(exit)"


def declarations(model: Model) -> Iterator[str]:
    """Yield the declaration of each variable, and the bounds of integers."""
    for place, (low, high) in enumerate(model.domains, 1):
        is_boolean = model.is_boolean(place - 1)
        yield f"(declare-const x{place} {'Bool' if is_boolean else 'Int'})"
        if not is_boolean:
            yield f"(assert (<= {_number(low)} x{place} {_number(high)}))"


def assertions(model: Model, constraint: Constraint) -> Iterator[str]:
    """Yield the assertions of one constraint."""
    if isinstance(constraint, Parity):
        names = [f"x{place + 1}" for place in constraint.variables]
        # `xor` takes two or more arguments, and associates to the left.
        odd = f"(xor {' '.join(names)})" if len(names) > 1 else names[0]
        yield f"(assert {odd})" if constraint.value else f"(assert (not {odd}))"
    elif isinstance(constraint, Linear):
        if model.is_clause(constraint):
            literals = (literal(factor, place) for factor, place in constraint.terms)
            yield f"(assert (or {' '.join(literals)}))"
            return
        terms = " ".join(_term(model, factor, place) for factor, place in constraint.terms)
        total = f"(+ {terms})" if len(constraint.terms) > 1 else terms
        if constraint.low is not None:
            yield f"(assert (>= {total} {_number(constraint.low)}))"
        if constraint.high is not None:
            yield f"(assert (<= {total} {_number(constraint.high)}))"
    else:
        raise TypeError(f"{constraint!r:.60} has no form in SMT-LIB")


def literal(sign: int, place: int) -> str:
    """Return a Boolean variable, negated if the sign is negative."""
    return f"x{place + 1}" if sign > 0 else f"(not x{place + 1})"


def _term(model: Model, factor: int, place: int) -> str:
    number, name = _number(factor), f"x{place + 1}"
    return f"(ite {name} {number} 0)" if model.is_boolean(place) else f"(* {number} {name})"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of a solver: values from ``get-value`` or ``get-model``."""
    stripped = [line.strip() for line in lines]
    status = only_status(_STATUS[line] for line in stripped if line in _STATUS)
    # Written -3 instead of (- 3), so that one pattern reads all numbers.
    text = re.sub(r"\(- (\d+)\)", r"-\1", " ".join(stripped).replace("true", "1").replace("false", "0"))
    found = assignments(text, r"\((?:define-fun )?NAME (?:\(\) \w+ )?VALUE\)")
    return status, found or None
