"""OPB, the format of the pseudo-Boolean competitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import Linear, Model
from crosslit_encoders.forms.reading import Reading, assigned, competition, variable_number

COMMENT = "*"
BOOLEAN = True
OMITS_ZEROS = False
TARGETS = ("linear",)


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the file, the header first.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Linear(((1, 0), (1, 1)), None, 1))
        >>> list(write(model))
        ['* #variable= 2 #constraint= 1', '-1 x1 -1 x2 >= -1 ;']
    """
    lines = [line for constraint in model.constraints for line in _lines(constraint)]
    yield f"* #variable= {len(model.domains)} #constraint= {len(lines)}"
    yield from lines


def _lines(constraint: object) -> Iterator[str]:
    if not isinstance(constraint, Linear):
        raise TypeError(f"{constraint!r:.60} has no form in OPB")
    for relation, bound in constraint.relations:
        sign = -1 if relation == "<=" else 1  # the format has no <=: both sides change their sign
        total = " ".join(f"{sign * factor:+d} x{variable + 1}" for factor, variable in constraint.terms)
        yield f"{total} {'=' if relation == '=' else '>='} {sign * bound} ;"


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of a pseudo-Boolean solver."""
    status, model = competition(lines)
    if model is None:
        return status, None
    # The competitions write a negated literal as -x1, OPB itself as ~x1.
    words = model.replace("~", "-").split()
    return status, assigned((variable_number(word.removeprefix("-")), int(word[0] != "-")) for word in words)
