"""LP, the format of CPLEX, which all mixed-integer solvers read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import TAUTOLOGY, Linear, Model
from crosslit_encoders.forms.reading import Reading, assignments

COMMENT = "\\"
BOOLEAN = False
OMITS_ZEROS = True
TARGETS = ("linear",)
_TERMS = 12  # per line: some readers accept at most 255 characters
# The first match counts: "no primal feasible" contains " feasible" too, and `\b` excludes "infeasible".
_STATUS = (
    (r"infeasible|integer empty|no (?:primal|integer) feasible", "unsatisfiable"),
    (r"optimal|\bfeasible", "satisfiable"),
    (r"time limit|stopped|undefined|unknown|gap limit", "unknown"),
    (r"objective value", "satisfiable"),  # of SCIP: the only line if all variables are 0
)
# Only SCIP's and CBC's solution files leave out all variables, if all are 0. Logs have an objective value too, and the
# format of ``glpsol -w`` has numbers in place of names.
_ZEROS = re.compile(r"^(?:objective value:|Optimal.* - objective value) +-?0(?:\.0*)?$", re.MULTILINE)
# GLPK and CBC print the last point that they tried even if it is no solution.
_NO_MODEL = re.compile(r"integer (?:empty|undefined)|infeasible - objective|no integer solution", re.IGNORECASE)


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
    # SCIP refuses variables that are in no constraint nor the objective, and GLPK models without constraints.
    yield from _sum("obj", [(0, variable) for variable in model.unused or [0]])
    yield "Subject To"
    number = 0
    for constraint in model.constraints or [TAUTOLOGY]:
        if not isinstance(constraint, Linear):
            raise TypeError(f"{constraint!r:.60} has no form in LP")
        for relation, bound in constraint.relations:
            number += 1
            yield from _sum(f"c{number}", constraint.terms)
            yield f"{relation} {bound}"
    numbers = [place for place in range(len(model.domains)) if not model.is_boolean(place)]
    if numbers:
        yield "Bounds"
        for place in numbers:
            low, high = model.domains[place]
            yield f"{low} <= x{place + 1} <= {high}"
    for title, places in (("Generals", numbers), ("Binaries", sorted({*range(len(model.domains))} - {*numbers}))):
        if places:
            yield title
            yield from (f"x{place + 1}" for place in places)
    yield "End"


def _sum(name: str, terms: Iterable[tuple[int, int]]) -> Iterator[str]:
    words = [f"{factor:+} x{variable + 1}" for factor, variable in terms]
    lines = [" ".join(words[first : first + _TERMS]) for first in range(0, len(words), _TERMS)]
    yield f"{name}: {lines[0]}"
    yield from lines[1:]


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in a solution file of HiGHS, SCIP, Gurobi or CBC, or a report of ``glpsol -o``."""
    text = "\n".join(lines).partition("# Dual solution")[0]  # where HiGHS repeats the names of variables
    status = next((status for words, status in _STATUS if re.search(words, text, re.IGNORECASE)), None)
    if _NO_MODEL.search(text):
        return status, None
    values = assignments(text, r"^ *(?:\d+ +)?NAME +\*? *VALUE", r"[^\s*]+")
    if not values and re.search(r"(?i)\binfeasible\b", text) and re.search(r"(?i)\boptimal\b", text):
        raise ValueError("it says infeasible and optimal")
    if not values and status == "satisfiable" and not _ZEROS.search(text):
        raise ValueError("it says optimal and names no variable such as x1; of glpsol, use the option -o")
    return status, values if values or status == "satisfiable" else None
