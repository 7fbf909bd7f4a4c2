"""SMT-LIB 2, for ``z3 FILE`` and other solvers of linear integer arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from crosslit_encoders.finite_domain import Constraint, Linear, Model, Parity
from crosslit_encoders.forms.reading import Reading, assignments, only_status, whole_number

COMMENT = ";"
BOOLEAN = False
OMITS_ZEROS = False
TARGETS = ("linear-xor", "linear")
_NEGATIVE = r"\(- ([\d./]+)\)", r"-\1"
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
    numbers = {place for place in range(len(model.domains)) if not model.is_boolean(place)}
    letters = "I" * bool(sums or numbers - model.reals) + "R" * bool(model.reals)
    yield f"(set-logic {f'QF_L{letters}A' if letters else 'QF_UF'})"
    yield from declarations(model)
    for constraint in model.constraints:
        yield from assertions(model, constraint)
    yield "(check-sat)"
    yield f"(get-value ({' '.join(f'x{place}' for place in range(1, len(model.domains) + 1))}))"
    yield "(exit)"


def declarations(model: Model) -> Iterator[str]:
    """Yield the declaration of each variable, and the bounds of integers."""
    for place, (low, high) in enumerate(model.domains, 1):
        real, boolean = place - 1 in model.reals, model.is_boolean(place - 1)
        yield f"(declare-const x{place} {'Real' if real else 'Bool' if boolean else 'Int'})"
        if not boolean:
            yield f"(assert (<= {_number(low, real)} x{place} {_number(high, real)}))"


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
        real = not model.reals.isdisjoint(constraint.variables)
        terms = " ".join(_term(model, factor, place, real) for factor, place in constraint.terms)
        total = f"(+ {terms})" if len(constraint.terms) > 1 else terms
        if constraint.low is not None:
            yield f"(assert (>= {total} {_number(constraint.low, real)}))"
        if constraint.high is not None:
            yield f"(assert (<= {total} {_number(constraint.high, real)}))"
    else:
        raise TypeError(f"{constraint!r:.60} has no form in SMT-LIB")


def literal(sign: int, place: int) -> str:
    """Return a Boolean variable, negated if the sign is negative."""
    return f"x{place + 1}" if sign > 0 else f"(not x{place + 1})"


def _term(model: Model, factor: int, place: int, real: bool) -> str:
    if model.is_boolean(place):
        return f"(ite x{place + 1} {_number(factor, real)} {_number(0, real)})"
    name = f"(to_real x{place + 1})" if real and place not in model.reals else f"x{place + 1}"
    return f"(* {_number(factor, real)} {name})"


def _number(value: int | Fraction, real: bool) -> str:
    over, under = abs(Fraction(value)).as_integer_ratio()
    text = f"{over}{'.0' * real}"
    if under > 1:
        text = f"(/ {text} {under}.0)"
    return text if value >= 0 else f"(- {text})"


def read(lines: Iterable[str], number: Callable[[str], Any] = whole_number) -> Reading:
    """Return the answer in the output of a solver: values from ``get-value`` or ``get-model``."""
    stripped = [line.strip() for line in lines]
    status = only_status(_STATUS[line] for line in stripped if line in _STATUS)
    # Written -3 instead of (- 3), and -3/4 instead of (- (/ 3.0 4.0)), so that one pattern reads all numbers.
    text = " ".join(stripped).replace("true", "1").replace("false", "0")
    for written, plain in (_NEGATIVE, (r"\(/ (-?[\d.]+) ([\d.]+)\)", r"\1/\2"), _NEGATIVE):
        text = re.sub(written, plain, text)
    digits = r"-?\d+" if number is whole_number else r"-?[\d./]+"
    found = assignments(text, r"\((?:define-fun )?NAME (?:\(\) \w+ )?VALUE\)", digits, number)
    return status, found or None
