"""LP, the format of CPLEX, which all mixed-integer solvers read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import Linear, Model
from crosslit_encoders.forms.reading import Reading, Sparse, assignments

COMMENT = "\\"
BOOLEAN = False
_TERMS = 12  # per line: some readers accept at most 255 characters
# The first match counts: "no primal feasible" contains " feasible" too, and `\b` excludes "infeasible".
_STATUS = (
    (r"infeasible|integer empty|no (?:primal|integer) feasible", "unsatisfiable"),
    (r"optimal|\bfeasible", "satisfiable"),
    (r"time limit|undefined|unknown|gap limit", "unknown"),
)


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the file, with a constant objective.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Linear(((1, 0), (-1, model.variable(0, 3))), 0, 0))
        >>> list(write(model))[4:]
        ['c1: +1 x1 -1 x3', '= 0', 'Bounds', '0 <= x3 <= 3', 'Generals', 'x3', 'Binaries', 'x1', 'x2', 'End']
    """
    # The file's comments come after this line, still in front of the model.
    yield r"\ mixed-integer program"
    yield "Minimize"
    yield "obj: 0 x1"
    yield "Subject To"
    number = 0
    for constraint in model.constraints:
        if not isinstance(constraint, Linear):
            raise TypeError(f"{constraint!r:.60} has no form in LP")
        for relation, bound in _bounds(constraint):
            number += 1
            terms = [f"{factor:+d} x{variable + 1}" for factor, variable in constraint.terms]
            lines = [" ".join(terms[first : first + _TERMS]) for first in range(0, len(terms), _TERMS)]
            yield f"c{number}: {lines[0]}"
            yield from lines[1:]
            yield f"{relation} {bound}"
    integers = [place for place, domain in enumerate(model.domains) if domain != (0, 1)]
    if integers:
        yield "Bounds"
        yield from (f"{model.domains[place][0]} <= x{place + 1} <= {model.domains[place][1]}" for place in integers)
        yield "Generals"
        yield from (f"x{place + 1}" for place in integers)
    yield "Binaries"
    yield from (f"x{place + 1}" for place, domain in enumerate(model.domains) if domain == (0, 1))
    yield "End"


def _bounds(constraint: Linear) -> Iterator[tuple[str, int]]:
    if constraint.low is not None and constraint.low == constraint.high:
        yield "=", constraint.low
        return
    if constraint.low is not None:
        yield ">=", constraint.low
    if constraint.high is not None:
        yield "<=", constraint.high


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in a solution file of HiGHS, SCIP, Gurobi or CBC, or in the report of ``glpsol -o``.

    A variable that the file leaves out is 0: some solvers leave zeros out.

    Examples:
        >>> read(["Model status", "Optimal", "# Columns 2", "x1 1", "x2 0"])
        ('satisfiable', {0: 1, 1: 0})
    """
    text = "\n".join(lines)
    status = next((status for words, status in _STATUS if re.search(words, text, re.IGNORECASE)), None)
    values = assignments(text, r"^ *(?:\d+ +)?NAME +\*? *VALUE", r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
    # A solution of zeros only may leave all variables out.
    return status, Sparse(values) if values or status == "satisfiable" else None
