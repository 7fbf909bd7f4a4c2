"""MPS in free format, which all mixed-integer solvers read; their answers are those of `lp`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crosslit_encoders.finite_domain import TAUTOLOGY, Linear, Model
from crosslit_encoders.forms.lp import read as read

COMMENT = "*"
BOOLEAN = False
OMITS_ZEROS = True
TARGETS = ("linear",)
_SENSES = {"=": "E", ">=": "G", "<=": "L"}


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the file; the coefficients of a variable stand together.

    Examples:
        >>> model = Model(1, 1)
        >>> model.add(Linear(((1, 0), (-1, model.variable(0, 3))), 0, 2))
        >>> list(write(model))[1:6]
        ['ROWS', ' N obj', ' G c1', ' L c2', 'COLUMNS']
        >>> list(write(model))[6:12]
        [' x1 obj 0', ' x1 c1 1', ' x1 c2 1', ' x2 obj 0', ' x2 c1 -1', ' x2 c2 -1']
        >>> list(write(model))[12:]
        ['RHS', ' RHS c1 0', ' RHS c2 2', 'BOUNDS', ' BV BND x1', ' LI BND x2 0', ' UI BND x2 3', 'ENDATA']
    """
    yield "NAME crosslit FREE"  # CBC would read columns of fixed width
    rows: list[tuple[str, str, int]] = []
    columns: list[dict[str, Any]] = [{"obj": 0} for _ in model.domains]  # of a variable in no row, this is the only one
    for constraint in model.constraints or [TAUTOLOGY]:
        if not isinstance(constraint, Linear):
            raise TypeError(f"{constraint!r:.60} has no form in MPS")
        for relation, bound in constraint.relations:
            rows.append((f"c{len(rows) + 1}", _SENSES[relation], bound))
            for factor, variable in constraint.terms:
                columns[variable][rows[-1][0]] = columns[variable].get(rows[-1][0], 0) + factor
    yield from ("ROWS", " N obj", *(f" {sense} {name}" for name, sense, _ in rows), "COLUMNS")
    for place, column in enumerate(columns, 1):
        yield from (f" x{place} {row} {factor}" for row, factor in column.items())
    yield from ("RHS", *(f" RHS {name} {bound}" for name, _, bound in rows), "BOUNDS")
    for place, bounds in enumerate(model.domains):
        if model.is_boolean(place):
            yield f" BV BND x{place + 1}"
        else:
            for kind, bound in zip(("LI", "UI"), bounds, strict=True):
                yield f" {kind} BND x{place + 1} {bound}"
    yield "ENDATA"
