"""The MiniZinc language, for ``minizinc FILE``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import Constraint, InRange, Linear, Model, Regular
from crosslit_encoders.forms.reading import Reading, assigned, assignments, only_status, whole_number

COMMENT = "%"
BOOLEAN = False
OMITS_ZEROS = False
TARGETS = ("fd", "linear")
END_OF_SOLUTION = "-" * 10
_STATUS = {
    END_OF_SOLUTION: "satisfiable",
    "=====UNSATISFIABLE=====": "unsatisfiable",
    "=====UNKNOWN=====": "unknown",
}


def write(model: Model, solve_item: str = "solve satisfy;") -> Iterator[str]:
    """Yield the lines of the file; the cells are an array, and every other variable has a name.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Linear(((1, 0), (-2, model.variable(0, 1))), 0, 0))
        >>> list(write(model))[2:]
        ['var 0..1: x3;', 'constraint 1*x[1] + -2*x3 = 0;', 'solve satisfy;']
    """
    # Debian's Gecode cannot read globals.mzn
    yield 'include "regular.mzn";'
    # The cells are one array, which search annotations and objectives can name.
    yield f"array[1..{model.cells}] of var 0..1: x;"
    for place, (low, high) in enumerate(model.domains[model.cells :], model.cells):
        yield f"var {low}..{high}: {name(model, place)};"
    for constraint in model.constraints:
        for text in _constraints(model, constraint):
            yield f"constraint {text};"
    yield solve_item


def name(model: Model, place: int) -> str:
    """Return the name of a variable in the file."""
    return f"x[{place + 1}]" if place < model.cells else f"x{place + 1}"


def _constraints(model: Model, constraint: Constraint) -> Iterator[str]:
    names = [name(model, place) for place in constraint.variables]
    if isinstance(constraint, Linear):
        total = _total(model, constraint.terms)
        yield from (f"{total} {relation} {bound}" for relation, bound in constraint.relations)
    elif isinstance(constraint, InRange):
        yield f"{names[0]} = bool2int({names[1]} in {constraint.low}..{constraint.high})"
    elif isinstance(constraint, Regular):
        yield _regular(constraint, names)
    else:
        raise TypeError(f"{constraint!r:.60} has no form in MiniZinc")


def _total(model: Model, terms: Iterable[tuple[int, int]]) -> str:
    return " + ".join(f"{factor}*{name(model, place)}" for factor, place in terms)


def _regular(constraint: Regular, names: list[str]) -> str:
    states = 1 + max(constraint.start, *(max(state, target) for state, _, target in constraint.transitions))
    letters = 1 + max(1, *(value for _, value, _ in constraint.transitions))
    table = [[0] * letters for _ in range(states)]
    for state, value, target in constraint.transitions:
        table[state][value] = target + 1  # MiniZinc counts states and letters from 1; state 0 rejects
    rows = "".join(f"|{','.join(map(str, row))}" for row in table)
    # Letters, like states, are counted from 1, so the value 0 is the letter 1.
    word = ",".join(f"{name}+1" for name in names)
    finals = ",".join(str(state + 1) for state in constraint.finals)
    return f"regular([{word}], {states}, {letters}, [{rows}|], {constraint.start + 1}, {{{finals}}})"


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of MiniZinc."""
    stripped = [line.strip() for line in lines]
    statuses = [_STATUS[line] for line in stripped if line in _STATUS]
    if statuses.count("satisfiable") > 1:
        raise ValueError("it gives more than one model")
    status = only_status(statuses)
    text = "\n".join(stripped)
    found = [*assignments(text, r"^NAME = VALUE;").items()]
    for array in re.findall(r"^x = (?:array1d\([\d.]+, *)?\[([^\]]*)\]", text, re.MULTILINE):
        found += enumerate(whole_number(word) for word in array.split(",") if word.strip())
    # Without a status the output was cut off, perhaps within the values.
    return status, assigned(found) if status and found else None
